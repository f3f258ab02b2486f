package io.millrace.soak;

import java.io.IOException;
import java.util.List;

/** Carries out the faults of one kind of cluster. */
interface FaultInjector extends AutoCloseable {
  /**
   * What was done.
   *
   * @param recoveryStart from when the recovery is measured; milliseconds since the epoch
   * @param ended when everything was there again
   */
  record InjectedFault(String description, long recoveryStart, long ended) {}

  /** The faults that are possible here. */
  List<FaultKind> kinds();

  /** The options with which the cluster is created. */
  List<String> clusterOptions();

  /** Returns when all processes may run and disks are usable again. */
  InjectedFault inject(FaultKind kind) throws IOException, InterruptedException;

  /** Verifies what must hold after each recovery, beyond what the job shows. */
  void verifyRecovered() throws IOException, InterruptedException;

  /** Verifies what must hold when the job has finished and the cluster still runs. */
  void verifyFinished() throws IOException, InterruptedException;

  /** What the cluster, whose processes have ended, left behind. */
  List<String> remains() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}

package io.millrace.sim.check;

import io.millrace.core.id.JobId;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.WorkerInfo;
import io.millrace.sim.SimBlobs;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTokens;
import io.millrace.sim.SimWorkerBlobs;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.worker.slots.SlotTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actual state of the simulated world, which invariants check. */
public interface SimulatedWorld {
  Scenario scenario();

  long nanos();

  /** Whether the phase of faults is over. */
  boolean isCalm();

  /**
   * Whether every living process can reach all others during the whole scenario. If not, a leader
   * may drop a process that still runs.
   */
  default boolean isReachable() {
    return scenario().shape().jobManagers() == 1
        && scenario().faults().stream()
            .allMatch(
                fault ->
                    fault instanceof Fault.ClockJump
                        || fault instanceof Fault.DriverFailure
                        || fault instanceof Fault.WorkerCrash
                        || fault instanceof Fault.NodeLoss
                        || fault instanceof Fault.WorkerDraining
                        || fault instanceof Fault.DuplicateCalls
                        || (fault instanceof Fault.CallFault call && call.isHarmless())
                        || (fault instanceof Fault.Crash crash
                            && !crash.process().startsWith("jobmanager")));
  }

  /** The number of living TaskManagers that were partitioned at some time since then. */
  int partitionedTaskManagers(long sinceNanos);

  /** Whether no message can pass from one process to the other now. */
  boolean isPartitioned(String from, String to);

  /** Whether a JobManager was partitioned at some time since then. */
  boolean wasJobManagerPartitioned(long sinceNanos);

  /** The living TaskManager processes. */
  List<Worker> workers();

  Optional<SimDriver> driver();

  SimStore store();

  SimBlobs blobs();

  SimCheckpointStorage checkpoints();

  /** The service that issues delegation tokens, in clusters that need them. */
  Optional<SimTokens> tokens();

  /** A TaskManager process and its components. */
  record Worker(
      String name,
      SimProcess process,
      SlotTable slots,
      SimTaskHost host,
      SimTokens.Held tokens,
      SimWorkerBlobs blobs) {}

  /**
   * The state that a settled cluster reports to clients.
   *
   * @param workers the workers that the ResourceManager reports
   * @param jobs the details of each submitted job, by its id
   * @param dataSets the cached data sets
   */
  record ClusterReport(
      List<WorkerInfo> workers, Map<JobId, JobDetails> jobs, List<DataSetInfo> dataSets) {}
}

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

/** The simulated world as it really is, for those who check it. */
public interface SimulatedWorld {
  Scenario scenario();

  long nanos();

  /** Whether nothing goes wrong any more. */
  boolean isCalm();

  /**
   * Whether in this scenario every living process can be reached by all others, all the time. Where
   * that is not so, one side may have to give up another that goes on for a while.
   */
  default boolean isReachable() {
    return scenario().shape().jobManagers() == 1
        && scenario().faults().stream()
            .allMatch(
                fault ->
                    fault instanceof Fault.ClockJump
                        || fault instanceof Fault.BadDriver
                        || fault instanceof Fault.LoseStarted
                        || fault instanceof Fault.LoseNode
                        || fault instanceof Fault.Echo
                        || (fault instanceof Fault.AtCall call && call.isHarmless())
                        || (fault instanceof Fault.Crash crash
                            && !crash.process().startsWith("jobmanager")));
  }

  /** Living TaskManagers that messages did not get to or from at some time since then. */
  int cutOff(long sinceNanos);

  /** Whether nothing gets from one process to another now. */
  boolean isPartitioned(String from, String to);

  /** Whether messages did not get to or from a JobManager at some time since then. */
  boolean isJobManagerCutOff(long sinceNanos);

  /** The TaskManager processes that live. */
  List<Worker> workers();

  Optional<SimDriver> driver();

  SimStore store();

  SimBlobs blobs();

  SimCheckpointStorage checkpoints();

  /** Who gives delegation tokens, where processes need them. */
  Optional<SimTokens> tokens();

  /** A TaskManager process and what is in it. */
  record Worker(
      String name,
      SimProcess process,
      SlotTable slots,
      SimTaskHost host,
      SimTokens.Held tokens,
      SimWorkerBlobs blobs) {}

  /**
   * What a settled cluster says of itself.
   *
   * @param workers as the ResourceManager has them
   * @param jobs what is said of each job that was asked for, by its id
   * @param dataSets the results that are kept for later jobs
   */
  record Story(List<WorkerInfo> workers, Map<JobId, JobDetails> jobs, List<DataSetInfo> dataSets) {}
}

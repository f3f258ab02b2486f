package io.millrace.sim.check;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * How long a cluster may take after the faults until all jobs run or have ended: seconds, plus the
 * times that the scenario and the options allow for slow things.
 */
public final class SettlingTime {
  /** The bound if jobs have to wait for the slots of others. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  /** For the start of workers and for a client that polls every few seconds. */
  private static final Duration SECONDS = Duration.ofSeconds(20);

  /** The pause of worker starts after too many failures. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private SettlingTime() {}

  public static Duration bound(Scenario scenario) {
    if (!scenario.hasRoomForAll()) {
      return LONGEST;
    }
    Configuration options = scenario.configuration();
    Duration bound = SECONDS;
    for (SimJob job : scenario.jobs()) {
      // A job that restarts in the calm phase does all its work again. The checkpoint that its last
      // tasks await is taken at once, whatever the interval is.
      Configuration own = job.graph().configuration();
      Duration lastCheckpoint =
          own.get(CheckpointingOptions.INTERVAL).isZero()
              ? Duration.ZERO
              : own.get(CheckpointingOptions.TIMEOUT).multipliedBy(2);
      bound =
          max(
              bound,
              SECONDS.plus(job.behaviour().longestRun().multipliedBy(2)).plus(lastCheckpoint));
    }
    Duration cancellation = Duration.ZERO;
    for (SimJob job : scenario.jobs()) {
      cancellation = max(cancellation, job.behaviour().longestCancellation());
    }
    bound = bound.plus(cancellation);
    if (any(scenario, fault -> fault instanceof Fault.DriverFailure)) {
      // Some of the last started workers may never register, or end without a notice.
      bound =
          bound
              .plus(PAUSE)
              .plus(options.get(ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT))
              .plus(options.get(ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT));
    }
    if (any(
        scenario,
        fault ->
            fault instanceof Fault.MessageLoss
                || (fault instanceof Fault.CallFault call && call.isLoss()))) {
      // The loss of the last call before the calm phase is noticed at its deadline.
      bound = bound.plus(options.get(RpcOptions.ASK_TIMEOUT));
    }
    if (options.get(ExecutionOptions.ADOPT_TASKS)) {
      // A new JobMaster waits for tasks that may have ended; a worker keeps others so long.
      bound =
          bound
              .plus(options.get(ExecutionOptions.PREVIOUS_WORKER_TIMEOUT))
              .plus(options.get(TaskManagerOptions.SLOT_TIMEOUT));
    }
    if (any(scenario, fault -> !isNoticedAtOnce(fault))) {
      bound =
          bound
              .plus(options.get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT))
              .plus(
                  max(
                      options.get(ClusterOptions.ERROR_REGISTRATION_DELAY),
                      options.get(ClusterOptions.REFUSED_REGISTRATION_DELAY)));
      if (scenario.shape().elastic()) {
        bound = bound.plus(options.get(ResourceManagerOptions.PREVIOUS_WORKER_RECOVERY_TIMEOUT));
      }
      if (!scenario.hasRoomForSurplus()) {
        // A ResourceManager that does not know the slots of a job yet allocates others for it. The
        // job returns them when it has not used them for slot.idle.timeout.
        bound = bound.plus(options.get(JobManagerOptions.SLOT_IDLE_TIMEOUT));
      }
    }
    for (ClientAction act : scenario.acts()) {
      if (act instanceof ClientAction.Block block) {
        bound = max(bound, block.time().plus(SECONDS));
      }
    }
    return bound.compareTo(LONGEST) > 0 ? LONGEST : bound;
  }

  /** Whether all affected processes notice a fault without a heartbeat timeout. */
  private static boolean isNoticedAtOnce(Fault fault) {
    return fault instanceof Fault.ClockJump
        || fault instanceof Fault.DuplicateCalls
        || (fault instanceof Fault.CallFault call && call.isHarmless())
        || fault instanceof Fault.WorkerCrash
        || fault instanceof Fault.NodeLoss
        || fault instanceof Fault.WorkerDraining
        || fault instanceof Fault.DriverFailure
        || (fault instanceof Fault.Crash crash && !crash.process().startsWith("jobmanager"));
  }

  private static boolean any(Scenario scenario, Predicate<Fault> fault) {
    return scenario.faults().stream().anyMatch(fault);
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}

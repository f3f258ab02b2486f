package io.millrace.sim.check;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * How long a cluster may take, when it is calm, until all jobs run or have ended: seconds, and the
 * times that the scenario and the options give to what is slow in it.
 */
public final class SettlingTime {
  /** Where jobs have to wait for each other. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  /** For workers to start and for a client that asks every few seconds. */
  private static final Duration SECONDS = Duration.ofSeconds(20);

  /** Starts pause for so long where too many have failed. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private SettlingTime() {}

  public static Duration bound(Scenario scenario) {
    if (!scenario.hasRoomForAll()) {
      return LONGEST;
    }
    Configuration options = scenario.configuration();
    Duration bound = SECONDS;
    for (SimJob job : scenario.jobs()) {
      // A job that has to start again in the calm does all its work once more.
      Configuration own = job.graph().configuration();
      Duration lastCheckpoint =
          own.get(CheckpointingOptions.INTERVAL).isZero()
              ? Duration.ZERO
              : own.get(CheckpointingOptions.INTERVAL)
                  .plus(own.get(CheckpointingOptions.TIMEOUT))
                  .multipliedBy(2);
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
    if (any(scenario, fault -> fault instanceof Fault.BadDriver)) {
      // Of the last workers that it started some may never register, or be gone and not told of.
      bound =
          bound
              .plus(PAUSE)
              .plus(options.get(ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT))
              .plus(options.get(ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT));
    }
    if (any(
        scenario,
        fault ->
            fault instanceof Fault.Loss || (fault instanceof Fault.AtCall call && call.isLoss()))) {
      // That the last call before the calm was lost shows when its deadline is over.
      bound = bound.plus(options.get(RpcOptions.ASK_TIMEOUT));
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
        // A job that has its slots gets others from a ResourceManager that does not know of them
        // yet, and returns these only when it has not used them for so long.
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

  /** Whether all whom a fault concerns hear of it without missing heartbeats. */
  private static boolean isNoticedAtOnce(Fault fault) {
    return fault instanceof Fault.ClockJump
        || fault instanceof Fault.Echo
        || (fault instanceof Fault.AtCall call && call.isHarmless())
        || fault instanceof Fault.LoseStarted
        || fault instanceof Fault.LoseNode
        || fault instanceof Fault.BadDriver
        || (fault instanceof Fault.Crash crash && !crash.process().startsWith("jobmanager"));
  }

  private static boolean any(Scenario scenario, Predicate<Fault> fault) {
    return scenario.faults().stream().anyMatch(fault);
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}

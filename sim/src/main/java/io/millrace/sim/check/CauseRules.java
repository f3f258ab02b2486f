package io.millrace.sim.check;

import io.millrace.core.id.JobId;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.text.JournalText;
import io.millrace.sim.scenario.Fault;
import io.millrace.task.TaskState;
import java.util.LinkedHashSet;
import java.util.Set;

/** Invariants of reactions to failures: each has a cause. */
final class CauseRules {
  private CauseRules() {}

  /**
   * A clock jump, a repeated call and a token that is not renewed are no cause: the engine
   * tolerates them.
   */
  static final class RestartHasCause extends Invariant {
    private final Set<JobId> withFailure = new LinkedHashSet<>();
    private long firstFault = -1;
    private boolean died;

    RestartHasCause() {
      super(
          "Before the first fault a job restarts only if one of its tasks or too many of its"
              + " checkpoints have failed or a process has terminated itself.");
    }

    @Override
    protected void taskEnded(Fact.TaskEnded ended) {
      if (ended.state() == TaskState.FAILED) {
        withFailure.add(ended.task().job());
      }
    }

    @Override
    protected void died(Fact.Died fact) {
      died = true;
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof CheckpointFailed failure
          && CheckpointOutcomeRules.isFailure(failure.reason())) {
        decided
            .entry()
            .job()
            .filter(job -> CheckpointOutcomeRules.tolerated(world(), job).isPresent())
            .ifPresent(withFailure::add);
      } else if (decided.entry().event() instanceof RestartScheduled
          && !died
          && world().nanos() < firstFault()
          && !withFailure.contains(decided.entry().job().orElseThrow())) {
        throw broken(
            "Job " + decided.entry().job().get() + " restarts: " + JournalText.of(decided.entry()));
      }
    }

    private long firstFault() {
      if (firstFault < 0) {
        firstFault =
            world().scenario().faults().stream()
                .filter(RestartHasCause::mayEndTasks)
                .mapToLong(fault -> fault.at().toNanos())
                .min()
                .orElse(Long.MAX_VALUE);
      }
      return firstFault;
    }

    private static boolean mayEndTasks(Fault fault) {
      return !(fault instanceof Fault.ClockJump
          || fault instanceof Fault.DuplicateCalls
          || (fault instanceof Fault.CallFault call && call.isHarmless())
          || fault instanceof Fault.TokenServiceFailure);
    }
  }
}

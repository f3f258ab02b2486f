package io.millrace.sim.check;

import io.millrace.core.id.JobId;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.text.JournalText;
import io.millrace.sim.scenario.Fault;
import io.millrace.task.TaskState;
import java.util.LinkedHashSet;
import java.util.Set;

/** What has to go wrong before somebody may act as if something had. */
final class CauseRules {
  private CauseRules() {}

  /**
   * A clock that jumps, a call that comes twice and a token that is not renewed are no reason: the
   * engine claims to bear them.
   */
  static final class NothingRestartsForNothing extends Invariant {
    private final Set<JobId> troubled = new LinkedHashSet<>();
    private long firstFault = -1;
    private boolean died;

    NothingRestartsForNothing() {
      super(
          "Before the first fault a job restarts only where one of its own tasks has failed or a"
              + " process has ended itself.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskEnded ended && ended.state() == TaskState.FAILED) {
        troubled.add(ended.task().job());
      } else if (fact instanceof Fact.Died) {
        died = true;
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof RestartScheduled
          && !died
          && world().nanos() < firstFault()
          && !troubled.contains(decided.entry().job().orElseThrow())) {
        throw broken(
            "Job " + decided.entry().job().get() + " restarts: " + JournalText.of(decided.entry()));
      }
    }

    private long firstFault() {
      if (firstFault < 0) {
        firstFault =
            world().scenario().faults().stream()
                .filter(NothingRestartsForNothing::mayEndTasks)
                .mapToLong(fault -> fault.at().toNanos())
                .min()
                .orElse(Long.MAX_VALUE);
      }
      return firstFault;
    }

    private static boolean mayEndTasks(Fault fault) {
      return !(fault instanceof Fault.ClockJump
          || fault instanceof Fault.Echo
          || (fault instanceof Fault.AtCall call && call.isHarmless())
          || fault instanceof Fault.NoTokens);
    }
  }
}

package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Invariants of the reasons that users see. */
final class ReasonRules {
  private ReasonRules() {}

  static final class UnmetRequirementHasReason extends Invariant {
    private static final long PAUSE = Duration.ofMillis(500).toNanos();

    /** In this time a lost worker is noticed, and waiting jobs have the new reason. */
    private static final long LONG = Duration.ofMinutes(1).toNanos();

    private final List<String> workers = new ArrayList<>();
    private long since;
    private long next;

    UnmetRequirementHasReason() {
      super("Every unmet requirement has a reason that matches the actual state.");
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof JobAnswer answer) {
        answer.job().ifPresent(this::checkReason);
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobMasterEvent event) {
        checkCounts(decided.entry().job().orElseThrow(), event);
      }
    }

    /** A job misses no more slots than it requires. */
    private void checkCounts(JobId job, JobMasterEvent event) {
      boolean consistent =
          event instanceof SlotsDeclared declared
              ? declared.missing() >= 0 && declared.missing() <= declared.required()
              : !(event instanceof SlotsAccepted accepted) || accepted.missing() >= 0;
      if (!consistent) {
        throw broken("Job " + job + " has inconsistent counts: " + event);
      }
    }

    /** Checks twice a second whether the workers have changed. */
    @Override
    protected void afterEvent() {
      if (world().nanos() >= next) {
        next = world().nanos() + PAUSE;
        List<String> now = world().workers().stream().map(SimulatedWorld.Worker::name).toList();
        if (!world().isCalm() || !workers.equals(now)) {
          workers.clear();
          workers.addAll(now);
          since = world().nanos();
        }
      }
    }

    private void checkReason(JobDetails job) {
      boolean waits = job.status() == JobStatus.RUNNING || job.status() == JobStatus.RESTARTING;
      if (waits && job.slots().missing() > 0 && job.waitingFor().isEmpty()) {
        throw broken("Job " + job.id() + " misses slots and has no reason");
      }
      if (world().isCalm() && world().nanos() - since > LONG) {
        job.waitingFor().ifPresent(reason -> matches(job, reason));
      }
      if (job.slots().missing() == 0 && job.waitingFor().isPresent()) {
        throw broken(
            "Job "
                + job.id()
                + " misses no slots and has the reason: "
                + text(job.waitingFor().get()));
      }
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      report
          .jobs()
          .values()
          .forEach(
              job -> {
                checkReason(job);
                job.waitingFor().ifPresent(reason -> matches(job, reason));
              });
    }

    private void matches(JobDetails job, Reason reason) {
      if (!(reason instanceof SlotShortage shortage)
          || shortage.required() != job.slots().required()
          || shortage.required() - shortage.held() != job.slots().missing()) {
        throw broken(
            "Job " + job.id() + " has " + job.slots() + " and the reason: " + text(reason));
      }
      int slots = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        slots += worker.slots().report().slots().size();
      }
      if (shortage.supply().slots() != slots
          || shortage.supply().workers() != world().workers().size()) {
        throw broken(
            "There are "
                + slots
                + " slots at "
                + world().workers().size()
                + " workers, and job "
                + job.id()
                + " has the reason: "
                + text(reason));
      }
    }

    private static String text(Reason reason) {
      return ReasonText.of(reason);
    }
  }
}

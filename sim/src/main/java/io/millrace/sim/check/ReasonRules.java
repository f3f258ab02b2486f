package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.JobDetails;
import io.millrace.rpc.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What holds of the reasons that people are given. */
final class ReasonRules {
  private ReasonRules() {}

  static final class UnmetHasAReason extends Invariant {
    private static final Pattern NEEDS =
        Pattern.compile("The job needs (\\d+) slots? and has (\\d+)");
    private static final Pattern REGISTERED =
        Pattern.compile(
            "(\\d+) (?:is|are) registered by (\\d+) TaskManagers?, (\\d+) of them free");

    private static final long PAUSE = Duration.ofMillis(500).toNanos();

    /** In this time a silent worker is noticed, and whoever waits has heard of it. */
    private static final long LONG = Duration.ofMinutes(1).toNanos();

    private final List<String> workers = new ArrayList<>();
    private long since;
    private long next;

    UnmetHasAReason() {
      super(
          "Every requirement that is not met has a reason, which matches the state of the world.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof JobAnswer answer) {
        answer.job().ifPresent(this::given);
      }
    }

    /** Looks twice a second whether the workers are the same as before. */
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

    private void given(JobDetails job) {
      boolean waits = job.status() == JobStatus.RUNNING || job.status() == JobStatus.RESTARTING;
      if (waits
          && job.slots().missing() > 0
          && job.waitingFor().filter(x -> !x.isBlank()).isEmpty()) {
        throw broken("Job " + job.id() + " misses slots and does not say why");
      }
      if (world().isCalm() && world().nanos() - since > LONG) {
        job.waitingFor().ifPresent(reason -> matches(job, reason));
      }
      if (job.slots().missing() == 0 && job.waitingFor().isPresent()) {
        throw broken("Job " + job.id() + " misses nothing and says " + job.waitingFor().get());
      }
    }

    @Override
    protected void settled(SimulatedWorld.Story story) {
      story
          .jobs()
          .values()
          .forEach(
              job -> {
                given(job);
                job.waitingFor().ifPresent(reason -> matches(job, reason));
              });
    }

    private void matches(JobDetails job, String reason) {
      Matcher needs = NEEDS.matcher(reason);
      if (!needs.find()
          || Integer.parseInt(needs.group(1)) != job.slots().required()
          || Integer.parseInt(needs.group(1)) - Integer.parseInt(needs.group(2))
              != job.slots().missing()) {
        throw broken("Job " + job.id() + " has " + job.slots() + " and says: " + reason);
      }
      Matcher registered = REGISTERED.matcher(reason);
      if (registered.find()) {
        int slots = 0;
        int free = 0;
        for (SimulatedWorld.Worker worker : world().workers()) {
          slots += worker.slots().report().slots().size();
          free +=
              (int)
                  worker.slots().report().slots().stream()
                      .filter(slot -> slot.occupant().isEmpty())
                      .count();
        }
        if (Integer.parseInt(registered.group(1)) != slots
            || Integer.parseInt(registered.group(2)) != world().workers().size()) {
          throw broken(
              "There are "
                  + slots
                  + " slots at "
                  + world().workers().size()
                  + " workers, "
                  + free
                  + " free, and job "
                  + job.id()
                  + " says: "
                  + reason);
        }
      }
    }
  }
}

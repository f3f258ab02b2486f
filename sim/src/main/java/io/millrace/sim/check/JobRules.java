package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CancelReply;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.Messages;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.sim.scenario.Fault;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of jobs from their submission to their end. */
final class JobRules {
  private static final String JOBS = "jobs/";
  private static final String RESULTS = "results/";
  private static final String JOB_MASTER = "jobmaster-";

  private JobRules() {}

  /**
   * The leader of a job: its newest JobMaster in the process of the leading Dispatcher. Another
   * invariant is about a replaced JobMaster that does not know it yet.
   */
  private static final class Leaders {
    private final Map<JobId, LeaderToken> jobMasters = new LinkedHashMap<>();
    private String dispatcher = "";

    void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.DISPATCHER)) {
        dispatcher = granted.process().name();
      } else if (granted.component().startsWith(JOB_MASTER)) {
        jobMasters.put(
            JobId.parse(granted.component().substring(JOB_MASTER.length())), granted.token());
      }
    }

    boolean sends(Fact.Sent sent, DeployTasks deploy) {
      return sent.from().equals(dispatcher)
          && deploy.jobMaster().equals(jobMasters.get(deploy.job()));
    }
  }

  /**
   * Holds from the time at which the acknowledgement leaves the Dispatcher. Only later requests to
   * the leading Dispatcher count: an earlier request may be answered without the job, and a former
   * leader that does not know of its revocation knows only its own jobs.
   */
  static final class AcknowledgedJobsAreKept extends Invariant {
    private final Set<JobId> acknowledged = new LinkedHashSet<>();
    private final Set<String> requests = new LinkedHashSet<>();
    private Optional<LeaderToken> leader = Optional.empty();

    AcknowledgedJobsAreKept() {
      super("An acknowledged submission is never lost.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.DISPATCHER)) {
        leader = Optional.of(granted.token());
        // Earlier requests went to a former leader.
        requests.clear();
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof AwaitResult asked
          && called.call().token().equals(leader)
          && acknowledged.contains(asked.job())) {
        requests.add(called.from() + "#" + called.call().correlation());
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply) {
        answered(answered, reply);
      }
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.value().isEmpty()) {
        for (JobId job : acknowledged) {
          if (change.key().endsWith(job.toString())) {
            check(job, "was removed from the store and has no result there");
          }
        }
      }
    }

    private void answered(Fact.Answered answered, Envelope.Reply reply) {
      if (answered.call().message() instanceof SubmitJob submitted) {
        acknowledged.add(submitted.job());
        check(submitted.job(), "was acknowledged and is not stored");
      } else if (answered.call().message() instanceof AwaitResult asked
          && reply.message() instanceof ResultAnswer answer
          && requests.remove(answered.to() + "#" + answered.call().correlation())
          && !answer.known()) {
        throw broken("The Dispatcher does not know job " + asked.job());
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      for (JobId job : acknowledged) {
        if (!world().store().contains(RESULTS + job)) {
          throw broken("Job " + job + " has no result");
        }
      }
    }

    private void check(JobId job, String violation) {
      if (!world().store().contains(JOBS + job) && !world().store().contains(RESULTS + job)) {
        throw broken("Job " + job + " " + violation);
      }
    }
  }

  static final class EndedJobsNeverRunAgain extends Invariant {
    private final Leaders leaders = new Leaders();
    private final Set<String> ended = new LinkedHashSet<>();
    private final Map<JobId, JobStatus> answers = new LinkedHashMap<>();
    private final Map<JobId, JobOverview> overviews = new LinkedHashMap<>();

    EndedJobsNeverRunAgain() {
      super("A job that has ended never runs again, and how it ended does not change.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(RESULTS)) {
        if (change.value().isPresent()) {
          ended.add(change.key().substring(RESULTS.length()));
        } else {
          throw broken("The result " + change.key() + " was removed");
        }
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      leaders.granted(granted);
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy
          && ended.contains(deploy.job().toString())
          && leaders.sends(sent, deploy)) {
        throw broken("Tasks of job " + deploy.job() + ", which has ended, are deployed");
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (!(heard.answer() instanceof Envelope.Reply reply)) {
        return;
      }
      if (reply.message() instanceof ResultAnswer answer) {
        answer
            .result()
            .ifPresent(
                result -> {
                  JobStatus before = answers.put(result.job(), result.status());
                  if (before != null && before != result.status()) {
                    throw broken(
                        "Job " + result.job() + " is " + result.status() + " and was " + before);
                  }
                });
      } else if (reply.message() instanceof Jobs list) {
        list.jobs().stream().filter(job -> job.status().isTerminal()).forEach(this::listed);
      }
    }

    private void listed(JobOverview job) {
      JobOverview before = overviews.put(job.id(), job);
      if (before != null && !before.equals(job)) {
        throw broken("Job " + job.id() + " is listed as " + job + " and was listed as " + before);
      }
    }
  }

  /**
   * Details and journal are stored for the next JobManager, while storage works. A former leader
   * that does not know of its revocation answers from its own memory.
   */
  static final class EndedJobDetailsAreStable extends Invariant {
    private static final RecordCodec CODEC = Messages.codec();

    private final Set<JobId> ended = new LinkedHashSet<>();
    private final Map<String, Bytes> answers = new LinkedHashMap<>();
    private Optional<LeaderToken> leader = Optional.empty();

    EndedJobDetailsAreStable() {
      super("Details and journal of an ended job do not change, whichever leader answers.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.DISPATCHER)) {
        leader = Optional.of(granted.token());
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.answer() instanceof Envelope.Reply reply && heard.call().token().equals(leader)) {
        if (reply.message() instanceof ResultAnswer answer) {
          answer.result().ifPresent(result -> ended.add(result.job()));
        } else if (heard.call().message() instanceof DescribeJob asked) {
          compare("details", asked.job(), reply.message());
        } else if (heard.call().message() instanceof ReadJournal asked) {
          compare("journal", asked.job(), reply.message());
        }
      }
    }

    private void compare(String what, JobId job, Record now) {
      if (ended.contains(job) && storageWorks()) {
        Bytes bytes = Bytes.wrap(CODEC.encode(now));
        Bytes before = answers.putIfAbsent(what + job, bytes);
        if (before != null && !before.equals(bytes)) {
          throw broken(
              "The "
                  + what
                  + " of job "
                  + job
                  + ": "
                  + now
                  + " and before "
                  + CODEC.decode(before.toArray()));
        }
      }
    }

    private boolean storageWorks() {
      return world().scenario().faults().stream()
          .noneMatch(fault -> fault instanceof Fault.StorageFailure);
    }
  }

  /**
   * A job may have ended in another way before its cancellation. A job that gets a new leader after
   * the cancellation has not, unless its result is stored by then.
   */
  static final class CancelledJobsEnd extends Invariant {
    private final Leaders leaders = new Leaders();
    private final Set<JobId> cancelled = new LinkedHashSet<>();
    private final Set<JobId> recoveredAfterCancel = new LinkedHashSet<>();

    CancelledJobsEnd() {
      super(
          "A job whose cancellation was accepted deploys no more tasks and ends, as CANCELED if"
              + " a new leader recovers it.");
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof CancelJob cancel
          && heard.answer() instanceof Envelope.Reply reply
          && ((CancelReply) reply.message()).outcome() == CancelOutcome.ACCEPTED) {
        cancelled.add(cancel.job());
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      leaders.granted(granted);
      if (granted.component().startsWith(JOB_MASTER)) {
        JobId job = JobId.parse(granted.component().substring(JOB_MASTER.length()));
        if (cancelled.contains(job) && !world().store().contains(RESULTS + job)) {
          recoveredAfterCancel.add(job);
        }
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy
          && cancelled.contains(deploy.job())
          && leaders.sends(sent, deploy)) {
        throw broken("Tasks of job " + deploy.job() + ", which is cancelled, are deployed");
      }
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      for (JobId job : cancelled) {
        JobDetails details = report.jobs().get(job);
        if (details != null && !details.status().isTerminal()) {
          throw broken("Job " + job + " was cancelled and is " + details.status());
        }
        if (details != null
            && recoveredAfterCancel.contains(job)
            && details.status() != JobStatus.CANCELED) {
          throw broken(
              "Job " + job + " was cancelled before its leader changed and is " + details.status());
        }
      }
    }
  }

  static final class NoErrorOfKindBug extends Invariant {
    NoErrorOfKindBug() {
      super("No call and no job fails with an error of kind BUG.");
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Failed failed
          && failed.error().failure().kind() == ErrorKind.BUG) {
        throw broken(
            answered.by()
                + " answered "
                + answered.call().message().getClass().getSimpleName()
                + ": "
                + failed.error().failure().message());
      }
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof ResultAnswer answer) {
        answer
            .result()
            .flatMap(result -> result.failure())
            .filter(failure -> failure.kind() == ErrorKind.BUG)
            .ifPresent(
                failure -> {
                  throw broken("A job failed: " + failure.message());
                });
      }
    }
  }
}

package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.protocol.BlobGateway.ReadBlob;
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
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.task.TaskState;
import java.time.Duration;
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

    void seen(Fact.Granted granted) {
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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.DISPATCHER)) {
        leader = Optional.of(granted.token());
        // Earlier requests went to a former leader.
        requests.clear();
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof AwaitResult asked
          && called.call().token().equals(leader)
          && acknowledged.contains(asked.job())) {
        requests.add(called.from() + "#" + called.call().correlation());
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply) {
        answered(answered, reply);
      } else if (fact instanceof Fact.Stored change && change.value().isEmpty()) {
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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Stored change && change.key().startsWith(RESULTS)) {
        if (change.value().isPresent()) {
          ended.add(change.key().substring(RESULTS.length()));
        } else {
          throw broken("The result " + change.key() + " was removed");
        }
      } else if (fact instanceof Fact.Granted granted) {
        leaders.seen(granted);
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof DeployTasks deploy
          && ended.contains(deploy.job().toString())
          && leaders.sends(sent, deploy)) {
        throw broken("Tasks of job " + deploy.job() + ", which has ended, are deployed");
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof ResultAnswer answer) {
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
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof Jobs list) {
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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.DISPATCHER)) {
        leader = Optional.of(granted.token());
      } else if (fact instanceof Fact.Heard heard
          && heard.answer() instanceof Envelope.Reply reply
          && heard.call().token().equals(leader)) {
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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof CancelJob cancel
          && heard.answer() instanceof Envelope.Reply reply
          && ((CancelReply) reply.message()).outcome() == CancelOutcome.ACCEPTED) {
        cancelled.add(cancel.job());
      } else if (fact instanceof Fact.Granted granted) {
        leaders.seen(granted);
        if (granted.component().startsWith(JOB_MASTER)) {
          JobId job = JobId.parse(granted.component().substring(JOB_MASTER.length()));
          if (cancelled.contains(job) && !world().store().contains(RESULTS + job)) {
            recoveredAfterCancel.add(job);
          }
        }
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof DeployTasks deploy
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

  /**
   * Causes are missing slots, if there is not room for all jobs, a client action changes the room,
   * or jobs wait for slots for less time than faults last; and a failure that affected the job
   * under this leader, if it has used up its restarts: a failed task, a worker with its tasks that
   * died or was partitioned, a jar or a graph that such a worker could not fetch.
   */
  static final class JobFailureHasCause extends Invariant {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Map<JobId, Integer> restarts = new LinkedHashMap<>();
    private final Set<JobId> affected = new LinkedHashSet<>();

    /** The workers with tasks of a job, and the process that deployed them. */
    private final Map<JobId, Set<String>> workers = new LinkedHashMap<>();

    private final Map<JobId, String> leaders = new LinkedHashMap<>();

    /** The last registered process of each worker of a job. */
    private final Map<String, Long> incarnations = new LinkedHashMap<>();

    /** The processes of which each worker has requested blobs. */
    private final Map<String, Set<String>> blobServers = new LinkedHashMap<>();

    JobFailureHasCause() {
      super(
          "A job that may restart and has enough slots does not fail, and one that may not restart"
              + " fails only if a failure has affected it.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided && decided.entry().job().isPresent()) {
        decided(decided.entry().job().get(), decided.entry());
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof DeployTasks deploy) {
        workers.computeIfAbsent(deploy.job(), x -> new LinkedHashSet<>()).add(sent.to());
        leaders.put(deploy.job(), sent.from());
      } else if (fact instanceof Fact.Sent sent && sent.call().message() instanceof ReadBlob) {
        blobServers.computeIfAbsent(sent.from(), x -> new LinkedHashSet<>()).add(sent.to());
      } else if (fact instanceof Fact.Heard heard
          && heard.call().message() instanceof ReadBlob
          && heard.answer() instanceof Envelope.Failed) {
        lost(heard.at().name(), heard.from());
      } else if (fact instanceof Fact.TaskEnded ended && ended.state() == TaskState.FAILED) {
        affected.add(ended.task().job());
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof SlotLost
          && !world().isReachable()) {
        // If messages are slow, a JobMaster may use a slot too late.
        affected.add(JobId.parse(called.call().endpoint().substring(JOB_MASTER.length())));
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof RegisterAtJobMaster register) {
        Long before =
            incarnations.put(register.job() + " " + register.worker(), register.incarnation());
        if (before != null && before != register.incarnation()) {
          affected.add(register.job()); // Tasks may have been deployed to the former process.
        }
      } else if (fact instanceof Fact.ConnectionLost lost) {
        lost(lost.at().name(), lost.peer());
        lost(lost.peer(), lost.at().name());
      } else if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof ResultAnswer answer) {
        answer
            .result()
            .filter(result -> result.status() == JobStatus.FAILED)
            .filter(result -> !hasCause(result))
            .ifPresent(
                result -> {
                  throw broken(
                      "Job "
                          + result.job()
                          + " failed: "
                          + result.failure().map(Failure::message).orElse("without a failure"));
                });
      }
    }

    /** Other invariants check that a heartbeat timeout has a cause. */
    private void decided(JobId job, JournalEntry entry) {
      if (entry.event() instanceof JobMasterStarted) {
        restarts.remove(job);
        affected.remove(job);
      } else if (entry.event() instanceof RestartScheduled) {
        restarts.merge(job, 1, Integer::sum);
      } else if (entry.event() instanceof WorkerLost lost
          && lost.reason() instanceof HeartbeatTimeout) {
        affected.add(job);
      } else if (entry.event() instanceof JobMasterDisconnected) {
        affected.add(job);
      }
    }

    private void lost(String one, String other) {
      workers.forEach(
          (job, hosts) -> {
            if (hosts.contains(one)
                && (other.equals(leaders.get(job))
                    || blobServers.getOrDefault(one, Set.of()).contains(other))) {
              affected.add(job);
            }
          });
    }

    private boolean hasCause(JobResult result) {
      return (result.failure().filter(failure -> failure.kind() == ErrorKind.RESOURCE).isPresent()
              && slotsMayBeMissing())
          || world().scenario().jobs().stream()
              .filter(job -> job.id().equals(result.job()))
              .anyMatch(
                  job ->
                      (affected.contains(job.id())
                              || world().blobs().damagedReads() > 0
                              || callsWereLost())
                          && restarts.getOrDefault(job.id(), 0)
                              >= RestartRules.allowed(world(), job));
    }

    /** A lost request fails a task as well. */
    private boolean callsWereLost() {
      return world().scenario().faults().stream()
          .anyMatch(
              fault ->
                  (fault instanceof Fault.MessageLoss
                          || (fault instanceof Fault.CallFault call && call.isLoss()))
                      && fault.at().toNanos() <= world().nanos());
    }

    private boolean slotsMayBeMissing() {
      Scenario scenario = world().scenario();
      return !scenario.hasRoomForAll()
          || scenario.configuration().get(JobManagerOptions.SLOT_REQUEST_TIMEOUT).compareTo(LONG)
              < 0
          || scenario.acts().stream()
              .anyMatch(
                  act -> act instanceof ClientAction.Limit || act instanceof ClientAction.Block);
    }
  }

  static final class NoErrorOfKindBug extends Invariant {
    NoErrorOfKindBug() {
      super("No call and no job fails with an error of kind BUG.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Answered answered) {
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
}

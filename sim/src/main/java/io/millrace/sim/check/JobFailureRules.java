package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The invariant of the causes for which jobs fail. */
final class JobFailureRules {
  private static final String JOB_MASTER = "jobmaster-";

  private JobFailureRules() {}

  /**
   * Causes are missing slots, if there is not room for all jobs, a client action changes the room,
   * or jobs wait for slots for less time than faults last; and a failure that affected the job
   * under this leader, if it has used up its restarts: a failed task, also one that failed before
   * this leader started and that it adopts with its failure, a worker with its tasks that died or
   * was partitioned, also while the JobMaster still stores their deployment, a jar or a graph that
   * such a worker could not fetch, a deployment that was not answered in time because the storage
   * of the worker, or of the JobManager that serves the code, was slow.
   */
  static final class JobFailureHasCause extends Invariant {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Map<JobId, Integer> restarts = new LinkedHashMap<>();
    private final Set<JobId> affected = new LinkedHashSet<>();

    /** Under any leader. */
    private final Set<ExecutionId> failed = new LinkedHashSet<>();

    /** The workers with tasks of a job, and the process that deployed them. */
    private final Map<JobId, Set<String>> workers = new LinkedHashMap<>();

    private final Map<JobId, String> leaders = new LinkedHashMap<>();

    /** The last registered process of each worker of a job. */
    private final Map<String, Long> incarnations = new LinkedHashMap<>();

    /** The processes of which each worker has requested blobs. */
    private final Map<String, Set<String>> blobServers = new LinkedHashMap<>();

    /** Deployments that were not answered in time, or are not yet. */
    private final Map<String, UnansweredDeployment> unanswered = new LinkedHashMap<>();

    private record UnansweredDeployment(JobId job, String worker, long sentAt) {}

    JobFailureHasCause() {
      super(
          "A job that may restart and has enough slots does not fail, and one that may not restart"
              + " fails only if a failure has affected it.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided.entry().job().ifPresent(job -> decided(job, decided.entry()));
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        workers.computeIfAbsent(deploy.job(), x -> new LinkedHashSet<>()).add(sent.to());
        leaders.put(deploy.job(), sent.from());
        unanswered.put(
            deployment(sent.from(), sent.to(), sent.call()),
            new UnansweredDeployment(deploy.job(), sent.to(), world().nanos()));
      } else if (sent.call().message() instanceof AdoptTasks adopt) {
        // Tasks that go on fail with the connection between their worker and the next leader.
        workers.computeIfAbsent(adopt.job(), x -> new LinkedHashSet<>()).add(sent.to());
        leaders.put(adopt.job(), sent.from());
        if (adopt.executions().stream().anyMatch(failed::contains)) {
          affected.add(adopt.job());
        }
      } else if (sent.call().message() instanceof ReadBlob) {
        blobServers.computeIfAbsent(sent.from(), x -> new LinkedHashSet<>()).add(sent.to());
      }
    }

    @Override
    protected void heard(Fact.Heard heard) {
      if (heard.call().message() instanceof ReadBlob && heard.answer() instanceof Envelope.Failed) {
        lost(heard.at().name(), heard.from());
      } else if (heard.call().message() instanceof DeployTasks) {
        String call = deployment(heard.at().name(), heard.from(), heard.call());
        UnansweredDeployment deployment = unanswered.get(call);
        if (deployment != null && world().nanos() - deployment.sentAt() < askTimeout()) {
          unanswered.remove(call);
        }
      }
    }

    private long askTimeout() {
      return world().scenario().configuration().get(RpcOptions.ASK_TIMEOUT).toNanos();
    }

    private static String deployment(String from, String to, Envelope.Call call) {
      return from + ">" + to + " " + call.correlation();
    }

    @Override
    protected void taskEnded(Fact.TaskEnded ended) {
      if (ended.state() == TaskState.FAILED) {
        affected.add(ended.task().job());
        failed.add(ended.task().spec().execution());
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof SlotLost && !world().isReachable()) {
        // If messages are slow, a JobMaster may use a slot too late.
        affected.add(JobId.parse(called.call().endpoint().substring(JOB_MASTER.length())));
      } else if (called.call().message() instanceof RegisterAtJobMaster register) {
        Long before =
            incarnations.put(register.job() + " " + register.worker(), register.incarnation());
        if (before != null && before != register.incarnation()) {
          affected.add(register.job()); // Tasks may have been deployed to the former process.
        }
      }
    }

    @Override
    protected void connectionLost(Fact.ConnectionLost lost) {
      lost(lost.at().name(), lost.peer());
      lost(lost.peer(), lost.at().name());
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof OfferReply offer
          && !offer.accepted().isEmpty()) {
        slotsAccepted(answered);
      } else if (answered.answer() instanceof Envelope.Reply reply
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
        unanswered.values().removeIf(deployment -> deployment.job().equals(job));
      } else if (entry.event() instanceof RestartScheduled) {
        restarts.merge(job, 1, Integer::sum);
      } else if (entry.event() instanceof WorkerLost lost
          && lost.reason() instanceof HeartbeatTimeout) {
        affected.add(job);
      } else if (entry.event() instanceof JobMasterDisconnected) {
        affected.add(job);
      }
    }

    /**
     * A JobMaster whose tasks the next leader may adopt stores a deployment before it sends it: the
     * tasks have their slots, and fail with the worker.
     */
    private void slotsAccepted(Fact.Answered answered) {
      if (world().scenario().configuration().get(ExecutionOptions.ADOPT_TASKS)) {
        JobId job = JobId.parse(answered.call().endpoint().substring(JOB_MASTER.length()));
        workers.computeIfAbsent(job, x -> new LinkedHashSet<>()).add(answered.to());
        leaders.put(job, answered.by().name());
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
                              || callsWereLost()
                              || isAnyDeploymentSlow(job.id()))
                          && restarts.getOrDefault(job.id(), 0)
                              >= RestartRules.allowed(world(), job));
    }

    /** A lost request fails a task as well, unless it is about the slots of the job or its end. */
    private boolean callsWereLost() {
      return world().scenario().faults().stream()
          .anyMatch(
              fault ->
                  (fault instanceof Fault.MessageLoss
                          || (fault instanceof Fault.CallFault call
                              && call.isLoss()
                              && call.call() != Fault.CallFault.Call.DECLARATION
                              && call.call() != Fault.CallFault.Call.JOB_END_REPORT))
                      && fault.at().toNanos() <= world().nanos());
    }

    private boolean isAnyDeploymentSlow(JobId job) {
      return unanswered.values().stream()
          .filter(deployment -> deployment.job().equals(job))
          .anyMatch(this::isStorageSlow);
    }

    private boolean isStorageSlow(UnansweredDeployment deployment) {
      return world().scenario().faults().stream()
          .filter(Fault.SlowStorage.class::isInstance)
          .map(Fault.SlowStorage.class::cast)
          .filter(
              slow ->
                  slow.process().equals(deployment.worker())
                      || blobServers
                          .getOrDefault(deployment.worker(), Set.of())
                          .contains(slow.process()))
          .anyMatch(
              slow ->
                  slow.at().toNanos() < deployment.sentAt() + askTimeout()
                      && slow.at().plus(slow.time()).toNanos() > deployment.sentAt());
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
}

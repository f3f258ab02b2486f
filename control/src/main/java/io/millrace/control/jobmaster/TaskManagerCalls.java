package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointAction;
import io.millrace.control.checkpoint.CheckpointAction.NotifyAborted;
import io.millrace.control.checkpoint.CheckpointAction.NotifyCompleted;
import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.ReadTaskMetrics;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskMetricsReport;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a JobMaster asks of the TaskManagers of its job. Confined to the mailbox of the JobMaster.
 */
final class TaskManagerCalls {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManagerCalls.class);

  private final AcceptedJob job;
  private final LeaderToken leader;
  private final JobTaskManagerRegistry workers;

  TaskManagerCalls(AcceptedJob job, LeaderToken leader, JobTaskManagerRegistry workers) {
    this.job = job;
    this.leader = leader;
    this.workers = workers;
  }

  /** Completes when the worker has accepted its share of a deployment. */
  CompletableFuture<Acknowledge> deploy(
      JobTaskManagerRegistry.Link link,
      long deployment,
      SchedulerAction.Share share,
      Optional<RestoredCheckpoint> restore) {
    return link.longCalls.deployTasks(
        new DeployTasks(
            job.id(), leader, job.blob(), deployment, share.tasks(), share.placement(), restore));
  }

  /** Completes when the worker has adopted its tasks. It cancels all others that it has kept. */
  CompletableFuture<Acknowledge> adopt(
      JobTaskManagerRegistry.Link link,
      SchedulerAction.Share share,
      CheckpointOutcomes checkpoints) {
    List<ExecutionId> executions =
        share.tasks().stream().map(task -> task.task().execution()).toList();
    return link.gateway.adoptTasks(new AdoptTasks(job.id(), leader, executions, checkpoints));
  }

  /** Nothing else ends the tasks that these workers have kept. */
  void adoptNone(List<WorkerId> of, CheckpointOutcomes checkpoints) {
    AdoptTasks request = new AdoptTasks(job.id(), leader, List.of(), checkpoints);
    repeat(of, "that none of its tasks is adopted", worker -> worker.adoptTasks(request));
  }

  /** A cancellation that is not acknowledged is repeated with the next heartbeat. */
  void cancel(SchedulerAction.Cancel cancel) {
    workers
        .find(cancel.worker())
        .ifPresent(
            link ->
                link.gateway
                    .cancelTasks(new CancelTasks(job.id(), leader, cancel.executions()))
                    .whenComplete(logIfFailed("a cancellation", link)));
  }

  /** Nothing else frees the slot. */
  void freeSlot(AllocatedSlot slot) {
    FreeSlot request = new FreeSlot(job.id(), leader, slot.allocation(), new SlotUnused());
    repeat(List.of(slot.worker()), "a returned slot", worker -> worker.freeSlot(request));
  }

  /** Completes when the worker has accepted the checkpoint; empty if the worker is lost. */
  Optional<CompletableFuture<Acknowledge>> triggerCheckpoint(CheckpointAction.Trigger trigger) {
    TriggerCheckpoint request =
        new TriggerCheckpoint(
            job.id(), leader, trigger.request(), trigger.tasks(), trigger.sources());
    return workers.find(trigger.worker()).map(link -> link.gateway.triggerCheckpoint(request));
  }

  /** Without it sinks commit nothing, and tasks that a savepoint stops do not finish. */
  void checkpointCompleted(NotifyCompleted action) {
    CheckpointCompleted notice = new CheckpointCompleted(job.id(), leader, action.checkpoint());
    repeat(
        action.workers(),
        "the completion of checkpoint " + action.checkpoint(),
        worker -> worker.checkpointCompleted(notice));
  }

  /** Without it sources that a savepoint has stopped do not go on. */
  void checkpointAborted(NotifyAborted action) {
    CheckpointAborted notice = new CheckpointAborted(job.id(), leader, action.checkpoint());
    repeat(
        action.workers(),
        "the end of checkpoint " + action.checkpoint(),
        worker -> worker.checkpointAborted(notice));
  }

  /** Calls workers, each until it has answered or its registration ends. */
  private void repeat(
      List<WorkerId> to,
      String what,
      Function<TaskManagerGateway, CompletableFuture<Acknowledge>> call) {
    to.forEach(worker -> workers.find(worker).ifPresent(link -> repeat(link, what, call)));
  }

  private void repeat(
      JobTaskManagerRegistry.Link link,
      String what,
      Function<TaskManagerGateway, CompletableFuture<Acknowledge>> call) {
    call.apply(link.gateway)
        .whenComplete(logIfFailed(what, link))
        .whenComplete(
            (done, failure) -> {
              if (workers.has(link) && RpcException.is(failure, RpcError.Code.TIMEOUT)) {
                repeat(link, what, call);
              }
            });
  }

  CompletableFuture<TaskReport> heartbeat(JobTaskManagerRegistry.Link link) {
    return link.longCalls.heartbeatFromJobMaster(new AskTasks(job.id(), leader));
  }

  CompletableFuture<TaskMetricsReport> readMetrics(JobTaskManagerRegistry.Link link) {
    return link.gateway.readTaskMetrics(new ReadTaskMetrics(job.id(), leader));
  }

  /** Ends the registration of a worker, which may hear of it or not. */
  void disconnect(JobTaskManagerRegistry.Link link, boolean jobEnded, Reason reason) {
    link.gateway.disconnectJobMaster(new JobMasterDrops(job.id(), leader, jobEnded, reason));
  }

  private BiConsumer<Acknowledge, Throwable> logIfFailed(
      String what, JobTaskManagerRegistry.Link link) {
    return (done, failure) -> {
      if (failure != null) {
        LOG.info(
            "Job {}: {} has not acknowledged {}: {}",
            job.id(),
            link.worker(),
            what,
            Failure.sentence(Failure.unwrap(failure)));
      }
    };
  }
}

package io.millrace.control.jobmaster;

import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
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

  void freeSlot(AllocatedSlot slot) {
    FreeSlot request = new FreeSlot(job.id(), leader, slot.allocation(), new SlotUnused());
    workers.find(slot.worker()).ifPresent(link -> freeSlot(link, request));
  }

  /** Repeats the request until the worker has answered: nothing else frees the slot. */
  private void freeSlot(JobTaskManagerRegistry.Link link, FreeSlot request) {
    link.gateway
        .freeSlot(request)
        .whenComplete(logIfFailed("a returned slot", link))
        .whenComplete(
            (done, failure) -> {
              if (workers.has(link) && RpcException.is(failure, RpcError.Code.TIMEOUT)) {
                freeSlot(link, request);
              }
            });
  }

  CompletableFuture<TaskReport> heartbeat(JobTaskManagerRegistry.Link link) {
    return link.longCalls.heartbeatFromJobMaster(new AskTasks(job.id(), leader));
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
            failure.getMessage());
      }
    };
  }
}

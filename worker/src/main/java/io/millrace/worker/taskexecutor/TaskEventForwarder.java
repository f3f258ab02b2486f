package io.millrace.worker.taskexecutor;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.AwaitsCheckpoint;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.GroupWatermark;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.WatermarkReport;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes events of the task host to the mailbox: to the tasks of the job, or to the JobMaster that
 * has deployed or adopted them.
 */
final class TaskEventForwarder implements TaskListener {
  private static final Logger LOG = LoggerFactory.getLogger(TaskEventForwarder.class);

  private final TaskExecutorContext worker;
  private final JobTasks tasks;
  private final CheckpointSnapshots snapshots;

  TaskEventForwarder(TaskExecutorContext worker, JobTasks tasks, CheckpointSnapshots snapshots) {
    this.worker = worker;
    this.tasks = tasks;
    this.snapshots = snapshots;
  }

  @Override
  public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {
    TaskUpdate update = new TaskUpdate(execution, state, failure);
    worker.mailbox().post(() -> tasks.changed(update));
  }

  @Override
  public void failing(ExecutionId execution) {
    worker.mailbox().post(() -> tasks.failing(execution));
  }

  @Override
  public void snapshotStored(long checkpoint, TaskSnapshot snapshot) {
    worker.mailbox().post(() -> snapshots.stored(checkpoint, snapshot));
  }

  @Override
  public void snapshotDeclined(ExecutionId execution, long checkpoint, DeclineCause cause) {
    worker.mailbox().post(() -> snapshots.declined(execution, checkpoint, cause));
  }

  @Override
  public void awaitsCheckpoint(ExecutionId execution) {
    TaskUpdate update = TaskUpdate.of(execution, TaskState.RUNNING).with(new AwaitsCheckpoint());
    worker.mailbox().post(() -> tasks.changed(update));
  }

  @Override
  public void backlogChanged(ExecutionId execution, boolean backlog) {
    worker.mailbox().post(() -> tasks.backlogChanged(execution, backlog));
  }

  @Override
  public void alignWatermark(
      ExecutionId execution, String group, long watermark, LongConsumer answer) {
    WatermarkReport report = new WatermarkReport(worker.id(), execution, group, watermark);
    worker
        .mailbox()
        .post(
            () ->
                tasks
                    .sessionOf(execution)
                    .ifPresent(
                        session ->
                            session
                                .gateway()
                                .alignWatermark(report)
                                .whenComplete(
                                    (lowest, failure) ->
                                        answered(group, lowest, failure, answer))));
  }

  @Override
  public void counted(TaskCounters last) {
    worker.mailbox().post(() -> tasks.counted(last));
  }

  @Override
  public void collected(
      ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
    CollectedPart part = new CollectedPart(execution, name, records, count);
    worker.mailbox().post(() -> tasks.collected(part, accepted));
  }

  private static void answered(
      String group, GroupWatermark lowest, Throwable failure, LongConsumer answer) {
    if (failure == null) {
      answer.accept(lowest.watermark());
    } else {
      LOG.debug("Alignment group '{}' gives no answer", group, failure);
    }
  }
}

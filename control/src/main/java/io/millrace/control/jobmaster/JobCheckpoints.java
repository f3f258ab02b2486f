package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointAction;
import io.millrace.control.checkpoint.CheckpointAction.Answer;
import io.millrace.control.checkpoint.CheckpointAction.Discard;
import io.millrace.control.checkpoint.CheckpointAction.DiscardClaimed;
import io.millrace.control.checkpoint.CheckpointAction.DiscardShared;
import io.millrace.control.checkpoint.CheckpointAction.FailJob;
import io.millrace.control.checkpoint.CheckpointAction.Note;
import io.millrace.control.checkpoint.CheckpointAction.NotifyAborted;
import io.millrace.control.checkpoint.CheckpointAction.NotifyCompleted;
import io.millrace.control.checkpoint.CheckpointAction.Prepare;
import io.millrace.control.checkpoint.CheckpointAction.Retain;
import io.millrace.control.checkpoint.CheckpointAction.StopTasks;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointAction.Trigger;
import io.millrace.control.checkpoint.CheckpointCoordinator;
import io.millrace.control.checkpoint.CheckpointEvent;
import io.millrace.control.checkpoint.CheckpointEvent.Acknowledged;
import io.millrace.control.checkpoint.CheckpointEvent.BacklogChanged;
import io.millrace.control.checkpoint.CheckpointEvent.Declined;
import io.millrace.control.checkpoint.CheckpointEvent.JobEnded;
import io.millrace.control.checkpoint.CheckpointEvent.Requested;
import io.millrace.control.checkpoint.CheckpointEvent.Restoring;
import io.millrace.control.checkpoint.CheckpointEvent.StateUnusable;
import io.millrace.control.checkpoint.CheckpointEvent.TasksAwait;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.control.checkpoint.CheckpointEvent.TriggerFailed;
import io.millrace.control.checkpoint.CheckpointHistory;
import io.millrace.control.checkpoint.CheckpointOperations;
import io.millrace.control.checkpoint.CheckpointProgress;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.BacklogNotice;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.StartCheckpoint;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.SavepointUnusable;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Performs what the {@link CheckpointCoordinator} of a job decides: messages to TaskManagers,
 * writes to storage and answers to users. Lives in the mailbox of the JobMaster.
 */
final class JobCheckpoints {
  /**
   * The JobMaster as its checkpoints see it.
   *
   * @param calls what it asks of TaskManagers
   * @param tasksFinish called when the savepoint of a stop is complete, before tasks hear of it
   * @param failJob restarts the job from its last checkpoint, as far as its strategy allows
   * @param progress gets each step, for the journal
   */
  record Owner(
      JobId job,
      TaskManagerCalls calls,
      Runnable tasksFinish,
      Consumer<Reason> failJob,
      Consumer<CheckpointProgress> progress) {}

  private final Env env;
  private final Owner owner;
  private final JobCheckpointStorage storage;
  private final CheckpointCoordinator coordinator;
  private final DeciderRunner<CheckpointEvent, CheckpointAction> runner;
  private final Map<Long, Id128> requests = new HashMap<>();
  private final CheckpointHistory history;
  private final CheckpointOperations operations = new CheckpointOperations();
  private long lastRequest;

  JobCheckpoints(
      Env env,
      Mailbox mailbox,
      Owner owner,
      JobCheckpointStorage storage,
      CheckpointCoordinator coordinator) {
    this.env = env;
    this.owner = owner;
    this.storage = storage;
    this.coordinator = coordinator;
    this.history = new CheckpointHistory(coordinator.settings().history());
    this.runner =
        new DeciderRunner<>(env, mailbox, coordinator, new Tick(), this::perform, () -> {});
  }

  /** The checkpoint whose state tasks start with that are deployed now. */
  Optional<RestoredCheckpoint> restore() {
    Optional<RestoredCheckpoint> latest =
        coordinator.latest().map(storage::restored).or(coordinator::initial);
    latest.ifPresent(
        restored -> {
          runner.apply(new Restoring(restored.number()));
          history.restored(
              new RestoredState(
                  restored.number(),
                  env.wallMillis(),
                  JobCheckpointStorage.isSavepoint(restored),
                  restored.directory()));
        });
    return latest;
  }

  /** The checkpoint that tasks start with now, and the highest number that was used. */
  CheckpointOutcomes outcomes() {
    return coordinator.outcomes();
  }

  /** The checkpoints of the job with their subtasks, and the requests of users. */
  CheckpointStatistics statistics() {
    return history.statistics().with(operations.all());
  }

  /** All tasks run or have finished. */
  void tasksRunning() {
    runner.apply(new TasksRunning());
  }

  /**
   * Tasks could not use the state of the checkpoint that they were deployed with. They go back to
   * an earlier one if there is one.
   *
   * @return why a restart cannot help: there is nothing but the savepoint that the job was started
   *     with; empty if it may
   */
  Optional<Reason> stateUnusable(long checkpoint, String message) {
    if (coordinator.latest().isEmpty()) {
      return coordinator.initial().map(from -> new SavepointUnusable(from.directory(), message));
    }
    runner.apply(new StateUnusable(checkpoint, message));
    return Optional.empty();
  }

  /** Tasks failed, or are being cancelled. */
  void tasksStopping() {
    operations.tasksFailed();
    runner.apply(new TasksStopping());
  }

  void acknowledged(AcknowledgeCheckpoint snapshots) {
    history.acknowledged(snapshots.checkpoint(), snapshots.snapshots(), env.wallMillis());
    runner.apply(
        new Acknowledged(snapshots.worker(), snapshots.checkpoint(), snapshots.snapshots()));
  }

  void declined(DeclineCheckpoint notice) {
    runner.apply(new Declined(notice.execution(), notice.checkpoint(), notice.cause()));
  }

  /** Tasks may have ended their input or finished: perhaps all that is left awaits a checkpoint. */
  void tasksUpdated(List<TaskUpdate> updates) {
    List<ExecutionId> awaiting = new ArrayList<>();
    boolean finished = false;
    for (TaskUpdate update : updates) {
      finished |= update.state() == TaskState.FINISHED;
      if (update.awaitsCheckpoint()) {
        awaiting.add(update.execution());
      }
    }
    if (finished || !awaiting.isEmpty()) {
      runner.apply(new TasksAwait(awaiting));
    }
  }

  void backlogChanged(BacklogNotice notice) {
    runner.apply(new BacklogChanged(notice.execution(), notice.backlog()));
  }

  /**
   * Takes a checkpoint or savepoint for a user. The outcome is in {@link #statistics}. A repeated
   * request has no effect.
   */
  void start(StartCheckpoint start) {
    if (operations.start(start.operation(), start.type())) {
      long request = ++lastRequest;
      requests.put(request, start.operation());
      runner.apply(new Requested(request, start.type(), start.directory()));
    }
  }

  /** All tasks have finished. */
  void finished() {
    operations.jobFinished();
  }

  /**
   * The job has ended, or this leader gives it up: nothing is triggered from now on. Completed
   * checkpoints stay until the result of the job is stored; {@link CheckpointServices#cleanUp}
   * deletes them.
   */
  void end() {
    operations.tasksFailed();
    runner.apply(new JobEnded());
    runner.stop();
  }

  private void perform(List<CheckpointAction> actions) {
    for (CheckpointAction action : actions) {
      if (action instanceof Prepare prepare) {
        storage.prepare(prepare, runner::apply);
      } else if (action instanceof Trigger trigger) {
        trigger(trigger);
      } else if (action instanceof Store store) {
        storage.store(store, runner::apply);
      } else if (action instanceof StopTasks) {
        owner.tasksFinish().run();
      } else if (action instanceof NotifyCompleted notice) {
        owner.calls().checkpointCompleted(notice);
      } else if (action instanceof NotifyAborted notice) {
        owner.calls().checkpointAborted(notice);
      } else if (action instanceof Discard discard) {
        history.discarded(discard.directory());
        storage.delete(discard.directory());
      } else if (action instanceof Retain retain) {
        storage.retain(retain);
      } else if (action instanceof DiscardClaimed discard) {
        storage.deleteClaimed(discard.claimed());
      } else if (action instanceof DiscardShared discard) {
        storage.deleteShared(discard.files());
      } else if (action instanceof SweepShared sweep) {
        storage.sweep(sweep);
      } else if (action instanceof Answer answer) {
        answer(answer);
      } else if (action instanceof FailJob fail) {
        owner.failJob().accept(fail.reason());
      } else if (action instanceof Note note) {
        CheckpointProgressLog.log(owner.job(), note.progress());
        history.progress(note.progress(), env.wallMillis());
        owner.progress().accept(note.progress());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
  }

  private void trigger(Trigger trigger) {
    Optional<CompletableFuture<Acknowledge>> accepted = owner.calls().triggerCheckpoint(trigger);
    if (accepted.isEmpty()) {
      return; // The worker is lost, which ends the checkpoint.
    }
    long number = trigger.request().checkpoint();
    accepted
        .get()
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                runner.apply(
                    new TriggerFailed(
                        trigger.worker(), number, Failure.sentence(Failure.unwrap(failure))));
              }
            });
  }

  private void answer(Answer answer) {
    Id128 operation = requests.remove(answer.request());
    answer.completed().ifPresent(completed -> operations.stored(operation, completed));
    answer
        .failed()
        .ifPresent(
            reason ->
                operations.failed(
                    operation, Failure.of(ErrorKind.EXTERNAL, ReasonText.of(reason))));
  }
}

package io.millrace.control.checkpoint;

import io.millrace.control.checkpoint.CheckpointAction.Answer;
import io.millrace.control.checkpoint.CheckpointAction.Discard;
import io.millrace.control.checkpoint.CheckpointAction.FailJob;
import io.millrace.control.checkpoint.CheckpointAction.Note;
import io.millrace.control.checkpoint.CheckpointAction.NotifyAborted;
import io.millrace.control.checkpoint.CheckpointAction.NotifyCompleted;
import io.millrace.control.checkpoint.CheckpointAction.Prepare;
import io.millrace.control.checkpoint.CheckpointAction.StopTasks;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointEvent.Acknowledged;
import io.millrace.control.checkpoint.CheckpointEvent.BacklogChanged;
import io.millrace.control.checkpoint.CheckpointEvent.Declined;
import io.millrace.control.checkpoint.CheckpointEvent.JobEnded;
import io.millrace.control.checkpoint.CheckpointEvent.Prepared;
import io.millrace.control.checkpoint.CheckpointEvent.Requested;
import io.millrace.control.checkpoint.CheckpointEvent.Restoring;
import io.millrace.control.checkpoint.CheckpointEvent.StateUnusable;
import io.millrace.control.checkpoint.CheckpointEvent.StorageFailed;
import io.millrace.control.checkpoint.CheckpointEvent.Stored;
import io.millrace.control.checkpoint.CheckpointEvent.TasksAwait;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.control.checkpoint.CheckpointEvent.TriggerFailed;
import io.millrace.control.checkpoint.PendingCheckpoint.Phase;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.SharedFilesDeleted;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.StopInterrupted;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.decision.Decider;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause.SnapshotNotStored;
import io.millrace.task.checkpoint.DeclineCause.TaskIsEnding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Decides about the checkpoints of one job under one leader.
 *
 * <ul>
 *   <li>A checkpoint is complete when the recovery store has it, never before: TaskManagers hear of
 *       the completion only then.
 *   <li>A directory is deleted only if the recovery store does not have its checkpoint. One whose
 *       record is undecided stays until the record of a later one has replaced it.
 *   <li>Checkpoints complete in the order of their numbers. One that completes ends those before
 *       it.
 *   <li>A checkpoint that refers to a shared file that was deleted does not complete.
 *   <li>A savepoint without a stop is not a checkpoint that a failure goes back to; its completion
 *       is not notified, because a later failure would repeat what was committed for it.
 *   <li>A stop ends all tasks or none: if one fails before it has finished, all of them start again
 *       with the savepoint.
 * </ul>
 */
public final class CheckpointCoordinator implements Decider<CheckpointEvent, CheckpointAction> {
  private static final int NAMED_TASKS = 5;

  private final JobGraph graph;
  private final CheckpointSettings settings;
  private final CheckpointPlan.Planner planner;
  private final CheckpointSchedule schedule;
  private final RetainedCheckpoints retained;
  private final Optional<RestoredCheckpoint> initial;
  private final TreeMap<Long, PendingCheckpoint> pending = new TreeMap<>();
  private long lastNumber;
  private int consecutiveFailures;

  /**
   * Whether the savepoint of a stop is complete: tasks finish now, and nothing but that savepoint
   * is what a failure goes back to. A checkpoint after it would have sources as finished that the
   * stop has ended: restored from it, they would not read the rest. No task needs one, because the
   * savepoint has all output, also that of tasks that awaited a checkpoint before.
   */
  private boolean stopped;

  private boolean ended;

  /** Whether the recovery store has a checkpoint that is abandoned. */
  private boolean hasUnstoredAbandonment;

  /** When a checkpoint that tasks await begins; the highest long for never. */
  private long nextAwaited = Long.MAX_VALUE;

  // Of the current event.
  private List<CheckpointAction> actions = new ArrayList<>();
  private long now;

  /**
   * @param recovered the checkpoints of the recovery store
   */
  public CheckpointCoordinator(
      JobGraph graph,
      CheckpointSettings settings,
      CheckpointPlan.Planner planner,
      CheckpointRecovery recovered) {
    this.graph = graph;
    this.settings = settings;
    this.planner = planner;
    this.schedule = new CheckpointSchedule(settings);
    this.retained =
        new RetainedCheckpoints(settings.retained(), recovered, action -> actions.add(action));
    this.initial = recovered.restore();
    this.lastNumber = recovered.lastNumber();
  }

  public CheckpointSettings settings() {
    return settings;
  }

  /** What the job was submitted with; it starts with it until it has a checkpoint of its own. */
  public Optional<RestoredCheckpoint> initial() {
    return initial;
  }

  /** The checkpoint that tasks go back to, if there is one. */
  public Optional<CompletedCheckpoint> latest() {
    List<CompletedCheckpoint> completed = completed();
    return completed.isEmpty()
        ? Optional.empty()
        : Optional.of(completed.get(completed.size() - 1));
  }

  /** The checkpoint that tasks start with now, and the highest number that was used. */
  public CheckpointOutcomes outcomes() {
    long completed =
        latest()
            .map(CompletedCheckpoint::number)
            .or(() -> initial.map(RestoredCheckpoint::number))
            .orElse(0L);
    return new CheckpointOutcomes(completed, Math.max(completed, lastNumber));
  }

  /** The completed checkpoints that are kept, in order of their numbers. */
  public List<CompletedCheckpoint> completed() {
    return retained.completed();
  }

  @Override
  public List<CheckpointAction> apply(CheckpointEvent event, long time) {
    actions = new ArrayList<>();
    now = time;
    if (event instanceof TasksRunning) {
      schedule.tasksRunning(planner.plan(), now);
      retained.tasksRunning();
    } else if (event instanceof Restoring restoring) {
      retained.restoring(restoring.checkpoint());
    } else if (event instanceof StateUnusable unusable) {
      hasUnstoredAbandonment |= retained.abandon(unusable.checkpoint(), unusable.message());
      storeAbandonment();
    } else if (event instanceof TasksStopping) {
      stopping();
    } else if (event instanceof Requested request) {
      requested(request);
    } else if (event instanceof Prepared prepared) {
      prepared(prepared);
    } else if (event instanceof Acknowledged acknowledged) {
      acknowledged(acknowledged);
    } else if (event instanceof Declined declined) {
      declined(declined);
    } else if (event instanceof TriggerFailed failed) {
      triggerFailed(failed);
    } else if (event instanceof Stored stored) {
      stored(stored.checkpoint());
    } else if (event instanceof StorageFailed failed) {
      storageFailed(failed);
    } else if (event instanceof BacklogChanged changed) {
      schedule.backlogChanged(changed.execution(), changed.backlog(), now);
    } else if (event instanceof TasksAwait waiting) {
      schedule.tasksAwait(waiting.executions());
    } else if (event instanceof JobEnded) {
      end();
    } else if (!(event instanceof Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    if (!ended) {
      expire();
      triggerScheduled();
    }
    return actions;
  }

  @Override
  public OptionalLong nextWake() {
    if (ended) {
      return OptionalLong.empty();
    }
    long next = canTriggerScheduled() ? schedule.nextPeriodic() : Long.MAX_VALUE;
    next = Math.min(next, nextAwaited);
    for (PendingCheckpoint checkpoint : pending.values()) {
      if (checkpoint.phase != Phase.STORING) {
        next = Math.min(next, expiry(checkpoint));
      }
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  // --- triggering

  private boolean canTriggerScheduled() {
    return settings.isPeriodic()
        && !stopped
        && pending.values().stream().noneMatch(checkpoint -> checkpoint.type.stops())
        && pending.values().stream().filter(PendingCheckpoint::isScheduled).count()
            < settings.maxConcurrent();
  }

  private void triggerScheduled() {
    nextAwaited = Long.MAX_VALUE;
    if (!canTriggerScheduled()) {
      return;
    }
    boolean isDue = now >= schedule.nextPeriodic();
    if (!isDue && !schedule.isAwaited()) {
      return;
    }
    CheckpointPlan plan = planner.plan();
    if (plan instanceof CheckpointPlan.Ready ready) {
      long awaited = schedule.nextAwaited(ready);
      if (isDue || now >= awaited) {
        schedule.begun(now >= awaited, now);
        begin(CheckpointRequest.Type.CHECKPOINT, Optional.empty(), OptionalLong.empty(), ready);
      } else {
        nextAwaited = awaited;
      }
    } else if (plan instanceof CheckpointPlan.NotReady) {
      if (isDue) {
        schedule.tasksStopping();
      }
    } else {
      throw new IllegalStateException("Unknown plan " + plan);
    }
  }

  private void requested(Requested request) {
    CheckpointPlan plan = planner.plan();
    if (stopped || pending.values().stream().anyMatch(checkpoint -> checkpoint.type.stops())) {
      actions.add(failed(request.request(), new StopInProgress()));
    } else if (ended || plan instanceof CheckpointPlan.NotReady) {
      Reason reason =
          plan instanceof CheckpointPlan.NotReady not ? not.reason() : new TasksEnding();
      actions.add(failed(request.request(), reason));
    } else if (plan instanceof CheckpointPlan.Ready ready) {
      begin(request.type(), request.directory(), OptionalLong.of(request.request()), ready);
    } else {
      throw new IllegalStateException("Unknown plan " + plan);
    }
  }

  private static Answer failed(long request, Reason reason) {
    return new Answer(request, Optional.empty(), Optional.of(reason));
  }

  private void begin(
      CheckpointRequest.Type type,
      Optional<String> directory,
      OptionalLong request,
      CheckpointPlan.Ready plan) {
    long number = ++lastNumber;
    pending.put(number, new PendingCheckpoint(number, type, barriers(type), request, plan, now));
    actions.add(new Note(new CheckpointProgress.Triggered(number, type, plan.tasks())));
    actions.add(new Prepare(number, type, directory));
  }

  /**
   * Savepoints are aligned, so that they have no records in flight. So is a checkpoint beside an
   * aligned one: its barriers would overtake the aligned ones, which do not complete then.
   */
  private CheckpointRequest.Barriers barriers(CheckpointRequest.Type type) {
    boolean besideAligned =
        pending.values().stream().anyMatch(other -> !other.barriers.unaligned());
    return type.isSavepoint() || besideAligned
        ? CheckpointRequest.Barriers.ALIGNED
        : settings.barriers();
  }

  private void prepared(Prepared prepared) {
    PendingCheckpoint checkpoint = pending.get(prepared.checkpoint());
    if (checkpoint == null || checkpoint.phase != Phase.PREPARING) {
      if (!retained.contains(prepared.checkpoint())) {
        actions.add(new Discard(prepared.directory()));
      }
      return;
    }
    checkpoint.phase = Phase.RUNNING;
    checkpoint.directory = prepared.directory();
    checkpoint.timestamp = prepared.wallMillis();
    CheckpointRequest request =
        new CheckpointRequest(
            checkpoint.number,
            checkpoint.timestamp,
            checkpoint.type,
            checkpoint.barriers,
            prepared.directory(),
            prepared.sharedDirectory(),
            settings.inlineThreshold());
    actions.addAll(checkpoint.triggers(request));
  }

  // --- answers of TaskManagers

  private void acknowledged(Acknowledged acknowledged) {
    PendingCheckpoint checkpoint = pending.get(acknowledged.checkpoint());
    if (checkpoint == null || checkpoint.phase != Phase.RUNNING) {
      return;
    }
    acknowledged
        .snapshots()
        .forEach(snapshot -> checkpoint.stored(acknowledged.worker(), snapshot));
    if (checkpoint.isStored()) {
      store(checkpoint);
    }
  }

  private void store(PendingCheckpoint checkpoint) {
    if (isStoring()) {
      return; // Continued when that one is stored: records are written in order.
    }
    CheckpointMetadata metadata = checkpoint.metadata(graph);
    List<String> missing = retained.missing(checkpoint.number, checkpoint.sharedFiles());
    if (!missing.isEmpty()) {
      fail(checkpoint, new SharedFilesDeleted(missing.get(0), missing.size()));
      storeNext();
      return;
    }
    checkpoint.phase = Phase.STORING;
    CompletedCheckpoint record =
        new CompletedCheckpoint(
            checkpoint.number,
            checkpoint.timestamp,
            checkpoint.type,
            checkpoint.directory,
            checkpoint.bytes());
    actions.add(new Store(record, metadata, retained.with(record), retained.abandoned()));
  }

  private void declined(Declined declined) {
    PendingCheckpoint checkpoint = pending.get(declined.checkpoint());
    if (checkpoint == null || checkpoint.phase != Phase.RUNNING) {
      return;
    }
    if (declined.cause() instanceof TaskIsEnding) {
      // At the end of bounded input some checkpoint meets tasks that end.
      abort(checkpoint, new TasksEnding());
    } else if (declined.cause() instanceof SnapshotNotStored failed) {
      String task =
          checkpoint
              .task(declined.execution())
              .map(CheckpointPlan.Participant::name)
              .orElseGet(() -> declined.execution().toString());
      fail(checkpoint, new SnapshotFailed(task, failed.message()));
    } else {
      throw new IllegalArgumentException("Unknown cause " + declined.cause());
    }
  }

  private void triggerFailed(TriggerFailed failed) {
    PendingCheckpoint checkpoint = pending.get(failed.checkpoint());
    if (checkpoint != null && checkpoint.phase == Phase.RUNNING) {
      fail(checkpoint, new TriggerNotAccepted(failed.worker(), failed.message()));
    }
  }

  // --- ends

  private void stored(CompletedCheckpoint record) {
    PendingCheckpoint checkpoint = pending.remove(record.number());
    if (ended) {
      return; // What the recovery store has of an ended job is removed with the job.
    }
    if (checkpoint == null) {
      throw new IllegalStateException("Checkpoint " + record.number() + " is not pending");
    }
    consecutiveFailures = 0;
    if (RetainedCheckpoints.isForRecovery(record.type())) {
      retained.add(record, checkpoint.sharedFiles(), lastBegun(checkpoint));
      for (PendingCheckpoint earlier : new ArrayList<>(pending.headMap(record.number()).values())) {
        if (!earlier.type.isSavepoint()) {
          abort(earlier, new CheckpointSubsumed(record.number()));
        }
      }
      if (!checkpoint.isInterruptedStop()) {
        if (record.type().stops()) {
          stopped = true;
          actions.add(new StopTasks());
        }
        actions.add(new NotifyCompleted(record.number(), checkpoint.workers()));
      }
      retained.discardClaimed();
    }
    actions.add(new Note(new CheckpointProgress.Completed(record, now - checkpoint.triggered)));
    if (checkpoint.isInterruptedStop()) {
      Reason reason = new StopInterrupted(record.directory());
      checkpoint.request.ifPresent(request -> actions.add(failed(request, reason)));
      actions.add(new FailJob(reason));
    } else {
      checkpoint.request.ifPresent(
          request -> actions.add(new Answer(request, Optional.of(record), Optional.empty())));
    }
    if (checkpoint.isScheduled()) {
      schedule.over(now);
      schedule.pause(now);
    }
    storeAbandonment();
    storeNext();
  }

  /**
   * Not while the record of a checkpoint is being written: that one would be lost, because it is
   * retained only when it is stored.
   */
  private void storeAbandonment() {
    if (hasUnstoredAbandonment && !isStoring()) {
      hasUnstoredAbandonment = false;
      retained.store();
    }
  }

  private boolean isStoring() {
    return pending.values().stream().anyMatch(checkpoint -> checkpoint.phase == Phase.STORING);
  }

  /** The last checkpoint that began, if tasks may refer to files of those before this one. */
  private OptionalLong lastBegun(PendingCheckpoint completed) {
    boolean isAlone =
        pending.tailMap(completed.number).values().stream()
            .allMatch(later -> later.type.isSavepoint());
    return isAlone && !completed.interrupted ? OptionalLong.empty() : OptionalLong.of(lastNumber);
  }

  private void storeNext() {
    for (PendingCheckpoint next : new ArrayList<>(pending.values())) {
      if (next.phase == Phase.RUNNING && next.isStored()) {
        store(next);
        return;
      }
    }
  }

  private void storageFailed(StorageFailed failed) {
    PendingCheckpoint checkpoint = pending.get(failed.checkpoint());
    if (checkpoint == null) {
      return;
    }
    if (failed.undecided() && RetainedCheckpoints.isForRecovery(checkpoint.type)) {
      // The recovery store may have it, so that its files must stay.
      retained.undecided(checkpoint.number, checkpoint.type, checkpoint.directory);
      checkpoint.directory = "";
    }
    if (checkpoint.interrupted) {
      abort(checkpoint, failed.reason()); // Its tasks have been restarted, or are about to be.
    } else {
      fail(checkpoint, failed.reason());
    }
    storeAbandonment();
    storeNext();
  }

  private void expire() {
    for (PendingCheckpoint checkpoint : new ArrayList<>(pending.values())) {
      if (checkpoint.phase != Phase.STORING && now >= expiry(checkpoint)) {
        List<String> missing = checkpoint.missing();
        fail(
            checkpoint,
            new CheckpointExpired(
                settings.timeout(),
                missing.subList(0, Math.min(NAMED_TASKS, missing.size())),
                missing.size()));
      }
    }
  }

  private long expiry(PendingCheckpoint checkpoint) {
    return checkpoint.triggered + settings.timeout().toNanos();
  }

  /** Tasks that end take their snapshots with them, except for those that are stored already. */
  private void stopping() {
    schedule.tasksStopping();
    stopped = false;
    for (PendingCheckpoint checkpoint : new ArrayList<>(pending.values())) {
      if (checkpoint.phase != Phase.STORING) {
        abort(checkpoint, new TasksEnding());
      } else {
        checkpoint.interrupted = true;
      }
    }
  }

  private void fail(PendingCheckpoint checkpoint, Reason reason) {
    abort(checkpoint, reason);
    if (!checkpoint.type.isSavepoint() && ++consecutiveFailures > settings.tolerableFailures()) {
      int failed = consecutiveFailures;
      consecutiveFailures = 0;
      actions.add(
          new FailJob(new TooManyFailedCheckpoints(failed, settings.tolerableFailures(), reason)));
    }
  }

  private void abort(PendingCheckpoint checkpoint, Reason reason) {
    pending.remove(checkpoint.number);
    if (checkpoint.isScheduled()) {
      schedule.over(now);
    }
    if (checkpoint.phase != Phase.PREPARING) {
      actions.add(new NotifyAborted(checkpoint.number, checkpoint.workers()));
    }
    if (!checkpoint.directory.isEmpty()) {
      actions.add(new Discard(checkpoint.directory));
      if (!checkpoint.type.isSavepoint()) {
        actions.add(new SweepShared(checkpoint.number, checkpoint.number, List.of()));
      }
    }
    actions.add(new Note(new CheckpointProgress.Aborted(checkpoint.number, reason)));
    checkpoint.request.ifPresent(request -> actions.add(failed(request, reason)));
  }

  /** Completed checkpoints stay: those of a suspended job are for its next leader. */
  private void end() {
    ended = true;
    schedule.tasksStopping();
    boolean undecided = false;
    for (PendingCheckpoint checkpoint : new ArrayList<>(pending.values())) {
      if (checkpoint.phase == Phase.STORING) {
        checkpoint.directory = ""; // Its outcome is not known yet.
        undecided = true;
      }
      abort(checkpoint, new TasksEnding());
    }
    if (!undecided) {
      retained.end();
    }
  }
}

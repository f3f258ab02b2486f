package io.millrace.control.checkpoint;

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
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointAction.Trigger;
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
import io.millrace.control.checkpoint.CheckpointEvent.TaskEnding;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.control.checkpoint.PendingCheckpoint.Phase;
import io.millrace.core.id.ExecutionId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.decision.Decider;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides about the checkpoints of one job under one leader.
 *
 * <ul>
 *   <li>A checkpoint is complete when the recovery store has it, never before: TaskManagers hear of
 *       the completion only then.
 *   <li>A directory is deleted only if the recovery store does not have its checkpoint. One whose
 *       record is undecided stays.
 *   <li>Checkpoints complete in the order of their numbers. One that completes ends those before
 *       it.
 *   <li>A savepoint without a stop is not a checkpoint that a failure goes back to; its completion
 *       is not notified, because a later failure would repeat what was committed for it.
 * </ul>
 */
public final class CheckpointCoordinator implements Decider<CheckpointEvent, CheckpointAction> {
  private static final int NAMED_TASKS = 5;

  private final JobGraph graph;
  private final CheckpointSettings settings;
  private final CheckpointPlan.Planner planner;
  private final TreeMap<Long, PendingCheckpoint> pending = new TreeMap<>();
  private List<CompletedCheckpoint> completed;
  private long lastNumber;
  private int consecutiveFailures;

  /** Whether all tasks run or have finished, as far as is known. */
  private boolean running;

  /**
   * Whether the savepoint of a stop is complete: tasks finish now, and a checkpoint that one of
   * them does not take part in any more would count as failed.
   */
  private boolean stopped;

  /** The numbers of the checkpoints that tasks restore now. */
  private final Set<Long> restored = new TreeSet<>();

  /** Checkpoints that are superseded and will be deleted when no task restores them. */
  private final List<CompletedCheckpoint> superseded = new ArrayList<>();

  private final SharedFileReferences sharedFiles = new SharedFileReferences();

  /**
   * Earlier leaders may have left files of checkpoints up to this number, which did not complete; 0
   * for none.
   */
  private long sweepTo;

  /** What the job was started with, if it belongs to the job and is not deleted yet. */
  private Optional<RestoredCheckpoint> claimed;

  /** The sources that process backlog. */
  private final Set<ExecutionId> backlogs = new LinkedHashSet<>();

  private boolean ended;
  private long nextPeriodic = Long.MAX_VALUE;
  private List<CheckpointAction> actions = new ArrayList<>();

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
    this.completed = recovered.completed();
    this.lastNumber = recovered.lastNumber();
    recovered.sharedFiles().forEach(sharedFiles::add);
    this.claimed = recovered.claimed();
    this.sweepTo = recovered.isComplete() ? recovered.lastNumber() : 0;
  }

  /** The checkpoint that tasks go back to, if there is one. */
  public Optional<CompletedCheckpoint> latest() {
    return completed.isEmpty()
        ? Optional.empty()
        : Optional.of(completed.get(completed.size() - 1));
  }

  /** The completed checkpoints that are kept, in order of their numbers. */
  public List<CompletedCheckpoint> completed() {
    return completed;
  }

  @Override
  public List<CheckpointAction> apply(CheckpointEvent event, long now) {
    actions = new ArrayList<>();
    if (event instanceof TasksRunning) {
      running(now);
    } else if (event instanceof Restoring restoring) {
      restored.add(restoring.checkpoint());
    } else if (event instanceof StateUnusable unusable) {
      abandon(unusable.message());
    } else if (event instanceof TasksStopping) {
      stopping();
    } else if (event instanceof Requested request) {
      requested(request, now);
    } else if (event instanceof Prepared prepared) {
      prepared(prepared);
    } else if (event instanceof Acknowledged acknowledged) {
      acknowledged(acknowledged);
    } else if (event instanceof Declined declined) {
      declined(declined);
    } else if (event instanceof TaskEnding ending) {
      taskEnding(ending.checkpoint());
    } else if (event instanceof Stored stored) {
      stored(stored.checkpoint(), now);
    } else if (event instanceof StorageFailed failed) {
      storageFailed(failed);
    } else if (event instanceof BacklogChanged changed) {
      backlog(changed, now);
    } else if (event instanceof JobEnded) {
      end();
    } else if (!(event instanceof Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    if (!ended) {
      expire(now);
      triggerPeriodic(now);
    }
    return actions;
  }

  @Override
  public OptionalLong nextWake() {
    if (ended) {
      return OptionalLong.empty();
    }
    long next = canTriggerPeriodic() ? nextPeriodic : Long.MAX_VALUE;
    for (PendingCheckpoint checkpoint : pending.values()) {
      if (checkpoint.phase != Phase.STORING) {
        next = Math.min(next, expiry(checkpoint));
      }
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  // --- triggering

  private void running(long now) {
    keepBacklogs();
    if (!running && settings.isPeriodic()) {
      nextPeriodic = nextAfter(now);
    }
    running = true;
    if (sweepTo > 0) {
      actions.add(new SweepShared(1, sweepTo, List.copyOf(sharedFiles.needed())));
      sweepTo = 0;
    }
    restored.clear();
    discardSuperseded();
    discardClaimed();
  }

  /**
   * Leaves out a checkpoint that cannot be used, if tasks can go back to an earlier one. Its files
   * stay until the job ends: a user may want to know what happened to them.
   */
  private void abandon(String message) {
    if (completed.size() < 2) {
      return; // Tasks try again: without any checkpoint they would lose their state.
    }
    CompletedCheckpoint newest = completed.get(completed.size() - 1);
    if (!restored.remove(newest.number())) {
      return; // Other tasks have reported it before.
    }
    completed = List.copyOf(completed.subList(0, completed.size() - 1));
    long fallback = completed.get(completed.size() - 1).number();
    actions.add(new Retain(completed));
    actions.add(new Note(new CheckpointProgress.Abandoned(newest, fallback, message)));
  }

  /** The job does not go back to what it was started with after its first checkpoint. */
  private void discardClaimed() {
    if (claimed.isPresent()
        && !completed.isEmpty()
        && completed.stream().noneMatch(own -> own.directory().equals(claimed.get().directory()))) {
      actions.add(new DiscardClaimed(claimed.get()));
      claimed = Optional.empty();
    }
  }

  /** The time of the next periodic checkpoint after one that begins now. */
  private long nextAfter(long now) {
    long interval =
        (backlogs.isEmpty() ? settings.interval() : settings.backlogInterval()).toNanos();
    return interval == 0 ? Long.MAX_VALUE : now + interval;
  }

  private void backlog(BacklogChanged changed, long now) {
    boolean before = backlogs.isEmpty();
    if (changed.backlog()) {
      backlogs.add(changed.execution());
    } else {
      backlogs.remove(changed.execution());
    }
    if (running && settings.isPeriodic() && before != backlogs.isEmpty()) {
      nextPeriodic = nextAfter(now);
    }
  }

  /** Forgets sources that have ended; one that starts again says whether it processes backlog. */
  private void keepBacklogs() {
    if (!backlogs.isEmpty() && planner.plan() instanceof CheckpointPlan.Ready ready) {
      Set<ExecutionId> current = new HashSet<>();
      ready.tasks().forEach(task -> current.add(task.execution()));
      backlogs.retainAll(current);
    }
  }

  private boolean canTriggerPeriodic() {
    return running
        && !stopped
        && settings.isPeriodic()
        && pending.values().stream().noneMatch(checkpoint -> checkpoint.type.stops())
        && pending.values().stream().filter(PendingCheckpoint::isPeriodic).count()
            < settings.maxConcurrent();
  }

  private void triggerPeriodic(long now) {
    if (!canTriggerPeriodic() || now < nextPeriodic) {
      return;
    }
    CheckpointPlan plan = planner.plan();
    if (plan instanceof CheckpointPlan.Ready ready) {
      nextPeriodic = nextAfter(now);
      begin(CheckpointRequest.Type.CHECKPOINT, Optional.empty(), OptionalLong.empty(), ready, now);
    } else if (plan instanceof CheckpointPlan.NotReady) {
      // The next report that all tasks run sets the time anew.
      running = false;
    } else {
      throw new IllegalStateException("Unknown plan " + plan);
    }
  }

  private void requested(Requested request, long now) {
    CheckpointPlan plan = planner.plan();
    if (stopped || pending.values().stream().anyMatch(checkpoint -> checkpoint.type.stops())) {
      actions.add(failed(request.request(), new StopInProgress()));
    } else if (ended || plan instanceof CheckpointPlan.NotReady) {
      Reason reason =
          plan instanceof CheckpointPlan.NotReady not ? not.reason() : new TasksEnding();
      actions.add(failed(request.request(), reason));
    } else if (plan instanceof CheckpointPlan.Ready ready) {
      begin(request.type(), request.directory(), OptionalLong.of(request.request()), ready, now);
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
      CheckpointPlan.Ready plan,
      long now) {
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
      if (!isCompleted(prepared.checkpoint())) {
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
    checkpoint
        .byWorker()
        .forEach(
            (worker, tasks) ->
                actions.add(
                    new Trigger(
                        worker,
                        request,
                        tasks.stream().map(CheckpointPlan.Participant::execution).toList(),
                        tasks.stream()
                            .filter(CheckpointPlan.Participant::source)
                            .map(CheckpointPlan.Participant::execution)
                            .toList())));
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
    if (pending.values().stream().anyMatch(other -> other.phase == Phase.STORING)) {
      return; // Continued when that one is stored: records are written in order.
    }
    checkpoint.phase = Phase.STORING;
    CompletedCheckpoint record =
        new CompletedCheckpoint(
            checkpoint.number,
            checkpoint.timestamp,
            checkpoint.type,
            checkpoint.directory,
            checkpoint.bytes());
    actions.add(new Store(record, checkpoint.metadata(graph), retainedWith(record)));
  }

  private List<CompletedCheckpoint> retainedWith(CompletedCheckpoint record) {
    List<CompletedCheckpoint> retained = new ArrayList<>(completed);
    if (isForRecovery(record.type())) {
      retained.add(record);
    }
    return retained.subList(Math.max(0, retained.size() - settings.retained()), retained.size());
  }

  /** Whether a failure goes back to it. A job that stops goes back to its last savepoint. */
  private static boolean isForRecovery(CheckpointRequest.Type type) {
    return !type.isSavepoint() || type.stops();
  }

  private void declined(Declined declined) {
    PendingCheckpoint checkpoint = pending.get(declined.checkpoint());
    if (checkpoint != null && checkpoint.phase == Phase.RUNNING) {
      String task =
          checkpoint
              .task(declined.execution())
              .map(CheckpointPlan.Participant::name)
              .orElseGet(() -> declined.execution().toString());
      fail(checkpoint, new SnapshotFailed(task, declined.message()));
    }
  }

  /** Not a failure of the job: at the end of bounded input some checkpoint meets tasks that end. */
  private void taskEnding(long number) {
    PendingCheckpoint checkpoint = pending.get(number);
    if (checkpoint != null && checkpoint.phase == Phase.RUNNING) {
      abort(checkpoint, new TasksEnding());
    }
  }

  // --- ends

  private void stored(CompletedCheckpoint record, long now) {
    PendingCheckpoint checkpoint = pending.remove(record.number());
    if (ended) {
      return; // What the recovery store has of an ended job is removed with the job.
    }
    if (checkpoint == null) {
      throw new IllegalStateException("Checkpoint " + record.number() + " is not pending");
    }
    consecutiveFailures = 0;
    if (isForRecovery(record.type())) {
      List<CompletedCheckpoint> retained = retainedWith(record);
      List<CompletedCheckpoint> dropped = new ArrayList<>(completed);
      dropped.removeAll(retained);
      completed = List.copyOf(retained);
      sharedFiles.add(record.number(), checkpoint.sharedFiles());
      superseded.addAll(dropped);
      discardSuperseded();
      for (PendingCheckpoint earlier : new ArrayList<>(pending.headMap(record.number()).values())) {
        if (!earlier.type.isSavepoint()) {
          abort(earlier, new CheckpointSubsumed(record.number()));
        }
      }
      stopped |= record.type().stops();
      actions.add(new NotifyCompleted(record.number(), checkpoint.workers()));
      discardClaimed();
    }
    actions.add(new Note(new CheckpointProgress.Completed(record, now - checkpoint.triggered)));
    checkpoint.request.ifPresent(
        request -> actions.add(new Answer(request, Optional.of(record), Optional.empty())));
    if (checkpoint.isPeriodic()) {
      nextPeriodic = Math.max(nextPeriodic, now + settings.minPause().toNanos());
    }
    storeNext();
  }

  private void discardSuperseded() {
    superseded.removeIf(
        old -> {
          if (restored.contains(old.number())) {
            return false;
          }
          discard(old);
          return true;
        });
  }

  /** Deletes a checkpoint; a savepoint belongs to the user. */
  private void discard(CompletedCheckpoint old) {
    List<String> unneeded = sharedFiles.remove(old.number());
    if (!old.type().isSavepoint()) {
      actions.add(new Discard(old.directory()));
      if (!unneeded.isEmpty()) {
        actions.add(new DiscardShared(unneeded));
      }
    }
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
    if (failed.undecided()) {
      // The recovery store may have it, so that its files must stay.
      checkpoint.directory = "";
    }
    fail(checkpoint, failed.reason());
    storeNext();
  }

  private void expire(long now) {
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
    running = false;
    stopped = false;
    for (PendingCheckpoint checkpoint : new ArrayList<>(pending.values())) {
      if (checkpoint.phase != Phase.STORING) {
        abort(checkpoint, new TasksEnding());
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
    running = false;
    for (PendingCheckpoint checkpoint : new ArrayList<>(pending.values())) {
      if (checkpoint.phase == Phase.STORING) {
        checkpoint.directory = ""; // Its outcome is not known yet.
      }
      abort(checkpoint, new TasksEnding());
    }
  }

  private boolean isCompleted(long number) {
    return completed.stream().anyMatch(known -> known.number() == number);
  }
}

package io.millrace.control.checkpoint;

import io.millrace.control.checkpoint.CheckpointAction.Discard;
import io.millrace.control.checkpoint.CheckpointAction.DiscardClaimed;
import io.millrace.control.checkpoint.CheckpointAction.DiscardShared;
import io.millrace.control.checkpoint.CheckpointAction.Note;
import io.millrace.control.checkpoint.CheckpointAction.Retain;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The completed checkpoints of a job that failures go back to, and when the others are deleted.
 *
 * <ul>
 *   <li>A checkpoint beyond the configured number stays while tasks restore it.
 *   <li>A shared file is deleted with the last checkpoint that needs it.
 *   <li>What the job was started with, and has claimed, is deleted when the job has a checkpoint of
 *       its own and no task restores the claimed one.
 *   <li>Savepoints belong to the user.
 * </ul>
 */
final class RetainedCheckpoints {
  private final int limit;
  private final Consumer<CheckpointAction> actions;

  /** In order of their numbers. */
  private List<CompletedCheckpoint> completed;

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

  /**
   * @param limit how many checkpoints are retained
   * @param actions gets what is to be done
   */
  RetainedCheckpoints(int limit, CheckpointRecovery recovered, Consumer<CheckpointAction> actions) {
    this.limit = limit;
    this.actions = actions;
    this.completed = recovered.completed();
    recovered.sharedFiles().forEach(sharedFiles::add);
    this.claimed = recovered.claimed();
    this.sweepTo = recovered.isComplete() ? recovered.lastNumber() : 0;
  }

  List<CompletedCheckpoint> completed() {
    return completed;
  }

  boolean contains(long number) {
    return find(number).isPresent();
  }

  private Optional<CompletedCheckpoint> find(long number) {
    return completed.stream().filter(known -> known.number() == number).findFirst();
  }

  /** What is retained after this checkpoint is complete. */
  List<CompletedCheckpoint> with(CompletedCheckpoint next) {
    List<CompletedCheckpoint> retained = new ArrayList<>(completed);
    if (isForRecovery(next.type())) {
      retained.add(next);
    }
    return retained.subList(Math.max(0, retained.size() - limit), retained.size());
  }

  /** Whether a failure goes back to it. A job that stops goes back to its last savepoint. */
  static boolean isForRecovery(CheckpointRequest.Type type) {
    return !type.isSavepoint() || type.stops();
  }

  /** Adds a checkpoint that failures go back to from now on. */
  void add(CompletedCheckpoint next, Set<String> files) {
    List<CompletedCheckpoint> retained = with(next);
    List<CompletedCheckpoint> dropped = new ArrayList<>(completed);
    dropped.removeAll(retained);
    completed = List.copyOf(retained);
    sharedFiles.add(next.number(), files);
    superseded.addAll(dropped);
    discardSuperseded();
  }

  /** Tasks are deployed with the state of a checkpoint. */
  void restoring(long checkpoint) {
    restored.add(checkpoint);
  }

  /** All tasks run: none restores a checkpoint any more. */
  void tasksRunning() {
    if (sweepTo > 0) {
      actions.accept(new SweepShared(1, sweepTo, List.copyOf(sharedFiles.needed())));
      sweepTo = 0;
    }
    restored.clear();
    discardSuperseded();
    discardClaimed();
  }

  /**
   * Leaves out a checkpoint that cannot be used, if tasks can go back to another one. Its files
   * stay until the job ends: a user may want to know what happened to them. Several tasks may
   * report the same checkpoint, also after others were deployed with an earlier one.
   */
  void abandon(long checkpoint, String message) {
    Optional<CompletedCheckpoint> unusable = find(checkpoint);
    if (unusable.isEmpty() || completed.size() < 2) {
      return; // Without any checkpoint tasks would lose their state: they try again.
    }
    completed = completed.stream().filter(other -> other.number() != checkpoint).toList();
    long fallback = completed.get(completed.size() - 1).number();
    actions.accept(new Retain(completed));
    actions.accept(new Note(new CheckpointProgress.Abandoned(unusable.get(), fallback, message)));
  }

  /** The job does not go back to what it was started with after its first checkpoint. */
  void discardClaimed() {
    if (claimed.isPresent()
        && !completed.isEmpty()
        && !restored.contains(claimed.get().number())
        && completed.stream().noneMatch(own -> own.directory().equals(claimed.get().directory()))) {
      actions.accept(new DiscardClaimed(claimed.get()));
      claimed = Optional.empty();
    }
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
      actions.accept(new Discard(old.directory()));
      if (!unneeded.isEmpty()) {
        actions.accept(new DiscardShared(unneeded));
      }
    }
  }
}

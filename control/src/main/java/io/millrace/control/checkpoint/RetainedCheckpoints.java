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
import io.millrace.task.checkpoint.SharedFileName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The completed checkpoints of a job that failures go back to, and when the others are deleted.
 *
 * <ul>
 *   <li>A checkpoint beyond the configured number stays while tasks restore it.
 *   <li>A shared file is deleted with the last checkpoint that needs it. The files of a superseded
 *       checkpoint stay for longer if tasks may still refer to them.
 *   <li>A checkpoint whose record failed may be in the recovery store until that has the next one,
 *       whose record leaves it out. It is deleted then.
 *   <li>What the job was started with, and has claimed, is deleted when the job has a checkpoint of
 *       its own and no task restores the claimed one.
 *   <li>A checkpoint that cannot be used stays as long as the others of the job: a user may want to
 *       know what happened to it, or repair it.
 *   <li>Savepoints belong to the user.
 * </ul>
 */
final class RetainedCheckpoints {
  private final int limit;
  private final Consumer<CheckpointAction> actions;

  /** In order of their numbers. */
  private List<CompletedCheckpoint> completed;

  /** Checkpoints that completed and cannot be used. */
  private final List<CompletedCheckpoint> abandoned;

  /** The numbers of the checkpoints that tasks restore now. */
  private final Set<Long> restored = new TreeSet<>();

  /** Checkpoints that are superseded and will be deleted when no task restores them. */
  private final List<CompletedCheckpoint> superseded = new ArrayList<>();

  /**
   * The superseded checkpoints whose shared files stay until a checkpoint with a higher number than
   * this is complete.
   */
  private final TreeMap<Long, Long> filesStay = new TreeMap<>();

  /**
   * Checkpoints that the recovery store may have, because it is unknown whether a write took
   * effect.
   */
  private final List<Undecided> undecided = new ArrayList<>();

  private final SharedFileReferences sharedFiles = new SharedFileReferences();

  /**
   * Earlier leaders may have left files of checkpoints up to this number, which did not complete; 0
   * for none.
   */
  private long sweepTo;

  /** What the job was started with, if it belongs to the job and is not deleted yet. */
  private Optional<RestoredCheckpoint> claimed;

  private record Undecided(long number, CheckpointRequest.Type type, String directory) {}

  /**
   * @param limit how many checkpoints are retained
   * @param actions gets what is to be done
   */
  RetainedCheckpoints(int limit, CheckpointRecovery recovered, Consumer<CheckpointAction> actions) {
    this.limit = limit;
    this.actions = actions;
    this.completed = recovered.completed();
    this.abandoned = new ArrayList<>(recovered.unusable());
    recovered.sharedFiles().forEach(sharedFiles::add);
    this.claimed = recovered.claimed();
    this.sweepTo = recovered.isComplete() ? recovered.lastNumber() : 0;
  }

  List<CompletedCheckpoint> completed() {
    return completed;
  }

  List<CompletedCheckpoint> abandoned() {
    return List.copyOf(abandoned);
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

  /**
   * Adds a checkpoint that failures go back to from now on. Tasks may still refer to files that it
   * has under other names, or not at all: those that have not heard of its completion yet, and
   * those that were restored from an earlier one while it was being stored. The files that tasks
   * know stay until a checkpoint is complete that began after this moment.
   *
   * @param lastBegun the highest number of a checkpoint that began, if there are such tasks
   */
  void add(CompletedCheckpoint next, Set<String> files, OptionalLong lastBegun) {
    List<CompletedCheckpoint> retained = with(next);
    List<CompletedCheckpoint> dropped = new ArrayList<>(completed);
    dropped.removeAll(retained);
    completed = List.copyOf(retained);
    sharedFiles.add(next.number(), files);
    superseded.addAll(dropped);
    lastBegun.ifPresent(last -> dropped.forEach(old -> filesStay.put(old.number(), last)));
    discardSuperseded();
    discardUndecided();
    List<Long> unneeded =
        filesStay.keySet().stream().filter(old -> filesStay.get(old) < next.number()).toList();
    discardShared(unneeded);
  }

  private void discardShared(List<Long> checkpoints) {
    for (long old : checkpoints) {
      filesStay.remove(old);
      if (superseded.stream().noneMatch(other -> other.number() == old)) {
        discardShared(old);
      }
    }
  }

  /**
   * The files that a checkpoint refers to and that are deleted, or will be: those of earlier
   * checkpoints that none of the known ones needs.
   */
  List<String> missing(long checkpoint, Set<String> files) {
    return files.stream()
        .filter(file -> SharedFileName.checkpointOf(file).orElse(checkpoint) < checkpoint)
        .filter(file -> !sharedFiles.isNeeded(file))
        .sorted()
        .toList();
  }

  /** The job has ended, or another leader goes on with it: no checkpoint is in progress. */
  void end() {
    if (undecided.isEmpty()) {
      discardShared(List.copyOf(filesStay.keySet()));
    }
  }

  /** It is unknown whether the recovery store has this checkpoint, which counts as failed. */
  void undecided(long number, CheckpointRequest.Type type, String directory) {
    undecided.add(new Undecided(number, type, directory));
  }

  private void discardUndecided() {
    for (Undecided old : undecided) {
      actions.accept(new Discard(old.directory()));
      if (!old.type().isSavepoint()) {
        actions.accept(
            new SweepShared(old.number(), old.number(), List.copyOf(sharedFiles.needed())));
      }
    }
    undecided.clear();
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
   * Leaves out a checkpoint that cannot be used, if tasks can go back to another one. Several tasks
   * may report the same checkpoint, also after others were deployed with an earlier one.
   *
   * @return whether it is left out from now on, and the recovery store has to learn of it
   */
  boolean abandon(long checkpoint, String message) {
    Optional<CompletedCheckpoint> unusable = find(checkpoint);
    if (unusable.isEmpty() || completed.size() < 2) {
      return false; // Without any checkpoint tasks would lose their state: they try again.
    }
    completed = completed.stream().filter(other -> other.number() != checkpoint).toList();
    long fallback = completed.get(completed.size() - 1).number();
    abandoned.add(unusable.get());
    actions.accept(new Note(new CheckpointProgress.Abandoned(unusable.get(), fallback, message)));
    return true;
  }

  /** The recovery store gets what is retained now. */
  void store() {
    actions.accept(new Retain(completed, abandoned));
  }

  /** The job does not go back to what it was started with after its first checkpoint. */
  void discardClaimed() {
    if (claimed.isPresent()
        && !completed.isEmpty()
        && !restored.contains(claimed.get().number())
        && completed.stream().noneMatch(own -> own.directory().equals(claimed.get().directory()))) {
      sharedFiles.remove(claimed.get().number()); // Those that are not needed are deleted with it.
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
    if (!old.type().isSavepoint()) {
      actions.accept(new Discard(old.directory()));
    }
    if (!filesStay.containsKey(old.number())) {
      discardShared(old.number());
    }
  }

  private void discardShared(long checkpoint) {
    List<String> unneeded = sharedFiles.remove(checkpoint);
    if (!unneeded.isEmpty()) {
      actions.accept(new DiscardShared(unneeded));
    }
  }
}

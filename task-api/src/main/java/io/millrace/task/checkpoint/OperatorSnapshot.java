package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.OperatorId;
import java.util.List;
import java.util.Objects;

/**
 * The state of one operator in one subtask.
 *
 * @param keyed its keyed states and timers; several pieces where a backend has files of its own
 * @param lists its operator states
 */
public record OperatorSnapshot(OperatorId operator, List<Keyed> keyed, List<ListState> lists) {
  public OperatorSnapshot {
    Objects.requireNonNull(operator);
    keyed = OrderedCopies.list(keyed);
    lists = OrderedCopies.list(lists);
  }

  public long size() {
    return keyed.stream().mapToLong(Keyed::size).sum()
        + lists.stream().mapToLong(state -> state.handle().size()).sum();
  }

  /** The size of the files that earlier checkpoints have written. */
  long earlierBytes(long checkpoint) {
    return keyed.stream()
        .flatMap(state -> state.files().stream())
        .filter(file -> SharedFileName.checkpointOf(file.file()).orElse(checkpoint) != checkpoint)
        .mapToLong(StateHandle.FileSegment::size)
        .sum();
  }

  /** Whether a part of the state is in a file. */
  public boolean hasFiles() {
    return keyed.stream()
            .anyMatch(
                state ->
                    state.handle() instanceof StateHandle.FileSegment || !state.files().isEmpty())
        || lists.stream().anyMatch(state -> state.handle() instanceof StateHandle.FileSegment);
  }

  /**
   * Keyed state of a range of key groups. The piece itself has the offsets of its groups.
   *
   * @param format of the piece: {@link #CANONICAL}, or that of a backend
   * @param files whole files that the piece refers to; those in the shared directory may belong to
   *     earlier checkpoints, too
   */
  public record Keyed(
      KeyGroupRange groups,
      String format,
      StateHandle handle,
      List<StateHandle.FileSegment> files) {
    /** The format that every backend reads. */
    public static final String CANONICAL = "canonical";

    public Keyed {
      Objects.requireNonNull(groups);
      Objects.requireNonNull(format);
      Objects.requireNonNull(handle);
      files = OrderedCopies.list(files);
    }

    /** A piece without files of its own. */
    public Keyed(KeyGroupRange groups, String format, StateHandle handle) {
      this(groups, format, handle, List.of());
    }

    public long size() {
      return handle.size() + files.stream().mapToLong(StateHandle.FileSegment::size).sum();
    }
  }

  /**
   * An operator state: a list of elements.
   *
   * @param elements their number
   */
  public record ListState(
      String name, Redistribution redistribution, int elements, StateHandle handle) {
    public ListState {
      Objects.requireNonNull(name);
      Objects.requireNonNull(redistribution);
      Objects.requireNonNull(handle);
      if (elements < 0) {
        throw new IllegalArgumentException("elements must be >= 0, not " + elements);
      }
    }
  }

  /** Which subtasks get which elements of an operator state when it is restored. */
  public enum Redistribution {
    /** Each element goes to one subtask; the elements are distributed evenly. */
    SPLIT,
    /** Each subtask gets all elements of all subtasks. */
    UNION,
    /** All subtasks had the same elements, and each gets them once. */
    BROADCAST
  }
}

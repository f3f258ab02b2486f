package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.OperatorId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The state with which a subtask starts.
 *
 * @param checkpoint the number of the checkpoint it comes from
 * @param directory the directory of that checkpoint
 * @param sharedDirectory the directory of files that several checkpoints of the job refer to
 * @param finished whether the subtask had finished: it starts and finishes without processing
 */
public record TaskRestore(
    long checkpoint,
    String directory,
    String sharedDirectory,
    boolean finished,
    List<OperatorRestore> operators,
    List<TaskSnapshot.InFlight> inFlight) {
  public TaskRestore {
    Objects.requireNonNull(directory);
    Objects.requireNonNull(sharedDirectory);
    operators = OrderedCopies.list(operators);
    inFlight = OrderedCopies.list(inFlight);
  }

  public Optional<OperatorRestore> operator(OperatorId id) {
    return operators.stream().filter(state -> state.operator().equals(id)).findFirst();
  }

  /**
   * The state with which an operator of a subtask starts. Present for every operator that the
   * checkpoint has, also without any state: an operator without one starts for the first time.
   *
   * @param keyed pieces that have groups of this subtask, possibly beside others
   */
  public record OperatorRestore(
      OperatorId operator,
      KeyGroupRange groups,
      List<OperatorSnapshot.Keyed> keyed,
      List<RestoredList> lists) {
    public OperatorRestore {
      Objects.requireNonNull(operator);
      Objects.requireNonNull(groups);
      keyed = OrderedCopies.list(keyed);
      lists = OrderedCopies.list(lists);
    }
  }

  /** An operator state; the pieces are in order. */
  public record RestoredList(
      String name, OperatorSnapshot.Redistribution redistribution, List<Slice> slices) {
    public RestoredList {
      Objects.requireNonNull(name);
      Objects.requireNonNull(redistribution);
      slices = OrderedCopies.list(slices);
    }
  }

  /** Elements of a piece: {@code from} inclusive, {@code to} exclusive. */
  public record Slice(StateHandle handle, int from, int to) {
    public Slice {
      Objects.requireNonNull(handle);
      if (from < 0 || to < from) {
        throw new IllegalArgumentException("from %d, to %d".formatted(from, to));
      }
    }
  }
}

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
 * @param inFlight records that it processes before its new input
 */
public record TaskRestore(
    long checkpoint,
    String directory,
    String sharedDirectory,
    boolean finished,
    List<OperatorRestore> operators,
    List<InFlightRestore> inFlight) {
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

  /**
   * Records that were in flight on one edge, of which a consumer gets its share. The former channel
   * from a producer to a consumer has the records that the consumer had received, followed by those
   * that waited at the producer.
   *
   * @param edge the id of the edge in the job that starts
   * @param producers the former number of producers
   * @param firstConsumer the first former consumer whose channels belong to the share
   * @param endConsumer the end of these consumers
   * @param sameChannels whether each former channel is a channel of the consumer now, with the same
   *     producer
   * @param filtered whether other consumers get records of the same channels: the partitioning
   *     decides about each record
   */
  public record InFlightRestore(
      int edge,
      int producers,
      int firstConsumer,
      int endConsumer,
      boolean sameChannels,
      boolean filtered,
      List<InFlightPart> parts) {
    public InFlightRestore {
      parts = OrderedCopies.list(parts);
    }

    /** Whether the channels of a former consumer belong to the share. */
    public boolean contains(int consumer) {
      return consumer >= firstConsumer && consumer < endConsumer;
    }
  }

  /**
   * What one former subtask stored.
   *
   * @param input whether the subtask was the consumer; else it was the producer
   */
  public record InFlightPart(boolean input, int subtask, StateHandle handle) {
    public InFlightPart {
      Objects.requireNonNull(handle);
    }
  }
}

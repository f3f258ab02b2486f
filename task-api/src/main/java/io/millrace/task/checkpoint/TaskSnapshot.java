package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import java.util.List;
import java.util.Objects;

/**
 * What one subtask stored for a checkpoint.
 *
 * @param finished whether its operators have ended, so that only its output is left
 * @param inFlight records that the barriers overtook
 */
public record TaskSnapshot(
    ExecutionId execution,
    boolean finished,
    List<OperatorSnapshot> operators,
    List<InFlight> inFlight,
    Timing timing) {
  public TaskSnapshot {
    Objects.requireNonNull(execution);
    operators = OrderedCopies.list(operators);
    inFlight = OrderedCopies.list(inFlight);
    Objects.requireNonNull(timing);
  }

  /** The snapshot of a subtask that has not finished. */
  public TaskSnapshot(
      ExecutionId execution,
      List<OperatorSnapshot> operators,
      List<InFlight> inFlight,
      Timing timing) {
    this(execution, false, operators, inFlight, timing);
  }

  public long size() {
    return operators.stream().mapToLong(OperatorSnapshot::size).sum()
        + inFlight.stream().mapToLong(records -> records.handle().size()).sum();
  }

  /** The size of what was written for this checkpoint, without files of earlier ones. */
  public long newBytes(long checkpoint) {
    return size() - operators.stream().mapToLong(each -> each.earlierBytes(checkpoint)).sum();
  }

  /**
   * Records on the channels of one edge that a barrier overtook. The piece tells the channels
   * apart.
   *
   * @param edge the id of the edge
   * @param input whether the consumer stored them; else they waited at the producer
   */
  public record InFlight(int edge, boolean input, StateHandle handle) {
    public InFlight {
      Objects.requireNonNull(handle);
    }
  }

  /**
   * How long a subtask took, in milliseconds.
   *
   * @param startDelay from the trigger to the first barrier
   * @param alignment from the first barrier to the last
   * @param synchronous how long the task processed no record
   * @param asynchronous how long writing took after that
   * @param alignedBytes the number of bytes that were processed during the alignment
   * @param unaligned whether a barrier overtook records
   */
  public record Timing(
      long startDelay,
      long alignment,
      long synchronous,
      long asynchronous,
      long alignedBytes,
      boolean unaligned) {
    public static final Timing NONE = new Timing(0, 0, 0, 0, 0, false);
  }
}

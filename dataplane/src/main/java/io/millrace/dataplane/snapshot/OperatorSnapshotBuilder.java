package io.millrace.dataplane.snapshot;

import io.millrace.core.id.OperatorId;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.StatePart;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of one operator at a checkpoint. The operator adds frozen states in the task's step,
 * which copies nothing; {@link #write} serialises them on an I/O thread; {@link #release} ends
 * their protection, in the step again.
 */
public final class OperatorSnapshotBuilder {
  private final OperatorId operator;
  private final long checkpoint;
  private final List<StatePart> parts = new ArrayList<>();
  private final List<OperatorStateBackend.Frozen> lists = new ArrayList<>();
  private boolean isKeyed;
  private long watermark = Long.MIN_VALUE;

  public OperatorSnapshotBuilder(OperatorId operator, long checkpoint) {
    this.operator = operator;
    this.checkpoint = checkpoint;
  }

  public OperatorId operator() {
    return operator;
  }

  public long checkpoint() {
    return checkpoint;
  }

  /**
   * Adds keyed states and timers.
   *
   * @param reached the event time that the operator has reached, {@link Long#MIN_VALUE} for none
   */
  public void keyed(List<StatePart> states, long reached) {
    keyed(states);
    // An operator whose event time has ended starts a new one with the records of the next run.
    watermark = reached == Long.MAX_VALUE ? Long.MIN_VALUE : reached;
  }

  /** Adds the keyed states of a function. */
  public void keyed(List<StatePart> states) {
    isKeyed = true;
    parts.addAll(states);
  }

  /** Adds the operator states. */
  public void operatorState(OperatorStateBackend state) {
    lists.addAll(state.freeze());
  }

  /**
   * Writes everything that was added; empty if that is nothing.
   *
   * @param groups the key groups of the subtask
   * @param checkCancelled throws if the snapshot is not needed any more
   */
  public Optional<OperatorSnapshot> write(
      KeyGroupRange groups,
      int maxParallelism,
      CodecPool codecs,
      HostCheckpoints.HostCheckpoint to,
      Runnable checkCancelled)
      throws IOException {
    if (!isKeyed && lists.isEmpty()) {
      return Optional.empty();
    }
    int inlineThreshold = to.request().inlineThreshold();
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      List<OperatorSnapshot.Keyed> keyed = new ArrayList<>();
      if (isKeyed) {
        try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold)) {
          KeyedPiece.write(parts, watermark, groups, maxParallelism, codec, checkCancelled, out);
          keyed.add(
              new OperatorSnapshot.Keyed(groups, OperatorSnapshot.Keyed.CANONICAL, out.finish()));
        }
      }
      List<OperatorSnapshot.ListState> written = new ArrayList<>();
      for (OperatorStateBackend.Frozen list : lists) {
        try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold)) {
          ListPiece.write(list.elements(), codec, checkCancelled, out);
          written.add(
              new OperatorSnapshot.ListState(
                  list.name(), list.redistribution(), list.elements().size(), out.finish()));
        }
      }
      return Optional.of(new OperatorSnapshot(operator, keyed, written));
    } finally {
      codecs.returnCodec(codec);
    }
  }

  /** Ends the protection of the states. */
  public void release() {
    parts.forEach(StatePart::release);
    parts.clear();
    lists.clear();
  }
}

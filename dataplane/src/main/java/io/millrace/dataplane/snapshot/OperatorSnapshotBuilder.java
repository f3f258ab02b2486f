package io.millrace.dataplane.snapshot;

import io.millrace.core.id.OperatorId;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.state.StoredPart;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
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
  private KeyGroupWatermarks watermarks = KeyGroupWatermarks.same(Long.MIN_VALUE);
  private long inlineLimit = Long.MAX_VALUE;

  private final boolean isNative;
  private Optional<NativeSnapshot> files = Optional.empty();

  public OperatorSnapshotBuilder(OperatorId operator, long checkpoint) {
    this(operator, checkpoint, false);
  }

  /**
   * @param isNative whether a backend outside the heap stores its own files
   */
  public OperatorSnapshotBuilder(OperatorId operator, long checkpoint, boolean isNative) {
    this.operator = operator;
    this.checkpoint = checkpoint;
    this.isNative = isNative;
  }

  /** Whether a backend outside the heap stores its own files. */
  public boolean isNative() {
    return isNative;
  }

  /** Adds keyed states and timers as files of a backend. */
  public void keyed(NativeSnapshot snapshot, KeyGroupWatermarks reached) {
    keyed(List.of(), reached);
    files = Optional.of(snapshot);
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
  public void keyed(List<StatePart> states, KeyGroupWatermarks reached) {
    keyed(states);
    // An operator whose event time has ended starts a new one with the records of the next run.
    watermarks =
        reached.lowest() == Long.MAX_VALUE ? KeyGroupWatermarks.same(Long.MIN_VALUE) : reached;
  }

  /** Adds the keyed states of a function. */
  public void keyed(List<StatePart> states) {
    isKeyed = true;
    parts.addAll(states);
  }

  /**
   * Limits the bytes of all pieces together that become part of the metadata, because the message
   * that carries them is limited. Pieces beyond it go to files, however small they are.
   */
  public void limitInline(long bytes) {
    inlineLimit = bytes;
  }

  /** Whether keyed states were added. */
  public boolean isKeyed() {
    return isKeyed;
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
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      List<OperatorSnapshot.Keyed> keyed = new ArrayList<>();
      if (files.isPresent()) {
        OperatorSnapshot.Keyed written =
            NativePiece.write(
                files.get(),
                watermarks,
                groups,
                codec.classes(),
                to,
                inlineThreshold(to),
                checkCancelled);
        counted(written.handle());
        keyed.add(written);
      } else if (isKeyed) {
        try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold(to))) {
          KeyedPiece.write(parts, watermarks, groups, maxParallelism, codec, checkCancelled, out);
          keyed.add(
              new OperatorSnapshot.Keyed(
                  groups, OperatorSnapshot.Keyed.CANONICAL, counted(out.finish())));
        }
      }
      List<OperatorSnapshot.ListState> written = new ArrayList<>();
      for (OperatorStateBackend.Frozen list : lists) {
        try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold(to))) {
          ListPiece.write(list.elements(), codec, checkCancelled, out);
          written.add(
              new OperatorSnapshot.ListState(
                  list.name(),
                  list.redistribution(),
                  list.elements().size(),
                  counted(out.finish())));
        }
      }
      return Optional.of(new OperatorSnapshot(operator, keyed, written));
    } finally {
      codecs.returnCodec(codec);
    }
  }

  private int inlineThreshold(HostCheckpoints.HostCheckpoint to) {
    return (int) Math.min(to.request().inlineThreshold(), inlineLimit);
  }

  private StateHandle counted(StateHandle piece) {
    if (piece instanceof StateHandle.Inline inline) {
      inlineLimit -= inline.size();
    }
    return piece;
  }

  /** Frees what belongs to a store; any thread may call it when nothing more is written. */
  public void writeEnded() {
    parts.stream().filter(StoredPart.class::isInstance).forEach(StatePart::release);
    files.ifPresent(snapshot -> snapshot.whenReleased().run());
  }

  /** Ends the protection of the states. */
  public void release() {
    parts.forEach(StatePart::release);
    parts.clear();
    files.ifPresent(snapshot -> snapshot.whenReleased().run());
    lists.clear();
  }
}

package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.StateInfo;
import java.util.function.Predicate;

/**
 * Entries of one state in one key group.
 *
 * @param windows start and end of each entry in turn; empty if the state has no windows
 * @param times of the last updates; empty if the state has none
 */
record KeyedBatch(
    StateInfo state, int count, Object[] keys, long[] windows, long[] times, Object[] values) {
  private static final Object[] NOT_DECODED = {};
  private static final long[] NONE = {};

  /**
   * @param wanted the states whose entries are decoded; others have only their number
   */
  static KeyedBatch read(
      PieceReader reader,
      KeyedPiece.Footer footer,
      ByteArrayInput batch,
      RecordBatchCodec codec,
      Predicate<StateInfo> wanted) {
    int index = batch.readVarInt();
    int count = batch.readVarInt();
    if (index < 0 || index >= footer.states().size()) {
      throw reader.damaged("a batch has the unknown state " + index);
    }
    // Each entry takes a byte at least, so that a wrong number is not allocated.
    if (count < 0 || count > batch.remaining()) {
      throw reader.damaged(
          "a batch of " + batch.remaining() + " bytes announces " + count + " entries");
    }
    StateInfo state = footer.states().get(index);
    if (!wanted.test(state)) {
      return new KeyedBatch(state, count, NOT_DECODED, NONE, NONE, NOT_DECODED);
    }
    Object[] keys = decode(codec, batch);
    long[] windows = new long[state.namespaced() ? 2 * count : 0];
    long before = 0;
    for (int i = 0; i < windows.length; i += 2) {
      windows[i] = before + batch.readVarLong();
      windows[i + 1] = windows[i] + batch.readVarLong();
      before = windows[i];
    }
    long[] times = new long[state.timed() ? count : 0];
    for (int i = 0; i < times.length; i++) {
      times[i] = before + batch.readVarLong();
      before = times[i];
    }
    Object[] values = decode(codec, batch);
    if (keys.length != count || values.length != count) {
      throw reader.damaged(
          "a batch of %d entries has %d keys and %d values"
              .formatted(count, keys.length, values.length));
    }
    return new KeyedBatch(state, count, keys, windows, times, values);
  }

  private static Object[] decode(RecordBatchCodec codec, ByteArrayInput in) {
    int length = in.readVarInt();
    int from = in.take(length);
    return codec.decode(in.array(), from, from + length).records();
  }

  boolean isDecoded() {
    return keys != NOT_DECODED;
  }

  /** The start of an entry's window, or the time of its last update; 0 if it has neither. */
  long start(int entry) {
    return state.namespaced() ? windows[2 * entry] : state.timed() ? times[entry] : 0;
  }

  /** The end of an entry's window; 0 if it has none. */
  long end(int entry) {
    return state.namespaced() ? windows[2 * entry + 1] : 0;
  }
}

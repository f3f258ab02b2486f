package io.millrace.dataplane.state;

import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.ValueCopier;
import java.util.ArrayList;
import java.util.List;

/** Reads frozen states in tests. */
final class StateSnapshots {
  private StateSnapshots() {}

  static ValueCopier copier() {
    return new ValueCopier(
        new CodecPool(
            () -> new RecordBatchCodec(StateSnapshots.class.getClassLoader(), Runnable::run)));
  }

  /** A line for each entry, in order of slots. */
  static List<String> lines(StatePart frozen) {
    TablePart part = (TablePart) frozen;
    List<String> lines = new ArrayList<>();
    FrozenKeys keys = part.keys();
    for (int slot = keys.next(0); slot >= 0; slot = keys.next(slot + 1)) {
      Object key = keys.key(slot);
      part.entries(slot, (start, end, value) -> lines.add(key + "=" + value));
    }
    return lines;
  }
}

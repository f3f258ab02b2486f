package io.millrace.dataplane.state;

import io.millrace.dataplane.records.RecordBatchCodec;
import java.io.IOException;

/** A state in a store, which is sorted by key group. */
public interface StoredPart extends StatePart {
  /** Passes on the entries of a key group. */
  void entries(int group, RecordBatchCodec codec, StoredEntryConsumer out) throws IOException;

  /** Receives the entries of a key group. */
  @FunctionalInterface
  interface StoredEntryConsumer {
    /**
     * @param start the start of the window, or the time of the last update; 0 for a state with
     *     neither, like the end
     */
    void accept(Object key, long start, long end, Object value) throws IOException;
  }
}

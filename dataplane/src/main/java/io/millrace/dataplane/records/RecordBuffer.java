package io.millrace.dataplane.records;

import io.millrace.api.time.Timestamps;
import java.util.Arrays;

/**
 * Records and their timestamps by position. The fields are public because producers and consumers
 * touch them once a record; only the owner of the buffer does so.
 */
public class RecordBuffer {
  public Object[] records;
  public int size;

  /** Timestamps by position; null while no record has one. */
  public long[] timestamps;

  public RecordBuffer(int capacity) {
    records = new Object[capacity];
  }

  /** The timestamps by position, empty if no record has one. */
  public final long[] timestamps() {
    return timestamps == null ? RecordBatchCodec.NO_TIMESTAMPS : timestamps;
  }

  /** Doubles the capacity up to a limit. */
  public final void grow(int limit) {
    records = Arrays.copyOf(records, Math.min(limit, records.length * 2));
    if (timestamps != null) {
      timestamps = Arrays.copyOf(timestamps, records.length);
    }
  }

  /** Sets the timestamp of the record that is added next. */
  public final void setTimestamp(long timestamp) {
    if (timestamps == null) {
      timestamps = new long[records.length];
      Arrays.fill(timestamps, 0, size, Timestamps.NONE);
    }
    timestamps[size] = timestamp;
  }
}

package io.millrace.api;

import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.TimestampedValue;
import java.util.ArrayList;
import java.util.List;

/**
 * The contents of the windows of the current key. Records that are folded are one value per window.
 * Records that are kept are in chunks, so that adding one does not write all of them again.
 */
final class TriggeredWindowContents {
  private static final int CHUNK = 64;

  /** A part of the records of a window. */
  record WindowChunk(TimeWindow window, int index) {}

  private final WindowSpec.Content content;
  private final boolean keepsRecords;
  private final MapState<TimeWindow, Object> folded;
  private final MapState<TimeWindow, Integer> sizes;
  private final MapState<WindowChunk, List<TimestampedValue<Object>>> chunks;

  /**
   * @param keepsRecords whether records are folded only when the window fires
   */
  TriggeredWindowContents(
      WindowSpec.Content content, boolean keepsRecords, RuntimeContext context) {
    this.content = content;
    this.keepsRecords = keepsRecords;
    this.folded = keepsRecords ? null : context.mapState(new MapStateDescriptor<>("window.folded"));
    this.sizes = keepsRecords ? context.mapState(new MapStateDescriptor<>("window.sizes")) : null;
    this.chunks = keepsRecords ? context.mapState(new MapStateDescriptor<>("window.chunks")) : null;
  }

  void add(TimeWindow window, Object record, long timestamp) throws Exception {
    if (!keepsRecords) {
      folded.put(window, fold(folded.get(window), record));
      return;
    }
    Integer known = sizes.get(window);
    int size = known == null ? 0 : known;
    WindowChunk last = new WindowChunk(window, size / CHUNK);
    List<TimestampedValue<Object>> chunk = chunks.get(last);
    List<TimestampedValue<Object>> more =
        chunk == null ? new ArrayList<>() : new ArrayList<>(chunk);
    more.add(new TimestampedValue<>(record, timestamp));
    chunks.put(last, more);
    sizes.put(window, size + 1);
  }

  /**
   * @param before what the records before are folded into, null for the first one
   */
  private Object fold(Object before, Object record) throws Exception {
    if (content instanceof WindowSpec.Content.Reduced reduced) {
      return before == null ? record : reduced.function().reduce(before, record);
    } else if (content instanceof WindowSpec.Content.Aggregated aggregated) {
      return aggregated
          .function()
          .add(before == null ? aggregated.function().create() : before, record);
    }
    throw new IllegalStateException("Records are not folded into " + content);
  }

  private Object result(Object value) throws Exception {
    return content instanceof WindowSpec.Content.Aggregated aggregated
        ? aggregated.function().result(value)
        : value;
  }

  /** What the window function gets; empty if there is nothing. */
  List<Object> results(TimeWindow window) throws Exception {
    if (keepsRecords) {
      return results(records(window));
    }
    Object value = folded.get(window);
    return value == null ? List.of() : List.of(result(value));
  }

  /** What the window function gets of these records. */
  List<Object> results(List<TimestampedValue<Object>> records) throws Exception {
    List<Object> results = new ArrayList<>();
    if (content instanceof WindowSpec.Content.Records) {
      records.forEach(record -> results.add(record.value()));
    } else if (!records.isEmpty()) {
      Object value = null;
      for (TimestampedValue<Object> record : records) {
        value = fold(value, record.value());
      }
      results.add(result(value));
    }
    return results;
  }

  /** The records of a window in the order in which they came. */
  List<TimestampedValue<Object>> records(TimeWindow window) {
    List<TimestampedValue<Object>> records = new ArrayList<>();
    Integer size = sizes.get(window);
    for (int at = 0; size != null && at < size; at += CHUNK) {
      records.addAll(chunks.get(new WindowChunk(window, at / CHUNK)));
    }
    return records;
  }

  void clear(TimeWindow window) {
    if (!keepsRecords) {
      folded.remove(window);
      return;
    }
    Integer size = sizes.get(window);
    for (int at = 0; size != null && at < size; at += CHUNK) {
      chunks.remove(new WindowChunk(window, at / CHUNK));
    }
    sizes.remove(window);
  }

  /** Replaces the records of a window. */
  void replace(TimeWindow window, List<TimestampedValue<Object>> records) {
    clear(window);
    for (int at = 0; at < records.size(); at += CHUNK) {
      chunks.put(
          new WindowChunk(window, at / CHUNK),
          new ArrayList<>(records.subList(at, Math.min(records.size(), at + CHUNK))));
    }
    if (!records.isEmpty()) {
      sizes.put(window, records.size());
    }
  }

  /** Moves the contents of windows into the one that they were merged into. */
  void merge(List<TimeWindow> absorbed, TimeWindow window) throws Exception {
    if (keepsRecords) {
      List<TimestampedValue<Object>> all = new ArrayList<>();
      for (TimeWindow each : absorbed) {
        all.addAll(records(each));
        clear(each);
      }
      replace(window, all);
      return;
    }
    Object merged = null;
    for (TimeWindow each : absorbed) {
      Object value = folded.get(each);
      folded.remove(each);
      merged = merged == null ? value : value == null ? merged : merge(merged, value);
    }
    if (merged != null) {
      folded.put(window, merged);
    }
  }

  private Object merge(Object left, Object right) throws Exception {
    return content instanceof WindowSpec.Content.Aggregated aggregated
        ? aggregated.function().merge(left, right)
        : fold(left, right);
  }
}

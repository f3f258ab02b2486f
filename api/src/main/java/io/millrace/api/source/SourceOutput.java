package io.millrace.api.source;

import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;

/**
 * Takes the records of a source. A record must not be changed after it was emitted.
 *
 * <pre>{@code
 * OutputTag<String> unparsed = new OutputTag<>("unparsed");
 * Iterator<String> lines = List.of("1;100", "2;x").iterator();
 * PollingReader<Long> reader =
 *     (out, limit) -> {
 *       String[] fields = lines.next().split(";");
 *       try {
 *         out.emit(Long.parseLong(fields[1]), Long.parseLong(fields[0]));
 *       } catch (NumberFormatException e) {
 *         out.output(unparsed, fields[1]);
 *       }
 *       return lines.hasNext() ? PollingReader.Status.MORE : PollingReader.Status.END;
 *     };
 * }</pre>
 */
@FunctionalInterface
public interface SourceOutput<T> extends Collector<T> {
  /**
   * Emits a record with its event time, which a {@link io.millrace.api.time.WatermarkStrategy}
   * without a timestamp assigner keeps. An output without event time drops it.
   *
   * @param timestamp milliseconds since the epoch
   */
  default void emit(T record, long timestamp) {
    emit(record);
  }

  /**
   * The records that follow belong to this split, in this poll and later ones, until another split
   * is named. Watermarks are generated for each split then, and the lowest one counts, so that
   * splits that are read side by side may be at different times. For a reader that names no split,
   * records of all its splits count as one sequence.
   */
  default void split(String splitId) {}

  /**
   * All records of a split were emitted: it does not hold event time back any more. END of a poll
   * says so for all splits of the reader.
   */
  default void splitFinished(String splitId) {}

  /**
   * Emits into a side output of the source, for example what the reader cannot parse. A record
   * under a tag that the program does not use is dropped.
   */
  default <X> void output(OutputTag<X> tag, X record) {}
}

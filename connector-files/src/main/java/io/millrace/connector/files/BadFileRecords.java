package io.millrace.connector.files;

import io.millrace.api.process.OutputTag;
import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/**
 * What a source does with records that cannot be parsed. A file that cannot be read at all, because
 * it is cut or damaged, always fails the task.
 *
 * <pre>{@code
 * FileSource<Order> source =
 *     FileSource.of(LineFormat.of(JsonFormat.of(Order.class)), "/data/orders")
 *         .badRecords(BadFileRecords.skip());
 * env.fromSource(source, "orders").print();
 * }</pre>
 */
public final class BadFileRecords implements Serializable {
  private static final long serialVersionUID = 1L;

  private final boolean fails;

  /** Null for none. */
  private final OutputTag<UnparsedFileRecord> tag;

  private BadFileRecords(boolean fails, OutputTag<UnparsedFileRecord> tag) {
    this.fails = fails;
    this.tag = tag;
  }

  /** The task fails with the file and the place of the record; the default. */
  public static BadFileRecords fail() {
    return new BadFileRecords(true, null);
  }

  /** The record is left out. The TaskManager's log has the first one and how many follow. */
  public static BadFileRecords skip() {
    return new BadFileRecords(false, null);
  }

  /** The record goes into a side output of the source. */
  public static BadFileRecords sideOutput(OutputTag<UnparsedFileRecord> tag) {
    return new BadFileRecords(false, Objects.requireNonNull(tag, "tag"));
  }

  boolean fails() {
    return fails;
  }

  Optional<OutputTag<UnparsedFileRecord>> tag() {
    return Optional.ofNullable(tag);
  }
}

package io.millrace.api.source;

/**
 * A part of a source that one reader reads, with the position up to which it was read. Splits are
 * values: a reader creates a new one for each checkpoint. They are stored like other records, so
 * that a record class serves.
 *
 * <pre>{@code
 * // The rows of a table from an id on.
 * record Rows(String table, long nextId) implements SourceSplit {
 *   public String splitId() {
 *     return table;
 *   }
 * }
 * }</pre>
 */
public interface SourceSplit {
  /** Identifies the split among those of the source. */
  String splitId();
}

package io.millrace.api.operator;

import java.util.List;

/**
 * What the enumerator of a source sends to one of its readers.
 *
 * @param reader the subtask that gets the splits
 * @param splits may be empty: the first assignment opens the way for requests of the reader
 */
public record SplitAssignment(int reader, List<Object> splits) {
  public SplitAssignment {
    splits = List.copyOf(splits);
  }
}

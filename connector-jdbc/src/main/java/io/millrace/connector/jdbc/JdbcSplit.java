package io.millrace.connector.jdbc;

import io.millrace.api.source.SourceSplit;

/**
 * The rows whose keys lie in a range, from a position on.
 *
 * @param to the end of the range
 * @param last whether {@code to} belongs to the range
 * @param position the key of the last row that was read, or the start of the range
 * @param read how many rows with the key {@code position} were read
 */
record JdbcSplit(int number, KeyType type, KeyValue to, boolean last, KeyValue position, long read)
    implements SourceSplit {
  @Override
  public String splitId() {
    return "range " + number;
  }

  /** The position behind a row with this key. */
  JdbcSplit behind(KeyValue key) {
    return new JdbcSplit(number, type, to, last, key, key.equals(position) ? read + 1 : 1);
  }
}

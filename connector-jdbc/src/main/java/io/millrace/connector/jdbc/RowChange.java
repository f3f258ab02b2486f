package io.millrace.connector.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * A row to write or to delete.
 *
 * @param key empty if the table has no key
 * @param values of all columns, those of the key for a deletion; may contain null
 */
record RowChange(boolean isDelete, List<Object> key, List<String> columns, List<Object> values) {
  private static final int LONGEST_VALUE = 100;
  private static final int LONGEST = 1000;

  void bind(PreparedStatement statement) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
  }

  /** The values with their columns, for messages. */
  String describe() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < values.size() && text.length() < LONGEST; i++) {
      text.append(i == 0 ? "" : ", ").append(columns.get(i)).append(" = ").append(shortened(i));
    }
    return text.toString();
  }

  private String shortened(int column) {
    Object value = values.get(column);
    if (value instanceof byte[] bytes) {
      return bytes.length + " bytes";
    }
    String text = String.valueOf(value);
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
  }
}

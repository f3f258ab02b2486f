package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Statements that all databases understand, and the names in them. */
final class SqlText {
  private static final String PART = "([\\p{L}_][\\p{L}\\p{N}_$#]*|\"[^\"]+\"|`[^`]+`|\\[[^\\]]+])";
  private static final Pattern COLUMN = Pattern.compile(PART);
  private static final Pattern TABLE = Pattern.compile(PART + "(\\." + PART + "){0,2}");

  private SqlText() {}

  /**
   * A name is passed on as it is, so that the database folds its case as in other statements. A
   * name with special characters is given with the quotes of the database.
   */
  static String column(String name) {
    return check(COLUMN, "column", name);
  }

  /** The name of a table, with its schema or without. */
  static String table(String name) {
    return check(TABLE, "table", name);
  }

  private static String check(Pattern pattern, String what, String name) {
    if (name == null || !pattern.matcher(name).matches()) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' is not the name of a "
              + what
              + ". Put a name with special characters in the quotes of the database, as in"
              + " \"\\\"order no\\\"\".");
    }
    return name;
  }

  static String insert(String table, List<String> columns) {
    return "INSERT INTO "
        + table
        + " ("
        + String.join(", ", columns)
        + ") VALUES ("
        + parameters(columns.size())
        + ")";
  }

  static String delete(String table, List<String> keyColumns) {
    return "DELETE FROM "
        + table
        + " WHERE "
        + keyColumns.stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "));
  }

  static String parameters(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }
}

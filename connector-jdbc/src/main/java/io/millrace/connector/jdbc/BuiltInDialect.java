package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The dialects that are chosen from the URL of a database. */
enum BuiltInDialect implements JdbcDialect {
  POSTGRESQL("jdbc:postgresql:") {
    @Override
    public String upsert(String table, List<String> columns, List<String> keyColumns) {
      String changes = assignments(columns, keyColumns, column -> "EXCLUDED." + column);
      return SqlText.insert(table, columns)
          + " ON CONFLICT ("
          + String.join(", ", keyColumns)
          + (changes.isEmpty() ? ") DO NOTHING" : ") DO UPDATE SET " + changes);
    }
  },
  MYSQL("jdbc:mysql:") {
    @Override
    public String upsert(String table, List<String> columns, List<String> keyColumns) {
      return onDuplicateKey(table, columns, keyColumns);
    }

    /** The only value with which the driver does not read the whole result first. */
    @Override
    public int fetchSize(int rows) {
      return Integer.MIN_VALUE;
    }
  },
  MARIADB("jdbc:mariadb:") {
    @Override
    public String upsert(String table, List<String> columns, List<String> keyColumns) {
      return onDuplicateKey(table, columns, keyColumns);
    }
  },
  H2("jdbc:h2:") {
    @Override
    public String upsert(String table, List<String> columns, List<String> keyColumns) {
      return "MERGE INTO "
          + table
          + " ("
          + String.join(", ", columns)
          + ") KEY ("
          + String.join(", ", keyColumns)
          + ") VALUES ("
          + SqlText.parameters(columns.size())
          + ")";
    }
  };

  /** The value that an update gives to a column. */
  private interface NewValue {
    String of(String column);
  }

  private final String prefix;

  BuiltInDialect(String prefix) {
    this.prefix = prefix;
  }

  static JdbcDialect of(JdbcDatabase database) {
    return find(database.url())
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "There is no dialect for "
                        + database
                        + ". Dialects are there for "
                        + Arrays.stream(values())
                            .map(dialect -> dialect.prefix)
                            .collect(Collectors.joining(", "))
                        + ". Give one of your own with JdbcDatabase.dialect, or insert rows"
                        + " without a key, which needs none."));
  }

  static Optional<JdbcDialect> find(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(dialect -> lower.startsWith(dialect.prefix))
        .map(JdbcDialect.class::cast)
        .findFirst();
  }

  /** Understood by all versions of MySQL and MariaDB. */
  private static String onDuplicateKey(
      String table, List<String> columns, List<String> keyColumns) {
    String changes = assignments(columns, keyColumns, column -> "VALUES(" + column + ")");
    String first = keyColumns.get(0);
    return SqlText.insert(table, columns)
        + " ON DUPLICATE KEY UPDATE "
        + (changes.isEmpty() ? first + " = " + first : changes);
  }

  private static String assignments(
      List<String> columns, List<String> keyColumns, NewValue newValue) {
    return columns.stream()
        .filter(column -> !keyColumns.contains(column))
        .map(column -> column + " = " + newValue.of(column))
        .collect(Collectors.joining(", "));
  }
}

package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A table, and how records become rows of it. Values of this class do not change: each method
 * returns a copy.
 *
 * <p>A table with key columns gets upserts: a record inserts a row, or updates the one with its
 * key. A table without them gets inserts.
 *
 * <pre>{@code
 * JdbcTable<Order> lastOrders =
 *     JdbcTable.named("last_orders", Order.class)
 *         .key("customer", Order::customer)
 *         .column("time", order -> Instant.ofEpochMilli(order.time()))
 *         .column("cents", Order::cents)
 *         .deleteWhen(order -> order.cents() == 0);
 * }</pre>
 *
 * @param <T> the records
 */
public final class JdbcTable<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  private record Column<T>(String name, ColumnValue<T> value, boolean isKey)
      implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private final String name;
  private final ArrayList<Column<T>> columns;

  /** Null if records delete nothing. */
  private final RecordCondition<T> deletes;

  private JdbcTable(String name, List<Column<T>> columns, RecordCondition<T> deletes) {
    this.name = name;
    this.columns = new ArrayList<>(columns);
    this.deletes = deletes;
  }

  /** The table with this name, which may start with a schema. */
  public static <T> JdbcTable<T> named(String name) {
    return new JdbcTable<>(SqlText.table(name), List.of(), null);
  }

  /**
   * The same with the class of the records, for a table in the middle of a chain of calls: the
   * compiler cannot infer their type from the name.
   */
  public static <T> JdbcTable<T> named(String name, Class<T> records) {
    Objects.requireNonNull(records, "records");
    return named(name);
  }

  /** A column of the key. The key columns together have a primary key or a unique index. */
  public JdbcTable<T> key(String column, ColumnValue<T> value) {
    return with(new Column<>(SqlText.column(column), Objects.requireNonNull(value), true));
  }

  /** A column that does not belong to the key. */
  public JdbcTable<T> column(String column, ColumnValue<T> value) {
    return with(new Column<>(SqlText.column(column), Objects.requireNonNull(value), false));
  }

  /**
   * Records for which this holds delete the row with their key instead of writing it. Needs a key.
   */
  public JdbcTable<T> deleteWhen(RecordCondition<T> condition) {
    return new JdbcTable<>(name, columns, Objects.requireNonNull(condition, "condition"));
  }

  private JdbcTable<T> with(Column<T> column) {
    if (columns.stream().anyMatch(each -> each.name().equalsIgnoreCase(column.name()))) {
      throw new MillraceException(
          ErrorKind.USER, "Table " + name + " has the column '" + column.name() + "' twice.");
    }
    List<Column<T>> all = new ArrayList<>(columns);
    all.add(column);
    return new JdbcTable<>(name, all, deletes);
  }

  String name() {
    return name;
  }

  /** Refuses a table that cannot be written. */
  JdbcTable<T> checked() {
    if (columns.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER, "Table " + name + " has no columns. Add them with key and column.");
    }
    if (deletes != null && !hasKey()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Records cannot delete rows of table " + name + " without a key. Add one with key.");
    }
    return this;
  }

  boolean hasKey() {
    return columns.stream().anyMatch(Column::isKey);
  }

  /** The statement that writes a row. */
  String writeStatement(JdbcDatabase database) {
    return hasKey()
        ? database.dialect().upsert(name, columnNames(), keyNames())
        : SqlText.insert(name, columnNames());
  }

  String deleteStatement() {
    return SqlText.delete(name, keyNames());
  }

  private List<String> columnNames() {
    return columns.stream().map(Column::name).toList();
  }

  private List<String> keyNames() {
    return columns.stream().filter(Column::isKey).map(Column::name).toList();
  }

  /** The change of the table that a record stands for. */
  RowChange change(T record) throws Exception {
    boolean isDelete = deletes != null && deletes.test(record);
    List<String> names = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    List<Object> key = new ArrayList<>();
    for (Column<T> column : columns) {
      if (isDelete && !column.isKey()) {
        continue;
      }
      Object value = toSql(column.value().of(record));
      if (column.isKey()) {
        if (value == null) {
          throw new MillraceException(
              ErrorKind.USER,
              "The key column '"
                  + column.name().toLowerCase(Locale.ROOT)
                  + "' of table "
                  + name
                  + " is null. Filter such records out, or give them a key.");
        }
        key.add(value);
      }
      names.add(column.name());
      values.add(value);
    }
    return new RowChange(isDelete, key, names, values);
  }

  private static Object toSql(Object value) {
    if (value instanceof Instant instant) {
      return instant.atOffset(ZoneOffset.UTC);
    }
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    return value instanceof Character character ? character.toString() : value;
  }
}

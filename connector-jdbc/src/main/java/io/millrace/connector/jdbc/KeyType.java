package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/** The types of columns by which a source can be divided. */
enum KeyType {
  NUMBER(1_000_000_000) {
    @Override
    KeyValue read(ResultSet row, int column) throws SQLException {
      BigDecimal number = row.getBigDecimal(column);
      try {
        return number == null ? null : KeyValue.of(number.longValueExact());
      } catch (ArithmeticException e) {
        throw new MillraceException(
            ErrorKind.USER,
            "The key "
                + number
                + " is not a whole number of 64 bits. Divide the source by another column.",
            e);
      }
    }

    @Override
    void set(PreparedStatement statement, int parameter, KeyValue value) throws SQLException {
      statement.setLong(parameter, value.units());
    }
  },
  TIMESTAMP(1) {
    @Override
    KeyValue read(ResultSet row, int column) throws SQLException {
      LocalDateTime time = row.getObject(column, LocalDateTime.class);
      return time == null ? null : KeyValue.of(time.toInstant(ZoneOffset.UTC));
    }

    @Override
    void set(PreparedStatement statement, int parameter, KeyValue value) throws SQLException {
      statement.setObject(
          parameter, LocalDateTime.ofEpochSecond(value.units(), value.nanos(), ZoneOffset.UTC));
    }
  },
  TIMESTAMP_WITH_TIME_ZONE(1) {
    @Override
    KeyValue read(ResultSet row, int column) throws SQLException {
      OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
      return time == null ? null : KeyValue.of(time.toInstant());
    }

    @Override
    void set(PreparedStatement statement, int parameter, KeyValue value) throws SQLException {
      statement.setObject(
          parameter, Instant.ofEpochSecond(value.units(), value.nanos()).atOffset(ZoneOffset.UTC));
    }
  },
  DATE(86_400_000_000_000L) {
    @Override
    KeyValue read(ResultSet row, int column) throws SQLException {
      LocalDate date = row.getObject(column, LocalDate.class);
      return date == null ? null : KeyValue.of(date.atStartOfDay().toEpochSecond(ZoneOffset.UTC));
    }

    @Override
    void set(PreparedStatement statement, int parameter, KeyValue value) throws SQLException {
      statement.setObject(
          parameter, LocalDateTime.ofEpochSecond(value.units(), 0, ZoneOffset.UTC).toLocalDate());
    }
  };

  private final BigInteger step;

  KeyType(long stepNanos) {
    this.step = BigInteger.valueOf(stepNanos);
  }

  /** Null for NULL. */
  abstract KeyValue read(ResultSet row, int column) throws SQLException;

  abstract void set(PreparedStatement statement, int parameter, KeyValue value) throws SQLException;

  /** The smallest distance of two values in nanoseconds of {@link KeyValue}. */
  BigInteger step() {
    return step;
  }

  /** The value as in SQL, for messages. */
  String render(KeyValue value) {
    LocalDateTime time =
        this == NUMBER
            ? null
            : LocalDateTime.ofEpochSecond(value.units(), value.nanos(), ZoneOffset.UTC);
    return switch (this) {
      case NUMBER -> String.valueOf(value.units());
      case TIMESTAMP -> time.toString();
      case TIMESTAMP_WITH_TIME_ZONE -> time + "Z";
      case DATE -> time.toLocalDate().toString();
    };
  }

  static KeyType of(ResultSetMetaData columns, int column, String name) throws SQLException {
    String typeName = String.valueOf(columns.getColumnTypeName(column)).toLowerCase(Locale.ROOT);
    return switch (columns.getColumnType(column)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> NUMBER;
      case Types.NUMERIC, Types.DECIMAL -> NUMBER;
      case Types.DATE -> DATE;
      case Types.TIMESTAMP_WITH_TIMEZONE -> TIMESTAMP_WITH_TIME_ZONE;
      // PostgreSQL's driver has one type code for both.
      case Types.TIMESTAMP -> typeName.equals("timestamptz") ? TIMESTAMP_WITH_TIME_ZONE : TIMESTAMP;
      default ->
          throw new MillraceException(
              ErrorKind.USER,
              "A source cannot be divided by the column '"
                  + name
                  + "' of type "
                  + typeName
                  + ". Choose a column with whole numbers, dates or timestamps.");
    };
  }
}

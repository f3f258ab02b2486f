package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Classifies errors of databases, and makes messages of them that hold no passwords. */
final class SqlErrors {
  private static final Logger LOG = LoggerFactory.getLogger(SqlErrors.class);

  /**
   * SQL states that may pass, or their first characters: connections, conflicts of transactions,
   * lack of resources, locks, shutdown, cancelled statements, and what H2 has instead.
   */
  private static final List<String> TRANSIENT_STATES =
      List.of(
          "08", "40001", "40003", "40P01", "53", "55P03", "57014", "57P01", "57P02", "57P03",
          "57P05", "HYT", "90067", "90098", "90121", "90135");

  private SqlErrors() {}

  /** Whether the same may succeed later. */
  static boolean isTransient(SQLException thrown) {
    for (SQLException each = thrown; each != null; each = each.getNextException()) {
      if (each instanceof SQLTransientException
          || each instanceof SQLRecoverableException
          || each instanceof SQLNonTransientConnectionException
          || hasTransientState(each)) {
        return true;
      }
    }
    return thrown.getCause() instanceof SQLException cause && isTransient(cause);
  }

  private static boolean hasTransientState(SQLException thrown) {
    String state = thrown.getSQLState();
    return state != null && TRANSIENT_STATES.stream().anyMatch(state::startsWith);
  }

  /** The error of the database, with its SQL state; that of a batch hides the real one. */
  static String sentence(SQLException thrown, SqlSecrets secrets) {
    SQLException real =
        thrown instanceof BatchUpdateException && thrown.getNextException() != null
            ? thrown.getNextException()
            : thrown;
    String message = real.getMessage() == null ? real.getClass().getName() : real.getMessage();
    String state = real.getSQLState() == null ? "" : ", SQL state " + real.getSQLState();
    return secrets.redact(message.strip().replaceAll("\\s*\\R\\s*", " ")) + state;
  }

  static MillraceException failed(String what, JdbcDatabase database, SQLException thrown) {
    SqlSecrets secrets = database.secrets();
    return new MillraceException(
        isTransient(thrown) ? ErrorKind.EXTERNAL : ErrorKind.USER,
        what + " failed at " + database + ": " + sentence(thrown, secrets),
        withoutSecrets(thrown, secrets));
  }

  /** The same exception, or a copy without its causes if one of them has a password. */
  static SQLException withoutSecrets(SQLException thrown, SqlSecrets secrets) {
    boolean clean = true;
    int depth = 0;
    for (Throwable each = thrown; each != null && depth < 20; each = each.getCause()) {
      clean &= isClean(each.toString(), secrets);
      if (each instanceof SQLException sql && sql.getNextException() != null) {
        clean &= isClean(sql.getNextException().toString(), secrets);
      }
      depth++;
    }
    if (clean) {
      return thrown;
    }
    SQLException copy =
        new SQLException(
            thrown.getClass().getName() + ": " + sentence(thrown, secrets),
            thrown.getSQLState(),
            thrown.getErrorCode());
    copy.setStackTrace(thrown.getStackTrace());
    return copy;
  }

  private static boolean isClean(String text, SqlSecrets secrets) {
    return secrets.redact(text).equals(text);
  }

  /** Closes what is not needed any more; its state does not matter. */
  static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      LOG.debug("Closing a connection failed: {}", e.getClass().getName());
    }
  }

  /** Undoes what is not committed; a broken connection has undone it already. */
  static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      LOG.debug("Rolling back failed: {}", e.getSQLState());
    }
  }
}

package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A connection to a database for two-phase commits. */
final class XaSession implements AutoCloseable {
  private static final String POSTGRESQL_CLASS = "org.postgresql.xa.PGXADataSource";

  /** What a database knows about a transaction that is not prepared any more. */
  enum Outcome {
    COMMITTED,
    ROLLED_BACK,
    UNKNOWN
  }

  private final boolean isPostgres;
  private final XAConnection xaConnection;
  private final Connection connection;
  private final XAResource resource;

  private XaSession(JdbcDatabase database, XAConnection xaConnection) throws SQLException {
    this.isPostgres = isPostgres(database);
    this.xaConnection = xaConnection;
    this.connection = xaConnection.getConnection();
    this.resource = xaConnection.getXAResource();
    database.limitWaiting(connection);
  }

  private static boolean isPostgres(JdbcDatabase database) {
    return database.findDialect().filter(BuiltInDialect.POSTGRESQL::equals).isPresent();
  }

  /**
   * @param supplier null for the data source of the database's dialect
   */
  static XaSession open(JdbcDatabase database, XaDataSourceSupplier supplier)
      throws InterruptedException {
    XADataSource source = supplier == null ? postgres(database) : create(supplier);
    return SqlRetry.call(
        database,
        "Connecting for two-phase commits",
        () -> {
          XAConnection opened =
              supplier == null
                  ? JdbcDrivers.registered(database, source::getXAConnection)
                  : source.getXAConnection();
          try {
            return new XaSession(database, opened);
          } catch (Throwable thrown) {
            SqlErrors.close(opened::close);
            throw thrown;
          }
        });
  }

  /** Refuses a database for which the program must bring the data source. */
  static void checkDataSource(JdbcDatabase database, XaDataSourceSupplier supplier) {
    if (supplier == null && !isPostgres(database)) {
      throw new MillraceException(
          ErrorKind.USER,
          "Two-phase commits at "
              + database
              + " need an XADataSource of the driver. Give one with"
              + " JdbcTransactionSink.dataSource, or use JdbcSink with a key.");
    }
  }

  private static XADataSource create(XaDataSourceSupplier supplier) {
    try {
      return supplier.create();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new MillraceException(
          ErrorKind.USER, "The XADataSource of the program cannot be created: " + e, e);
    }
  }

  /** By name, because the driver is one of the program. */
  private static XADataSource postgres(JdbcDatabase database) {
    Map<String, String> properties = database.properties();
    try {
      Class<?> type = Class.forName(POSTGRESQL_CLASS, true, JdbcDrivers.loader());
      Object source = type.getDeclaredConstructor().newInstance();
      type.getMethod("setUrl", String.class).invoke(source, database.url());
      for (Map.Entry<String, String> property : properties.entrySet()) {
        type.getMethod("setProperty", String.class, String.class)
            .invoke(source, property.getKey(), property.getValue());
      }
      return (XADataSource) source;
    } catch (ClassNotFoundException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "No JDBC driver for "
              + database
              + " was found: the class "
              + POSTGRESQL_CLASS
              + " is missing. Pack the driver into the jar of the program, as a jar below lib/, or"
              + " add it to the class path of all processes.",
          e);
    } catch (InvocationTargetException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The driver of "
              + database
              + " refuses the URL or a property: "
              + database.secrets().redact(String.valueOf(e.getCause().getMessage())));
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The class " + POSTGRESQL_CLASS + " is not that of a known driver: " + e,
          e);
    }
  }

  Connection connection() {
    return connection;
  }

  void start(Xid xid) throws XAException {
    resource.start(xid, XAResource.TMNOFLAGS);
  }

  /** Returns whether there is something to commit. */
  boolean prepare(Xid xid) throws XAException {
    resource.end(xid, XAResource.TMSUCCESS);
    return resource.prepare(xid) == XAResource.XA_OK;
  }

  /** Undoes a transaction that is not prepared. */
  void abandon(Xid xid) throws XAException {
    resource.end(xid, XAResource.TMFAIL);
    resource.rollback(xid);
  }

  void commit(Xid xid) throws XAException {
    resource.commit(xid, false);
  }

  void rollback(Xid xid) throws XAException {
    resource.rollback(xid);
  }

  void forget(Xid xid) throws XAException {
    resource.forget(xid);
  }

  /** The prepared transactions of a sink. */
  List<TransactionXid> prepared(String prefix) throws XAException {
    List<TransactionXid> found = new ArrayList<>();
    for (Xid listed : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
      TransactionXid.of(listed).filter(xid -> xid.prefix().equals(prefix)).ifPresent(found::add);
    }
    return found;
  }

  /** Empty if the database does not limit prepared transactions. */
  Optional<Integer> maxPrepared() throws SQLException {
    return isPostgres
        ? Optional.of(Integer.parseInt(value("SHOW max_prepared_transactions")))
        : Optional.empty();
  }

  /** The database's id of the current transaction; empty if there are no such ids. */
  String databaseId() throws SQLException {
    return isPostgres ? value("SELECT txid_current()") : "";
  }

  Outcome outcome(String databaseId) throws SQLException {
    if (!isPostgres || databaseId.isEmpty()) {
      return Outcome.UNKNOWN;
    }
    try (PreparedStatement statement = connection.prepareStatement("SELECT txid_status(?)")) {
      statement.setLong(1, Long.parseLong(databaseId));
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        String status = String.valueOf(result.getString(1));
        return switch (status) {
          case "committed" -> Outcome.COMMITTED;
          case "aborted" -> Outcome.ROLLED_BACK;
          default -> Outcome.UNKNOWN;
        };
      }
    }
  }

  private String value(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }

  @Override
  public void close() {
    SqlErrors.close(connection);
    SqlErrors.close(xaConnection::close);
  }
}

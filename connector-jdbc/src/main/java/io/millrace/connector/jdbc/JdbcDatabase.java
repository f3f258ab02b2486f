package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/**
 * A database and how to connect to it. Values of this class do not change: each method returns a
 * copy.
 *
 * <p>The description is a part of the job, a password given with {@link #password} included. {@link
 * #passwordFile} keeps the password out of it.
 *
 * <pre>{@code
 * JdbcDatabase shop =
 *     JdbcDatabase.at("jdbc:postgresql://host/shop")
 *         .user("reports")
 *         .passwordFile("/etc/shop/password")
 *         .timeout(Duration.ofMinutes(5));
 * }</pre>
 */
public final class JdbcDatabase implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final long LONGEST_PASSWORD_FILE = 4096;

  private final String url;
  private final LinkedHashMap<String, String> properties = new LinkedHashMap<>();

  /** Null if none is given. */
  private String passwordFile;

  /** Null if it is found by the URL. */
  private String driver;

  /** Null if it is chosen from the URL. */
  private JdbcDialect dialect;

  /** Shorter than the default of {@code task.cancellation.timeout}, after which a process ends. */
  private Duration timeout = Duration.ofMinutes(2);

  private int retries = 3;

  private JdbcDatabase(String url) {
    this.url = url;
  }

  /** The database with this URL, as in {@code jdbc:postgresql://host/name}. */
  public static JdbcDatabase at(String url) {
    if (url == null || !url.regionMatches(true, 0, "jdbc:", 0, 5)) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + SqlSecrets.redactUrl(String.valueOf(url))
              + "' is not the URL of a database. It starts with jdbc:, as in"
              + " jdbc:postgresql://host/name.");
    }
    return new JdbcDatabase(url);
  }

  public JdbcDatabase user(String user) {
    return property("user", user);
  }

  /** The password. It is a part of the job; see {@link #passwordFile}. */
  public JdbcDatabase password(String password) {
    return property("password", password);
  }

  /**
   * A file whose first line is the password. Each TaskManager that runs a task of the source or
   * sink reads it when it connects.
   */
  public JdbcDatabase passwordFile(String file) {
    JdbcDatabase copy = copy();
    copy.passwordFile = Path.of(file).toAbsolutePath().toString();
    return copy;
  }

  /** A property of the driver. */
  public JdbcDatabase property(String name, String value) {
    JdbcDatabase copy = copy();
    copy.properties.put(
        Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return copy;
  }

  /** The class of the driver, for one that does not register itself. */
  public JdbcDatabase driver(String className) {
    JdbcDatabase copy = copy();
    copy.driver = Objects.requireNonNull(className, "className");
    return copy;
  }

  /** The dialect, instead of the one that is chosen from the URL. */
  public JdbcDatabase dialect(JdbcDialect given) {
    JdbcDatabase copy = copy();
    copy.dialect = Objects.requireNonNull(given, "dialect");
    return copy;
  }

  /**
   * How long an answer of the database may take. After that the connection counts as broken. The
   * default is two minutes.
   */
  public JdbcDatabase timeout(Duration given) {
    if (given.toMillis() < 1 || given.toMillis() > Integer.MAX_VALUE) {
      throw new MillraceException(
          ErrorKind.USER, "A database cannot have a time-out of " + given + ". Name 1 ms to 24 d.");
    }
    JdbcDatabase copy = copy();
    copy.timeout = given;
    return copy;
  }

  /**
   * How often something is tried again after an error that may pass, such as a lost connection or a
   * deadlock, with growing pauses. Then the task fails. The default is 3.
   */
  public JdbcDatabase retries(int given) {
    if (given < 0 || given > 100) {
      throw new MillraceException(
          ErrorKind.USER, "A database is tried again 0 to 100 times, not " + given + " times.");
    }
    JdbcDatabase copy = copy();
    copy.retries = given;
    return copy;
  }

  private JdbcDatabase copy() {
    JdbcDatabase copy = new JdbcDatabase(url);
    copy.properties.putAll(properties);
    copy.passwordFile = passwordFile;
    copy.driver = driver;
    copy.dialect = dialect;
    copy.timeout = timeout;
    copy.retries = retries;
    return copy;
  }

  String url() {
    return url;
  }

  int retries() {
    return retries;
  }

  int timeoutMillis() {
    return (int) timeout.toMillis();
  }

  Optional<String> driver() {
    return Optional.ofNullable(driver);
  }

  /** The dialect, for what cannot be done without one. */
  JdbcDialect dialect() {
    return dialect != null ? dialect : BuiltInDialect.of(this);
  }

  Optional<JdbcDialect> findDialect() {
    return dialect != null ? Optional.of(dialect) : BuiltInDialect.find(url);
  }

  /** User, password and other properties, the password from its file included. */
  Map<String, String> properties() {
    Map<String, String> all = new LinkedHashMap<>(properties);
    if (passwordFile != null) {
      all.put("password", readPassword());
    }
    return all;
  }

  private String readPassword() {
    Path file = Path.of(passwordFile);
    try {
      if (Files.size(file) > LONGEST_PASSWORD_FILE) {
        throw new IOException("it has more than " + LONGEST_PASSWORD_FILE + " bytes");
      }
      return Files.readString(file, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The password of "
              + this
              + " cannot be read from '"
              + file
              + "' ("
              + e
              + "). Every TaskManager that connects needs the file.",
          e);
    }
  }

  SqlSecrets secrets() {
    return new SqlSecrets(url, properties());
  }

  /** Connects once. Statements run in transactions that the caller commits. */
  Connection connect() throws SQLException {
    Properties all = new Properties();
    all.putAll(properties());
    Connection connection = JdbcDrivers.find(this).connect(url, all);
    if (connection == null) {
      throw new SQLException("The driver does not accept the URL", "08001");
    }
    try {
      connection.setAutoCommit(false);
      limitWaiting(connection);
      return connection;
    } catch (Throwable thrown) {
      SqlErrors.close(connection);
      throw thrown;
    }
  }

  void limitWaiting(Connection connection) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, timeoutMillis());
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      // The driver waits as long as its own settings say.
      return;
    }
  }

  /** The URL without passwords. */
  @Override
  public String toString() {
    return SqlSecrets.redactUrl(url);
  }
}

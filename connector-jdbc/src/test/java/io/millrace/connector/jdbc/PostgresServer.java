package io.millrace.connector.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server of PostgreSQL in processes of its own, which can be killed and started again. */
public final class PostgresServer implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(2);

  private final Path data;
  private final Map<String, String> settings;
  private EmbeddedPostgres server;
  private int port;

  private PostgresServer(Path data, Map<String, String> settings) {
    this.data = data;
    this.settings = settings;
  }

  /** A server that keeps its data in this directory. */
  public static PostgresServer start(Path data, Map<String, String> settings) throws IOException {
    PostgresServer started = new PostgresServer(data, settings);
    started.start();
    return started;
  }

  /** Starts the server, at the port that it had before. */
  public void start() throws IOException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setPGStartupWait(BOUND)
            // Its default loses transactions that were committed just before a kill.
            .setServerConfig("synchronous_commit", "on")
            .setPort(port);
    settings.forEach(builder::setServerConfig);
    server = builder.start();
    port = server.getPort();
  }

  /** {@code kill -9} of the server and its processes. */
  public void kill() throws IOException, InterruptedException {
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    List<ProcessHandle> processes = new ArrayList<>(postmaster.descendants().toList());
    processes.add(0, postmaster);
    processes.forEach(ProcessHandle::destroyForcibly);
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (processes.stream().anyMatch(PostgresServer::isRunning)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("Not dead within " + BOUND + ": " + processes);
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    // Its directory is locked by the object of the server that is dead now.
    server.close();
  }

  /** A process that nobody has waited for yet is dead, too. */
  private static boolean isRunning(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  public int port() {
    return port;
  }

  public JdbcDatabase database() {
    return JdbcDatabase.at(url()).user("postgres");
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), "postgres", "");
  }

  public void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first columns of the rows of a query. */
  public List<String> query(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}

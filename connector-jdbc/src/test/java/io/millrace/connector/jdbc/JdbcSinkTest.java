package io.millrace.connector.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.GeneratorSource;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdbcSinkTest {
  private static final String PASSWORD = "geheim-Zr8vK1";

  @TempDir private static Path data;
  @TempDir private Path directory;
  private static PostgresServer postgres;

  @BeforeAll
  static void startServer() throws Exception {
    postgres = PostgresServer.start(data, Map.of());
  }

  @AfterAll
  static void stopServer() throws Exception {
    postgres.close();
  }

  @Test
  void lastChangeOfEachKeyIsInTheTable() throws Exception {
    postgres.execute(table("accounts"));
    Map<Long, String> expected =
        writeRandomly(JdbcSink.to(postgres.database(), Account.upserts("accounts")), 1);
    assertThat(postgres.query("SELECT id || ' ' || owner || ' ' || cents FROM accounts"))
        .containsExactlyInAnyOrderElementsOf(expected.values());
  }

  @Test
  void dialectOfH2Upserts() throws Exception {
    assertUpserts("jdbc:h2:mem:plain;DB_CLOSE_DELAY=-1", BuiltInDialect.H2);
  }

  /** H2 understands the statements of MySQL in this mode. */
  @Test
  void dialectOfMySqlUpserts() throws Exception {
    assertUpserts(
        "jdbc:h2:mem:mysql;MODE=MySQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_DELAY=-1",
        BuiltInDialect.MYSQL);
  }

  private static void assertUpserts(String url, JdbcDialect dialect) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(table("accounts"));
      Map<Long, String> expected =
          writeRandomly(
              JdbcSink.to(JdbcDatabase.at(url).dialect(dialect), Account.upserts("accounts")), 2);
      List<String> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery("SELECT id, owner, cents FROM accounts")) {
        while (rows.next()) {
          found.add(rows.getLong(1) + " " + rows.getString(2) + " " + rows.getLong(3));
        }
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(expected.values());
    }
  }

  /** Writes changes and deletions of few keys in small batches; returns the rows to expect. */
  private static Map<Long, String> writeRandomly(JdbcSink<Account> sink, long seed)
      throws Exception {
    Random random = new Random(seed);
    Map<Long, String> expected = new LinkedHashMap<>();
    try (SinkWriter<Account> writer =
        sink.batchSize(7).createWriter(new TestSinkContext(0, 1, false))) {
      for (int i = 0; i < 500; i++) {
        Account account =
            new Account(random.nextInt(20), "owner'" + i, random.nextInt(4) == 0 ? -1 : i);
        writer.write(account);
        if (account.cents() < 0) {
          expected.remove(account.id());
        } else {
          expected.put(account.id(), account.id() + " " + account.owner() + " " + account.cents());
        }
      }
      writer.flush(true);
    }
    assertThat(expected).isNotEmpty();
    return expected;
  }

  @Test
  void dialectsWriteTheirStatements() {
    List<String> columns = List.of("id", "part", "name");
    List<String> key = List.of("id", "part");
    assertThat(BuiltInDialect.POSTGRESQL.upsert("t", columns, key))
        .isEqualTo(
            "INSERT INTO t (id, part, name) VALUES (?, ?, ?) ON CONFLICT (id, part) DO UPDATE SET"
                + " name = EXCLUDED.name");
    assertThat(BuiltInDialect.POSTGRESQL.upsert("t", key, key)).endsWith("DO NOTHING");
    assertThat(BuiltInDialect.MARIADB.upsert("t", columns, key))
        .isEqualTo(
            "INSERT INTO t (id, part, name) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE name ="
                + " VALUES(name)");
    assertThat(BuiltInDialect.MYSQL.upsert("t", key, key)).endsWith("UPDATE id = id");
    assertThatThrownBy(
            () -> JdbcSink.to(JdbcDatabase.at("jdbc:derby:x"), Account.upserts("accounts")))
        .hasMessageContaining("There is no dialect for jdbc:derby:x");
  }

  @Test
  void valuesOfAllUsualTypesAreWritten() throws Exception {
    postgres.execute(
        "CREATE TABLE typed (id UUID PRIMARY KEY, at TIMESTAMPTZ, day DATE, kind TEXT, raw BYTEA,"
            + " flag BOOLEAN, amount NUMERIC, letter TEXT, nothing INTEGER)");
    JdbcTable<Long> table =
        JdbcTable.<Long>named("public.typed")
            .key("id", number -> new java.util.UUID(0, number))
            .column("at", number -> Instant.ofEpochMilli(1_700_000_000_123L))
            .column("day", number -> LocalDate.of(2024, 2, 29))
            .column("kind", number -> TimeUnit.DAYS)
            .column("raw", number -> new byte[] {1, 2})
            .column("flag", number -> true)
            .column("amount", number -> new java.math.BigDecimal("1.50"))
            .column("letter", number -> 'ü')
            .column("nothing", number -> null);
    try (SinkWriter<Long> writer =
        JdbcSink.to(postgres.database(), table).createWriter(new TestSinkContext(0, 1, false))) {
      writer.write(7L);
      writer.flush(false);
    }
    assertThat(
            postgres.query(
                "SELECT id || ' ' || (at AT TIME ZONE 'UTC') || ' ' || day || kind || encode(raw,"
                    + " 'hex') || flag || amount || letter || (nothing IS NULL) FROM typed"))
        .containsExactly(
            "00000000-0000-0000-0000-000000000007 2023-11-14 22:13:20.123"
                + " 2024-02-29DAYS0102true1.50ütrue");
  }

  @Test
  void incompleteBatchIsWrittenAfterItsInterval() throws Exception {
    postgres.execute(table("waiting"));
    JdbcSink<Account> sink =
        JdbcSink.to(postgres.database(), Account.upserts("waiting"))
            .batchInterval(Duration.ofMillis(20));
    try (SinkWriter<Account> writer = sink.createWriter(new TestSinkContext(0, 1, false))) {
      for (long id = 1; id <= 2; id++) {
        writer.write(new Account(id, "a", 1));
        long written = id;
        await(
            () ->
                postgres
                    .query("SELECT count(*) FROM waiting")
                    .equals(List.of(String.valueOf(written))));
      }
    }
  }

  @Test
  void failureOfAWaitingBatchIsThrownByTheNextCall() throws Exception {
    postgres.execute(table("failing"));
    JdbcSink<Account> sink =
        JdbcSink.to(postgres.database(), Account.inserts("failing"))
            .batchInterval(Duration.ofMillis(20));
    try (SinkWriter<Account> writer = sink.createWriter(new TestSinkContext(0, 1, false))) {
      writer.write(new Account(1, null, 1));
      await(
          () -> {
            try {
              writer.write(new Account(2, "b", 1));
              return false;
            } catch (MillraceException e) {
              return e.getMessage().contains("id = 1, owner = null");
            }
          });
      assertThatThrownBy(() -> writer.flush(false)).hasMessageContaining("owner = null");
    }
  }

  @Test
  void refusedBatchNamesTheStatementAndTheFirstRecord() throws Exception {
    postgres.execute(
        table("checked"),
        "ALTER TABLE checked ADD CHECK (cents < 1000)",
        "DROP ROLE IF EXISTS writer",
        "CREATE ROLE writer LOGIN PASSWORD '" + PASSWORD + "'",
        "GRANT ALL ON checked TO writer");
    for (JdbcDatabase database :
        List.of(
            JdbcDatabase.at(postgres.url()).user("writer").password(PASSWORD),
            JdbcDatabase.at(postgres.url() + "?user=writer&password=" + PASSWORD))) {
      SinkWriter<Account> writer =
          JdbcSink.to(database, Account.upserts("checked"))
              .createWriter(new TestSinkContext(0, 1, false));
      for (long id = 0; id < 100; id++) {
        writer.write(new Account(id, "owner " + id, id == 42 || id == 77 ? 5000 : id));
      }
      assertThatThrownBy(() -> writer.flush(false))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("The statement 'INSERT INTO checked (id, owner, cents) VALUES")
          .hasMessageContaining("with id = 42, owner = owner 42, cents = 5000 failed at")
          .hasMessageContaining("violates check constraint")
          .hasMessageContaining("SQL state 23514")
          .satisfies(e -> assertThat(stack(e)).doesNotContain(PASSWORD));
      writer.close();
      assertThat(postgres.query("SELECT count(*) FROM checked")).containsExactly("0");
    }
  }

  @Test
  void passwordIsInNoMessage() throws Exception {
    Path file = directory.resolve("password");
    Files.writeString(file, PASSWORD + "\n");
    for (JdbcDatabase database :
        List.of(
            JdbcDatabase.at("jdbc:postgresql://127.0.0.1:1/x?password=" + PASSWORD),
            JdbcDatabase.at("jdbc:mysql://root:" + PASSWORD + "@127.0.0.1/x"),
            JdbcDatabase.at("jdbc:nosuch:x;Password=" + PASSWORD).dialect(BuiltInDialect.H2),
            JdbcDatabase.at("jdbc:h2:mem:x;WRONG=" + PASSWORD).password(PASSWORD),
            JdbcDatabase.at("jdbc:h2:mem:x;WRONG=" + PASSWORD).passwordFile(file.toString()))) {
      assertThat(database.retries(1).toString()).startsWith("jdbc:");
      assertThatThrownBy(
              () ->
                  JdbcSink.to(database.retries(0), Account.upserts("t"))
                      .createWriter(new TestSinkContext(0, 1, false)))
          .isInstanceOf(MillraceException.class)
          .satisfies(
              e -> assertThat(stack(e).replace("WRONG=" + PASSWORD, "")).doesNotContain(PASSWORD));
    }
    assertThatThrownBy(
            () -> JdbcDatabase.at("jdbc:h2:mem:x").passwordFile("/nosuch/file").connect())
        .hasMessageContaining("cannot be read from '/nosuch/file'");
    assertThatThrownBy(() -> JdbcDatabase.at("postgresql://u:" + PASSWORD + "@h/x"))
        .hasMessageContaining("is not the URL of a database")
        .hasMessageNotContaining(PASSWORD);
  }

  /** A driver may quote what it was given. */
  @Test
  void textsOfDriversLoseThePassword() {
    JdbcDatabase database =
        JdbcDatabase.at("jdbc:h2:mem:x;PASSWORD=in-url").user("sa").password(PASSWORD);
    SQLException cause = new SQLException("property password has the value " + PASSWORD, "08001");
    SQLException thrown = new SQLException("login as sa with 'in-url' failed", "28000", cause);
    MillraceException failed = SqlErrors.failed("Connecting", database, thrown);
    assertThat(failed)
        .hasMessage(
            "Connecting failed at jdbc:h2:mem:x;PASSWORD=***: login as sa with '***' failed, SQL"
                + " state 28000");
    assertThat(stack(failed)).doesNotContain(PASSWORD, "in-url").contains("SQL state 28000");
  }

  @Test
  void missingDriverIsNamed() throws Exception {
    assertThatThrownBy(() -> JdbcDatabase.at("jdbc:nosuch:x").connect())
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("No JDBC driver for jdbc:nosuch:x was found, only")
        .hasMessageContaining("org.postgresql.Driver")
        .hasMessageContaining("lib/");
    assertThatThrownBy(() -> JdbcDatabase.at("jdbc:nosuch:x").driver("org.nosuch.Driver").connect())
        .hasMessageContaining("The JDBC driver org.nosuch.Driver of jdbc:nosuch:x was not found");
    // A program without the driver in its jars.
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader empty =
        new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(empty);
      assertThatThrownBy(() -> postgres.database().connect())
          .hasMessageContaining("No JDBC driver for " + postgres.url() + " was found. Pack");
      assertThatThrownBy(() -> XaSession.open(postgres.database(), null))
          .hasMessageContaining("the class org.postgresql.xa.PGXADataSource is missing");
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  void lostConnectionsAreReplaced() throws Exception {
    postgres.execute(table("kept"));
    try (SinkWriter<Account> writer =
        JdbcSink.to(postgres.database(), Account.upserts("kept"))
            .batchInterval(Duration.ZERO)
            .createWriter(new TestSinkContext(0, 1, false))) {
      for (long id = 0; id < 3; id++) {
        writer.write(new Account(id, "a", id));
        postgres.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                + " AND backend_type = 'client backend'");
        writer.flush(false);
      }
    }
    assertThat(postgres.query("SELECT id FROM kept ORDER BY id")).containsExactly("0", "1", "2");
  }

  @Test
  void unusableTablesAreRefused() {
    JdbcDatabase database = postgres.database();
    assertThatThrownBy(() -> JdbcSink.to(database, JdbcTable.named("t")))
        .hasMessageContaining("Table t has no columns");
    assertThatThrownBy(
            () -> JdbcSink.to(database, Account.inserts("t").deleteWhen(account -> true)))
        .hasMessageContaining("without a key");
    assertThatThrownBy(() -> Account.inserts("t").column("ID", Account::id))
        .hasMessageContaining("has the column 'ID' twice");
    assertThatThrownBy(() -> JdbcTable.named("a; DROP TABLE b"))
        .hasMessageContaining("is not the name of a table");
    assertThatThrownBy(() -> JdbcSink.to(database, Account.upserts("t")).batchSize(0))
        .hasMessageContaining("A batch has 1 to");
    assertThatThrownBy(
            () ->
                JdbcTable.<Account>named("t")
                    .key("id", account -> null)
                    .change(new Account(1, "a", 1)))
        .hasMessageContaining("The key column 'id' of table t is null");
  }

  /** The database is killed while the job runs, and is started again. */
  @Test
  void jobGoesOnWhenTheDatabaseIsBack() throws Exception {
    Path own = directory.resolve("killed");
    try (PostgresServer server = PostgresServer.start(own, Map.of())) {
      server.execute(table("accounts"));
      StreamEnvironment env =
          StreamEnvironment.current()
              .parallelism(2)
              .configure("execution.checkpointing.interval", "50 ms")
              .configure("restart-strategy.type", "fixed-delay")
              .configure("restart-strategy.fixed-delay.attempts", "1000")
              .configure("restart-strategy.fixed-delay.delay", "100 ms");
      int keys = 100;
      long records = 20_000;
      env.generate(GeneratorSource.of(index -> index).count(records).perSecond(4000))
          .keyBy(index -> index % keys)
          .map(index -> new Account(index % keys, "owner", index))
          .sinkTo(
              JdbcSink.to(server.database().retries(1), Account.upserts("accounts"))
                  .batchSize(50)
                  .batchInterval(Duration.ofMillis(10)));
      JobClient job = env.executeAsync("upserts");
      await(() -> server.query("SELECT count(*) FROM accounts").equals(List.of("" + keys)));
      server.kill();
      await(() -> job.status().get() == JobStatus.RESTARTING);
      server.start();
      job.result().get(3, TimeUnit.MINUTES);
      assertThat(server.query("SELECT id || ' ' || cents FROM accounts"))
          .containsExactlyInAnyOrderElementsOf(
              java.util.stream.LongStream.range(0, keys)
                  .mapToObj(key -> key + " " + (records - keys + key))
                  .toList());
    }
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(condition);
  }

  private static String stack(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static String table(String name) {
    return "CREATE TABLE "
        + name
        + " (id BIGINT PRIMARY KEY, owner VARCHAR(100) NOT NULL, cents BIGINT)";
  }
}

package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CopiesTable;
import io.millrace.connector.jdbc.JdbcSink;
import io.millrace.connector.jdbc.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Programs that read and write tables of a real PostgreSQL. */
class JdbcIT {
  private static final int ROWS = 20_000;

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir private static Path data;
  private static PostgresServer postgres;

  @BeforeAll
  static void startServer() throws Exception {
    postgres = PostgresServer.start(data, Map.of("max_prepared_transactions", "20"));
  }

  @AfterAll
  static void stopServer() throws Exception {
    postgres.close();
  }

  @Test
  void exampleKeepsTheLastChangeOfEachAccount() throws Exception {
    postgres.execute("CREATE TABLE accounts (id BIGINT PRIMARY KEY, owner TEXT, cents BIGINT)");
    SHELL
        .millrace(
            "run",
            "-p",
            "2",
            "examples/account-changes.jar",
            "--url",
            postgres.url(),
            "--user",
            "postgres")
        .succeeded();
    assertThat(postgres.query("SELECT id || ' ' || owner || ' ' || cents FROM accounts ORDER BY 1"))
        .containsExactly("1 Ada 195", "2 Grace 0", "3 Edsger 80", "4 Barbara 870", "5 Donald 271");
  }

  /** A TaskManager and then the database are killed; the job goes on from its checkpoint. */
  @Test
  void tablesAreExactAfterAKilledTaskManagerAndAKilledDatabase() throws Exception {
    postgres.execute(
        "CREATE TABLE source (id BIGINT PRIMARY KEY, name TEXT)",
        "INSERT INTO source SELECT i, 'name ' || i FROM generate_series(1, " + ROWS + ") i",
        "CREATE TABLE inserted (id BIGINT, name TEXT)",
        "CREATE TABLE upserted (id BIGINT PRIMARY KEY, name TEXT)");
    Path gate = SHELL.directory().resolve("gate");
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "2")) {
      List<String> line =
          new ArrayList<>(List.of("-p", "2", "-D", "execution.checkpointing.interval=200 ms"));
      line.addAll(ExactCounts.RESTARTS);
      line.addAll(
          List.of(
              ProgramJar.withLibraries(
                      SHELL.directory(),
                      CopiesTable.class,
                      JdbcSink.class,
                      org.postgresql.Driver.class)
                  .toString(),
              postgres.url(),
              gate.toString()));
      String job = cluster.submit(line.toArray(String[]::new));
      Wait.untilTrue("rows are committed", () -> count("inserted") > 100);
      cluster.kill(cluster.anyBusyTaskManager());
      int before = count("inserted");
      Wait.untilTrue("rows are committed after the restart", () -> count("inserted") > before);
      assertThat(before).isLessThan(ROWS);
      postgres.kill();
      postgres.start();
      int later = count("inserted");
      Wait.untilTrue("rows are committed by the new server", () -> count("inserted") > later);
      assertThat(later).isLessThan(ROWS);
      Files.createFile(gate);
      cluster.rest().awaitState(job, "FINISHED");
    }
    List<String> expected =
        LongStream.rangeClosed(1, ROWS).mapToObj(id -> id + " name " + id).toList();
    for (String table : List.of("inserted", "upserted")) {
      assertThat(postgres.query("SELECT id || ' ' || name FROM " + table + " ORDER BY id"))
          .as(table)
          .containsExactlyElementsOf(expected);
    }
    assertThat(postgres.query("SELECT gid FROM pg_prepared_xacts")).isEmpty();
  }

  private static int count(String table) {
    try {
      return Integer.parseInt(postgres.query("SELECT count(*) FROM " + table).get(0));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package io.millrace.connector.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdbcSourceTest {
  @TempDir private static Path data;
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
  void readsEachRowOnceAtAnyParallelism() throws Exception {
    postgres.execute(
        "CREATE TABLE numbers (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO numbers SELECT i * 3 - 10000, 'n' || i FROM generate_series(1, 20000) i");
    List<String> expected =
        LongStream.rangeClosed(1, 20_000).mapToObj(i -> i * 3 - 10_000 + " n" + i).toList();
    for (int parallelism : List.of(1, 3)) {
      StreamEnvironment env =
          StreamEnvironment.current().parallelism(parallelism).runtimeMode(RuntimeMode.BATCH);
      List<String> read =
          env.fromSource(
                  JdbcSource.table(
                      postgres.database(),
                      "numbers",
                      "id",
                      row -> row.getInt("id") + " " + row.getString("name")),
                  "numbers")
              .collect()
              .toList();
      assertThat(read).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void splitsOfAllKeyTypesHaveEachRowOnce() throws Exception {
    postgres.execute(
        "CREATE TABLE keys (s SMALLINT, l BIGINT, n NUMERIC(20), t TIMESTAMP, z TIMESTAMPTZ, d DATE)",
        "INSERT INTO keys SELECT i, i * 18000000000000000, i,"
            + " TIMESTAMP '1969-12-31 23:59:59.000001' + i * INTERVAL '0.3 seconds',"
            + " TIMESTAMPTZ '2024-03-31 00:00:00+01' + i * INTERVAL '7 minutes',"
            + " DATE '2024-02-27' + i FROM generate_series(-500, 500) i");
    for (String key : List.of("s", "l", "n", "t", "z", "d")) {
      JdbcSource<Integer> source =
          JdbcSource.query(postgres.database(), "SELECT * FROM keys", key, row -> row.getInt("s"))
              .splits(7);
      List<JdbcSplit> splits = discover(source, 2);
      assertThat(splits).as(key).hasSize(7);
      List<Integer> read = new ArrayList<>();
      for (JdbcSplit split : splits) {
        int before = read.size();
        readAll(source, List.of(split), read);
        assertThat(read.size() - before).as("%s", split).isBetween(120, 170);
      }
      assertThat(read)
          .as(key)
          .containsExactlyElementsOf(
              LongStream.rangeClosed(-500, 500).mapToObj(i -> (int) i).toList());
    }
  }

  /** Restores the reader from a checkpoint at random places, with many rows of the same key. */
  @Test
  void restoredReaderGoesOnBehindTheLastRow() throws Exception {
    postgres.execute(
        "CREATE TABLE ties (id INTEGER PRIMARY KEY, day DATE)",
        "INSERT INTO ties SELECT i, DATE '2024-01-01' + (i / 700) FROM generate_series(1, 5000) i");
    JdbcSource<Integer> source =
        JdbcSource.table(postgres.database(), "ties", "day", row -> row.getInt("id"))
            .thenBy("id")
            .splits(3);
    for (long seed = 1; seed <= 5; seed++) {
      Random random = new Random(seed);
      List<JdbcSplit> state = discover(source, 1);
      List<Integer> read = new ArrayList<>();
      while (!state.isEmpty()) {
        Context context = new Context();
        try (SourceReader<Integer, JdbcSplit> reader = source.createReader(context)) {
          reader.addSplits(state);
          int restoreAt = read.size() + 1 + random.nextInt(1500);
          while (read.size() < restoreAt
              && poll(context, reader, read, 1 + random.nextInt(300)) != Status.END) {}
          state = reader.snapshot(1);
        }
      }
      assertThat(read)
          .as("seed %s", seed)
          .containsExactlyElementsOf(
              LongStream.rangeClosed(1, 5000).mapToObj(i -> (int) i).toList());
    }
  }

  @Test
  void lostConnectionsOfAReaderAreReplaced() throws Exception {
    postgres.execute(
        "CREATE TABLE long_table (id INTEGER PRIMARY KEY, filler TEXT)",
        "INSERT INTO long_table SELECT i, repeat('x', 500) FROM generate_series(1, 30000) i");
    JdbcSource<Integer> source =
        JdbcSource.table(postgres.database(), "long_table", "id", row -> row.getInt("id"))
            .splits(1);
    List<Integer> read = new ArrayList<>();
    Context context = new Context();
    try (SourceReader<Integer, JdbcSplit> reader = source.createReader(context)) {
      reader.addSplits(discover(source, 1));
      int cut = 0;
      while (poll(context, reader, read, 500) != Status.END) {
        if (read.size() > 8000 * (cut + 1) && cut < 3) {
          assertThat(
                  postgres.query(
                      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE"
                          + " '%FROM long_table) millrace_query%' AND pid <> pg_backend_pid()"))
              .isNotEmpty();
          cut++;
        }
      }
      assertThat(cut).isEqualTo(3);
    }
    assertThat(read)
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 30_000).mapToObj(i -> (int) i).toList());
  }

  @Test
  void emptyTableHasNoSplits() throws Exception {
    postgres.execute("CREATE TABLE nothing (id INTEGER PRIMARY KEY)");
    assertThat(
            discover(
                JdbcSource.table(postgres.database(), "nothing", "id", row -> row.getInt(1)), 2))
        .isEmpty();
  }

  @Test
  void keysThatDivideNothingAreRefused() throws Exception {
    postgres.execute(
        "CREATE TABLE bad_keys (id INTEGER, name TEXT, fraction NUMERIC)",
        "INSERT INTO bad_keys VALUES (1, 'a', 0.5), (NULL, 'b', 1)");
    assertRefused("id", "Rows of the query have no value in the key 'id'", "id IS NOT NULL");
    assertRefused("name", "cannot be divided by the column 'name' of type text");
    assertRefused("fraction", "The key 0.5 is not a whole number of 64 bits");
    assertRefused("missing", "Finding the range of 'missing' failed", "\"missing\" does not exist");
    assertThatThrownBy(() -> table("bad_keys", "id; DROP TABLE x"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("is not the name of a column");
    assertThatThrownBy(() -> JdbcSource.query(postgres.database(), "SELECT 1;", "id", row -> 1))
        .hasMessageContaining("without a semicolon");
  }

  @Test
  void rowThatCannotBeMappedIsNamed() throws Exception {
    postgres.execute(
        "CREATE TABLE odd (id INTEGER, name TEXT)",
        "INSERT INTO odd VALUES (1, '1'), (2, 'two'), (3, '3')");
    StreamEnvironment env =
        StreamEnvironment.current().parallelism(1).runtimeMode(RuntimeMode.BATCH);
    assertThatThrownBy(
            () ->
                env.fromSource(
                        JdbcSource.table(
                            postgres.database(),
                            "odd",
                            "id",
                            row -> Integer.parseInt(row.getString("name"))),
                        "odd")
                    .collect()
                    .toList())
        .hasStackTraceContaining("The row with id = 2 cannot be mapped")
        .hasStackTraceContaining("\"two\"");
  }

  private void assertRefused(String key, String... texts) {
    assertThatThrownBy(() -> discover(table("bad_keys", key), 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll(texts);
  }

  private static JdbcSource<Integer> table(String table, String key) {
    return JdbcSource.table(postgres.database(), table, key, row -> row.getInt(1));
  }

  private static List<JdbcSplit> discover(JdbcSource<?> source, int readers) throws Exception {
    List<JdbcSplit> found = new ArrayList<>();
    assertThat(source.createEnumerator(new Enumeration(readers)).discover(found::add))
        .isEqualTo(Status.END);
    return found;
  }

  private static void readAll(
      JdbcSource<Integer> source, List<JdbcSplit> splits, List<Integer> read) throws Exception {
    Context context = new Context();
    try (SourceReader<Integer, JdbcSplit> reader = source.createReader(context)) {
      reader.addSplits(splits);
      while (poll(context, reader, read, 100) != Status.END) {}
    }
  }

  private static Status poll(
      Context context, SourceReader<Integer, JdbcSplit> reader, List<Integer> read, int limit)
      throws Exception {
    int before = read.size();
    Status status = reader.poll(read::add, limit);
    assertThat(read.size() - before).isLessThanOrEqualTo(limit);
    if (status == Status.WAIT) {
      assertThat(context.woken.tryAcquire(2, TimeUnit.MINUTES)).isTrue();
    }
    return status;
  }

  private record Enumeration(int readers) implements EnumeratorContext {
    @Override
    public FileSystems files() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void processingBacklog(boolean backlog) {}

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {}
  }

  private static final class Context implements SourceContext {
    private final Semaphore woken = new Semaphore(0);

    @Override
    public int subtask() {
      return 0;
    }

    @Override
    public int parallelism() {
      return 1;
    }

    @Override
    public FileSystems files() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wake() {
      woken.release();
    }

    @Override
    public void wakeAfter(Duration delay) {
      throw new UnsupportedOperationException();
    }
  }
}

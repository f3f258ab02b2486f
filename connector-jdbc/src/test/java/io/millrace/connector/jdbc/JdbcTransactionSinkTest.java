package io.millrace.connector.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.Committer;
import io.millrace.api.source.GeneratorSource;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdbcTransactionSinkTest {
  @TempDir private static Path data;
  private static PostgresServer postgres;

  @BeforeAll
  static void startServer() throws Exception {
    postgres = PostgresServer.start(data, Map.of("max_prepared_transactions", "50"));
  }

  @AfterAll
  static void stopServer() throws Exception {
    postgres.close();
  }

  @BeforeEach
  void createTable() throws Exception {
    for (String left : lingering()) {
      postgres.execute("ROLLBACK PREPARED '" + left + "'");
    }
    postgres.execute(
        "DROP TABLE IF EXISTS accounts",
        "CREATE TABLE accounts (id BIGINT, owner TEXT NOT NULL, cents BIGINT)");
  }

  @Test
  void rowsAppearWithTheCommitAndNotBefore() throws Exception {
    JdbcTransactionSink<Account> sink = sink("orders");
    List<PreparedTransaction> prepared;
    try (JdbcTransactionWriter<Account> writer = sink.batchSize(3).createWriter(context(0, 1))) {
      write(writer, 1, 10);
      writer.flush(false);
      prepared = writer.prepareCommit();
      assertThat(prepared).hasSize(1);
      // The end of a writer discards what is not prepared.
      write(writer, 11, 20);
      writer.flush(false);
    }
    assertThat(ids()).isEmpty();
    assertThat(lingering()).hasSize(1);
    commit(sink, prepared);
    assertThat(ids()).containsExactlyElementsOf(numbers(1, 10));
    // A repetition has no effect.
    commit(sink, prepared);
    assertThat(ids()).containsExactlyElementsOf(numbers(1, 10));
    assertThat(lingering()).isEmpty();
  }

  @Test
  void preparedTransactionsSurviveADeadServer() throws Exception {
    JdbcTransactionSink<Account> sink = sink("orders");
    List<PreparedTransaction> prepared;
    try (JdbcTransactionWriter<Account> writer = sink.createWriter(context(0, 1))) {
      write(writer, 1, 10);
      writer.flush(false);
      prepared = writer.prepareCommit();
      postgres.kill();
    }
    postgres.start();
    commit(sink, prepared);
    assertThat(ids()).containsExactlyElementsOf(numbers(1, 10));
  }

  /** Two writers are restored as three, from a checkpoint that was followed by another one. */
  @Test
  void restoreRollsBackWhatTheCheckpointDoesNotContain() throws Exception {
    JdbcTransactionSink<Account> sink = sink("orders");
    List<PreparedTransaction> inCheckpoint = new ArrayList<>();
    List<TransactionNumber> state = new ArrayList<>();
    for (int subtask = 0; subtask < 2; subtask++) {
      try (JdbcTransactionWriter<Account> writer = sink.createWriter(context(subtask, 2))) {
        write(writer, subtask * 100L, subtask * 100L + 9);
        writer.flush(false);
        inCheckpoint.addAll(writer.prepareCommit());
        state.addAll(writer.snapshot(1));
        write(writer, subtask * 100L + 50, subtask * 100L + 59);
        writer.flush(false);
        assertThat(writer.prepareCommit()).hasSize(1);
      }
    }
    // Another sink, whose name starts like this one.
    try (JdbcTransactionWriter<Account> other = sink("orders-2").createWriter(context(0, 1))) {
      write(other, 1000, 1001);
      other.flush(false);
      other.prepareCommit();
    }
    assertThat(lingering()).hasSize(5);
    for (int subtask = 0; subtask < 3; subtask++) {
      sink.restoreWriter(new TestSinkContext(subtask, 3, true), state).close();
    }
    assertThat(lingering()).hasSize(3);
    commit(sink, inCheckpoint);
    assertThat(ids())
        .containsExactlyElementsOf(
            LongStream.concat(LongStream.rangeClosed(0, 9), LongStream.rangeClosed(100, 109))
                .boxed()
                .toList());
    // A job that starts anew has no state.
    sink("orders-2").createWriter(context(0, 1)).close();
    assertThat(lingering()).isEmpty();
  }

  @Test
  void commitOfATransactionThatSomebodyRolledBackFailsForGood() throws Exception {
    JdbcTransactionSink<Account> sink = sink("orders");
    List<PreparedTransaction> prepared;
    try (JdbcTransactionWriter<Account> writer = sink.createWriter(context(0, 1))) {
      write(writer, 1, 10);
      writer.flush(false);
      prepared = writer.prepareCommit();
    }
    postgres.execute("ROLLBACK PREPARED '" + lingering().get(0) + "'");
    assertThatThrownBy(() -> commit(sink, prepared))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("was rolled back at " + postgres.url() + " by somebody else");
  }

  @Test
  void refusedRowIsNamed() throws Exception {
    try (JdbcTransactionWriter<Account> writer = sink("orders").createWriter(context(0, 1))) {
      write(writer, 1, 10);
      writer.write(new Account(11, null, 5));
      assertThatThrownBy(() -> writer.flush(false))
          .hasMessageContaining("The statement 'INSERT INTO accounts (id, owner, cents) VALUES")
          .hasMessageContaining("with id = 11, owner = null, cents = 5 failed at")
          .hasMessageContaining("SQL state 23502");
    }
    assertThat(lingering()).isEmpty();
  }

  @Test
  void databaseWithoutPreparedTransactionsIsRefused(@TempDir Path other) throws Exception {
    try (PostgresServer without =
        PostgresServer.start(other, Map.of("max_prepared_transactions", "0"))) {
      JdbcTransactionSink<Account> sink =
          JdbcTransactionSink.to(without.database(), Account.inserts("accounts"), "orders");
      assertThatThrownBy(() -> sink.createWriter(context(0, 2)))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("needs 4 prepared transactions")
          .hasMessageContaining("max_prepared_transactions is 0");
    }
  }

  @Test
  void sinkNeedsCheckpointsANameAndADataSource() throws Exception {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> new Account(index, "a", 1), 10).sinkTo(sink("orders"));
    assertThatThrownBy(() -> env.execute("without checkpoints"))
        .hasStackTraceContaining("needs periodic checkpoints");
    assertThatThrownBy(() -> sink("with blank")).hasMessageContaining("cannot be the name");
    JdbcTransactionSink<Account> other =
        JdbcTransactionSink.to(
            JdbcDatabase.at("jdbc:h2:mem:x"), Account.inserts("accounts"), "orders");
    assertThatThrownBy(() -> other.createCommitter(context(0, 1)))
        .hasMessageContaining("need an XADataSource of the driver");
  }

  /** Tasks fail, and the server is killed; each record is in the table once. */
  @Test
  void eachRecordIsInTheTableOnceWhateverFails() throws Exception {
    String test = "once";
    StreamEnvironment env =
        StreamEnvironment.current()
            .parallelism(2)
            .configure("execution.checkpointing.interval", "50 ms")
            .configure("restart-strategy.type", "fixed-delay")
            .configure("restart-strategy.fixed-delay.attempts", "1000")
            .configure("restart-strategy.fixed-delay.delay", "50 ms");
    long records = 20_000;
    env.generate(GeneratorSource.of(index -> index).count(records).perSecond(2000))
        .map(new FailsOnce(test))
        .map(index -> new Account(index, "owner", 1))
        .sinkTo(
            JdbcTransactionSink.to(
                    postgres.database().retries(1), Account.inserts("accounts"), "orders")
                .batchSize(50));
    JobClient job = env.executeAsync("exactly once");
    for (int failure = 0; failure < 3; failure++) {
      int before = count();
      await(() -> count() > before);
      FailsOnce.fail(test);
      await(() -> FailsOnce.hasFailed(test));
    }
    int before = count();
    await(() -> count() > before);
    assertThat(job.status().get()).isNotEqualTo(JobStatus.FINISHED);
    postgres.kill();
    await(() -> job.status().get() == JobStatus.RESTARTING);
    postgres.start();
    job.result().get(3, TimeUnit.MINUTES);
    assertThat(ids()).containsExactlyElementsOf(numbers(0, records - 1));
    assertThat(lingering()).isEmpty();
  }

  private JdbcTransactionSink<Account> sink(String name) {
    return JdbcTransactionSink.to(postgres.database(), Account.inserts("accounts"), name);
  }

  private static TestSinkContext context(int subtask, int parallelism) {
    return new TestSinkContext(subtask, parallelism, false);
  }

  private static void write(JdbcTransactionWriter<Account> writer, long from, long to)
      throws Exception {
    for (long id = from; id <= to; id++) {
      writer.write(new Account(id, "owner", 1));
    }
  }

  private static void commit(
      JdbcTransactionSink<Account> sink, List<PreparedTransaction> transactions) throws Exception {
    try (Committer<PreparedTransaction> committer = sink.createCommitter(context(0, 1))) {
      committer.commit(transactions);
    }
  }

  private List<Long> ids() throws Exception {
    return postgres.query("SELECT id FROM accounts ORDER BY id").stream()
        .map(Long::valueOf)
        .toList();
  }

  private int count() throws Exception {
    return Integer.parseInt(postgres.query("SELECT count(*) FROM accounts").get(0));
  }

  private List<String> lingering() throws Exception {
    return postgres.query("SELECT gid FROM pg_prepared_xacts");
  }

  private static List<Long> numbers(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(condition);
  }
}

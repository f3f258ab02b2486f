package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.SlowJob;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that cannot start with the state they are given, while the old job still runs. */
class UnusableStateIT {
  /** Counts words in a state whose class is part of the program. */
  private static final String PROGRAM =
      """
      package com.example.versions;

      import io.millrace.api.StreamEnvironment;
      import io.millrace.api.function.Collector;
      import io.millrace.api.process.KeyedProcessFunction;
      import io.millrace.api.process.RuntimeContext;
      import io.millrace.api.sink.DiscardSink;
      import io.millrace.api.source.GeneratorSource;
      import io.millrace.api.state.ValueState;
      import io.millrace.api.state.ValueStateDescriptor;

      public final class Totals {
        public record Total(%s value) {}

        public static void main(String[] args) {
          StreamEnvironment env = StreamEnvironment.current();
          env.generate(GeneratorSource.of(index -> index %% 10).count(1_000_000).perSecond(50))
              .uid("numbers")
              .keyBy(key -> key)
              .process(new Sum())
              .uid("sum")
              .sinkTo(new DiscardSink<>())
              .uid("discard");
          env.execute("totals");
        }

        static final class Sum extends KeyedProcessFunction<Long, Long, Long> {
          private transient ValueState<Total> total;

          @Override
          public void open(RuntimeContext context) {
            total = context.state(new ValueStateDescriptor<>("total"));
          }

          @Override
          public void process(Long key, Context<Long> context, Collector<Long> out) {
            total.update(new Total(%s));
            out.emit(key);
          }
        }
      }
      """;

  @RegisterExtension static final Shell SHELL = new Shell();

  private static Path stateFile(Path savepoint) throws IOException {
    try (Stream<Path> files = Files.list(savepoint)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("state-"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** One line says what is wrong; no stack trace. */
  private static void assertRefused(Outcome outcome, String... reasons) {
    assertThat(outcome.code()).as("%s", outcome).isNotZero();
    assertThat(outcome.err()).as("%s", outcome).noneMatch(Outcome::isOfStackTrace);
    assertThat(outcome.err())
        .as("%s", outcome)
        .filteredOn(line -> Stream.of(reasons).allMatch(line::contains))
        .hasSize(1);
  }

  @Test
  @Behaviour(
      "A2: a job that cannot start with its savepoint says why in one line; the savepoint and the"
          + " old job stay as they are")
  void jobWithABadSavepointSaysWhyWhileTheOldJobRuns() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String old =
          cluster.submit(
              counts.job(
                  SLOW, "-p", "1", "-D", "execution.checkpointing.data-inline-threshold=0 b"));
      cluster.rest().awaitAllRunning(old, 2);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(old) > 0);
      Path savepoint =
          Path.of(cluster.millrace("savepoint", old, savepoints.toString()).savepointPath());
      Path metadata = savepoint.resolve("_metadata");
      Path state = stateFile(savepoint);
      String from = savepoint.toString();

      assertRefused(cluster.run(counts.job(FAST, "-s", from + "x")), from + "x' does not exist");
      assertRefused(
          cluster.run(counts.job(FAST, "-s", savepoints.toString())), "has no file _metadata");
      assertRefused(
          cluster.run(
              "-s", from, ProgramJar.of(SHELL.directory(), SlowJob.class).toString(), "sleep"),
          from,
          "it is of another program");
      assertRefused(
          cluster.run(counts.job(FAST, "-s", from, "-D", "pipeline.max-parallelism=64")),
          "had max parallelism 128 and has 64 now");
      Outcome wide =
          cluster.run(counts.job(FAST, "-s", from, "-p", "4", "-D", "pipeline.max-parallelism=2"));
      assertRefused(wide, "parallelism");

      changed(
          metadata, content -> content[7] = 99, () -> start(cluster, counts, from), "format 99");
      changed(
          metadata,
          content -> content[content.length - 1] ^= 1,
          () -> start(cluster, counts, from),
          metadata + " is damaged: its checksum");
      changed(
          state,
          content -> content[content.length / 2] ^= 1,
          () -> start(cluster, counts, from),
          state.toString(),
          "is damaged");
      byte[] whole = Files.readAllBytes(metadata);
      Files.write(metadata, Arrays.copyOf(whole, whole.length - 3));
      assertRefused(start(cluster, counts, from), metadata + " is damaged: it has");
      Files.write(metadata, whole);
      byte[] piece = Files.readAllBytes(state);
      Files.write(state, Arrays.copyOf(piece, piece.length - 3));
      assertRefused(start(cluster, counts, from), state.toString(), "ends early");
      Files.delete(state);
      assertRefused(start(cluster, counts, from), state.toString(), "is missing");
      Files.write(state, piece);

      assertThat(cluster.rest().state(old)).isEqualTo("RUNNING");
      assertThat(cluster.rest().failures(old)).isZero();
      cluster.millrace("cancel", old).succeeded();
      cluster.run(counts.job(FAST, "-p", "2", "-s", from)).succeeded();
      counts.assertExact();
    }
  }

  private static Outcome start(Cluster cluster, ExactCounts counts, String savepoint)
      throws IOException {
    List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
    options.addAll(List.of("-s", savepoint));
    return cluster.run(counts.job(FAST, options));
  }

  private interface Change {
    void apply(byte[] content);
  }

  private interface Start {
    Outcome run() throws IOException;
  }

  /** Starts a job while the content of a file is changed. */
  private static void changed(Path file, Change change, Start start, String... reasons)
      throws IOException {
    byte[] whole = Files.readAllBytes(file);
    byte[] content = whole.clone();
    change.apply(content);
    Files.write(file, content);
    assertRefused(start.run(), reasons);
    Files.write(file, whole);
  }

  @Test
  @Behaviour(
      "H3: a program whose class of state changed incompatibly is refused with the difference, and"
          + " the savepoint still fits the old program")
  void programWithAnIncompatibleClassOfStateIsRefused() throws Exception {
    Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
    String program = "com.example.versions.Totals";
    Path first =
        ProgramJar.compiled(
            SHELL.directory().resolve("totals-1.jar"), program, PROGRAM.formatted("long", "key"));
    Path second =
        ProgramJar.compiled(
            SHELL.directory().resolve("totals-2.jar"),
            program,
            PROGRAM.formatted("String", "key.toString()"));
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      String job = cluster.submit(first.toString());
      cluster.rest().awaitAllRunning(job, 2);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(job) > 0);
      String savepoint = cluster.millrace("savepoint", job, savepoints.toString()).savepointPath();
      assertRefused(
          SHELL.millrace("run", "--dry-run", "-s", savepoint, second.toString()),
          "com.example.versions.Totals$Total",
          "value");
      assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");
      String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();
      assertRefused(
          cluster.run("-s", stopped, second.toString()),
          "com.example.versions.Totals$Total",
          "value");
      String again = cluster.submit("-s", stopped, first.toString());
      cluster.rest().awaitAllRunning(again, 2);
      cluster.millrace("cancel", again).succeeded();
    }
  }
}

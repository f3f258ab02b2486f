package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host leaves behind: no threads, no class loaders; and what it does not load at all. */
class HostHygieneTest {
  private static DataPlane listening() {
    return new DataPlane(
        DataPlaneSettings.listening(2, DataPort.loopback(0, Bytes.utf8("hygiene"))));
  }

  /** A program that only the job's own class loader knows. */
  private static final String SOURCE =
      """
      package user;

      import io.millrace.api.function.KeySelector;
      import io.millrace.api.function.MapFunction;
      import io.millrace.api.function.ReduceFunction;
      import java.util.List;

      public class Words {
        public record Pair(String word, long count) {}

        public enum Colour { RED, GREEN }

        public record Tagged(Pair pair, Colour colour, List<String> tags) {}

        public static MapFunction<Object, Object> tag() {
          return n ->
              new Tagged(new Pair("w" + (Long) n % 10, 1), Colour.GREEN, List.of("a", "b"));
        }

        public static KeySelector<Object, Object> word() {
          return record -> ((Tagged) record).pair().word();
        }

        public static ReduceFunction<Object> add() {
          return (left, right) -> {
            Tagged a = (Tagged) left;
            Tagged b = (Tagged) right;
            return new Tagged(
                new Pair(a.pair().word(), a.pair().count() + b.pair().count()),
                b.colour(),
                b.tags());
          };
        }

        public static MapFunction<Object, Object> print() {
          return record -> {
            Tagged tagged = (Tagged) record;
            return tagged.pair().word() + "=" + tagged.pair().count() + tagged.colour()
                + tagged.tags()
                + (Thread.currentThread().getContextClassLoader() == Words.class.getClassLoader());
          };
        }
      }
      """;

  @TempDir private static Path directory;

  @BeforeAll
  static void compile() throws IOException {
    Path source = directory.resolve("Words.java");
    Files.writeString(source, SOURCE);
    int outcome =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                classPath(),
                "-d",
                directory.toString(),
                source.toString());
    assertThat(outcome).isZero();
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private static <T> T part(ClassLoader classes, String name, Class<T> type) throws Exception {
    return type.cast(classes.loadClass("user.Words").getMethod(name).invoke(null));
  }

  @SuppressWarnings("unchecked") // The signatures stand in SOURCE.
  private static JobGraph words(ClassLoader classes) throws Exception {
    TestJobGraph program = new TestJobGraph();
    KeySelector<Object, Object> word = part(classes, "word", KeySelector.class);
    JobVertex source =
        program.vertex(
            "source",
            2,
            Fixtures.numbers(2000),
            new OperatorSpec.Map(part(classes, "tag", MapFunction.class)));
    JobVertex count =
        program.vertex(
            "count",
            2,
            new OperatorSpec.Reduce(word, part(classes, "add", ReduceFunction.class), true),
            new OperatorSpec.Map(part(classes, "print", MapFunction.class)),
            Fixtures.collect());
    program.edge(source, count, Partitioning.HASH, (Serializable) word);
    return program.build();
  }

  private static WeakReference<ClassLoader> runAndRelease(DataPlane first, DataPlane second)
      throws Exception {
    try (URLClassLoader classes =
        new URLClassLoader(
            new URL[] {directory.toUri().toURL()}, HostHygieneTest.class.getClassLoader())) {
      JobGraph graph = words(classes);
      TestRun run =
          TestRun.of(graph, classes, first, second).deploy(1, subtask -> subtask).awaitEnd();
      List<Object> expected = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        expected.add("w" + i + "=200GREEN[a, b]true");
      }
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected()).containsExactlyInAnyOrderElementsOf(expected);
      first.release(graph.id());
      second.release(graph.id());
      return new WeakReference<>(classes);
    }
  }

  @Test
  @Behaviour("F5: classes of ended jobs can be garbage-collected")
  void aReleasedJobsClassesCanBeCollected() throws Exception {
    try (DataPlane first = listening();
        DataPlane second = listening()) {
      List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        loaders.add(runAndRelease(first, second));
      }
      long deadline = System.nanoTime() + TestRun.PATIENCE.toNanos();
      long alive;
      do {
        System.gc();
        // The JDK's own serialisation drops what it knew of a class at the next use after that.
        TestJobGraph.serialise(new java.util.BitSet());
        Thread.onSpinWait();
        alive = loaders.stream().filter(loader -> loader.get() != null).count();
      } while (alive > 0 && System.nanoTime() < deadline);
      assertThat(alive).isZero();
    }
  }

  private static Set<Thread> engineThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("millrace-"))
        .collect(Collectors.toSet());
  }

  @Test
  void aClosedHostLeavesNoThreads() throws InterruptedException {
    Set<Thread> before = engineThreads();
    try (DataPlane first = listening();
        DataPlane second = listening()) {
      TestJobGraph program = new TestJobGraph();
      JobVertex source =
          program.vertex(
              "source",
              4,
              new OperatorSpec.Source(new Fixtures.Endless()),
              new OperatorSpec.Map(
                  record -> {
                    Thread.sleep(30);
                    return record;
                  }));
      JobVertex sink = program.vertex("sink", 4, Fixtures.discard());
      program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
      TestRun run = TestRun.start(program.build(), first, second).awaitRunning();
      run.await(
          "records pass",
          () -> first.counters(run.job()).stream().anyMatch(counters -> counters.recordsIn() > 0));
    }
    Set<Thread> left = engineThreads();
    left.removeAll(before);
    for (Thread thread : left) {
      thread.join(10_000);
    }
    left.removeIf(thread -> !thread.isAlive());
    assertThat(left).isEmpty();
  }

  /** Runs an embedded word count in a fresh JVM; see the test that starts it. */
  static final class Embedded {
    private Embedded() {}

    public static void main(String[] args) {
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        TestJobGraph program = new TestJobGraph();
        JobVertex source = program.vertex("source", 2, Fixtures.numbers(1000));
        JobVertex sink =
            program.vertex(
                "sink", 2, new OperatorSpec.Map(record -> "n" + record), Fixtures.collect());
        program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
        TestRun run = TestRun.start(program.build(), host).awaitEnd();
        System.out.println("collected " + run.collected().size());
      }
    }
  }

  @Test
  void aHostWithoutAPortLoadsNeitherNettyNorFory() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "-cp",
                classPath(),
                Embedded.class.getName())
            .redirectErrorStream(true)
            .start();
    List<String> lines;
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      lines = out.lines().toList();
    }
    assertThat(process.waitFor()).isZero();
    assertThat(lines).contains("collected 1000");
    assertThat(lines).anyMatch(line -> line.contains(" io.millrace.dataplane.task.Task "));
    assertThat(lines)
        .filteredOn(line -> line.contains(" io.netty.") || line.contains(" org.apache.fory."))
        .isEmpty();
  }
}

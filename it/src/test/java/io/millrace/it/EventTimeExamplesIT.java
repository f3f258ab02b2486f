package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The event-time examples, run from the command line and compared with a loop over the same lines.
 */
class EventTimeExamplesIT {
  private static final int LINES = 20_000;
  private static final long SEED = 23;
  private static final long DISORDER = 300;

  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;
  private static Path input;
  private static final List<Arrival> ARRIVALS = new ArrayList<>();

  private record Arrival(long time, String name) {}

  @BeforeAll
  static void start() throws Exception {
    Random random = new Random(SEED);
    long time = 0;
    for (int i = 0; i < LINES; i++) {
      time += random.nextInt(20);
      long behind = random.nextInt(50) == 0 ? random.nextInt(3000) : random.nextInt(250);
      ARRIVALS.add(new Arrival(Math.max(0, time - behind), "name" + random.nextInt(40)));
    }
    input = SHELL.directory().resolve("arrivals");
    Files.write(input, ARRIVALS.stream().map(a -> a.time + "\t" + a.name).toList());
    cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "2");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Processes one line after the other, with a watermark behind the maximum timestamp. */
  private interface Reader {
    void read(Arrival arrival, long watermark);
  }

  private static void readAll(Reader reader) {
    long highest = Long.MIN_VALUE;
    for (Arrival arrival : ARRIVALS) {
      reader.read(arrival, highest == Long.MIN_VALUE ? highest : highest - DISORDER - 1);
      highest = Math.max(highest, arrival.time);
    }
  }

  private static List<String> counts(long size, long lateness) {
    Map<String, Long> counts = new TreeMap<>();
    List<String> lines = new ArrayList<>();
    List<String> firedLater = new ArrayList<>();
    readAll(
        (arrival, watermark) -> {
          long start = arrival.time - arrival.time % size;
          String window = start + "\t" + arrival.name;
          if (start + size - 1 + lateness <= watermark) {
            lines.add("late\t" + arrival.time + "\t" + arrival.name);
            return;
          }
          if (start + size - 1 <= watermark) {
            // A window that is not empty has fired; a late record fires it again.
            Long before = counts.get(window);
            if (before != null && !firedLater.contains(window)) {
              lines.add(window + "\t" + before);
            }
            firedLater.add(window);
            lines.add(window + "\t" + (before == null ? 1 : before + 1));
          }
          counts.merge(window, 1L, Long::sum);
        });
    counts.forEach(
        (window, count) -> {
          if (!firedLater.contains(window)) {
            lines.add(window + "\t" + count);
          }
        });
    lines.sort(null);
    return lines;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  @Behaviour(
      "H1: windows give the results of a naive model for any lateness, parallelism and number of"
          + " hosts")
  void windowedCountEqualsThatOfALoop(int parallelism) throws Exception {
    List<String> expected = counts(2000, 0);
    assertThat(expected).anyMatch(line -> line.startsWith("late"));
    assertThat(lines("windowed-count", parallelism, "--window", "2000")).isEqualTo(expected);
  }

  @Test
  void windowedCountUpdatesWindowsWithinTheAllowedLateness() throws Exception {
    List<String> expected = counts(1000, 1500);
    assertThat(expected).anyMatch(line -> line.startsWith("late"));
    assertThat(lines("windowed-count", 2, "--lateness", "1500")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  @Behaviour(
      "H1: windows give the results of a naive model for any lateness, parallelism and number of"
          + " hosts")
  void sessionsEqualThoseOfALoop(int parallelism) throws Exception {
    long gap = 700;
    Map<String, List<long[]>> open = new TreeMap<>();
    List<String> expected = new ArrayList<>();
    readAll(
        (arrival, watermark) -> {
          List<long[]> sessions = open.computeIfAbsent(arrival.name, name -> new ArrayList<>());
          long[] grown = {arrival.time, arrival.time, 1};
          List<long[]> touched = new ArrayList<>();
          for (long[] session : sessions) {
            boolean fired = session[1] + gap - 1 <= watermark;
            if (!fired && session[0] <= arrival.time + gap && session[1] + gap >= arrival.time) {
              touched.add(session);
              grown[0] = Math.min(grown[0], session[0]);
              grown[1] = Math.max(grown[1], session[1]);
              grown[2] += session[2];
            }
          }
          if (grown[1] + gap - 1 <= watermark) {
            return;
          }
          sessions.removeAll(touched);
          sessions.add(grown);
        });
    open.forEach(
        (name, sessions) ->
            sessions.forEach(
                session ->
                    expected.add(
                        name + "\t" + session[0] + "\t" + session[1] + "\t" + session[2])));
    expected.sort(null);
    assertThat(lines("sessions", parallelism, "--gap", "700")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  @Behaviour("H1: bounded programs give the results of a loop")
  void topKEqualsThatOfALoop(int parallelism) throws Exception {
    long size = 3000;
    Map<Long, Map<String, Long>> counts = new TreeMap<>();
    readAll(
        (arrival, watermark) -> {
          long start = arrival.time - arrival.time % size;
          if (start + size - 1 > watermark) {
            counts
                .computeIfAbsent(start, window -> new TreeMap<>())
                .merge(arrival.name, 1L, Long::sum);
          }
        });
    List<String> expected = new ArrayList<>();
    counts.forEach(
        (start, names) -> {
          List<Map.Entry<String, Long>> ranked = new ArrayList<>(names.entrySet());
          ranked.sort(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()));
          for (int i = 0; i < Math.min(5, ranked.size()); i++) {
            expected.add(
                start
                    + "\t"
                    + (i + 1)
                    + "\t"
                    + ranked.get(i).getKey()
                    + "\t"
                    + ranked.get(i).getValue());
          }
        });
    expected.sort(null);
    assertThat(lines("top-k", parallelism, "--window", "3000", "--k", "5")).isEqualTo(expected);
  }

  @Test
  void everyExampleHasBundledLines() throws Exception {
    for (String example : List.of("windowed-count", "sessions", "top-k")) {
      List<String> first = run(example);
      assertThat(first).as(example).hasSizeGreaterThan(10);
      assertThat(run(example, "-p", "3")).as(example).isEqualTo(first);
    }
    assertThat(run("windowed-count")).anyMatch(line -> line.startsWith("late\t"));
  }

  private static List<String> run(String example, String... options) throws Exception {
    List<String> line = new ArrayList<>(List.of("run"));
    line.addAll(List.of(options));
    line.add(Shell.example(example + ".jar").toString());
    return SHELL.millrace(line.toArray(new String[0])).succeeded().out().stream().sorted().toList();
  }

  /** Runs it embedded and on a cluster, with file output. */
  private static List<String> lines(String example, int parallelism, String... more)
      throws Exception {
    List<String> embedded = lines("local", example, parallelism, more);
    assertThat(lines("remote", example, parallelism, more)).isEqualTo(embedded);
    return embedded;
  }

  private static List<String> lines(String target, String example, int parallelism, String... more)
      throws Exception {
    Path output =
        SHELL
            .directory()
            .resolve(example + "-" + target + "-" + parallelism + "-" + String.join("", more));
    List<String> line = new ArrayList<>(List.of("run", "-t", target));
    line.addAll(List.of("-p", String.valueOf(parallelism)));
    line.add(Shell.example(example + ".jar").toString());
    line.addAll(List.of("--input", input.toString(), "--output", output.toString()));
    line.addAll(List.of("--disorder", String.valueOf(DISORDER)));
    line.addAll(List.of(more));
    cluster.millrace(line.toArray(new String[0])).succeeded();
    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output)) {
      for (Path part : parts.toList()) {
        lines.addAll(Files.readAllLines(part));
      }
    }
    lines.sort(null);
    return lines;
  }
}

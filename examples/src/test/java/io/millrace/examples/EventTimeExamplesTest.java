package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.execution.ProgramContext;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples with event time, against what a reader of their description would compute. */
@ResourceLock("bound program context")
@ResourceLock(Resources.SYSTEM_OUT)
class EventTimeExamplesTest {
  private static final int SEEDS = 30;

  @TempDir private Path directory;

  @Test
  void windowedCountCountsOrReportsEveryLine() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Timed> arrivals = arrivals(seed);

      List<String> lines =
          run(
              WindowedCount::main,
              "--input",
              file(arrivals),
              "--window",
              "100",
              "--disorder",
              "50");

      Map<String, Integer> expected = new TreeMap<>();
      List<String> late = new ArrayList<>();
      long highest = Long.MIN_VALUE;
      for (Timed arrival : arrivals) {
        long start = Math.floorDiv(arrival.time(), 100) * 100;
        if (highest != Long.MIN_VALUE && start + 99 <= highest - 51) {
          late.add("late\t" + arrival.time() + "\t" + arrival.name());
        } else {
          expected.merge(start + "\t" + arrival.name(), 1, Integer::sum);
        }
        highest = Math.max(highest, arrival.time());
      }
      List<String> all = new ArrayList<>(late);
      expected.forEach((window, count) -> all.add(window + "\t" + count));
      assertThat(lines).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  /** A line may be behind the latest one by the disorder, and not by a millisecond more. */
  @Test
  void lineThatIsBehindByTheDisorderIsInTime() throws Exception {
    String[] options = {"--window", "100", "--disorder", "50", "--input", ""};
    options[5] = file(List.of(new Timed(149, "rye"), new Timed(99, "rye")));
    assertThat(run(WindowedCount::main, options))
        .containsExactlyInAnyOrder("0\trye\t1", "100\trye\t1");

    options[5] = file(List.of(new Timed(150, "rye"), new Timed(99, "rye")));
    assertThat(run(WindowedCount::main, options))
        .containsExactlyInAnyOrder("late\t99\trye", "100\trye\t1");
  }

  @Test
  void lateLinesWithinTheLatenessUpdateTheirWindow() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Timed> arrivals = arrivals(seed);

      List<String> lines =
          run(
              WindowedCount::main,
              "--input",
              file(arrivals),
              "--window",
              "100",
              "--disorder",
              "1",
              "--lateness",
              "1000000");

      Map<String, Integer> expected = new TreeMap<>();
      for (Timed arrival : arrivals) {
        long start = Math.floorDiv(arrival.time(), 100) * 100;
        expected.merge(start + "\t" + arrival.name(), 1, Integer::sum);
      }
      Map<String, Integer> last = new TreeMap<>();
      for (String line : lines) {
        int tab = line.lastIndexOf('\t');
        Integer before =
            last.put(line.substring(0, tab), Integer.parseInt(line.substring(tab + 1)));
        assertThat(before == null ? 0 : before)
            .as("seed %d: counts of '%s' grow", seed, line)
            .isLessThan(Integer.parseInt(line.substring(tab + 1)));
      }
      assertThat(last).as("seed %d", seed).isEqualTo(expected);
      assertThat(lines).as("seed %d", seed).noneMatch(line -> line.startsWith("late"));
    }
  }

  @Test
  void sessionsHaveNoGapInside() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Timed> arrivals = arrivals(seed);

      List<String> lines =
          run(Sessions::main, "--input", file(arrivals), "--gap", "40", "--disorder", "1000000");

      Map<String, List<Long>> byName = new LinkedHashMap<>();
      arrivals.forEach(
          arrival ->
              byName
                  .computeIfAbsent(arrival.name(), absent -> new ArrayList<>())
                  .add(arrival.time()));
      List<String> expected = new ArrayList<>();
      byName.forEach(
          (name, times) -> {
            times.sort(Comparator.naturalOrder());
            int first = 0;
            for (int i = 1; i <= times.size(); i++) {
              if (i == times.size() || times.get(i) - times.get(i - 1) > 40) {
                expected.add(
                    name + "\t" + times.get(first) + "\t" + times.get(i - 1) + "\t" + (i - first));
                first = i;
              }
            }
          });
      assertThat(lines).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void topKRanksTheNamesOfEachWindow() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Timed> arrivals = arrivals(seed);

      List<String> lines =
          run(
              TopK::main,
              "--input",
              file(arrivals),
              "--window",
              "200",
              "--k",
              "2",
              "--disorder",
              "1000000");

      Map<Long, Map<String, Long>> windows = new TreeMap<>();
      arrivals.forEach(
          arrival ->
              windows
                  .computeIfAbsent(
                      Math.floorDiv(arrival.time(), 200) * 200, absent -> new TreeMap<>())
                  .merge(arrival.name(), 1L, Long::sum));
      List<String> expected = new ArrayList<>();
      windows.forEach(
          (start, counts) -> {
            List<Map.Entry<String, Long>> ranked = new ArrayList<>(counts.entrySet());
            ranked.sort(
                Map.Entry.<String, Long>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()));
            for (int rank = 0; rank < Math.min(2, ranked.size()); rank++) {
              expected.add(
                  start
                      + "\t"
                      + (rank + 1)
                      + "\t"
                      + ranked.get(rank).getKey()
                      + "\t"
                      + ranked.get(rank).getValue());
            }
          });
      assertThat(lines).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void smallPaymentFollowedByALargeOneGivesAnAlert() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Timed> payments = new ArrayList<>();
      Map<String, Long> suspects = new LinkedHashMap<>();
      List<String> expected = new ArrayList<>();
      long time = 0;
      for (int i = 0; i < 100; i++) {
        time += random.nextInt(40);
        String account = "account " + random.nextInt(3);
        long cents = List.of(5L, 10L, 50L, 1_000L, 1_001L).get(random.nextInt(5));
        payments.add(new Timed(time, account + "\t" + cents));
        Long since = suspects.remove(account);
        if (since != null && cents >= 1_000 && time - since <= 100) {
          expected.add(account + "\t" + time + "\t" + cents);
        }
        if (cents <= 10) {
          suspects.put(account, time);
        }
      }
      // With little disorder timers remove old suspects, with much of it nothing does.
      for (String disorder : List.of("1", "1000000")) {
        List<String> lines =
            run(
                FraudAlerts::main,
                "--input",
                file(payments),
                "--small",
                "10",
                "--large",
                "1000",
                "--within",
                "100",
                "--disorder",
                disorder);
        assertThat(lines).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"account", "account\t", "account\tmuch", "\t5"})
  void otherPaymentsAreNamed(String rest) {
    Timed timed = new Timed(7, rest);
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> FraudAlerts.Payment.of(timed))
        .withMessage("A line must be MILLIS<TAB>ACCOUNT<TAB>CENTS, but is '7\t" + rest + "'.");
  }

  @Test
  void bundledLinesGiveResultsToAllOfThem() throws Exception {
    assertThat(run(WindowedCount::main))
        .isNotEmpty()
        .allMatch(line -> line.matches("late\t\\d+\t\\w+|\\d+\t\\w+\t\\d+"));
    assertThat(run(Sessions::main)).isNotEmpty().allMatch(line -> line.split("\t").length == 4);
    assertThat(run(TopK::main))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\d+\t[1-3]\t\\w+\t\\d+"));
    assertThat(run(FraudAlerts::main))
        .containsExactlyInAnyOrder("mill-3\t43000\t82000", "mill-1\t125000\t61500");
  }

  @ParameterizedTest
  @CsvSource({"'5\twheat', 5, wheat", "'-7\tx', -7, x", "'0\ta\tb', 0, 'a\tb'"})
  void lineIsATimeAndAName(String line, long time, String name) {
    assertThat(Timed.parse(line)).isEqualTo(new Timed(time, name));
    assertThat(Timed.parse(line).line()).isEqualTo(line);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5\t", "\twheat", "five\twheat", "5 wheat", "1.5\twheat"})
  void otherLinesAreNamed(String line) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> Timed.parse(line))
        .withMessage("A line must be MILLIS<TAB>NAME, but is '" + line + "'.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--window", "--k", "--disorder"})
  void numbersAreWholeAndPositive(String name) {
    for (String wrong : List.of("0", "-1", "1.5", "ten", "99999999999999999999")) {
      assertThatExceptionOfType(MillraceException.class)
          .isThrownBy(() -> run(TopK::main, name, wrong))
          .withMessage(name + " must be a whole number > 0, but is '" + wrong + "'.");
    }
  }

  @Test
  void unknownArgumentsAreToldTheUsage() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> run(Sessions::main, "--gaps", "1"))
        .withMessage(
            "Unknown argument '--gaps'. Usage: [--input VALUE] [--output VALUE] [--gap VALUE]"
                + " [--disorder VALUE]");
  }

  @Test
  void countMergesIntoTheLeftOne() {
    Count count = new Count();
    long[] left = count.add(count.add(count.create(), "a"), "b");
    long[] right = count.add(count.create(), "c");

    assertThat(count.result(count.merge(left, right))).isEqualTo(3);
    assertThat(count.result(right)).as("the right one is not changed").isEqualTo(1);
    assertThat(count.result(count.merge(count.create(), right))).isEqualTo(1);
  }

  /** Times go forward with some disorder; some lines are very late. */
  private static List<Timed> arrivals(int seed) {
    Random random = new Random(seed);
    List<Timed> arrivals = new ArrayList<>();
    long now = -500;
    int size = random.nextInt(1, 120);
    for (int i = 0; i < size; i++) {
      now += random.nextInt(60);
      long time = now - random.nextInt(random.nextInt(10) == 0 ? 600 : 40);
      arrivals.add(new Timed(time, List.of("rye", "oats", "wheat").get(random.nextInt(3))));
    }
    return arrivals;
  }

  private String file(List<Timed> arrivals) throws IOException {
    Path file = Files.createTempFile(directory, "arrivals", ".txt");
    return Files.write(file, arrivals.stream().map(Timed::line).toList()).toString();
  }

  /** The lines that the example collected, which it also printed. */
  private static List<String> run(Consumer<String[]> main, String... args) throws Exception {
    EventTimeRunner runner = new EventTimeRunner();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      new ProgramContext(runner, Configuration.EMPTY)
          .during(
              () -> {
                main.accept(args);
                return true;
              });
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .containsExactlyElementsOf(runner.lines());
    return runner.lines();
  }
}

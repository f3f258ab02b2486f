package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes the right output of a small workload by hand, and damages it. */
class OutputVerifierTest {
  /** One key: each result can be written down without the formula of the keys. */
  private static final SoakWorkload WORKLOAD = new SoakWorkload(2_400, 1);

  @TempDir Path output;
  private final Map<String, List<String>> lines = new TreeMap<>();

  @BeforeEach
  void writeDownTheRightOutput() {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 2_400; i++) {
      records.add("g " + i + " k0 " + (records.size() + 1));
    }
    for (int i = 0; i < 120; i++) {
      records.add("f " + i + " k0 " + (records.size() + 1));
    }
    lines.put("records", records);
    // Lines 0 to 49 are in the first second, 50 to 99 in the second, 100 to 119 in the third.
    long first = sum(0, 1_000) + sum(0, 50);
    long second = sum(1_000, 2_000) + sum(50, 100);
    long third = sum(2_000, 2_400) + sum(100, 120);
    lines.put(
        "tumbling",
        new ArrayList<>(
            List.of(
                "k0 0 1000 1050 " + first,
                "k0 1000 2000 1050 " + second,
                "k0 2000 3000 420 " + third)));
    lines.put(
        "sliding",
        new ArrayList<>(
            List.of(
                "k0 -2000 1000 1050 " + first,
                "k0 -1000 2000 2100 " + (first + second),
                "k0 0 3000 2520 " + (first + second + third),
                "k0 1000 4000 1470 " + (second + third),
                "k0 2000 5000 420 " + third)));
    lines.put(
        "session", new ArrayList<>(List.of("k0 0 2599 2520 " + (sum(0, 2_400) + sum(0, 120)))));
    List<String> timers = new ArrayList<>();
    Map<Long, Integer> event = new TreeMap<>();
    for (int i = 0; i < 2_400; i++) {
      if (i % 7 == 0) {
        event.merge(i + 500L, 1, Integer::sum);
      }
      if (i % 11 == 0) {
        timers.add("p g " + i);
      }
    }
    for (int i = 0; i < 120; i++) {
      if (i % 7 == 0) {
        event.merge(i * 20L + 500, 1, Integer::sum);
      }
      if (i % 11 == 0) {
        timers.add("p f " + i);
      }
    }
    event.forEach((time, count) -> timers.add("e k0 " + time + " " + count));
    lines.put("timers", timers);
  }

  private static long sum(long from, long to) {
    long sum = 0;
    for (long i = from; i < to; i++) {
      sum += i;
    }
    return sum;
  }

  private List<String> problems() throws IOException {
    for (Map.Entry<String, List<String>> directory : lines.entrySet()) {
      Path path = Files.createDirectories(output.resolve(directory.getKey()));
      Files.write(path.resolve("part-0-0"), directory.getValue());
      Files.writeString(path.resolve(".part-0-1-ab.inprogress"), "not committed\n");
    }
    return new OutputVerifier(output, WORKLOAD).problems();
  }

  @Test
  void acceptsTheRightOutput() throws IOException {
    assertThat(problems()).isEmpty();
  }

  @Test
  void reportsALineThatIsMissingFromAnyDirectory() throws IOException {
    for (List<String> directory : lines.values()) {
      for (int at : List.of(0, directory.size() / 2, directory.size() - 1)) {
        String removed = directory.remove(at);
        assertThat(problems()).as(removed).isNotEmpty();
        directory.add(at, removed);
      }
    }
    assertThat(problems()).isEmpty();
  }

  @Test
  void reportsALineThatIsThereTwice() throws IOException {
    for (List<String> directory : lines.values()) {
      directory.add(directory.get(0));
      assertThat(problems()).as(directory.get(0)).isNotEmpty();
      directory.remove(directory.size() - 1);
    }
    assertThat(problems()).isEmpty();
  }

  @Test
  void reportsCountsAndSumsThatAreWrong() throws IOException {
    for (String name : List.of("records", "tumbling", "sliding", "session")) {
      List<String> directory = lines.get(name);
      String right = directory.get(0);
      directory.set(0, right + "0");
      assertThat(problems()).as(right).isNotEmpty();
      directory.set(0, right);
    }
    List<String> timers = lines.get("timers");
    int event = timers.indexOf("e k0 500 2");
    timers.set(event, "e k0 500 1");
    assertThat(problems())
        .containsExactly(
            "The event-time timer of k0 at 500 fired with 1 instead of 2, in timers/part-0-0");
  }

  @Test
  void reportsARecordThatWasNeverRead() throws IOException {
    lines.get("records").add("g 2400 k0 2521");
    assertThat(problems())
        .contains("There are 2521 records; 2520 were read")
        .anyMatch(problem -> problem.contains("counted up to 2521"));
  }

  /** A part that a crash has damaged, or that another program has written. */
  @Test
  void reportsLinesThatAreNotOfTheProgram() throws IOException {
    assertThat(problems()).isEmpty();
    for (List<String> directory : lines.values()) {
      String right = directory.get(0);
      for (String wrong :
          List.of(
              "",
              " ",
              "\0\0\0\0",
              right + " and more",
              " " + right,
              right.replace(' ', '\t'),
              right.substring(0, right.lastIndexOf(' ')),
              right.replace("0", "zero"),
              "x" + right,
              right + right)) {
        directory.set(0, wrong);
        assertThat(problems()).as("'%s'", wrong).isNotEmpty();
        directory.set(0, right);
      }
    }
    assertThat(problems()).isEmpty();
  }

  @Test
  void reportsBytesThatAreNoText() throws IOException {
    problems();
    Files.write(
        output.resolve("records").resolve("part-9-9"),
        new byte[] {'g', ' ', (byte) 0xff, (byte) 0xc3, '\n'});
    assertThat(new OutputVerifier(output, WORKLOAD).problems())
        .singleElement()
        .asString()
        .contains("records/part-9-9 is not one of the program");
  }

  @Test
  void reportsADirectoryThatIsMissing() throws IOException {
    lines.remove("sliding");
    assertThat(problems())
        .contains("There is no directory sliding")
        .filteredOn(problem -> problem.startsWith("Window"))
        .hasSize(5);
  }

  @Test
  void linesMayBeInAnyOrderAndInSeveralParts() throws IOException {
    for (Map.Entry<String, List<String>> directory : lines.entrySet()) {
      Collections.shuffle(directory.getValue(), new Random(3));
      Path path = Files.createDirectories(output.resolve(directory.getKey()));
      List<String> all = directory.getValue();
      Files.write(path.resolve("part-1-0"), all.subList(0, all.size() / 2));
      Files.write(path.resolve("part-0-7"), all.subList(all.size() / 2, all.size()));
    }
    OutputVerifier verifier = new OutputVerifier(output, WORKLOAD);
    assertThat(verifier.problems()).isEmpty();
    assertThat(verifier.lines()).isEqualTo(lines.values().stream().mapToInt(List::size).sum());
  }

  @Test
  void limitsWhatItReports() throws IOException {
    lines.replaceAll((directory, all) -> new ArrayList<>());
    assertThat(problems()).hasSize(41).last().asString().matches("… and \\d+ more");
  }
}

package io.millrace.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Computes from the input which lines the committed output must have, and compares. It shares no
 * code with the program.
 */
final class OutputVerifier {
  private static final int MOST_PROBLEMS = 40;

  private final Path output;
  private final SoakWorkload workload;
  private final List<String> problems = new ArrayList<>();
  private long problemCount;
  private long lines;

  OutputVerifier(Path output, SoakWorkload workload) {
    this.output = output;
    this.workload = workload;
  }

  /** The differences; empty if the output is right. The number of lines read goes to the log. */
  List<String> problems() throws IOException {
    verifyRecords();
    verifyWindows("tumbling", tumbling());
    verifyWindows("sliding", sliding());
    verifyWindows("session", sessions());
    verifyTimers();
    if (problemCount > problems.size()) {
      problems.add("… and " + (problemCount - problems.size()) + " more");
    }
    return problems;
  }

  long lines() {
    return lines;
  }

  private void problem(String text) {
    problemCount++;
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(text);
    }
  }

  /**
   * Calls back with each line of the committed parts of a directory, and the name of its file.
   *
   * @param fields the number of fields of a line that begins with this one
   */
  private void read(
      String directory, ToIntFunction<String> fields, BiConsumer<String[], String> line)
      throws IOException {
    if (!Files.isDirectory(output.resolve(directory))) {
      problem("There is no directory " + directory);
      return;
    }
    List<Path> parts;
    try (Stream<Path> files = Files.list(output.resolve(directory))) {
      parts =
          files.filter(file -> !file.getFileName().toString().startsWith(".")).sorted().toList();
    }
    for (Path part : parts) {
      String name = directory + "/" + part.getFileName();
      // Replaces what is no text, so that the line is reported.
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(Files.newInputStream(part), StandardCharsets.UTF_8))) {
        for (String text = in.readLine(); text != null; text = in.readLine()) {
          lines++;
          String[] found = text.split(" ", -1);
          try {
            int wanted = fields.applyAsInt(found[0]);
            if (found.length != wanted) {
              throw new IllegalArgumentException(found.length + " fields instead of " + wanted);
            }
            line.accept(found, name);
          } catch (RuntimeException e) {
            problem("Line '" + text + "' of " + name + " is not one of the program: " + e);
          }
        }
      }
    }
  }

  /** Each record of the input with its source. */
  private interface RecordVisitor {
    void visit(String source, long number, String key, long time);
  }

  private void forEachRecord(RecordVisitor visitor) {
    for (long number = 0; number < workload.generated(); number++) {
      visitor.visit("g", number, workload.keyOf(number), number);
    }
    for (long number = 0; number < workload.lines(); number++) {
      visitor.visit("f", number, workload.keyOf(number), workload.lineTime(number));
    }
  }

  // --- records and running counts

  private void verifyRecords() throws IOException {
    Map<String, BitSet> seen = new HashMap<>();
    seen.put("g", new BitSet());
    seen.put("f", new BitSet());
    Map<String, BitSet> counts = new HashMap<>();
    read(
        "records",
        source -> 4,
        (fields, part) -> {
          int number = Integer.parseInt(fields[1]);
          BitSet numbers = seen.get(fields[0]);
          if (numbers.get(number)) {
            problem("Record " + fields[0] + " " + number + " is there twice, again in " + part);
          }
          numbers.set(number);
          if (!workload.keyOf(number).equals(fields[2])) {
            problem("Record " + fields[0] + " " + number + " has key " + fields[2]);
          }
          int count = Integer.parseInt(fields[3]);
          BitSet ofKey = counts.computeIfAbsent(fields[2], key -> new BitSet());
          if (ofKey.get(count)) {
            problem(
                "Count " + count + " of key " + fields[2] + " is there twice, again in " + part);
          }
          ofKey.set(count);
        });
    Map<String, Integer> totals = new HashMap<>();
    forEachRecord(
        (source, number, key, time) -> {
          totals.merge(key, 1, Integer::sum);
          if (!seen.get(source).get((int) number)) {
            problem("Record " + source + " " + number + " is missing");
          }
        });
    long wanted = workload.generated() + workload.lines();
    long found = (long) seen.get("g").cardinality() + seen.get("f").cardinality();
    if (found > wanted) {
      problem("There are " + found + " records; " + wanted + " were read");
    }
    totals.forEach(
        (key, total) -> {
          BitSet ofKey = counts.getOrDefault(key, new BitSet());
          if (ofKey.get(0) || ofKey.nextClearBit(1) != total + 1 || ofKey.length() != total + 1) {
            problem(
                "Key "
                    + key
                    + " was counted up to "
                    + (ofKey.length() - 1)
                    + " with "
                    + ofKey.cardinality()
                    + " distinct counts instead of "
                    + total);
          }
        });
  }

  // --- windows

  private void verifyWindows(String directory, Map<String, long[]> expected) throws IOException {
    read(
        directory,
        key -> 5,
        (fields, part) -> {
          String window = fields[0] + " " + fields[1] + " " + fields[2];
          long[] total = expected.remove(window);
          if (total == null) {
            problem(
                "Window "
                    + window
                    + " of "
                    + directory
                    + " is there twice or must not exist, in "
                    + part);
          } else if (total[0] != Long.parseLong(fields[3])
              || total[1] != Long.parseLong(fields[4])) {
            problem(
                "Window "
                    + window
                    + " of "
                    + directory
                    + " has "
                    + fields[3]
                    + " records with sum "
                    + fields[4]
                    + " instead of "
                    + total[0]
                    + " and "
                    + total[1]
                    + ", in "
                    + part);
          }
        });
    expected.keySet().stream()
        .sorted()
        .forEach(window -> problem("Window " + window + " of " + directory + " is missing"));
  }

  private static void add(Map<String, long[]> windows, String window, long number) {
    long[] total = windows.computeIfAbsent(window, name -> new long[2]);
    total[0]++;
    total[1] += number;
  }

  private Map<String, long[]> tumbling() {
    Map<String, long[]> windows = new HashMap<>();
    forEachRecord(
        (source, number, key, time) -> {
          long start = time / 1_000 * 1_000;
          add(windows, key + " " + start + " " + (start + 1_000), number);
        });
    return windows;
  }

  private Map<String, long[]> sliding() {
    Map<String, long[]> windows = new HashMap<>();
    forEachRecord(
        (source, number, key, time) -> {
          long last = time / 1_000 * 1_000;
          for (long start = last - 2_000; start <= last; start += 1_000) {
            add(windows, key + " " + start + " " + (start + 3_000), number);
          }
        });
    return windows;
  }

  private Map<String, long[]> sessions() {
    Map<String, List<long[]>> byKey = new HashMap<>();
    forEachRecord(
        (source, number, key, time) ->
            byKey.computeIfAbsent(key, name -> new ArrayList<>()).add(new long[] {time, number}));
    Map<String, long[]> windows = new HashMap<>();
    byKey.forEach(
        (key, records) -> {
          long[][] ordered = records.toArray(long[][]::new);
          Arrays.sort(ordered, (left, right) -> Long.compare(left[0], right[0]));
          int first = 0;
          for (int next = 1; next <= ordered.length; next++) {
            // Sessions that touch each other are one.
            if (next == ordered.length || ordered[next][0] > ordered[next - 1][0] + 200) {
              String window = key + " " + ordered[first][0] + " " + (ordered[next - 1][0] + 200);
              for (int i = first; i < next; i++) {
                add(windows, window, ordered[i][1]);
              }
              first = next;
            }
          }
        });
    return windows;
  }

  // --- timers

  private void verifyTimers() throws IOException {
    Map<String, Long> event = new HashMap<>();
    Map<String, BitSet> processing = new HashMap<>();
    processing.put("g", new BitSet());
    processing.put("f", new BitSet());
    forEachRecord(
        (source, number, key, time) -> {
          if (number % 7 == 0) {
            event.merge(key + " " + (time + 500), 1L, Long::sum);
          }
          if (number % 11 == 0) {
            processing.get(source).set((int) number);
          }
        });
    read(
        "timers",
        kind ->
            switch (kind) {
              case "e" -> 4;
              case "p" -> 3;
              default -> throw new IllegalArgumentException("no kind of timer");
            },
        (fields, part) -> {
          if (fields[0].equals("e")) {
            Long count = event.remove(fields[1] + " " + fields[2]);
            if (count == null || !count.toString().equals(fields[3])) {
              problem(
                  "The event-time timer of "
                      + fields[1]
                      + " at "
                      + fields[2]
                      + " fired with "
                      + fields[3]
                      + " instead of "
                      + (count == null ? "not at all, or once before" : count)
                      + ", in "
                      + part);
            }
            return;
          }
          int number = Integer.parseInt(fields[2]);
          BitSet waiting = processing.get(fields[1]);
          if (!waiting.get(number)) {
            problem(
                "The processing-time timer of record "
                    + fields[1]
                    + " "
                    + number
                    + " fired twice or must not exist, in "
                    + part);
          }
          waiting.clear(number);
        });
    event.keySet().stream()
        .sorted()
        .forEach(timer -> problem("The event-time timer of " + timer + " is missing"));
    processing.forEach(
        (source, numbers) ->
            numbers.stream()
                .forEach(
                    number ->
                        problem(
                            "The processing-time timer of record "
                                + source
                                + " "
                                + number
                                + " is missing")));
  }
}

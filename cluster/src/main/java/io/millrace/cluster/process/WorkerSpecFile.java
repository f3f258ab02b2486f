package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The spec of a worker as a file: lines with a name and a number, external resources last. */
final class WorkerSpecFile {
  private static final List<String> NAMES =
      List.of("slots", "cpu", "task-heap", "task-off-heap", "managed", "network");

  private static final long MAX_BYTES = 1 << 20;

  private WorkerSpecFile() {}

  static void write(WorkerSpec spec, Path file) throws IOException {
    ResourceProfile total = spec.total();
    List<Object> numbers =
        List.of(
            spec.slots(),
            total.cpuCores(),
            total.taskHeap(),
            total.taskOffHeap(),
            total.managed(),
            total.network());
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < NAMES.size(); i++) {
      lines.add(NAMES.get(i) + " " + numbers.get(i));
    }
    total.external().forEach((name, count) -> lines.add(name + " " + count));
    Files.write(file, lines);
  }

  /** Empty if the file is incomplete, damaged or of another version. */
  static Optional<WorkerSpec> read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      return Optional.empty();
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
    return parse(lines);
  }

  private static Optional<WorkerSpec> parse(List<String> lines) {
    List<String> names = new ArrayList<>();
    List<String> numbers = new ArrayList<>();
    for (String line : lines) {
      int end = line.lastIndexOf(' ');
      if (end < 0) {
        return Optional.empty();
      }
      names.add(line.substring(0, end));
      numbers.add(line.substring(end + 1));
    }
    if (names.size() < NAMES.size() || !names.subList(0, NAMES.size()).equals(NAMES)) {
      return Optional.empty();
    }
    try {
      Map<String, Long> external = new TreeMap<>();
      for (int i = NAMES.size(); i < names.size(); i++) {
        external.put(names.get(i), Long.parseLong(numbers.get(i)));
      }
      return Optional.of(
          new WorkerSpec(
              new ResourceProfile(
                  Double.parseDouble(numbers.get(1)),
                  Long.parseLong(numbers.get(2)),
                  Long.parseLong(numbers.get(3)),
                  Long.parseLong(numbers.get(4)),
                  Long.parseLong(numbers.get(5)),
                  external),
              Integer.parseInt(numbers.get(0))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}

package io.millrace.cluster.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Says how a worker's process ended, with what it said last, in one line. */
final class ProcessExit {
  /** Codes above this tell the signal that killed a process. */
  private static final int SIGNALS = 128;

  private static final int LINES = 3;
  private static final int LONGEST = 400;
  private static final int LAST_BYTES = 4096;

  private ProcessExit() {}

  /** Whether a process ended by itself and not well, as those do that cannot start. */
  static boolean isFailure(OptionalInt code) {
    return code.isPresent() && code.getAsInt() != 0 && code.getAsInt() <= SIGNALS;
  }

  /**
   * @param code not known of a process that an earlier JobManager started
   */
  static String of(OptionalInt code, WorkerFiles.Place place) throws IOException {
    StringBuilder sentence = new StringBuilder();
    boolean killed = code.isPresent() && code.getAsInt() > SIGNALS;
    if (code.isEmpty()) {
      sentence.append("its process is gone");
    } else if (killed) {
      sentence.append("its process was killed by signal ").append(code.getAsInt() - SIGNALS);
    } else {
      sentence.append("exit code ").append(code.getAsInt());
    }
    lastWords(place, !killed).ifPresent(words -> sentence.append(": ").append(words));
    return sentence.toString();
  }

  /** What the JVM printed tells more than the log; a killed one has no time to say anything. */
  private static Optional<String> lastWords(WorkerFiles.Place place, boolean alsoLog)
      throws IOException {
    List<String> printed = lastLines(place.output(), LINES);
    if (!printed.isEmpty()) {
      return Optional.of(cut(String.join(" / ", printed)));
    }
    return alsoLog
        ? lastLines(place.log(), 1).stream().findFirst().map(ProcessExit::cut)
        : Optional.empty();
  }

  private static List<String> lastLines(Path file, int count) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, access.length() - LAST_BYTES);
      byte[] end = new byte[(int) (access.length() - from)];
      access.seek(from);
      access.readFully(end);
      List<String> lines =
          new String(end, StandardCharsets.UTF_8)
              .lines()
              .map(String::strip)
              .filter(line -> !line.isEmpty())
              .toList();
      return lines.subList(Math.max(0, lines.size() - count), lines.size());
    }
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}

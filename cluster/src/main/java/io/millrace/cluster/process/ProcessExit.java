package io.millrace.cluster.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Describes in one line how a worker process ended, with the end of its output. */
final class ProcessExit {
  /** Exit codes above this are 128 plus the number of the signal that killed the process. */
  private static final int SIGNAL_BASE = 128;

  private static final int LINES = 3;
  private static final int MAX_LENGTH = 400;
  private static final int TAIL_BYTES = 4096;

  private ProcessExit() {}

  /** Whether a process ended by itself with an error, for example because it could not start. */
  static boolean isFailure(OptionalInt code) {
    return code.isPresent() && code.getAsInt() != 0 && code.getAsInt() <= SIGNAL_BASE;
  }

  /**
   * @param code empty for a process that an earlier JobManager has started
   */
  static String of(OptionalInt code, WorkerFiles.WorkerPaths paths) throws IOException {
    StringBuilder sentence = new StringBuilder();
    boolean killed = code.isPresent() && code.getAsInt() > SIGNAL_BASE;
    if (code.isEmpty()) {
      sentence.append("its process is gone");
    } else if (killed) {
      sentence.append("its process was killed by signal ").append(code.getAsInt() - SIGNAL_BASE);
    } else {
      sentence.append("exit code ").append(code.getAsInt());
    }
    outputTail(paths, !killed).ifPresent(tail -> sentence.append(": ").append(tail));
    return sentence.toString();
  }

  /**
   * The output of the JVM, or the log if it is empty. The log of a killed process does not help.
   */
  private static Optional<String> outputTail(WorkerFiles.WorkerPaths paths, boolean alsoLog)
      throws IOException {
    List<String> printed = lastLines(paths.output(), LINES);
    if (!printed.isEmpty()) {
      return Optional.of(cut(String.join(" / ", printed)));
    }
    return alsoLog
        ? lastLines(paths.log(), 1).stream().findFirst().map(ProcessExit::cut)
        : Optional.empty();
  }

  private static List<String> lastLines(Path file, int count) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, access.length() - TAIL_BYTES);
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
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
  }
}

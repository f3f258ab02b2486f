package io.millrace.cli;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A process of a cluster on this machine.
 *
 * @param name {@code jobmanager}, or {@code taskmanager-N}
 * @param startedAt tells it from a later process that the system gave the same pid; milliseconds
 *     since the epoch, 0 where the system does not say
 */
record ClusterProcess(String name, long pid, long startedAt) {
  static final String JOB_MANAGER = "jobmanager";
  private static final String TASK_MANAGER = "taskmanager-";

  ClusterProcess {
    Objects.requireNonNull(name);
  }

  static String taskManager(int number) {
    return TASK_MANAGER + number;
  }

  static ClusterProcess of(String name, ProcessHandle handle) {
    return new ClusterProcess(name, handle.pid(), startOf(handle));
  }

  static ClusterProcess parse(String name, String line) {
    try {
      String[] parts = line.strip().split(" ");
      return new ClusterProcess(name, Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The pid file of " + name + " is damaged: '" + line.strip() + "'.",
          e);
    }
  }

  String toLine() {
    return pid + " " + startedAt + "\n";
  }

  boolean isJobManager() {
    return name.equals(JOB_MANAGER);
  }

  /** N of {@code taskmanager-N}; 0 for the JobManager. */
  int number() {
    return isJobManager() ? 0 : Integer.parseInt(name.substring(TASK_MANAGER.length()));
  }

  boolean isAlive() {
    return handle().isPresent();
  }

  Optional<ProcessHandle> handle() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(handle -> startedAt == 0 || startOf(handle) == startedAt)
        .filter(handle -> !isZombie(handle.pid()));
  }

  /** A process whose end nobody has taken note of yet has ended all the same. */
  private static boolean isZombie(long pid) {
    Path stat = Path.of("/proc", String.valueOf(pid), "stat");
    try {
      // The state follows the name, which stands in parentheses and may hold any character.
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.startsWith(" Z", text.lastIndexOf(')') + 1);
    } catch (IOException e) {
      // Gone in this moment, or a system that has no such file and says so itself.
      return false;
    }
  }

  private static long startOf(ProcessHandle handle) {
    return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }
}

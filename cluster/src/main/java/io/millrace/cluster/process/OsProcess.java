package io.millrace.cluster.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A process of this machine, identified by its pid and start time, because pids are reused.
 *
 * @param startedAt milliseconds since the epoch; 0 if the operating system does not provide it
 */
public record OsProcess(long pid, long startedAt) {
  /**
   * Linux stores start times relative to the boot time, and its estimate of the boot time changes
   * with the clock. So two JVMs may see start times of one process that differ by a second.
   */
  private static final long TOLERANCE_MILLIS = 2_000;

  private static final Path OWN_STAT = Path.of("/proc/self/stat");

  public static OsProcess of(ProcessHandle handle) {
    return new OsProcess(handle.pid(), startOf(handle));
  }

  /** Reads what {@link #toLine} wrote; empty if the line is incomplete. */
  public static Optional<OsProcess> parse(String line) {
    String[] parts = line.strip().split(" ", -1);
    try {
      return parts.length == 2 && line.endsWith("\n")
          ? Optional.of(new OsProcess(Long.parseLong(parts[0]), Long.parseLong(parts[1])))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  public String toLine() {
    return pid + " " + startedAt + "\n";
  }

  public boolean isAlive() {
    return handle().isPresent();
  }

  /** The process while it runs. */
  public Optional<ProcessHandle> handle() {
    return running(pid)
        .filter(
            handle ->
                startedAt == 0
                    || startOf(handle) == 0
                    || Math.abs(startOf(handle) - startedAt) <= TOLERANCE_MILLIS);
  }

  private static Optional<ProcessHandle> running(long pid) {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(handle -> !hasEnded(handle.pid()));
  }

  /**
   * Finds a process by its record and an argument. If the recorded process does not run with this
   * argument, all processes of the user are searched: a pid file may be damaged, or its pid reused.
   *
   * @param record a line of {@link #toLine}, or empty if there is none
   */
  public static Optional<OsProcess> find(String record, String argument) {
    return parse(record)
        .filter(process -> process.hasArgument(argument))
        .or(() -> marked(argument));
  }

  /** Whether it runs with this argument; true also if the arguments are not readable. */
  private boolean hasArgument(String argument) {
    return handle()
        .map(OsProcess::arguments)
        .filter(all -> all.isEmpty() || all.contains(argument))
        .isPresent();
  }

  /** The process of this user with this argument. */
  public static Optional<OsProcess> marked(String argument) {
    return withArgument(argument::equals).keySet().stream().findFirst();
  }

  /** The processes of this user with a matching argument, and the first such argument of each. */
  public static Map<OsProcess, String> withArgument(Predicate<String> wanted) {
    Optional<String> user = ProcessHandle.current().info().user();
    Map<OsProcess, String> found = new LinkedHashMap<>();
    ProcessHandle.allProcesses()
        .filter(handle -> handle.info().user().equals(user))
        .forEach(
            handle -> {
              List<String> arguments = arguments(handle);
              arguments.stream()
                  .filter(wanted)
                  .findFirst()
                  .filter(argument -> handle.isAlive() && !isForked(handle, arguments))
                  .ifPresent(argument -> found.put(of(handle), argument));
            });
    return found;
  }

  /**
   * Whether a process is a copy of its parent. Until it starts a program of its own, it has the
   * arguments of the parent.
   */
  private static boolean isForked(ProcessHandle handle, List<String> arguments) {
    return handle.parent().filter(parent -> arguments(parent).equals(arguments)).isPresent();
  }

  /** All arguments. The JDK returns at most 4096 bytes, which a class path can exceed. */
  private static List<String> arguments(ProcessHandle handle) {
    Path file = Path.of("/proc", String.valueOf(handle.pid()), "cmdline");
    try {
      return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException e) {
      // The process has just ended, or the system has no procfs.
      return handle.info().arguments().map(List::of).orElse(List.of());
    }
  }

  /** Whether a process is a zombie or ends during the call. */
  private static boolean hasEnded(long pid) {
    Path stat = Path.of("/proc", String.valueOf(pid), "stat");
    try {
      // The state follows the name, which is in parentheses and may contain any character.
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.startsWith(" Z", text.lastIndexOf(')') + 1);
    } catch (IOException e) {
      // Without procfs, the JDK detects the end of processes.
      return Files.exists(OWN_STAT);
    }
  }

  private static long startOf(ProcessHandle handle) {
    return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }
}

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
 * A process of this machine, told from a later one that the system gave the same pid.
 *
 * @param startedAt milliseconds since the epoch, 0 where the system does not say
 */
public record OsProcess(long pid, long startedAt) {
  /**
   * The system keeps starts relative to its own, and what it takes for that moment moves a little
   * when the clock is adjusted, so that two JVMs may see one start a second apart.
   */
  private static final long TOLERANCE = 2_000;

  private static final Path OWN_STAT = Path.of("/proc/self/stat");

  public static OsProcess of(ProcessHandle handle) {
    return new OsProcess(handle.pid(), startOf(handle));
  }

  /** Reads what {@link #toLine} wrote; nothing where that was cut short. */
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

  /** The process as long as it runs and is this one. */
  public Optional<ProcessHandle> handle() {
    return running(pid)
        .filter(
            handle ->
                startedAt == 0
                    || startOf(handle) == 0
                    || Math.abs(startOf(handle) - startedAt) <= TOLERANCE);
  }

  private static Optional<ProcessHandle> running(long pid) {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(handle -> !hasEnded(handle.pid()));
  }

  /**
   * The process that was recorded, as long as it runs and has this word among its arguments; else
   * the one that has. A pid file may be damaged, or older than the process that has the pid now.
   */
  public static Optional<OsProcess> find(Optional<OsProcess> recorded, String word) {
    return recorded.filter(process -> process.isMarked(word)).or(() -> marked(word));
  }

  /** Whether it runs with this word among its arguments, as far as the system tells these. */
  private boolean isMarked(String word) {
    return handle()
        .map(OsProcess::arguments)
        .filter(all -> all.isEmpty() || all.contains(word))
        .isPresent();
  }

  /** The process of this user that has this word among its arguments. */
  public static Optional<OsProcess> marked(String word) {
    return withArgument(word::equals).keySet().stream().findFirst();
  }

  /** The processes of this user that have such an argument, and the first one that each has. */
  public static Map<OsProcess, String> withArgument(Predicate<String> wanted) {
    Optional<String> user = ProcessHandle.current().info().user();
    Map<OsProcess, String> found = new LinkedHashMap<>();
    ProcessHandle.allProcesses()
        .filter(handle -> handle.info().user().equals(user))
        .forEach(
            handle ->
                arguments(handle).stream()
                    .filter(wanted)
                    .findFirst()
                    .filter(word -> handle.isAlive())
                    .ifPresent(word -> found.put(of(handle), word)));
    return found;
  }

  /** All of them; the JDK's own answer ends after a page, which a class path easily fills. */
  private static List<String> arguments(ProcessHandle handle) {
    Path file = Path.of("/proc", String.valueOf(handle.pid()), "cmdline");
    try {
      return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException e) {
      // Gone in this moment, or a system that has no such file.
      return handle.info().arguments().map(List::of).orElse(List.of());
    }
  }

  /**
   * A process whose end nobody has taken note of yet has ended all the same, and so has one that
   * goes while it is looked at.
   */
  private static boolean hasEnded(long pid) {
    Path stat = Path.of("/proc", String.valueOf(pid), "stat");
    try {
      // The state follows the name, which stands in parentheses and may hold any character.
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.startsWith(" Z", text.lastIndexOf(')') + 1);
    } catch (IOException e) {
      // A system that has no such files says by itself who has ended.
      return Files.exists(OWN_STAT);
    }
  }

  private static long startOf(ProcessHandle handle) {
    return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }
}

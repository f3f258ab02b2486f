package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What is kept of the workers that were started on this machine: a directory each under {@code
 * workers}, which is there before the process and goes after it, and their logs under {@code log},
 * which outlive them. A process runs in a directory under {@code work}, which goes with it unless a
 * job has left files there. A worker without a pid file, because whoever started it was killed
 * before writing one, is found by its name among the arguments of all processes.
 */
public final class WorkerFiles {
  public static final String WORKERS = "workers";

  /** Where processes have their working directories, each one of its own. */
  public static final String WORKING_DIRECTORIES = "work";

  static final String LOGS = "log";

  /** With this begin the names of all workers here. */
  static final String PREFIX = "process-";

  private static final int KEPT_LOGS = 50;
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;

  /**
   * What belongs to one worker.
   *
   * @param conf for its configuration
   * @param work its working directory
   * @param log what it logs
   * @param output what its JVM prints, such as a fatal error
   */
  public record Place(Path directory, Path conf, Path tmp, Path work, Path log, Path output) {}

  /** A worker whose process lives. */
  public record Living(WorkerId id, OsProcess process) {
    public Living {
      Objects.requireNonNull(id);
      Objects.requireNonNull(process);
    }
  }

  public WorkerFiles(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  Path root() {
    return root;
  }

  /** The workers that live, by name. */
  public List<Living> living() throws IOException {
    List<Living> living = new ArrayList<>();
    for (WorkerId id : known()) {
      process(id).ifPresent(process -> living.add(new Living(id, process)));
    }
    return living;
  }

  /** Every worker that has a directory, by name; dead ones too. */
  List<WorkerId> known() throws IOException {
    Path workers = root.resolve(WORKERS);
    if (!Files.isDirectory(workers)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(workers)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(PREFIX))
          .sorted()
          .map(WorkerId::new)
          .toList();
    }
  }

  /** Its process, if it lives. Nobody else's is ever taken for it. */
  Optional<OsProcess> process(WorkerId id) throws IOException {
    Path file = pidFile(id);
    return OsProcess.find(
        Files.exists(file) ? OsProcess.parse(Files.readString(file)) : Optional.empty(), mark(id));
  }

  /** The argument by which a worker's process is known among all. */
  static String mark(WorkerId id) {
    return TaskManagerOptions.RESOURCE_ID.key() + "=" + id;
  }

  Place create(WorkerId id, WorkerSpec spec) throws IOException {
    Place place = place(id);
    Files.createDirectories(root.resolve(LOGS), OWNER_ONLY);
    Files.createDirectories(root.resolve(WORKERS), OWNER_ONLY);
    Files.createDirectory(place.directory(), OWNER_ONLY);
    WorkerSpecFile.write(spec, specFile(id));
    Files.createDirectory(place.conf());
    Files.createDirectory(place.tmp());
    Files.createDirectories(place.work(), OWNER_ONLY);
    return place;
  }

  Place place(WorkerId id) {
    Path directory = root.resolve(WORKERS).resolve(id.value());
    Path logs = root.resolve(LOGS);
    return new Place(
        directory,
        directory.resolve("conf"),
        directory.resolve("tmp"),
        root.resolve(WORKING_DIRECTORIES).resolve(id.value()),
        logs.resolve(id + ".log"),
        logs.resolve(id + ".out"));
  }

  void record(WorkerId id, OsProcess process) throws IOException {
    Path draft = place(id).directory().resolve("pid.new");
    Files.writeString(draft, process.toLine());
    Files.move(draft, pidFile(id), StandardCopyOption.ATOMIC_MOVE);
  }

  /** What it was started as; nothing where a file tells nothing that can be read. */
  Optional<WorkerSpec> spec(WorkerId id) throws IOException {
    Path file = specFile(id);
    return Files.exists(file) ? WorkerSpecFile.read(file) : Optional.empty();
  }

  private Path specFile(WorkerId id) {
    return place(id).directory().resolve("spec");
  }

  private Path pidFile(WorkerId id) {
    return place(id).directory().resolve("pid");
  }

  /** Removes what a dead worker leaves, but for its log and the files of jobs. */
  void remove(WorkerId id) throws IOException {
    delete(place(id).directory());
    deleteEmptyDirectories(place(id).work());
    trimLogs();
  }

  /** Removes what a dead worker has logged and printed. */
  void removeLogs(WorkerId id) throws IOException {
    for (Path file : logs().getOrDefault(id.value(), List.of())) {
      Files.deleteIfExists(file);
    }
  }

  /** The logs of workers, also renamed ones, and what they printed, by the workers' names. */
  private Map<String, List<Path>> logs() throws IOException {
    Map<String, List<Path>> logs = new TreeMap<>();
    try (Stream<Path> files = Files.list(root.resolve(LOGS))) {
      files
          .filter(file -> file.getFileName().toString().startsWith(PREFIX))
          .forEach(
              file ->
                  logs.computeIfAbsent(
                          file.getFileName().toString().replaceFirst("\\.[a-z]+(\\.\\d+)?$", ""),
                          name -> new ArrayList<>())
                      .add(file));
    }
    return logs;
  }

  /** Where starting fails for days, the logs of all those workers would fill the disk. */
  private void trimLogs() throws IOException {
    Map<String, List<Path>> logs = logs();
    if (logs.size() <= KEPT_LOGS) {
      return;
    }
    known().forEach(id -> logs.remove(id.value()));
    List<List<Path>> oldestFirst =
        logs.values().stream()
            .sorted(Comparator.comparingLong(files -> modified(files.get(0))))
            .toList();
    for (List<Path> files : oldestFirst.subList(0, Math.max(0, oldestFirst.size() - KEPT_LOGS))) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static long modified(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot tell how old " + file + " is", e);
    }
  }

  private static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Deletes a tree of directories as far as there are no files in it; whose files are left, is left
   * to its owner.
   */
  public static void deleteEmptyDirectories(Path tree) throws IOException {
    if (!Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) && isEmpty(file)) {
          Files.delete(file);
        }
      }
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  /** Removes the directory of all workers once none is left. */
  void removeAll() throws IOException {
    delete(root.resolve(WORKERS));
    deleteEmptyDirectories(root.resolve(WORKING_DIRECTORIES));
  }
}

package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
 * The files of the workers of this machine. Each worker has a directory under {@code workers},
 * which is created before the process and deleted after it; logs under {@code log}, which are kept;
 * and a working directory under {@code work}, which is deleted unless it contains files of a job. A
 * worker without a pid file (the JobManager was killed before it wrote one) is found by an argument
 * of its process.
 */
public final class WorkerFiles {
  public static final String WORKERS = "workers";

  /** The parent of the working directories of workers. */
  public static final String WORKING_DIRECTORIES = "work";

  static final String LOGS = "log";

  /** The prefix of the names of all workers. */
  static final String PREFIX = "process-";

  private static final int KEPT_LOGS = 50;
  private static final int MAX_PID_BYTES = 100;
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;

  /**
   * The files of one worker.
   *
   * @param conf the directory of its configuration
   * @param work its working directory
   * @param log its log file
   * @param output the output of its JVM, for example fatal errors
   */
  public record WorkerPaths(
      Path directory, Path conf, Path tmp, Path work, Path log, Path output) {}

  /** A worker with a running process. */
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

  /** The workers with running processes, by name. */
  public List<Living> living() throws IOException {
    List<Living> living = new ArrayList<>();
    for (WorkerId id : known()) {
      process(id).ifPresent(process -> living.add(new Living(id, process)));
    }
    return living;
  }

  /** All workers that have a directory, by name, also those without a running process. */
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

  /** The running process of the worker. */
  Optional<OsProcess> process(WorkerId id) throws IOException {
    Path file = pidFile(id);
    return OsProcess.find(Files.exists(file) ? firstBytes(file) : "", idArgument(id));
  }

  /** The text of a small file. A damaged file may contain anything, and any amount of it. */
  private static String firstBytes(Path file) throws IOException {
    try (InputStream content = Files.newInputStream(file)) {
      return new String(content.readNBytes(MAX_PID_BYTES), StandardCharsets.ISO_8859_1);
    }
  }

  /** The argument that identifies the process of a worker. */
  static String idArgument(WorkerId id) {
    return TaskManagerOptions.RESOURCE_ID.key() + "=" + id;
  }

  WorkerPaths create(WorkerId id, WorkerSpec spec) throws IOException {
    WorkerPaths paths = paths(id);
    Files.createDirectories(root.resolve(LOGS), OWNER_ONLY);
    Files.createDirectories(root.resolve(WORKERS), OWNER_ONLY);
    Files.createDirectory(paths.directory(), OWNER_ONLY);
    WorkerSpecFile.write(spec, specFile(id));
    Files.createDirectory(paths.conf());
    Files.createDirectory(paths.tmp());
    Files.createDirectories(paths.work(), OWNER_ONLY);
    return paths;
  }

  WorkerPaths paths(WorkerId id) {
    Path directory = root.resolve(WORKERS).resolve(id.value());
    Path logs = root.resolve(LOGS);
    return new WorkerPaths(
        directory,
        directory.resolve("conf"),
        directory.resolve("tmp"),
        root.resolve(WORKING_DIRECTORIES).resolve(id.value()),
        logs.resolve(id + ".log"),
        logs.resolve(id + ".out"));
  }

  void record(WorkerId id, OsProcess process) throws IOException {
    Path temporary = paths(id).directory().resolve("pid.new");
    Files.writeString(temporary, process.toLine());
    Files.move(temporary, pidFile(id), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The spec that the worker was started with; empty if its file is absent or unreadable. */
  Optional<WorkerSpec> spec(WorkerId id) throws IOException {
    Path file = specFile(id);
    return Files.exists(file) ? WorkerSpecFile.read(file) : Optional.empty();
  }

  private Path specFile(WorkerId id) {
    return paths(id).directory().resolve("spec");
  }

  private Path pidFile(WorkerId id) {
    return paths(id).directory().resolve("pid");
  }

  /** Deletes the files of a worker that has ended, except its logs and files of jobs. */
  void remove(WorkerId id) throws IOException {
    delete(paths(id).directory());
    deleteEmptyDirectories(paths(id).work());
    trimLogs();
  }

  /** Deletes the logs and the output of a worker that has ended. */
  void removeLogs(WorkerId id) throws IOException {
    for (Path file : logs().getOrDefault(id.value(), List.of())) {
      Files.deleteIfExists(file);
    }
  }

  /** The logs, including rotated ones, and the outputs of workers, by the name of the worker. */
  private Map<String, List<Path>> logs() throws IOException {
    Map<String, List<Path>> logs = new TreeMap<>();
    if (!Files.isDirectory(root.resolve(LOGS))) {
      return logs; // A user may delete all logs.
    }
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

  /**
   * Limits the number of logs: if workers fail to start for days, their logs would fill the disk.
   */
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
      throw new UncheckedIOException("Cannot read the modification time of " + file, e);
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

  /** Deletes the directories of a tree that contain no files. */
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

  /** Deletes the directories of all workers. */
  void removeAll() throws IOException {
    delete(root.resolve(WORKERS));
    deleteEmptyDirectories(root.resolve(WORKING_DIRECTORIES));
  }
}

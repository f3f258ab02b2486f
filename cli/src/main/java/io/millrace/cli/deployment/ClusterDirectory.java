package io.millrace.cli.deployment;

import io.millrace.cli.common.Console;
import io.millrace.client.ClusterAddress;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.UserHome;
import io.millrace.cluster.ServerJvm;
import io.millrace.cluster.process.OsProcess;
import io.millrace.cluster.process.WorkerFiles;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.PrivateFile;
import io.millrace.core.security.RestToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All that a cluster on this machine keeps: {@code conf}, {@code log}, {@code log.old} of the
 * cluster before it, {@code tmp}, {@code pids}, {@code work} with the working directories of its
 * processes, {@code ha}, from which a new JobManager recovers, {@code workers} that come and go,
 * the {@code secret} its processes share, the {@code rest-token} that others than its owner
 * present, where they find {@code plugins}, and the {@code rest} address.
 */
public final class ClusterDirectory {
  public static final String VARIABLE = "MILLRACE_CLUSTER_DIR";

  private static final String LOGS = "log";
  private static final String OLD_LOGS = "log.old";
  private static final String PID_SUFFIX = ".pid";
  private static final String LOG_SUFFIX = ".log";

  /** How the argument begins that names the log of a process. */
  private static final String LOG_ARGUMENT = "-D" + ServerJvm.LOG_FILE + "=";

  /** In the order in which they are removed: the pids last, as they tell that something is here. */
  private static final List<String> CONTENTS =
      List.of(
          "tmp",
          LOGS,
          OLD_LOGS,
          "conf",
          "ha",
          "secret",
          "rest-token",
          "plugins",
          "rest",
          WorkerFiles.WORKERS,
          WorkerFiles.WORKING_DIRECTORIES,
          "pids",
          "lock");

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;

  public ClusterDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** The one that commands mean that are given none. */
  public static ClusterDirectory byDefault(Console console) {
    String named = console.environment().getOrDefault(VARIABLE, "");
    return new ClusterDirectory(
        named.isEmpty()
            ? UserHome.of(console.environment()).resolve(".millrace").resolve("cluster")
            : Path.of(named));
  }

  public Path root() {
    return root;
  }

  public Path conf() {
    return root.resolve("conf");
  }

  public Path tmp() {
    return root.resolve("tmp");
  }

  public Path ha() {
    return root.resolve("ha");
  }

  public Path secret() {
    return root.resolve("secret");
  }

  /** What others than the owner present to REST. */
  public Path restToken() {
    return root.resolve("rest-token");
  }

  public Path log(String process) {
    return logs().resolve(process + LOG_SUFFIX);
  }

  /** What the JVM itself prints, such as a fatal error. */
  public Path output(String process) {
    return logs().resolve(process + ".out");
  }

  public Path logs() {
    return root.resolve(LOGS);
  }

  /** Where a process runs: what it or a job writes to a relative path is in nobody's way there. */
  public Path createWorkingDirectory(String process) throws IOException {
    return Files.createDirectories(
        root.resolve(WorkerFiles.WORKING_DIRECTORIES).resolve(process), OWNER_ONLY);
  }

  /**
   * Makes the directories, a fresh secret and a fresh token. Only the owner can look into them,
   * also where the directory was there before.
   */
  public void create() throws IOException {
    Files.createDirectories(root, OWNER_ONLY);
    PrivateFile.create(secret(), RestToken.random());
    UserPrincipal owner = Files.getOwner(root);
    if (!owner.equals(Files.getOwner(secret()))) {
      Files.delete(secret());
      throw new MillraceException(
          ErrorKind.USER,
          root
              + " belongs to "
              + owner.getName()
              + ", who could change what the cluster keeps there. Give it a directory of your own"
              + " with --dir.");
    }
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
    PrivateFile.create(restToken(), RestToken.random());
    for (Path part : List.of(conf(), tmp(), logs(), root.resolve("pids"))) {
      Files.createDirectories(part, OWNER_ONLY);
    }
  }

  /** With the token of the cluster here, where the user names none. */
  public Configuration withToken(Configuration configuration) {
    return configuration.contains(SecurityOptions.REST_TOKEN_FILE) || !Files.isReadable(restToken())
        ? configuration
        : configuration.with(SecurityOptions.REST_TOKEN_FILE, restToken());
  }

  /**
   * Does something while no other command starts, changes or stops a cluster here. What the file
   * system refuses is told with the directory.
   */
  public void withLock(Work work) {
    try {
      checkUsable();
      locked(work);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The directory "
              + root
              + " of the cluster cannot be used: "
              + reason(e)
              + ". Mend that, or give the cluster another one with --dir.",
          e);
    }
  }

  /** Other files than a cluster's are none of its business once it is there. */
  private void checkUsable() throws IOException {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new MillraceException(
          ErrorKind.USER, root + " is a file. Give the cluster a directory of its own with --dir.");
    }
    if (Files.exists(root) && !holdsCluster() && !isOurs()) {
      throw new MillraceException(
          ErrorKind.USER,
          root + " holds other files. Give the cluster a directory of its own with --dir.");
    }
  }

  /** Whether a cluster was started here and not stopped since, dead or alive. */
  private boolean holdsCluster() {
    return Files.isRegularFile(pidFile(ClusterProcess.JOB_MANAGER))
        || (Files.isDirectory(root.resolve("pids")) && Files.isRegularFile(secret()));
  }

  /** Java's exceptions for files often have nothing but the file's name for a message. */
  private static String reason(IOException e) {
    return e instanceof FileSystemException
        ? e.getClass().getSimpleName() + ": " + e.getMessage()
        : Optional.ofNullable(e.getMessage()).orElse(e.toString());
  }

  private void locked(Work work) throws IOException {
    Files.createDirectories(root, OWNER_ONLY);
    try (FileChannel channel =
        FileChannel.open(
            root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (!isLocked(channel)) {
        throw new MillraceException(
            ErrorKind.USER,
            "Another command is starting or stopping the cluster in " + root + ". Wait for it.");
      }
      work.run();
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }

  /** What a command does in the directory. */
  @FunctionalInterface
  public interface Work {
    void run() throws IOException;
  }

  private boolean isOurs() throws IOException {
    try (Stream<Path> files = Files.list(root)) {
      return files.allMatch(file -> CONTENTS.contains(file.getFileName().toString()));
    }
  }

  public void record(ClusterProcess process) throws IOException {
    Path file = pidFile(process.name());
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(draft, process.toLine());
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private Path pidFile(String process) {
    return root.resolve("pids").resolve(process + PID_SUFFIX);
  }

  /** Forgets a process that another one has taken the place of; its log stays. */
  public void forget(ClusterProcess process) throws IOException {
    Files.deleteIfExists(pidFile(process.name()));
  }

  /**
   * Every process that was started, dead ones too; the JobManager first. Of the workers that come
   * and go only those that are there.
   */
  public List<ClusterProcess> processes() {
    List<ClusterProcess> processes = new ArrayList<>();
    if (!Files.isDirectory(root.resolve("pids"))) {
      return processes;
    }
    try (Stream<Path> files = Files.list(root.resolve("pids"))) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(PID_SUFFIX) && Files.isRegularFile(file)) {
          processes.add(process(name.substring(0, name.length() - PID_SUFFIX.length()), file));
        }
      }
      new WorkerFiles(root)
          .living()
          .forEach(one -> processes.add(ClusterProcess.of(one.id().value(), one.process())));
    } catch (IOException e) {
      throw new UncheckedIOException("The process ids in " + root + " cannot be read", e);
    }
    processes.sort(
        Comparator.comparing(ClusterProcess::isJobManager)
            .reversed()
            .thenComparingInt(ClusterProcess::number)
            .thenComparing(ClusterProcess::name));
    return processes;
  }

  /**
   * A process is known by the log that it was started with: its file may be damaged, or name a
   * process that is somebody else's.
   */
  private ClusterProcess process(String name, Path file) throws IOException {
    String record = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    return OsProcess.find(record, LOG_ARGUMENT + log(name))
        .or(() -> OsProcess.parse(record).filter(process -> !process.isAlive()))
        .map(process -> ClusterProcess.of(name, process))
        .orElseGet(() -> ClusterProcess.lost(name));
  }

  public List<ClusterProcess> alive() {
    return processes().stream().filter(ClusterProcess::isAlive).toList();
  }

  /** All that log here, also those whose files are gone. */
  public List<ClusterProcess> found() {
    List<ClusterProcess> found = new ArrayList<>(alive());
    String prefix = LOG_ARGUMENT + logs() + "/";
    OsProcess.withArgument(argument -> argument.startsWith(prefix) && argument.endsWith(LOG_SUFFIX))
        .forEach(
            (process, argument) -> {
              if (found.stream().noneMatch(one -> one.pid() == process.pid())) {
                String name =
                    argument.substring(prefix.length(), argument.length() - LOG_SUFFIX.length());
                found.add(ClusterProcess.of(name, process));
              }
            });
    return found;
  }

  /** With what the cluster was started. */
  public Configuration configuration() {
    return ConfigurationFile.load(
        Map.of(ConfigurationFile.DIRECTORY_VARIABLE, conf().toString()),
        Optional.empty(),
        List.of(),
        // Whoever wrote it has left out what is unknown.
        warning -> {});
  }

  /**
   * Presents what the cluster wants to see from its users; nothing where its configuration is gone.
   */
  public RestClusterClient client(HostPort address, Duration timeout) {
    return at(address).connect(timeout);
  }

  /** Without its configuration nothing is known but where it was. */
  public ClusterAddress at(HostPort address) {
    return Files.exists(conf().resolve("config.yaml"))
        ? ClusterAddress.of(address, configuration())
        : new ClusterAddress(address, Optional.empty());
  }

  /** Every process of the cluster finds plugins here, whoever starts it from wherever. */
  public void writePlugins(Path plugins) throws IOException {
    Files.writeString(root.resolve("plugins"), plugins.toAbsolutePath() + "\n");
  }

  /** Where its processes find plugins; nothing where they are those of the distribution. */
  public Optional<String> plugins() throws IOException {
    Path file = root.resolve("plugins");
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }

  public void writeAddress(HostPort address) throws IOException {
    Files.writeString(root.resolve("rest"), address + "\n");
  }

  /** Where REST is, as written when the cluster was started. */
  public Optional<HostPort> address() {
    Path file = root.resolve("rest");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(HostPort.parse(Files.readString(file).strip()));
    } catch (IOException e) {
      throw new UncheckedIOException("The address in " + file + " cannot be read", e);
    }
  }

  /** The address, if the JobManager behind it lives. */
  public Optional<HostPort> runningAddress() {
    return processes().stream().anyMatch(process -> process.isJobManager() && process.isAlive())
        ? address()
        : Optional.empty();
  }

  /**
   * Removes what a cluster kept here, and the directory if nothing else is in it. What jobs wrote
   * into the working directories stays.
   *
   * @return what is left besides logs
   */
  public List<Path> clear(boolean keepLogs) throws IOException {
    for (String name : CONTENTS) {
      if (!(keepLogs && name.equals(LOGS))) {
        remove(name);
      }
    }
    List<Path> left;
    try (Stream<Path> files = Files.list(root)) {
      left = files.sorted().toList();
    }
    if (left.isEmpty()) {
      Files.delete(root);
    }
    return left.stream().filter(file -> !file.equals(logs())).toList();
  }

  /** Removes what a start made that failed; the logs of the cluster before it are as they were. */
  public void clearFailedStart() throws IOException {
    Path before = root.resolve(OLD_LOGS);
    boolean keepLogs = Files.isDirectory(before);
    if (keepLogs) {
      delete(logs());
      Files.move(before, logs());
    }
    clear(keepLogs);
  }

  private void remove(String name) throws IOException {
    if (name.equals(WorkerFiles.WORKING_DIRECTORIES)) {
      WorkerFiles.deleteEmptyDirectories(root.resolve(name));
    } else {
      delete(root.resolve(name));
    }
  }

  /**
   * Removes what a cluster that is gone left, but not the lock of whoever is at work here. Its logs
   * are kept until the next time: they may tell why it is gone.
   */
  public void clearRemains() throws IOException {
    if (Files.isDirectory(logs())) {
      delete(root.resolve(OLD_LOGS));
      Files.move(logs(), root.resolve(OLD_LOGS));
    }
    for (String name : CONTENTS) {
      if (!name.equals("lock") && !name.equals(OLD_LOGS)) {
        remove(name);
      }
    }
  }

  /** Removes temporary files that a process of this kind could not remove when it was killed. */
  public void clearFilesOf(String kind) throws IOException {
    if (Files.isDirectory(tmp())) {
      try (DirectoryStream<Path> left =
          Files.newDirectoryStream(tmp(), "millrace-" + kind + "-*")) {
        for (Path tree : left) {
          delete(tree);
        }
      }
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
    }
  }
}

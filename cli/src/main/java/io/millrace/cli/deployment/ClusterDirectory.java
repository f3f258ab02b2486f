package io.millrace.cli.deployment;

import io.millrace.cli.common.Console;
import io.millrace.client.ClusterAddress;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.ProcessEnvironment;
import io.millrace.client.RestClusterClient;
import io.millrace.client.UserHome;
import io.millrace.cluster.ServerJvm;
import io.millrace.cluster.keys.ClusterKeys;
import io.millrace.cluster.process.OsProcess;
import io.millrace.cluster.process.WorkerFiles;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.RestTlsOptions;
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
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The directory of a cluster on this machine: {@code conf}, {@code log}, {@code log.old} of the
 * previous cluster, {@code tmp}, {@code pids}, {@code work} with the working directories of the
 * processes, {@code ha}, from which a new JobManager recovers, {@code workers} with the files of
 * elastic workers, the {@code secret} of the processes, the {@code rest-token} for users other than
 * the owner, the {@code keys} of a cluster beyond loopback, the path of the {@code plugins}, and
 * the {@code rest} address, or the address that a TaskManager has {@code joined}.
 */
public final class ClusterDirectory {
  public static final String VARIABLE = "MILLRACE_CLUSTER_DIR";

  private static final String LOGS = "log";
  private static final String OLD_LOGS = "log.old";
  private static final String CHECKPOINTS = "checkpoints";
  private static final String SAVEPOINTS = "savepoints";
  private static final String KEYS = ClusterKeys.DIRECTORY;
  private static final String JOINED = "joined";
  private static final String PID_SUFFIX = ".pid";
  private static final String LOG_SUFFIX = ".log";
  private static final String ADDRESS_SUFFIX = ".rest";

  /** The prefix of the JVM argument that names the log of a process. */
  private static final String LOG_ARGUMENT = "-D" + ServerJvm.LOG_FILE + "=";

  /**
   * In the order of removal. The pids are near the end, because they mark the directory as that of
   * a cluster.
   */
  private static final List<String> CONTENTS =
      List.of(
          "tmp",
          LOGS,
          OLD_LOGS,
          "conf",
          "ha",
          CHECKPOINTS,
          SAVEPOINTS,
          "secret",
          "rest-token",
          "plugins",
          "rest",
          JOINED,
          KEYS,
          WorkerFiles.WORKERS,
          WorkerFiles.WORKING_DIRECTORIES,
          "pids",
          "lock");

  /** Directories with files of users, of which only empty ones are removed. */
  private static final List<String> KEPT =
      List.of(WorkerFiles.WORKING_DIRECTORIES, CHECKPOINTS, SAVEPOINTS);

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;

  public ClusterDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** The directory of commands without {@code --dir}. */
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

  public Path checkpoints() {
    return root.resolve(CHECKPOINTS);
  }

  public Path savepoints() {
    return root.resolve(SAVEPOINTS);
  }

  public Path secret() {
    return root.resolve("secret");
  }

  /** The file with the REST token for users other than the owner. */
  public Path restToken() {
    return root.resolve("rest-token");
  }

  /** The keys of a cluster beyond loopback, see {@link ClusterKeys}. */
  public Path keys() {
    return root.resolve(KEYS);
  }

  public Path log(String process) {
    return logs().resolve(process + LOG_SUFFIX);
  }

  /** The file with the standard output of a process, for example a fatal error of the JVM. */
  public Path output(String process) {
    return logs().resolve(process + ".out");
  }

  public Path logs() {
    return root.resolve(LOGS);
  }

  /** Creates the working directory of a process, in which files with relative paths are written. */
  public Path createWorkingDirectory(String process) throws IOException {
    return Files.createDirectories(
        root.resolve(WorkerFiles.WORKING_DIRECTORIES).resolve(process), OWNER_ONLY);
  }

  /**
   * Creates the directories, a new secret and a new token. Only the owner can read them, also if
   * the directory existed before.
   */
  public void create() throws IOException {
    createWith(RestToken.random());
    PrivateFile.create(restToken(), RestToken.random());
  }

  /** The same for a TaskManager that joins a cluster on another machine. */
  public void createJoined(String clusterSecret, String jobManager) throws IOException {
    createWith(clusterSecret);
    Files.writeString(root.resolve(JOINED), jobManager + "\n");
  }

  private void createWith(String clusterSecret) throws IOException {
    Files.createDirectories(root, OWNER_ONLY);
    PrivateFile.create(secret(), clusterSecret);
    UserPrincipal owner = Files.getOwner(root);
    if (!owner.equals(Files.getOwner(secret()))) {
      Files.delete(secret());
      throw new MillraceException(
          ErrorKind.USER,
          root
              + " belongs to "
              + owner.getName()
              + ", who could change the files of the cluster. Name a directory of your own with"
              + " --dir.");
    }
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
    for (Path part : List.of(conf(), tmp(), logs(), root.resolve("pids"))) {
      Files.createDirectories(part, OWNER_ONLY);
    }
  }

  /** The RPC address of the JobManager on another machine, if a TaskManager joined from here. */
  public Optional<String> joined() throws IOException {
    Path file = root.resolve(JOINED);
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }

  /**
   * Adds the token of this cluster and trust in its certificate authority, unless the configuration
   * has its own.
   */
  public Configuration withCredentials(Configuration configuration) {
    Configuration full =
        configuration.contains(SecurityOptions.REST_TOKEN_FILE) || !Files.isReadable(restToken())
            ? configuration
            : configuration.with(SecurityOptions.REST_TOKEN_FILE, restToken());
    if (configuration.contains(RestTlsOptions.TRUSTSTORE) || !ClusterKeys.exist(keys())) {
      return full;
    }
    Configuration own = configuration();
    for (Option<?> option :
        List.of(
            RestTlsOptions.ENABLED,
            RestTlsOptions.TRUSTSTORE,
            RestTlsOptions.TRUSTSTORE_PASSWORD)) {
      String value = own.entries().get(option.key());
      if (value != null) {
        full = full.with(option.key(), value);
      }
    }
    return full;
  }

  /**
   * Executes an action while no other command starts, changes or stops the cluster of this
   * directory. An error of the file system is reported with the directory.
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
              + ". Fix this, or name another directory with --dir.",
          e);
    }
  }

  /**
   * Refuses a path that is not a directory, and a directory with other files. Files that are added
   * to the directory of a cluster later are ignored.
   */
  private void checkUsable() throws IOException {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new MillraceException(
          ErrorKind.USER, root + " is a file. Name a directory for the cluster with --dir.");
    }
    if (Files.exists(root) && !holdsCluster() && !isOurs()) {
      throw new MillraceException(
          ErrorKind.USER,
          root + " contains other files. Name an empty directory for the cluster with --dir.");
    }
  }

  /** Whether a cluster was started here and not stopped since; its processes may be dead. */
  private boolean holdsCluster() {
    return Files.isRegularFile(pidFile(ClusterProcess.JOB_MANAGER))
        || (Files.isDirectory(root.resolve("pids")) && Files.isRegularFile(secret()));
  }

  /** The message of a FileSystemException is often only the name of the file. */
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
            "Another command is starting or stopping the cluster in "
                + root
                + ". Wait until it has ended.");
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

  /** An action of a command in the directory. */
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

  /** Removes a replaced process from the list; its log stays. */
  public void forget(ClusterProcess process) throws IOException {
    Files.deleteIfExists(pidFile(process.name()));
  }

  /**
   * All started processes, including dead ones, the JobManager first. Of elastic workers only the
   * living ones.
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
   * Identifies a process by the log file among its arguments: the pid file may be damaged, or its
   * pid may belong to another process now.
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

  /** All living processes whose log is here, including those without a pid file. */
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

  /** The configuration with which the cluster was started. */
  public Configuration configuration() {
    // The command that wrote the file has left out unknown keys.
    return configuration(warning -> {});
  }

  /** The same, with warnings about keys that are unknown now. */
  public Configuration configuration(Consumer<String> warnings) {
    Map<String, String> variables = Map.of(ConfigurationFile.DIRECTORY_VARIABLE, conf().toString());
    return ConfigurationFile.load(
        new ProcessEnvironment(variables, Optional.empty()), List.of(), warnings);
  }

  /**
   * A client with the credentials of the cluster, or without any if its configuration is missing.
   */
  public RestClusterClient client(HostPort address, Duration timeout) {
    return at(address).connect(timeout);
  }

  /**
   * The address with the credentials of the cluster, or without any if its configuration is
   * missing.
   */
  public ClusterAddress at(HostPort address) {
    return Files.exists(conf().resolve("config.yaml"))
        ? ClusterAddress.of(address, configuration())
        : ClusterAddress.plain(address);
  }

  /**
   * Stores the plugins directory for all processes of the cluster, independent of the command that
   * starts them.
   */
  public void writePlugins(Path plugins) throws IOException {
    Files.writeString(root.resolve("plugins"), plugins.toAbsolutePath() + "\n");
  }

  /** The plugins directory of the cluster; empty if it is that of the distribution. */
  public Optional<String> plugins() throws IOException {
    Path file = root.resolve("plugins");
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }

  public void writeAddress(HostPort address) throws IOException {
    Files.writeString(root.resolve("rest"), address + "\n");
  }

  /** Stores the REST address of a JobManager after the first one. */
  public void writeAddress(String jobManager, HostPort address) throws IOException {
    Files.writeString(addressFile(jobManager), address + "\n");
  }

  private Path addressFile(String jobManager) {
    return jobManager.equals(ClusterProcess.JOB_MANAGER)
        ? root.resolve("rest")
        : root.resolve("pids").resolve(jobManager + ADDRESS_SUFFIX);
  }

  /**
   * A REST address, as written at the start of the cluster. Of several JobManagers one that is
   * alive: it redirects to the leading one.
   */
  public Optional<HostPort> address() {
    Optional<HostPort> first = address(ClusterProcess.JOB_MANAGER);
    boolean several = Files.exists(addressFile(ClusterProcess.jobManager(2)));
    return several ? runningAddress().or(() -> first) : first;
  }

  /** The REST address of a JobManager. */
  public Optional<HostPort> address(String jobManager) {
    Path file = addressFile(jobManager);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(HostPort.parse(Files.readString(file).strip()));
    } catch (IOException e) {
      throw new UncheckedIOException("The address in " + file + " cannot be read", e);
    }
  }

  /** Whether a JobManager of this cluster is alive and has this REST address. */
  public boolean runsAt(HostPort address) {
    return processes().stream()
        .filter(process -> process.isJobManager() && process.isAlive())
        .anyMatch(process -> address(process.name()).equals(Optional.of(address)));
  }

  /** The REST address of a JobManager that is alive. */
  public Optional<HostPort> runningAddress() {
    return processes().stream()
        .filter(process -> process.isJobManager() && process.isAlive())
        .findFirst()
        .flatMap(process -> address(process.name()));
  }

  /**
   * Removes the files of a cluster, and the directory if it is empty then. Files that jobs wrote to
   * the working directories, savepoints and retained checkpoints stay, and so do keys, with which
   * bundles for other machines were written.
   *
   * @return the remaining files, without logs and keys
   */
  public List<Path> clear(boolean keepLogs) throws IOException {
    for (String name : CONTENTS) {
      if (!(keepLogs && name.equals(LOGS)) && !name.equals(KEYS)) {
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
    return left.stream().filter(file -> !file.equals(logs()) && !file.equals(keys())).toList();
  }

  /** Removes the files of a failed start and restores the logs of the previous cluster. */
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
    if (KEPT.contains(name)) {
      WorkerFiles.deleteEmptyDirectories(root.resolve(name));
    } else {
      delete(root.resolve(name));
    }
  }

  /**
   * Removes the files of a dead cluster, except the lock of the current command. Its logs stay
   * until the next start, because they may contain the cause of its end.
   */
  public void clearRemains() throws IOException {
    if (Files.isDirectory(logs())) {
      delete(root.resolve(OLD_LOGS));
      Files.move(logs(), root.resolve(OLD_LOGS));
    }
    for (String name : CONTENTS) {
      if (!List.of("lock", OLD_LOGS, KEYS).contains(name)) {
        remove(name);
      }
    }
  }

  /** Removes the temporary files of killed processes of this kind. */
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

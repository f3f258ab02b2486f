package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Runs commands of the assembled distribution in its own directory. As a static extension of a test
 * class it ends the commands that a test has left and, after the last test, asserts that no process
 * and no file is left.
 */
final class Shell
    implements BeforeAllCallback,
        AfterEachCallback,
        AfterAllCallback,
        TestExecutionExceptionHandler {
  /** Child processes inherit the variable, so that orphans are found, too. */
  private static final String MARK = "MILLRACE_TEST_OF";

  private static final Path HOME =
      Path.of(System.getProperty("millrace.distribution", "../dist/target/millrace"))
          .toAbsolutePath()
          .normalize();

  private final List<Command> commands = new ArrayList<>();
  private Path directory;
  private int clusters;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    assertThat(HOME.resolve("bin/millrace"))
        .as("The distribution is built by `mvn -pl dist -am package`")
        .isExecutable();
    directory = Files.createTempDirectory("millrace-it-");
    Files.createDirectory(directory.resolve("tmp"));
    // The first command after a build creates the CDS archive; do it before the tests.
    millrace("--version").succeeded();
  }

  Path directory() {
    return directory;
  }

  /** The directory for files of embedded programs. */
  Path temporaryFiles() {
    return directory.resolve("tmp");
  }

  static Path distribution() {
    return HOME;
  }

  static Path example(String name) {
    return HOME.resolve("examples").resolve(name);
  }

  Outcome millrace(String... arguments) throws IOException {
    return start(Map.of(), arguments).await();
  }

  Outcome millrace(Map<String, String> environment, String... arguments) throws IOException {
    return start(environment, arguments).await();
  }

  /** Starts the launcher of the distribution. */
  Command start(Map<String, String> environment, String... arguments) throws IOException {
    return start(List.of(), environment, arguments);
  }

  /** The command and its child processes have few file descriptors. */
  Command startLimited(int descriptors, String... arguments) throws IOException {
    String limiting = "ulimit -n " + descriptors + " && exec \"$0\" \"$@\"";
    return start(List.of("bash", "-c", limiting), Map.of(), arguments);
  }

  /** Starts a class of the tests with the libraries and plugins of the distribution. */
  Command startMain(Class<?> main, String... arguments) throws IOException {
    Path classes = Path.of(main.getProtectionDomain().getCodeSource().getLocation().getPath());
    String libraries =
        String.join(":", HOME + "/lib/*", HOME + "/lib/server/*", classes.toString());
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Dmillrace.home=" + HOME, "-Djava.io.tmpdir=" + temporaryFiles()));
    line.addAll(List.of("-cp", libraries, main.getName()));
    line.addAll(List.of(arguments));
    return start(line, Map.of("MILLRACE_PLUGINS_DIR", HOME.resolve("plugins").toString()));
  }

  private Command start(List<String> prefix, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>(prefix);
    line.add(HOME.resolve("bin/millrace").toString());
    line.addAll(List.of(arguments));
    return start(line, environment);
  }

  private Command start(List<String> line, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
    Map<String, String> clean = builder.environment();
    clean
        .keySet()
        .removeIf(key -> key.matches("MILLRACE_.*|HADOOP_.*|MAVEN_.*|JAVA_TOOL_OPTIONS|JVM_ARGS"));
    clean.putAll(environment());
    clean.putAll(environment);
    Command command = new Command(builder);
    commands.add(command);
    return command;
  }

  /** Variables of all processes of this shell. */
  Map<String, String> environment() {
    return Map.of(
        // Hides the home directory of the user that runs the tests.
        "HOME",
        directory.toString(),
        "JAVA_HOME",
        System.getProperty("java.home"),
        "JVM_ARGS",
        "-Djava.io.tmpdir=" + temporaryFiles(),
        "MILLRACE_LOG_DIR",
        directory.resolve("log").toString(),
        "MILLRACE_CLUSTER_DIR",
        directory.resolve("no-cluster").toString(),
        MARK,
        directory.toString());
  }

  Cluster startCluster(String... options) throws IOException {
    return startCluster(Map.of(), options);
  }

  Cluster startCluster(Map<String, String> environment, String... options) throws IOException {
    return Cluster.start(this, environment, directory.resolve("cluster-" + ++clusters), options);
  }

  /** Processes that commands of this shell have started, directly or indirectly. */
  List<ProcessHandle> processes() {
    List<ProcessHandle> found = new ArrayList<>();
    String mark = MARK + "=" + directory;
    ProcessHandle.allProcesses()
        .filter(process -> environment(process.pid()).contains(mark))
        .forEach(found::add);
    return found;
  }

  /** Whether a process runs; a zombie does not. */
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && !environment(process.pid()).isEmpty();
  }

  private static List<String> environment(long pid) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc", String.valueOf(pid), "environ"));
      return all.length == 0
          ? List.of()
          : List.of(new String(all, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException gone) {
      // The process is not readable or has ended.
      return List.of();
    }
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).toList()) {
        List<String> lines = Files.readAllLines(log);
        System.err.println("--- the end of " + log);
        lines.subList(Math.max(0, lines.size() - 60), lines.size()).forEach(System.err::println);
      }
    } catch (IOException | UncheckedIOException e) {
      failure.addSuppressed(e);
    }
    throw failure;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    commands.forEach(Command::kill);
    commands.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    List<ProcessHandle> left = processes();
    for (ProcessHandle process : left) {
      process.destroyForcibly();
      process.onExit().get(60, TimeUnit.SECONDS);
    }
    List<Path> files;
    try (Stream<Path> tree = Files.walk(temporaryFiles())) {
      files = tree.filter(file -> !file.equals(temporaryFiles())).toList();
    }
    delete(directory);
    assertThat(left).as("processes left by the tests of %s", context.getDisplayName()).isEmpty();
    assertThat(files).as("files left by the tests of %s", context.getDisplayName()).isEmpty();
  }

  static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands, arguments and exit codes of server processes. */
class ServerCommandsTest {
  private static final Configuration SIZED = DefaultProcessSizes.in(Configuration.EMPTY);

  @TempDir private Path directory;

  @Test
  void configuredJvmOptionsAreLast() {
    Configuration configuration =
        SIZED
            .with(CoreOptions.JVM_OPTIONS, " -Da=1   -Db=2 ")
            .with(CoreOptions.TASK_MANAGER_JVM_OPTIONS, "-Xmx1g")
            .with(CoreOptions.JOB_MANAGER_JVM_OPTIONS, "-Dc=3");
    assertThat(ServerJvm.TASK_MANAGER.options(configuration, "/var/log/tm.log"))
        .endsWith("-Da=1", "-Db=2", "-Xmx1g")
        .doesNotContain("-Dc=3");
    assertThat(ServerJvm.JOB_MANAGER.options(configuration, "/var/log/jm.log"))
        .endsWith("-Da=1", "-Db=2", "-Dc=3");
  }

  @Test
  void filesOfAProcessAreBesideItsLog() {
    List<String> options = ServerJvm.TASK_MANAGER.options(SIZED, "/var/log/x/tm.log");
    assertThat(options)
        .contains(
            "-D" + ServerJvm.LOG_FILE + "=/var/log/x/tm.log",
            "-XX:ErrorFile=/var/log/x/hs_err_pid%p.log",
            "-XX:HeapDumpPath=/var/log/x")
        .anyMatch(option -> option.startsWith("-Xmx"))
        .anyMatch(option -> option.startsWith("-XX:MaxDirectMemorySize="));
    assertThat(options.stream().filter(option -> option.startsWith("-XX:+Use")))
        .as("one garbage collector")
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"'', 0", "'  ', 0", "-Xmx1g, 1", "' -a  -b\t-c\n', 3"})
  void optionsAreSplitAtBlanks(String text, int count) {
    assertThat(ServerJvm.words(text)).hasSize(count).noneMatch(String::isBlank);
  }

  @Test
  void contradictingMemorySizesAreRefusedBeforeAProcessStarts() {
    Configuration contradiction =
        Configuration.EMPTY
            .with("taskmanager.memory.process.size", "1g")
            .with("taskmanager.memory.flink.size", "2g");
    assertThatThrownBy(() -> ServerJvm.TASK_MANAGER.options(contradiction, "/tmp/x.log"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @Test
  void commandOfAnIdeHasTheClassPathOfThisProcess() throws IOException {
    List<String> command =
        ServerJvm.TASK_MANAGER.command(
            SIZED.with(TaskManagerOptions.NUM_TASK_SLOTS, 1),
            new Distribution(Optional.empty()),
            Path.of("/tmp/tm.log"));
    assertThat(command.get(0)).endsWith("/bin/java");
    assertThat(command).last().isEqualTo(TaskManagerProcess.class.getName());
    assertThat(command.get(command.indexOf("-cp") + 1))
        .isEqualTo(System.getProperty("java.class.path"));
  }

  @Test
  void commandOfADistributionHasItsJarsInAFixedOrder() throws IOException {
    Path lib = Files.createDirectories(directory.resolve("lib").resolve("server")).getParent();
    for (String jar : List.of("b.jar", "a.jar", "notes.txt", "server/d.jar", "server/c.jar")) {
      Files.writeString(lib.resolve(jar), "");
    }
    List<String> options = new Distribution(Optional.of(directory)).serverLibraries();
    assertThat(options.get(options.indexOf("-cp") + 1))
        .isEqualTo(
            String.join(
                File.pathSeparator,
                lib.resolve("a.jar").toString(),
                lib.resolve("b.jar").toString(),
                lib.resolve("server/c.jar").toString(),
                lib.resolve("server/d.jar").toString()));
    assertThat(options).noneMatch(option -> option.contains("SharedArchiveFile"));
    Files.writeString(directory.resolve("server.jsa"), "");
    assertThat(new Distribution(Optional.of(directory)).serverLibraries())
        .contains("-Xshare:auto", "-XX:SharedArchiveFile=" + directory.resolve("server.jsa"));
  }

  @Test
  void incompleteDistributionIsAnError() {
    assertThatThrownBy(
            () -> new Distribution(Optional.of(directory.resolve("none"))).serverLibraries())
        .isInstanceOf(NoSuchFileException.class);
  }

  private static ApplicationProcess.Arguments parse(String... arguments) {
    return ApplicationProcess.Arguments.parse(List.of(arguments));
  }

  @Test
  void argumentsOfTheProgramFollowItsJar() {
    ApplicationProcess.Arguments parsed =
        parse("a=1", "b=2", "--", "a.B", "x.jar", "--", "-D", "k=v", "");
    assertThat(parsed.overrides()).containsExactly("a=1", "b=2");
    assertThat(parsed.program().mainClass()).contains("a.B");
    assertThat(parsed.program().jar()).isEqualTo(Path.of("x.jar"));
    assertThat(parsed.program().arguments()).containsExactly("--", "-D", "k=v", "");
    assertThat(parse("--", "-", "x.jar").program().mainClass()).isEmpty();
    assertThat(parse("--", "-", "x.jar").program().arguments()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a=1", "--", "-- a.B", "a=1 -- -"})
  void incompleteArgumentsShowTheUsage(String line) {
    assertThatThrownBy(() -> parse(line.isEmpty() ? new String[0] : line.split(" ")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageStartingWith("Usage: ");
  }

  @Test
  @Behaviour("B3: exit codes tell the outcome of an application")
  void exitCodesAreThoseOfTheDocumentation() {
    assertThat(ExitCode.values()).extracting(ExitCode::code).containsExactly(0, 1, 2, 3, 4, 5);
    Set<Integer> codes = new HashSet<>();
    for (ExitCode code : ExitCode.values()) {
      assertThat(codes.add(code.code())).isTrue();
    }
  }

  /** Recovery data is needed unless the application itself has ended. */
  @ParameterizedTest
  @EnumSource(ExitCode.class)
  void onlyTheEndOfAnApplicationEndsItForGood(ExitCode code) {
    boolean ended =
        EnumSet.of(ExitCode.SUCCEEDED, ExitCode.FAILED, ExitCode.CANCELED).contains(code);
    assertThat(code.isOfApplication()).isEqualTo(ended);
    boolean reported = ended || code == ExitCode.UNKNOWN;
    assertThat(code.status())
        .isEqualTo(
            reported ? Optional.of(ApplicationStatus.valueOf(code.name())) : Optional.empty());
  }

  private int runStaged(byte[] graph) throws IOException {
    Path file = Files.write(directory.resolve("graph"), graph);
    return PerJobProcess.run(
        Configuration.EMPTY,
        new PerJobProcess.StagedJob(file, List.of(), Duration.ZERO, Optional.empty()));
  }

  /** Before any service has started, so that no client finds a cluster that ends at once. */
  @Test
  @Behaviour("C4: a per-job JobManager that cannot read its graph ends before its services start")
  void damagedGraphIsAnErrorThatNamesTheFile() {
    Random random = new Random(7);
    for (int length : List.of(0, 1, 2, 10, 1_000, 100_000)) {
      byte[] content = new byte[length];
      random.nextBytes(content);
      assertThatThrownBy(() -> runStaged(content))
          .as("%s random bytes", length)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("The job graph " + directory.resolve("graph"));
    }
  }

  @Test
  void missingGraphIsAnErrorThatNamesTheFile() {
    Path absent = directory.resolve("absent");
    assertThatThrownBy(
            () ->
                PerJobProcess.run(
                    Configuration.EMPTY,
                    new PerJobProcess.StagedJob(
                        absent, List.of(), Duration.ZERO, Optional.empty())))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(absent.toString());
  }
}

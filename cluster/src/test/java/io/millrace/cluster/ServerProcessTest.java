package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverProvider;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Env;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How server processes end, tested in separate JVMs. Tests that wait for a timeout run at once. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ServerProcessTest {
  private static final String TERMINATION_FILE = "millrace.test.ending";
  private static final String FAILURE = "millrace.test.failure";

  private static final String LOGGING =
      """
      <configuration>
        <appender name="terminal" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%level %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="terminal"/></root>
      </configuration>
      """;

  @TempDir private Path directory;

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Behaviour("B1: a process logs the signal that ends it and halts if a shutdown hook hangs")
  void haltsIfHookHangsAfterNormalEnd() throws Exception {
    Ended ended = run(EndsWithSleepingHook.class, List.of());
    assertThat(ended.code()).as("%s", ended).isEqualTo(ExitCode.SUCCEEDED.code());
    assertThat(ended.output())
        .contains("ends: SUCCEEDED", "Shutdown hooks of Test have not ended", "sleeping-hook at ");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void keepsExitCodeOfProgramIfHookHangs() throws Exception {
    Ended ended = run(ProgramExitsWithSleepingHook.class, List.of(ShutdownHooks.OPTION));
    assertThat(ended.code()).as("%s", ended).isEqualTo(7);
    assertThat(ended.output())
        .contains("Something stopped", "Shutdown hooks of Test have not ended", "asked to end with")
        .contains("sleeping-hook at ");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Behaviour("B3: the exit code of a program decides the outcome that cluster managers get")
  void servicesStopWithTheOutcomeOfTheExitCode() throws Exception {
    Ended failed = run(ProgramExits.class, List.of(ShutdownHooks.OPTION), "-5");
    assertThat(failed.code()).as("%s", failed).isEqualTo(251);
    assertThat(failed.output())
        .contains("[FAILED]: The program called System.exit(-5) after its jobs had succeeded.");
    Ended succeeded = run(ProgramExits.class, List.of(ShutdownHooks.OPTION), "0");
    assertThat(succeeded.code()).as("%s", succeeded).isEqualTo(0);
    assertThat(succeeded.output()).contains("[SUCCEEDED]: The program called System.exit(0) after");
    Ended unknown = run(ProgramExits.class, List.of(), "5");
    assertThat(unknown.code()).as("%s", unknown).isEqualTo(5);
    assertThat(unknown.output()).contains("[UNKNOWN]: The program called System.exit after");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void exitCodeIsUnknownIfHooksCannotBeAbandoned() throws Exception {
    Ended ended = run(ProgramExitsWithSleepingHook.class, List.of());
    assertThat(ended.code()).as("%s", ended).isEqualTo(ExitCode.UNKNOWN.code());
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void commandKeepsExitCodeIfHookHangs() throws Exception {
    Ended ended = run(CommandWithSleepingHook.class, List.of(ShutdownHooks.OPTION));
    assertThat(ended.code()).as("%s", ended).isEqualTo(9);
    assertThat(ended.output()).contains("Shutdown hooks of Test have not ended");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void waitsForSlowHooks() throws Exception {
    Ended ended = run(CommandWithSlowHook.class, List.of(ShutdownHooks.OPTION));
    assertThat(ended.code()).as("%s", ended).isEqualTo(9);
    assertThat(ended.output()).contains("slow hook ended").doesNotContain("have not ended");
  }

  @Test
  @Behaviour("B1: a process logs the signal that ends it and halts if a shutdown hook hangs")
  void logsSignal() throws Exception {
    for (String signal : List.of("TERM", "INT", "HUP")) {
      Path output = directory.resolve(signal);
      Process process = start(ServesForEver.class, List.of(), output);
      Ended ended;
      try {
        while (!text(output).contains("Something started")) {
          assertThat(process.isAlive()).as("%s", text(output)).isTrue();
          TimeUnit.MILLISECONDS.sleep(10);
        }
        kill(signal, process);
        if (isIgnored(signal)) {
          kill("TERM", process);
        }
        ended = await(process, output);
      } finally {
        process.destroyForcibly();
      }
      String ending = isIgnored(signal) ? "TERM" : signal;
      assertThat(ended.output())
          .contains("Test received SIG" + ending + " and shuts down", "Something stopped");
    }
  }

  private static void kill(String signal, Process process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor())
        .isZero();
  }

  /** A shell ignores SIGINT for background jobs, and nohup SIGHUP. Child processes inherit that. */
  private static boolean isIgnored(String signal) throws IOException {
    int number = signal.equals("HUP") ? 1 : signal.equals("INT") ? 2 : 15;
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .map(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
        .anyMatch(mask -> (mask & 1L << (number - 1)) != 0);
  }

  @Test
  @Behaviour(
      "B1: a process logs version, JVM, host, user, memory, options and arguments at start,"
          + " without secrets")
  void logsStartWithoutSecrets() throws Exception {
    Ended ended =
        run(
            EndsAtOnce.class,
            List.of("-Dkey.password=in-jvm-options"),
            "security.ssl.internal.key-password=in an argument",
            "env.java.opts.all=-Da=b -Dtrust.password=in-java-opts",
            "--api-token",
            "after-its-name",
            "plain=shown");
    assertThat(ended.code()).as("%s", ended).isZero();
    assertThat(ended.output())
        .contains(
            "Starting Test " + EngineVersion.CURRENT + " on host ",
            " as user " + System.getProperty("user.name") + ", pid ",
            "JVM: ",
            "mb heap at most",
            "JVM options: [",
            "-Dkey.password=(hidden)",
            "Arguments: [security.ssl.internal.key-password=(hidden), ",
            "--api-token, (hidden), plain=shown]",
            "  env.java.opts.all = -Da=b -Dtrust.password=(hidden)",
            "  plain = shown")
        .doesNotContain("in-jvm-options", "an argument", "in-java-opts", "after-its-name");
  }

  @Test
  @Behaviour("B3: a component that dies ends the application as UNKNOWN and keeps recovery data")
  void failedComponentEndsApplicationAsUnknown() throws Exception {
    Ended ended = jobManager("bug");
    assertThat(ended.code()).as("%s", ended).isEqualTo(ExitCode.UNKNOWN.code());
    assertThat(Files.readString(directory.resolve("ending")))
        .isEqualTo("UNKNOWN A component failed: IllegalStateException: the driver is confused");
    assertThat(directory.resolve("ha")).isNotEmptyDirectory();
    assertThat(ended.output()).contains("JobManager ends as UNKNOWN, because a component failed");
  }

  @Test
  @Behaviour("B3: a component that dies ends the application as UNKNOWN and keeps recovery data")
  void externalFailureIsLeftToAnotherAttempt() throws Exception {
    Ended ended = jobManager("external");
    assertThat(ended.code()).as("%s", ended).isEqualTo(ExitCode.FATAL.code());
    assertThat(directory.resolve("ending")).doesNotExist();
    assertThat(directory.resolve("ha")).isNotEmptyDirectory();
  }

  private Ended jobManager(String failure) throws Exception {
    Path secret = directory.resolve("secret");
    Files.createFile(
        secret, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(secret, "0123456789abcdef0123456789abcdef");
    Path services = Files.createDirectories(directory.resolve("services/META-INF/services"));
    Files.writeString(
        services.resolve(DriverProvider.class.getName()), FailingDriverProvider.class.getName());
    return run(
        JobManagerProcess.class,
        List.of(
            "-D" + TERMINATION_FILE + "=" + directory.resolve("ending"),
            "-D" + FAILURE + "=" + failure),
        "resourcemanager.driver=" + FailingDriverProvider.NAME,
        "security.cluster-secret.file=" + secret,
        "jobmanager.rpc.port=0",
        "rest.port=0",
        "io.tmp.dirs=" + directory.resolve("tmp"),
        "high-availability.type=file",
        "high-availability.storageDir=" + directory.resolve("ha"));
  }

  private record Ended(int code, String output) {}

  private Ended run(Class<?> main, List<String> options, String... arguments) throws Exception {
    Path output = directory.resolve("output");
    return await(start(main, options, output, arguments), output);
  }

  /** Reads a file that is being written and may end within a character. */
  private static String text(Path output) throws IOException {
    return new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1);
  }

  private static Ended await(Process process, Path output) throws Exception {
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("it ends: %s", output).isTrue();
      return new Ended(process.exitValue(), text(output));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static Process start(
      Class<?> main, List<String> options, Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // The tests expect INFO messages; the default of an embedded cluster is WARN.
    Path logging = output.resolveSibling("logback.xml");
    Files.writeString(logging, LOGGING);
    command.add("-Dlogback.configurationFile=" + logging);
    command.addAll(options);
    command.add("-cp");
    command.add(
        output.resolveSibling("services")
            + ":"
            + System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("MILLRACE_"));
    return builder.start();
  }

  /** A process with a hanging shutdown hook. */
  static final class EndsWithSleepingHook {
    private EndsWithSleepingHook() {}

    public static void main(String[] arguments) {
      Runtime.getRuntime().addShutdownHook(new Thread(EndsWithSleepingHook::hang, "sleeping-hook"));
      System.exit(
          ServerProcess.run(
              "Test",
              Configuration.EMPTY,
              process -> process.end(ExitCode.SUCCEEDED, "As ordered.")));
    }

    private static void hang() {
      try {
        TimeUnit.HOURS.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A process whose program calls System.exit. */
  static final class ProgramExitsWithSleepingHook {
    private ProgramExitsWithSleepingHook() {}

    public static void main(String[] arguments) {
      Runtime.getRuntime().addShutdownHook(new Thread(EndsWithSleepingHook::hang, "sleeping-hook"));
      System.exit(
          ServerProcess.run(
              "Test",
              Configuration.EMPTY,
              process -> {
                process.started("Something", () -> CompletableFuture.completedFuture(null));
                process.whenProgramExits(Optional::empty);
                process.inBackground("program", () -> System.exit(7));
              }));
    }
  }

  /** Its service prints the outcome with which it is stopped. */
  static final class ProgramExits {
    private ProgramExits() {}

    public static void main(String[] arguments) {
      System.exit(
          ServerProcess.run(
              "Test",
              Configuration.EMPTY,
              process -> {
                process.started(
                    "Something",
                    () -> {
                      System.out.println(
                          process.applicationStatus().stream().toList()
                              + ": "
                              + process.diagnostics());
                      return CompletableFuture.completedFuture(null);
                    });
                process.whenProgramExits(Optional::empty);
                process.inBackground(
                    "program", () -> Runtime.getRuntime().exit(Integer.parseInt(arguments[0])));
              }));
    }
  }

  static final class CommandWithSleepingHook {
    private CommandWithSleepingHook() {}

    public static void main(String[] arguments) {
      ShutdownSafeguard.install("Test");
      Runtime.getRuntime().addShutdownHook(new Thread(EndsWithSleepingHook::hang, "sleeping-hook"));
      System.exit(9);
    }
  }

  /** A hook that takes long enough to detect a JVM that does not wait for it. */
  static final class CommandWithSlowHook {
    private CommandWithSlowHook() {}

    public static void main(String[] arguments) {
      ShutdownSafeguard.install("Test");
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                    System.out.println("slow hook ended");
                  }));
      System.exit(9);
    }
  }

  static final class ServesForEver {
    private ServesForEver() {}

    public static void main(String[] arguments) {
      System.exit(
          ServerProcess.run(
              "Test",
              Configuration.EMPTY,
              process ->
                  process.started("Something", () -> CompletableFuture.completedFuture(null))));
    }
  }

  /** Its arguments are its configuration, except those without a value. */
  static final class EndsAtOnce {
    private EndsAtOnce() {}

    public static void main(String[] arguments) {
      Configuration configuration = Configuration.EMPTY;
      for (String argument : arguments) {
        int equals = argument.indexOf('=');
        if (equals > 0) {
          configuration =
              configuration.with(argument.substring(0, equals), argument.substring(equals + 1));
        }
      }
      System.exit(
          ServerProcess.run(
              "Test", configuration, process -> process.end(ExitCode.SUCCEEDED, "As ordered.")));
    }
  }

  /** A driver that fails after its start and records its termination in a file. */
  public static final class FailingDriverProvider implements DriverProvider {
    static final String NAME = "failing";

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public WorkerDriver driver(Configuration configuration, Env env) {
      return new FailingDriver();
    }
  }

  private static final class FailingDriver implements WorkerDriver {
    @Override
    public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
      events.broken(
          System.getProperty(FAILURE).equals("bug")
              ? new IllegalStateException("the driver is confused")
              : new MillraceException(ErrorKind.EXTERNAL, "the driver has lost its machines"));
      return CompletableFuture.completedFuture(new DriverCapabilities(Optional.empty(), List.of()));
    }

    @Override
    public void request(long request, WorkerSpec spec) {
      throw new AssertionError("No worker is requested in this test");
    }

    @Override
    public void cancel(long request) {
      throw new AssertionError("No worker is requested in this test");
    }

    @Override
    public void release(WorkerId worker, Reason reason) {
      throw new AssertionError("It has no workers");
    }

    @Override
    public void blocked(List<String> nodes) {}

    @Override
    public Reason advice() {
      return new DriverReason("dying.advice", "Wait.");
    }

    @Override
    public CompletableFuture<Void> stop(DriverTermination ending) {
      if (ending instanceof DriverTermination.Over over) {
        try {
          Files.writeString(
              Path.of(System.getProperty(TERMINATION_FILE)),
              over.status() + " " + over.diagnostics());
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return CompletableFuture.completedFuture(null);
    }
  }
}

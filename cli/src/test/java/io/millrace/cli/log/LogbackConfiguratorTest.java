package io.millrace.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.millrace.cli.common.Console;
import io.millrace.client.ProcessEnvironment;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class LogbackConfiguratorTest {
  private static final String TERMINAL = "millrace.log.terminal";

  @TempDir private Path directory;

  private static final List<String> PROPERTIES =
      List.of(ServerJvm.LOG_FILE, ServerJvm.LOG_SIZE, ServerJvm.LOG_FILES, TERMINAL);

  /** What the build has set for all tests. */
  private final Map<String, String> before = new HashMap<>();

  @BeforeEach
  void remember() {
    for (String name : PROPERTIES) {
      String value = System.clearProperty(name);
      if (value != null) {
        before.put(name, value);
      }
    }
  }

  private static void forget() {
    PROPERTIES.forEach(System::clearProperty);
  }

  @AfterEach
  void restore() {
    forget();
    before.forEach(System::setProperty);
  }

  private Console console() {
    return new Console(
        System.out,
        System.err,
        new ProcessEnvironment(Map.of("MILLRACE_LOG_DIR", directory.toString()), Optional.empty()));
  }

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void fileThatBecomesTooLargeIsRenamedAndOnlySomeAreKept() throws Exception {
    Path file = directory.resolve("100%i.log");
    System.setProperty(ServerJvm.LOG_FILE, file.toString());
    System.setProperty(ServerJvm.LOG_SIZE, "10000");
    System.setProperty(ServerJvm.LOG_FILES, "2");
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    new LogbackConfigurator().configure(context);
    Logger log = context.getLogger("test");
    // It looks at the size now and then.
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!Files.exists(directory.resolve("100%i.log.2")) && System.nanoTime() < deadline) {
      log.info("{}", "x".repeat(1000));
      TimeUnit.MILLISECONDS.sleep(1);
    }
    for (int i = 0; i < 300; i++) {
      log.info("{}", "x".repeat(1000));
      TimeUnit.MILLISECONDS.sleep(1);
    }
    context.stop();
    assertThat(names()).containsExactly("100%i.log", "100%i.log.1", "100%i.log.2");
  }

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void foregroundServersLogToAFileAndToTheTerminal() {
    for (String server : List.of("jobmanager", "taskmanager", "history")) {
      LogbackConfigurator.choose(console(), server);
      assertThat(System.getProperty(ServerJvm.LOG_FILE))
          .isEqualTo(directory.resolve(server + ".log").toString());
      assertThat(LogbackConfigurator.isFileOnly()).isFalse();
      LoggerContext context = new LoggerContext();
      new LogbackConfigurator().configure(context);
      assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders())
          .toIterable()
          .hasSize(2);
      context.stop();
      forget();
    }
    LogbackConfigurator.choose(console(), "run");
    assertThat(LogbackConfigurator.isFileOnly()).isTrue();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}

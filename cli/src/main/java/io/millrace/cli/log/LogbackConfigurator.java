package io.millrace.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.millrace.cli.common.Console;
import io.millrace.client.UserHome;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.config.LogFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log to the file that a system property names, else to standard error; a server in the
 * foreground logs to both. A file that exceeds its size is renamed. The settings are code, because
 * parsing a configuration file takes longer than all other logging of a command.
 */
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {
  public static final String PROPERTY = ServerJvm.LOG_FILE;
  private static final String ALSO_TERMINAL = "millrace.log.terminal";
  private static final long DEFAULT_SIZE = 32L << 20;
  private static final int DEFAULT_FILES = 5;
  private static final int MAX_FILES = 20;
  private static final int CHECK_MILLIS = 100;

  private static final List<String> FOREGROUND = List.of("jobmanager", "taskmanager", "history");

  /** Libraries that log only warnings and errors. */
  private static final String[] QUIET = {"io.netty", "io.grpc", "io.vertx", "org.apache.fory"};

  /**
   * Sets the log file to the name of the command, unless one is set. Server processes in the
   * foreground also log to the terminal.
   */
  public static void choose(Console console, String... arguments) {
    String command = arguments.length == 0 || arguments[0].startsWith("-") ? "help" : arguments[0];
    if (System.getProperty(PROPERTY) != null) {
      return;
    }
    if (FOREGROUND.contains(command)) {
      System.setProperty(ALSO_TERMINAL, "true");
    }
    // The command may be any word.
    String name = command.chars().allMatch(Character::isLetter) ? command : "unknown";
    System.setProperty(PROPERTY, directory(console).resolve(name + ".log").toString());
  }

  /** Whether the log goes only to a file, so that the command itself prints failures. */
  public static boolean isFileOnly() {
    return System.getProperty(PROPERTY) != null && !Boolean.getBoolean(ALSO_TERMINAL);
  }

  private static Path directory(Console console) {
    String named = console.environment().getOrDefault("MILLRACE_LOG_DIR", "");
    if (!named.isEmpty()) {
      return Path.of(named);
    }
    if (console.home().isPresent() && Files.isWritable(console.home().get())) {
      return console.home().get().resolve("log");
    }
    return UserHome.of(console.environment()).resolve(".millrace").resolve("log");
  }

  /** Lets the engine log at level DEBUG, including stack traces. */
  public static void enableDebug() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger("io.millrace").setLevel(Level.DEBUG);
    }
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty("logback.configurationFile") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
    String file = System.getProperty(PROPERTY);
    if (file != null) {
      add(
          context,
          file(context, file),
          LogFormat.JSON.name().equalsIgnoreCase(System.getProperty(ServerJvm.LOG_FORMAT))
              ? new JsonLogLayout()
              : new LogLayout());
    }
    if (file == null || Boolean.getBoolean(ALSO_TERMINAL)) {
      ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
      console.setTarget("System.err");
      add(context, console, new LogLayout());
    }
    for (String name : QUIET) {
      context.getLogger(name).setLevel(Level.WARN);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static void add(
      LoggerContext context,
      OutputStreamAppender<ILoggingEvent> appender,
      Layout<ILoggingEvent> layout) {
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    layout.setContext(context);
    encoder.setLayout(layout);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
  }

  private static OutputStreamAppender<ILoggingEvent> file(LoggerContext context, String file) {
    RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
    appender.setFile(file);
    appender.setAppend(true);
    NumberedRollingPolicy renaming =
        new NumberedRollingPolicy(
            Path.of(file),
            Math.max(
                1, Math.min(MAX_FILES, Integer.getInteger(ServerJvm.LOG_FILES, DEFAULT_FILES))));
    renaming.setContext(context);
    renaming.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(Long.getLong(ServerJvm.LOG_SIZE, DEFAULT_SIZE)));
    size.setCheckIncrement(Duration.buildByMilliseconds(CHECK_MILLIS));
    size.start();
    appender.setRollingPolicy(renaming);
    appender.setTriggeringPolicy(size);
    return appender;
  }
}

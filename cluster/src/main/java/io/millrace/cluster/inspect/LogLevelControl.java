package io.millrace.cluster.inspect;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.ProcessGateway.LogLevel;
import io.millrace.protocol.ProcessGateway.LogLevels;
import io.millrace.protocol.ProcessGateway.LoggerLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** Changes the levels of loggers of this process. Confined to the mailbox of its caller. */
final class LogLevelControl {
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(LogLevelControl.class);

  /** A logger is never removed, so that names without end would fill the memory. */
  private static final int MAX_CHANGED = 1000;

  private static final Pattern NAME = Pattern.compile("[\\w$-]+(\\.[\\w$-]+)*");

  private final ILoggerFactory loggers;

  /** The levels that changed loggers had before; empty for one without a level of its own. */
  private final Map<String, Optional<Level>> before = new LinkedHashMap<>();

  LogLevelControl(ILoggerFactory loggers) {
    this.loggers = loggers;
  }

  /** The root logger is first, the others are sorted by name. */
  LogLevels list() {
    List<LoggerLevel> levels = new ArrayList<>();
    for (Logger logger : context().getLoggerList()) {
      if (logger.getLevel() != null) {
        levels.add(new LoggerLevel(logger.getName(), level(logger.getLevel())));
      }
    }
    return new LogLevels(levels);
  }

  /**
   * @param level empty to restore the level from before the first change
   */
  LogLevels set(String name, Optional<LogLevel> level) {
    if (!NAME.matcher(name).matches()) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' is no name of a logger. Give ROOT, or a class or package such as"
              + " io.millrace.rest.");
    }
    LoggerContext context = context();
    if (level.isEmpty() && !before.containsKey(name)) {
      return list();
    }
    if (!before.containsKey(name) && before.size() == MAX_CHANGED) {
      throw new MillraceException(
          ErrorKind.USER,
          "The levels of "
              + MAX_CHANGED
              + " loggers were changed already. Further ones can be changed after a restart of the process.");
    }
    Logger logger = context.getLogger(name);
    before.putIfAbsent(name, Optional.ofNullable(logger.getLevel()));
    Level wanted =
        level
            .map(given -> Level.valueOf(given.name()))
            .orElseGet(() -> before.get(name).orElse(null));
    logger.setLevel(wanted);
    LOG.info("The level of logger {} is now {}", name, logger.getEffectiveLevel());
    return list();
  }

  private LoggerContext context() {
    if (loggers instanceof LoggerContext context) {
      return context;
    }
    throw new MillraceException(
        ErrorKind.USER,
        "The process does not log with Logback but with "
            + loggers.getClass().getName()
            + ", whose levels cannot be changed here.");
  }

  private static LogLevel level(Level level) {
    return switch (level.toInt()) {
      case Level.ALL_INT, Level.TRACE_INT -> LogLevel.TRACE;
      case Level.DEBUG_INT -> LogLevel.DEBUG;
      case Level.INFO_INT -> LogLevel.INFO;
      case Level.WARN_INT -> LogLevel.WARN;
      case Level.ERROR_INT -> LogLevel.ERROR;
      default -> LogLevel.OFF;
    };
  }
}

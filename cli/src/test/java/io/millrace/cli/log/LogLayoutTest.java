package io.millrace.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import io.millrace.core.testing.Behaviour;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import org.junit.jupiter.api.Test;

@org.junit.jupiter.api.parallel.ResourceLock("LogContext.worker")
class LogLayoutTest {
  private final LogLayout layout = new LogLayout();

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void lineHasTimeLevelThreadLoggerAndMessage() {
    assertThat(layout.doLayout(event(Level.INFO, "Job {} is {}", new Object[] {7, "RUNNING"})))
        .isEqualTo("2026-01-02 03:04:05.006 INFO  [main] io.millrace.Test - Job 7 is RUNNING\n");
  }

  @Test
  void levelsAreAligned() {
    assertThat(layout.doLayout(event(Level.WARN, "x"))).contains(".006 WARN  [main]");
    assertThat(layout.doLayout(event(Level.ERROR, "x"))).contains(".006 ERROR [main]");
    assertThat(layout.doLayout(event(Level.DEBUG, "x"))).contains(".006 DEBUG [main]");
  }

  @Test
  void jobAndTaskOfTheContextAreShown() {
    LoggingEvent event = event(Level.INFO, Map.of("job", "7"), "x");
    assertThat(layout.doLayout(event)).contains("io.millrace.Test {job=7} - x");
  }

  @Test
  void stackTraceFollowsTheLine() {
    LoggingEvent event = event(Level.ERROR, "It failed");
    event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("no state")));
    assertThat(layout.doLayout(event).lines().limit(3))
        .element(1)
        .isEqualTo("java.lang.IllegalStateException: no state");
    assertThat(layout.doLayout(event)).contains("\tat ").contains("LogLayoutTest");
  }

  private static LoggingEvent event(Level level, String message, Object... arguments) {
    return event(level, Map.of(), message, arguments);
  }

  private static LoggingEvent event(
      Level level, Map<String, String> context, String message, Object... arguments) {
    LoggingEvent event =
        new LoggingEvent(
            LogLayoutTest.class.getName(),
            new LoggerContext().getLogger("io.millrace.Test"),
            level,
            message,
            null,
            arguments);
    event.setThreadName("main");
    event.setTimeStamp(
        LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6_000_000)
            .atZone(ZoneId.systemDefault())
            .toInstant()
            .toEpochMilli());
    event.setMDCPropertyMap(context);
    return event;
  }
}

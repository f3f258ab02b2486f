package io.millrace.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.millrace.core.log.LogContext;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Formats a log line: time, level, thread, logger, worker, job and task, message. It is not a
 * pattern of Logback, because parsing a pattern at each start takes longer than all logging of a
 * short command.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
  private final ZoneId zone = ZoneId.systemDefault();

  @Override
  public String doLayout(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(160);
    ZonedDateTime time = Instant.ofEpochMilli(event.getTimeStamp()).atZone(zone);
    line.append(time.getYear());
    padded(line.append('-'), time.getMonthValue(), 2);
    padded(line.append('-'), time.getDayOfMonth(), 2);
    padded(line.append(' '), time.getHour(), 2);
    padded(line.append(':'), time.getMinute(), 2);
    padded(line.append(':'), time.getSecond(), 2);
    padded(line.append('.'), time.getNano() / 1_000_000, 3);
    String level = event.getLevel().toString();
    line.append(' ').append(level).append(" ".repeat(Math.max(1, 6 - level.length())));
    line.append('[').append(event.getThreadName()).append("] ").append(event.getLoggerName());
    Map<String, String> context = context(event);
    if (!context.isEmpty()) {
      line.append(' ').append(context);
    }
    line.append(" - ").append(event.getFormattedMessage()).append('\n');
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.append(ThrowableProxyUtil.asString(thrown));
    }
    return line.toString();
  }

  /** The ids that a line carries, the worker of the process first. */
  static Map<String, String> context(ILoggingEvent event) {
    Map<String, String> context = event.getMDCPropertyMap();
    if (LogContext.worker().isEmpty()) {
      return context;
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put(LogContext.WORKER, LogContext.worker());
    all.putAll(context);
    return all;
  }

  private static void padded(StringBuilder line, int number, int digits) {
    String text = Integer.toString(number);
    line.append("0".repeat(digits - text.length())).append(text);
  }
}

package io.millrace.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Formats a log line as a JSON object with texts only: {@code time} in UTC, {@code level}, {@code
 * thread}, {@code logger}, {@code message}, {@code exception} with the stack, and {@code worker},
 * {@code job}, {@code task} and all other entries of the MDC. An entry of the MDC that has the name
 * of one of the others is left out.
 */
final class JsonLogLayout extends LayoutBase<ILoggingEvent> {
  @Override
  public String doLayout(ILoggingEvent event) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    fields.put("level", event.getLevel().toString());
    fields.put("thread", event.getThreadName());
    fields.put("logger", event.getLoggerName());
    fields.put("message", String.valueOf(event.getFormattedMessage()));
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      fields.put("exception", ThrowableProxyUtil.asString(thrown));
    }
    LogLayout.context(event).forEach(fields::putIfAbsent);
    StringBuilder line = new StringBuilder(256);
    fields.forEach(
        (name, value) -> {
          line.append(line.length() == 0 ? "{" : ",");
          quoted(line, name);
          quoted(line.append(':'), String.valueOf(value));
        });
    return line.append("}\n").toString();
  }

  private static void quoted(StringBuilder line, String text) {
    line.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, line);
    line.append('"');
  }
}

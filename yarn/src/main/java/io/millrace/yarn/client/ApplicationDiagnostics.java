package io.millrace.yarn.client;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The diagnostics of an application, shortened to one line. */
final class ApplicationDiagnostics {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationDiagnostics.class);
  private static final String TIME = "\\[[^\\]]*\\d\\d:\\d\\d:\\d\\d[^\\]]*\\]\\s*";

  /** YARN repeats the output of a process within a long standard text. */
  private static final Pattern EXIT =
      Pattern.compile("AM Container for \\S+ exited with +exitCode: (-?\\d+)");

  private static final Pattern WROTE =
      Pattern.compile(
          "Last \\d+ bytes of stderr\\.log : (.*?)(?:" + TIME + "|For more detailed|$)");

  private ApplicationDiagnostics() {}

  static String of(ApplicationReport report) {
    String full = report.getDiagnostics() == null ? "" : report.getDiagnostics();
    if (YarnApplication.isOver(report) && !full.isBlank()) {
      LOG.info("Diagnostics of {}: {}", report.getApplicationId(), full);
    }
    return brief(full);
  }

  static String withoutFullStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  static String brief(String diagnostics) {
    String line = diagnostics.replaceAll("\\s+", " ").strip();
    Matcher exit = EXIT.matcher(line);
    if (!exit.find()) {
      return line.replaceFirst("^" + TIME, "");
    }
    Matcher wrote = WROTE.matcher(line);
    String last = wrote.find() ? wrote.group(1).strip() : "";
    return "The JobManager's process ended with exit code "
        + exit.group(1)
        + (last.isEmpty() ? "" : " and wrote: " + last);
  }
}

package io.millrace.yarn.client;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What YARN says about an application, in one line that a person can take in. */
final class ApplicationDiagnostics {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationDiagnostics.class);
  private static final String TIME = "\\[[^\\]]*\\d\\d:\\d\\d:\\d\\d[^\\]]*\\]\\s*";

  /** YARN wraps what a process wrote in much that is always the same, and says it twice. */
  private static final Pattern EXIT =
      Pattern.compile("AM Container for \\S+ exited with +exitCode: (-?\\d+)");

  private static final Pattern WROTE =
      Pattern.compile(
          "Last \\d+ bytes of stderr\\.log : (.*?)(?:" + TIME + "|For more detailed|$)");

  private ApplicationDiagnostics() {}

  static String of(ApplicationReport report) {
    String said = report.getDiagnostics() == null ? "" : report.getDiagnostics();
    if (YarnApplication.isOver(report) && !said.isBlank()) {
      LOG.info("YARN says of {}: {}", report.getApplicationId(), said);
    }
    return brief(said);
  }

  static String brief(String said) {
    String line = said.replaceAll("\\s+", " ").strip();
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

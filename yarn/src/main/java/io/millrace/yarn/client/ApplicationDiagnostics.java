package io.millrace.yarn.client;

import io.millrace.yarn.launch.ContainerExitReason;
import io.millrace.yarn.launch.ContainerRole;
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
      Pattern.compile("AM Container for \\S+ exited with +exitCode: (-?\\d{1,9})");

  private static final Pattern WROTE =
      Pattern.compile(
          "Last \\d+ bytes of stderr\\.log : (.*?)(?:" + TIME + "|For more detailed|$)");

  /** A usage of memory, within the listing of all processes. */
  private static final Pattern MEMORY = Pattern.compile("Current usage: .{1,200}? Killing");

  /** Codes above this are signals. */
  private static final int LAST_OWN_CODE = 128;

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
        + (last.isEmpty() ? "" : " and wrote: " + last)
        + meaning(Integer.parseInt(exit.group(1)), line);
  }

  /** What the code of a process means that did not end by itself. */
  private static String meaning(int code, String line) {
    if (code >= 0 && code <= LAST_OWN_CODE) {
      return "";
    }
    Matcher usage = MEMORY.matcher(line);
    return ": "
        + ContainerExitReason.of(
            ContainerRole.JOB_MANAGER, code, usage.find() ? usage.group() : "");
  }
}

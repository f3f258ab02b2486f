package io.millrace.yarn.master;

import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;

/**
 * How YARN counts an application whose master runs.
 *
 * @param containers that it has
 * @param reserved for which YARN keeps room on nodes that are not free enough yet
 * @param room that is kept so
 * @param diagnostics what YARN says itself; empty where it says nothing
 */
record ApplicationUsage(int containers, int reserved, ContainerSize room, String diagnostics) {
  /** YARN begins with the time, which differs whenever it is asked. */
  private static final String TIME = "^\\[[^\\]]*\\d\\d:\\d\\d:\\d\\d[^\\]]*\\]\\s*";

  ApplicationUsage {
    Objects.requireNonNull(room);
    Objects.requireNonNull(diagnostics);
  }

  static ApplicationUsage of(ApplicationReport report) {
    ApplicationResourceUsageReport usage = report.getApplicationResourceUsageReport();
    return new ApplicationUsage(
        Math.max(0, usage.getNumUsedContainers()),
        Math.max(0, usage.getNumReservedContainers()),
        ContainerSize.of(usage.getReservedResources()),
        current(report.getDiagnostics()));
  }

  /** What was said while the master itself waited for its container stays there for good. */
  static String current(String said) {
    String line = said == null ? "" : said.replaceAll("\\s+", " ").strip().replaceFirst(TIME, "");
    return line.toLowerCase(Locale.ROOT).contains("am container") ? "" : line;
  }

  @Override
  public String toString() {
    return "this application has "
        + containers
        + (containers == 1 ? " container" : " containers")
        + (reserved == 0
            ? ""
            : ", and room is kept for " + reserved + " more (" + room + " so far)")
        + (diagnostics.isEmpty() ? "" : "; YARN says: " + diagnostics);
  }
}

package io.millrace.yarn.master;

import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;

/**
 * The resources of an application whose ApplicationMaster runs.
 *
 * @param containers the number of its containers
 * @param reserved the number of containers for which YARN reserves resources on nodes that do not
 *     have enough yet
 * @param reservedSize the resources that are reserved
 * @param diagnostics of YARN, may be empty
 */
record ApplicationUsage(
    int containers, int reserved, ContainerSize reservedSize, String diagnostics) {
  /** Diagnostics begin with the time of the query, which would make each answer a new one. */
  private static final String TIME = "^\\[[^\\]]*\\d\\d:\\d\\d:\\d\\d[^\\]]*\\]\\s*";

  ApplicationUsage {
    Objects.requireNonNull(reservedSize);
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

  /** Diagnostics about the container of the ApplicationMaster are outdated: it runs. */
  static String current(String diagnostics) {
    String line =
        diagnostics == null
            ? ""
            : diagnostics.replaceAll("\\s+", " ").strip().replaceFirst(TIME, "");
    return line.toLowerCase(Locale.ROOT).contains("am container") ? "" : line;
  }

  @Override
  public String toString() {
    return "this application has "
        + containers
        + (containers == 1 ? " container" : " containers")
        + (reserved == 0
            ? ""
            : ", and room is kept for " + reserved + " more (" + reservedSize + " so far)")
        + (diagnostics.isEmpty() ? "" : "; YARN says: " + diagnostics);
  }
}

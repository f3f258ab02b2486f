package io.millrace.yarn.launch;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;

/** Why a container has ended, as text. */
public final class ContainerExitReason {
  /** An exit code above this is the number of a signal plus this. */
  private static final int SIGNAL_BASE = 128;

  private static final int SIGKILL = 9;
  private static final int SIGTERM = 15;
  private static final int MAX_LINES = 3;
  private static final int MAX_LENGTH = 400;

  /** YARN prints the processes of the container after it. */
  private static final Pattern MEMORY_USAGE =
      Pattern.compile(
          "Current usage: (?<physical>[^;\\n]{1,100} physical memory used);"
              + " (?<virtual>[^;\\n]{1,100} virtual memory used)\\.");

  /** What a NodeManager says of a disk that is too full. */
  private static final String FULL_DISK = "usable space";

  private ContainerExitReason() {}

  /**
   * @param diagnostics of YARN, often with a stack trace
   */
  public static String of(ContainerRole role, int status, String diagnostics) {
    String details =
        switch (status) {
          case ContainerExitStatus.KILLED_EXCEEDED_VMEM -> usage(diagnostics, "virtual");
          case ContainerExitStatus.KILLED_EXCEEDED_PMEM -> usage(diagnostics, "physical");
          default -> lastLines(diagnostics);
        };
    String advice = advice(role, status);
    return meaning(status)
        + (details.isEmpty() ? "" : ": " + details)
        + (advice.isEmpty() ? "" : (details.endsWith(".") ? " " : ". ") + advice);
  }

  /**
   * Why a container has ended that YARN took back from an unhealthy node.
   *
   * @param report of the node
   */
  public static String ofUnhealthyNode(String report) {
    String what = truncate(report.replaceAll("\\s+", " ").strip());
    return "YARN has taken its container back because its node is unhealthy (-100)"
        + (what.isEmpty() ? "" : ": " + what)
        + (report.contains(FULL_DISK)
            ? ". Free space on the disks of the node, or have"
                + " yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"
                + " raised"
            : "");
  }

  /**
   * Whether the status says no more than that the container was released or stopped by its
   * application.
   */
  public static boolean isRelease(int status) {
    return status == ContainerExitStatus.SUCCESS
        || status == ContainerExitStatus.ABORTED
        || status == ContainerExitStatus.KILLED_BY_APPMASTER
        || status == ContainerExitStatus.KILLED_AFTER_APP_COMPLETION
        || status == SIGNAL_BASE + SIGTERM;
  }

  private static String meaning(int status) {
    return switch (status) {
      case ContainerExitStatus.SUCCESS -> "exit code 0";
      case ContainerExitStatus.INVALID -> "its container never ran";
      case ContainerExitStatus.ABORTED ->
          "YARN has taken its container back (-100: its node is lost, or it was released)";
      case ContainerExitStatus.DISKS_FAILED -> "the disks of its node have failed (-101)";
      case ContainerExitStatus.PREEMPTED ->
          "YARN has pre-empted its container for another queue or application (-102)";
      case ContainerExitStatus.KILLED_EXCEEDED_VMEM ->
          "YARN has killed it because it took more virtual memory than its container may (-103)";
      case ContainerExitStatus.KILLED_EXCEEDED_PMEM ->
          "YARN has killed it because it took more memory than its container has (-104)";
      case ContainerExitStatus.KILLED_BY_APPMASTER -> "its container was stopped (-105)";
      case ContainerExitStatus.KILLED_BY_RESOURCEMANAGER ->
          "YARN's ResourceManager has killed its container (-106)";
      case ContainerExitStatus.KILLED_AFTER_APP_COMPLETION -> "the application is over (-107)";
      case ContainerExitStatus.KILLED_BY_CONTAINER_SCHEDULER ->
          "its node needed the room for guaranteed containers (-108)";
      case ContainerExitStatus.KILLED_FOR_EXCESS_LOGS -> "YARN has killed it for its logs (-109)";
      default ->
          status > SIGNAL_BASE
              ? "its process was killed by signal " + signal(status - SIGNAL_BASE)
              : "exit code " + status;
    };
  }

  private static String signal(int number) {
    return switch (number) {
      case SIGKILL ->
          "9 (KILL): by the kernel because the node has no memory left, which dmesg of the node"
              + " shows, or by a person";
      case SIGTERM -> "15 (TERM)";
      default -> String.valueOf(number);
    };
  }

  private static String advice(ContainerRole role, int status) {
    return switch (status) {
      case ContainerExitStatus.KILLED_EXCEEDED_VMEM ->
          "Virtual memory is address space and not memory in use: have"
              + " yarn.nodemanager.vmem-check-enabled set to false or"
              + " yarn.nodemanager.vmem-pmem-ratio raised on the nodes, or raise "
              + role.size();
      case ContainerExitStatus.KILLED_EXCEEDED_PMEM ->
          "Raise " + role.overhead() + ", or find out what takes it";
      default -> "";
    };
  }

  /**
   * The usage and the limit of the memory for which a container was killed. Nothing if YARN has cut
   * them off, as it does if the command lines of the processes, which follow, are long.
   */
  private static String usage(String diagnostics, String kind) {
    Matcher usage = MEMORY_USAGE.matcher(diagnostics);
    return usage.find() ? usage.group(kind) : "";
  }

  /** The last lines, on one line. */
  private static String lastLines(String diagnostics) {
    List<String> lines =
        diagnostics
            .lines()
            .map(line -> line.replaceFirst("^\\[[-0-9:. ]+]", "").strip())
            .filter(line -> !line.isEmpty() && !line.startsWith("at "))
            .filter(line -> !WITHOUT_A_REASON.matcher(line).find())
            .toList();
    return truncate(
        lines.subList(Math.max(0, lines.size() - MAX_LINES), lines.size()).stream()
            .collect(Collectors.joining(" / ")));
  }

  private static String truncate(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
  }

  /**
   * Standard lines of YARN that say no more than the exit code, and its table of the processes of a
   * container with their command lines.
   */
  private static final Pattern WITHOUT_A_REASON =
      Pattern.compile(
          "^(Dump of the process-tree for |\\|- "
              + "|Container killed on request\\. Exit code is"
              + "|Container exited with a non-zero exit code"
              + "|Killed by external signal"
              + "|Container released (by application|on a \\*lost\\* node)$)");
}

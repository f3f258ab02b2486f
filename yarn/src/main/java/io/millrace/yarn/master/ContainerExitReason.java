package io.millrace.yarn.master;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;

/** Why a container has ended, as text. */
final class ContainerExitReason {
  /** An exit code above this is the number of a signal plus this. */
  private static final int SIGNAL_BASE = 128;

  private static final int MAX_LINES = 3;
  private static final int MAX_LENGTH = 400;

  private ContainerExitReason() {}

  /**
   * @param diagnostics of YARN, often with a stack trace
   */
  static String reason(int status, String diagnostics) {
    String last = lastLines(diagnostics);
    return meaning(status) + (last.isEmpty() ? "" : ": " + last);
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
          "YARN has killed it because it took more memory than its container has (-104). Raise"
              + " taskmanager.memory.jvm-overhead.min, or find out what takes it";
      case ContainerExitStatus.KILLED_BY_APPMASTER -> "its container was stopped (-105)";
      case ContainerExitStatus.KILLED_BY_RESOURCEMANAGER ->
          "YARN's ResourceManager has killed its container (-106)";
      case ContainerExitStatus.KILLED_AFTER_APP_COMPLETION -> "the application is over (-107)";
      case ContainerExitStatus.KILLED_BY_CONTAINER_SCHEDULER ->
          "its node needed the room for guaranteed containers (-108)";
      case ContainerExitStatus.KILLED_FOR_EXCESS_LOGS -> "YARN has killed it for its logs (-109)";
      default ->
          status > SIGNAL_BASE
              ? "its process was killed by signal " + (status - SIGNAL_BASE)
              : "exit code " + status;
    };
  }

  /** The last lines, on one line. */
  private static String lastLines(String diagnostics) {
    List<String> lines =
        diagnostics
            .lines()
            .map(line -> line.replaceFirst("^\\[[-0-9:. ]+]", "").strip())
            .filter(line -> !line.isEmpty() && !line.startsWith("at "))
            .toList();
    String joined =
        lines.subList(Math.max(0, lines.size() - MAX_LINES), lines.size()).stream()
            .collect(Collectors.joining(" / "));
    return joined.length() <= MAX_LENGTH ? joined : joined.substring(0, MAX_LENGTH) + "…";
  }
}

package io.millrace.control.jobmaster;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.WatermarkReport;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The watermarks of the sources of a job that wait for each other. A task counts from its first
 * report until it ends or its TaskManager is lost. A pure value of the JobMaster's mailbox.
 */
final class AlignmentGroups {
  private record Member(WorkerId worker, long watermark) {}

  private final Map<String, Map<ExecutionId, Member>> groups = new LinkedHashMap<>();

  /** Takes a report; returns the lowest watermark of its group. */
  long report(WatermarkReport report) {
    Map<ExecutionId, Member> members =
        groups.computeIfAbsent(report.group(), group -> new LinkedHashMap<>());
    members.put(report.execution(), new Member(report.worker(), report.watermark()));
    return members.values().stream().mapToLong(Member::watermark).min().orElseThrow();
  }

  /** Tasks have ended. */
  void ended(Collection<ExecutionId> executions) {
    groups.values().forEach(members -> members.keySet().removeAll(executions));
  }

  /** The tasks of a TaskManager are lost. */
  void lost(WorkerId worker) {
    groups
        .values()
        .forEach(members -> members.values().removeIf(member -> member.worker().equals(worker)));
  }
}

package io.millrace.yarn.master;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.yarn.master.AllocatorAction.ReportDraining;
import io.millrace.yarn.master.AllocatorEvent.RemovalsAnnounced;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Containers that YARN is going to take away. Each is reported once: YARN repeats itself. */
final class AnnouncedRemovals {
  private final Set<WorkerId> reported = new HashSet<>();

  /** What to report about a container that runs and is not released. */
  Optional<ReportDraining> report(RemovalsAnnounced event, WorkerId worker, String node) {
    boolean preempted = event.preempted().contains(worker);
    Duration left = event.draining().get(node);
    if ((!preempted && left == null) || !reported.add(worker)) {
      return Optional.empty();
    }
    return Optional.of(
        preempted
            ? new ReportDraining(
                worker,
                new DriverReason(
                    "yarn.container-preempted",
                    "It is pre-empted by YARN: another queue or application takes its capacity"
                        + " back."),
                Duration.ZERO)
            : new ReportDraining(
                worker,
                new DriverReason(
                    "yarn.node-decommissioning", "YARN decommissions its node " + node + "."),
                left));
  }

  void ended(WorkerId worker) {
    reported.remove(worker);
  }
}

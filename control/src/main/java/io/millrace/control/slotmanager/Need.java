package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.TreeSet;

/** How many slots of one profile a job needs, and which serve it. */
final class Need {
  /** In the order in which slots go to needs: older jobs first, then what is harder to find. */
  static final Comparator<Need> IN_ORDER =
      Comparator.comparingLong((Need need) -> need.job.order)
          .thenComparing(need -> need.profile, Comparator.reverseOrder());

  final Job job;
  final ResourceProfile profile;
  final TreeSet<Slot> slots = new TreeSet<>(Slot.IN_ORDER);
  int required;

  Need(Job job, ResourceProfile profile) {
    this.job = job;
    this.profile = profile;
  }

  int missing() {
    return Math.max(0, required - slots.size());
  }
}

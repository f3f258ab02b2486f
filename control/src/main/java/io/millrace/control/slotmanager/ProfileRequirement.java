package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.TreeSet;

/** How many slots of one profile a job needs, and which serve it. */
final class ProfileRequirement {
  /** In the order in which slots go to needs: older jobs first, then what is harder to find. */
  static final Comparator<ProfileRequirement> IN_ORDER =
      Comparator.comparingLong((ProfileRequirement need) -> need.job.order)
          .thenComparing(need -> need.profile, Comparator.reverseOrder());

  final JobRequirements job;
  final ResourceProfile profile;
  final TreeSet<ManagedSlot> slots = new TreeSet<>(ManagedSlot.IN_ORDER);
  int required;

  ProfileRequirement(JobRequirements job, ResourceProfile profile) {
    this.job = job;
    this.profile = profile;
  }

  int missing() {
    return Math.max(0, required - slots.size());
  }
}

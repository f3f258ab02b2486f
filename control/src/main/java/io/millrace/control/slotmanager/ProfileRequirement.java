package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.TreeSet;

/** The slots of one profile that a job requires, and the slots that serve the requirement. */
final class ProfileRequirement {
  /** The order in which requirements get slots: older jobs first, then larger profiles. */
  static final Comparator<ProfileRequirement> IN_ORDER =
      Comparator.comparingLong((ProfileRequirement requirement) -> requirement.job.order)
          .thenComparing(requirement -> requirement.profile, Comparator.reverseOrder());

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

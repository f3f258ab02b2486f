package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A slot that one subtask of each vertex of a sharing group has in common: those of the same index,
 * so that vertices of one group are co-located, subtask by subtask, also after a restart.
 */
final class SharedSlot {
  final int id;
  final ResourceProfile profile;
  final List<Subtask> subtasks = new ArrayList<>();
  final List<Region> regions = new ArrayList<>();
  Optional<AllocatedSlot> slot = Optional.empty();
  boolean requested;

  /** Subtasks that have not finished: while there are any, the slot is wanted. */
  int unfinished;

  /**
   * @param profile what the slot must have
   */
  SharedSlot(int id, ResourceProfile profile) {
    this.id = id;
    this.profile = profile;
  }
}

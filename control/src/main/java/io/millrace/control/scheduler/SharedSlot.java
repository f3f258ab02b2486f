package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.ResourceProfile;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A slot that is shared by one subtask of each vertex of a slot sharing group: those with the same
 * index. Subtasks of the same index are therefore co-located, also after a restart.
 */
final class SharedSlot {
  final int id;
  final ResourceProfile profile;
  final List<Subtask> subtasks = new ArrayList<>();
  final List<Region> regions = new ArrayList<>();
  Optional<AllocatedSlot> slot = Optional.empty();
  boolean requested;

  /** The number of subtasks that have not finished: while it is positive, the slot is needed. */
  int unfinished;

  /**
   * @param profile the required resources
   */
  SharedSlot(int id, ResourceProfile profile) {
    this.id = id;
    this.profile = profile;
  }

  /** Whether its allocated slot is larger than required. */
  boolean isOversized() {
    return !profile.isUnspecified()
        && slot.filter(allocated -> !allocated.profile().equals(profile)).isPresent();
  }

  /** Whether no task is deployed in it. */
  boolean isUnused() {
    return subtasks.stream()
        .map(subtask -> subtask.current.state())
        .allMatch(
            state ->
                state == TaskState.CREATED || state == TaskState.SCHEDULED || state.isTerminal());
  }
}

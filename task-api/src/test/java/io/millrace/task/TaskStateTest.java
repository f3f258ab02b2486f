package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskStateTest {
  private static final Map<TaskState, Set<TaskState>> TRANSITIONS = transitions();

  private static Map<TaskState, Set<TaskState>> transitions() {
    Map<TaskState, Set<TaskState>> table = new EnumMap<>(TaskState.class);
    table.put(TaskState.CREATED, EnumSet.of(TaskState.SCHEDULED, TaskState.CANCELED));
    table.put(
        TaskState.SCHEDULED, EnumSet.of(TaskState.DEPLOYING, TaskState.CANCELED, TaskState.FAILED));
    table.put(
        TaskState.DEPLOYING,
        EnumSet.of(
            TaskState.INITIALIZING,
            TaskState.RUNNING,
            TaskState.FINISHED,
            TaskState.CANCELING,
            TaskState.FAILED));
    table.put(
        TaskState.INITIALIZING,
        EnumSet.of(TaskState.RUNNING, TaskState.CANCELING, TaskState.FAILED));
    table.put(
        TaskState.RUNNING, EnumSet.of(TaskState.FINISHED, TaskState.CANCELING, TaskState.FAILED));
    table.put(
        TaskState.CANCELING, EnumSet.of(TaskState.CANCELED, TaskState.FINISHED, TaskState.FAILED));
    table.put(TaskState.FINISHED, EnumSet.noneOf(TaskState.class));
    table.put(TaskState.CANCELED, EnumSet.noneOf(TaskState.class));
    table.put(TaskState.FAILED, EnumSet.noneOf(TaskState.class));
    return table;
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  @Behaviour("E5: a task makes only the transitions of its table")
  void becomesOnlyWhatTheTableSays(TaskState from) {
    Set<TaskState> next = EnumSet.noneOf(TaskState.class);
    for (TaskState to : TaskState.values()) {
      if (from.canBecome(to)) {
        next.add(to);
      }
    }
    assertThat(next).isEqualTo(TRANSITIONS.get(from));
    assertThat(from.isTerminal()).isEqualTo(next.isEmpty());
  }

  @Test
  void everyStateIsReachedFromTheFirstAndEndsInAFinalOne() {
    assertThat(reachable(TaskState.CREATED)).containsExactlyInAnyOrder(TaskState.values());
    for (TaskState state : TaskState.values()) {
      assertThat(reachable(state)).anyMatch(TaskState::isTerminal);
    }
  }

  private static Set<TaskState> reachable(TaskState from) {
    Set<TaskState> seen = EnumSet.of(from);
    Deque<TaskState> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      TaskState state = open.remove();
      for (TaskState next : TaskState.values()) {
        if (state.canBecome(next) && seen.add(next)) {
          open.add(next);
        }
      }
    }
    return seen;
  }
}

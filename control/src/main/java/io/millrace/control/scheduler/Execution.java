package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One attempt to run a subtask. */
final class Execution {
  private static final TaskState[] STATES = TaskState.values();

  final Subtask subtask;
  final ExecutionId id;
  final int attempt;
  private final Map<TaskState, Long> entered = new EnumMap<>(TaskState.class);
  private TaskState state = TaskState.CREATED;
  private Optional<AllocatedSlot> slot = Optional.empty();
  private String endpoint = "";

  /** As they were known when it was deployed. */
  CheckpointOutcomes checkpoints = new CheckpointOutcomes(0, 0);

  private Optional<TaskCounters> counters = Optional.empty();
  private Optional<TaskCounters> earlier = Optional.empty();

  /** The number of the last heartbeat request when the deployment was acknowledged. */
  private long acknowledged = Long.MAX_VALUE;

  Execution(Subtask subtask, ExecutionId id, int attempt, long wallMillis) {
    this.subtask = subtask;
    this.id = id;
    this.attempt = attempt;
    entered.put(state, wallMillis);
  }

  TaskState state() {
    return state;
  }

  void become(TaskState next, long wallMillis) {
    if (!state.canBecome(next)) {
      throw new IllegalStateException(
          "Task " + subtask.name() + " is " + state + " and cannot become " + next);
    }
    state = next;
    entered.put(next, wallMillis);
  }

  /**
   * @param endpoint the address of the slot's worker for records
   */
  void deployInto(AllocatedSlot slot, String endpoint) {
    this.slot = Optional.of(slot);
    this.endpoint = endpoint;
  }

  String endpoint() {
    return endpoint;
  }

  Optional<AllocatedSlot> slot() {
    return slot;
  }

  Optional<WorkerId> worker() {
    return slot.map(AllocatedSlot::worker);
  }

  void acknowledge(long heartbeat) {
    acknowledged = heartbeat;
  }

  /**
   * Whether the deployment was acknowledged before the heartbeat was requested, so that the report
   * must contain this execution.
   */
  boolean wasDeployedBefore(long heartbeat) {
    return acknowledged < heartbeat;
  }

  void counters(TaskCounters now) {
    // A heartbeat report may arrive after the last counters of the task.
    if (counters.isEmpty() || counters.get().millis() <= now.millis()) {
      Map<String, AccumulatorValue> accumulated =
          counters.isPresent() && now.accumulators().isEmpty()
              ? counters.get().accumulators()
              : now.accumulators();
      earlier = counters.map(before -> before.with(new LinkedHashMap<>()));
      counters = Optional.of(now.with(accumulated));
    }
  }

  /** The last counters that the worker has reported. */
  Optional<TaskCounters> reported() {
    return counters;
  }

  SubtaskDetails details() {
    long[] times = new long[STATES.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = entered.getOrDefault(STATES[i], -1L);
    }
    return new SubtaskDetails(id, attempt, state, worker(), times, counters, earlier, endpoint);
  }
}

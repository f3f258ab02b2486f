package io.millrace.control.scheduler;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The actions that result from the current event, with one cancellation per worker. */
final class EventActions {
  private final Map<WorkerId, List<ExecutionId>> cancellations = new LinkedHashMap<>();
  private List<SchedulerAction> actions = new ArrayList<>();

  void add(SchedulerAction action) {
    actions.add(action);
  }

  /** Adds a task to the cancellation of its worker. */
  void cancel(WorkerId worker, ExecutionId execution) {
    cancellations.computeIfAbsent(worker, x -> new ArrayList<>()).add(execution);
  }

  /** Adds the cancellations of all workers. */
  void addCancellations() {
    cancellations.forEach((worker, ids) -> add(new SchedulerAction.Cancel(worker, ids)));
    cancellations.clear();
  }

  /** Drops the actions. */
  void clear() {
    actions.clear();
  }

  /** Returns the actions, and is empty for the next event. */
  List<SchedulerAction> take() {
    List<SchedulerAction> taken = actions;
    actions = new ArrayList<>();
    return taken;
  }
}

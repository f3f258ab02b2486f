package io.millrace.rest;

import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;

/** One vertex of a job as JSON. */
final class VertexViews {
  private static final String NOWHERE = "(unassigned)";

  /** What one state of a subtask says of its vertex: the first of these that any of them is in. */
  private static final List<TaskState> TELLING =
      List.of(
          TaskState.FAILED,
          TaskState.CANCELING,
          TaskState.CANCELED,
          TaskState.RUNNING,
          TaskState.INITIALIZING,
          TaskState.DEPLOYING,
          TaskState.SCHEDULED,
          TaskState.CREATED);

  /** The states whose durations clients show, in the order a task goes through them. */
  private static final List<TaskState> ON_THE_WAY =
      List.of(
          TaskState.CREATED,
          TaskState.SCHEDULED,
          TaskState.DEPLOYING,
          TaskState.INITIALIZING,
          TaskState.RUNNING);

  private VertexViews() {}

  /** A vertex is in the state that matters most among those of its subtasks. */
  static TaskState state(VertexDetails vertex) {
    List<TaskState> states = vertex.subtasks().stream().map(SubtaskDetails::state).toList();
    if (!states.isEmpty() && states.stream().allMatch(state -> state == TaskState.FINISHED)) {
      return TaskState.FINISHED;
    }
    return TELLING.stream().filter(states::contains).findFirst().orElse(TaskState.CREATED);
  }

  /**
   * @param endpoints where the workers' data ports are, for those still there
   */
  static JsonObject details(
      JobVertex vertex, VertexDetails details, Map<WorkerId, String> endpoints, long now) {
    JsonArray subtasks = new JsonArray();
    for (int i = 0; i < details.subtasks().size(); i++) {
      subtasks.add(subtask(i, details.subtasks().get(i), endpoints, now));
    }
    JsonObject durations = new JsonObject();
    for (TaskState state : ON_THE_WAY) {
      durations.put(
          state.name(),
          Quantiles.of(
              details.subtasks().stream()
                  .mapToLong(subtask -> TaskTimes.lasted(subtask, state, now))
                  .filter(time -> time >= 0)
                  .toArray()));
    }
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put("name", vertex.name())
        .put("parallelism", vertex.parallelism())
        .put("maxParallelism", vertex.maxParallelism())
        .put("now", now)
        .put("subtasks", subtasks)
        .put(
            "aggregated",
            new JsonObject()
                .put("metrics", TaskMetric.spread(details.subtasks()))
                .put("status-duration", durations));
  }

  /** How much of their time subtasks do what, and what that says of the vertex. */
  static JsonObject backPressure(VertexDetails details, long now) {
    if (details.subtasks().stream().allMatch(subtask -> TaskRates.of(subtask).now().isEmpty())) {
      // What clients understand as: not known now.
      return new JsonObject().put("status", "deprecated").put("subtasks", new JsonArray());
    }
    JsonArray subtasks = new JsonArray();
    double most = 0;
    for (int i = 0; i < details.subtasks().size(); i++) {
      TaskRates pace = TaskRates.of(details.subtasks().get(i));
      most = Math.max(most, pace.backPressured());
      String level = level(pace.backPressured());
      subtasks.add(
          new JsonObject()
              .put("subtask", i)
              .put("backpressureLevel", level)
              .put("ratio", pace.backPressured())
              .put("idleRatio", pace.idle())
              .put("busyRatio", pace.busy())
              .put("backpressure-level", level));
    }
    return new JsonObject()
        .put("status", "ok")
        .put("backpressureLevel", level(most))
        .put("end-timestamp", now)
        .put("subtasks", subtasks)
        .put("backpressure-level", level(most));
  }

  /** The three levels that clients know. */
  private static String level(double ratio) {
    return ratio <= 0.1 ? "ok" : ratio <= 0.5 ? "low" : "high";
  }

  static JsonObject subtask(
      int index, SubtaskDetails subtask, Map<WorkerId, String> endpoints, long now) {
    TaskTimes times = TaskTimes.of(List.of(subtask), now);
    JsonObject durations = new JsonObject();
    for (TaskState state : ON_THE_WAY) {
      durations.put(state.name(), TaskTimes.lasted(subtask, state, now));
    }
    String worker = subtask.worker().map(WorkerId::value).orElse(NOWHERE);
    String endpoint = subtask.worker().map(endpoints::get).orElse(worker);
    JsonObject json =
        new JsonObject()
            .put("subtask", index)
            .put("status", subtask.state().name())
            .put("attempt", subtask.attempt())
            .put("endpoint", endpoint)
            .put("start-time", times.start())
            .put("end-time", times.end())
            .put("duration", times.duration())
            .put("metrics", TaskMetric.sums(List.of(subtask)))
            .put("taskmanager-id", worker)
            .put("status-duration", durations)
            .put("start_time", times.start());
    if (!subtask.state().isTerminal()) {
      // Our own key, there only while it says something.
      subtask
          .counters()
          .flatMap(TaskCounters::thread)
          .ifPresent(thread -> json.put("thread", thread(thread)));
    }
    // Our own key, too, where there is event time.
    subtask
        .counters()
        .flatMap(TaskCounters::eventTime)
        .ifPresent(time -> json.put("event-time", eventTime(time)));
    return json;
  }

  private static JsonObject eventTime(TaskEventTime time) {
    JsonObject json =
        new JsonObject()
            .put("input-watermark", time.inputWatermark())
            .put("output-watermark", time.outputWatermark())
            .put("highest-input-watermark", time.highestInputWatermark())
            .put("late-records-dropped", time.lateRecordsDropped())
            .put("inputs", time.inputs())
            .put("idle-inputs", time.idleInputs());
    time.slowestInput()
        .ifPresent(
            input ->
                json.put(
                    "slowest-input",
                    new JsonObject()
                        .put("vertex", input.vertex().toString())
                        .put("subtask", input.subtask())));
    return json;
  }

  private static JsonObject thread(TaskThread thread) {
    return new JsonObject()
        .put("kind", thread.kind() == TaskThread.Kind.OWN ? "own" : "core")
        .put("since", thread.since())
        .put("reason", thread.reason())
        .put("own-threads", thread.ownThreads())
        .put("most-own-threads", thread.mostOwnThreads());
  }
}

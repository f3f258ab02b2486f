package io.millrace.rest;

import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskRates;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** One vertex of a job as JSON. */
final class VertexViews {
  private static final String UNASSIGNED = "(unassigned)";

  /** The state of a vertex is the first of these that one of its subtasks has. */
  private static final List<TaskState> STATE_PRECEDENCE =
      List.of(
          TaskState.FAILED,
          TaskState.CANCELING,
          TaskState.CANCELED,
          TaskState.RUNNING,
          TaskState.INITIALIZING,
          TaskState.DEPLOYING,
          TaskState.SCHEDULED,
          TaskState.CREATED);

  /** The states whose durations clients show, in the order in which a task has them. */
  private static final List<TaskState> STATES_WITH_DURATION =
      List.of(
          TaskState.CREATED,
          TaskState.SCHEDULED,
          TaskState.DEPLOYING,
          TaskState.INITIALIZING,
          TaskState.RUNNING);

  private VertexViews() {}

  /** The state of a vertex, computed from the states of its subtasks. */
  static TaskState state(VertexDetails vertex) {
    List<TaskState> states = vertex.subtasks().stream().map(SubtaskDetails::state).toList();
    if (!states.isEmpty() && states.stream().allMatch(state -> state == TaskState.FINISHED)) {
      return TaskState.FINISHED;
    }
    return STATE_PRECEDENCE.stream().filter(states::contains).findFirst().orElse(TaskState.CREATED);
  }

  static JsonObject details(JobVertex vertex, VertexDetails details, long now) {
    JsonArray subtasks = new JsonArray();
    for (int i = 0; i < details.subtasks().size(); i++) {
      subtasks.add(subtask(i, details.subtasks().get(i), now));
    }
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put("name", vertex.name())
        .put("parallelism", vertex.parallelism())
        .put("maxParallelism", vertex.maxParallelism())
        .put("now", now)
        .put("subtasks", subtasks)
        .put("aggregated", aggregated(details.subtasks(), now));
  }

  /** The distribution of counters and times over subtasks. */
  static JsonObject aggregated(List<SubtaskDetails> subtasks, long now) {
    JsonObject durations = new JsonObject();
    for (TaskState state : STATES_WITH_DURATION) {
      durations.put(
          state.name(),
          Quantiles.of(
              subtasks.stream()
                  .mapToLong(subtask -> TaskTimes.lasted(subtask, state, now))
                  .filter(time -> time >= 0)
                  .toArray()));
    }
    return new JsonObject()
        .put("metrics", TaskMetric.distribution(subtasks))
        .put("status-duration", durations);
  }

  /** The shares of time of each subtask, and the back pressure level of the vertex. */
  static JsonObject backPressure(VertexDetails details, long now) {
    if (details.subtasks().stream().allMatch(subtask -> subtask.rates().now().isEmpty())) {
      // Flink's value for: no sample is available.
      return new JsonObject().put("status", "deprecated").put("subtasks", new JsonArray());
    }
    JsonArray subtasks = new JsonArray();
    double most = 0;
    for (int i = 0; i < details.subtasks().size(); i++) {
      TaskRates rates = details.subtasks().get(i).rates();
      most = Math.max(most, rates.backPressured());
      String level = level(rates.backPressured());
      subtasks.add(
          new JsonObject()
              .put("subtask", i)
              .put("backpressureLevel", level)
              .put("ratio", rates.backPressured())
              .put("idleRatio", rates.idle())
              .put("busyRatio", rates.busy())
              .put("backpressure-level", level));
    }
    return new JsonObject()
        .put("status", "ok")
        .put("backpressureLevel", level(most))
        .put("end-timestamp", now)
        .put("subtasks", subtasks)
        .put("backpressure-level", level(most));
  }

  /** The three levels of Flink. */
  private static String level(double ratio) {
    return ratio <= 0.1 ? "ok" : ratio <= 0.5 ? "low" : "high";
  }

  static String taskManager(SubtaskDetails subtask) {
    return subtask.worker().map(WorkerId::value).orElse(UNASSIGNED);
  }

  /** {@code host:port} of the TaskManager. */
  static String endpoint(SubtaskDetails subtask) {
    return subtask.endpoint().isEmpty() ? taskManager(subtask) : subtask.endpoint();
  }

  static JsonObject subtask(int index, SubtaskDetails subtask, long now) {
    TaskTimes times = TaskTimes.of(List.of(subtask), now);
    JsonObject durations = new JsonObject();
    for (TaskState state : STATES_WITH_DURATION) {
      durations.put(state.name(), TaskTimes.lasted(subtask, state, now));
    }
    JsonObject json =
        new JsonObject()
            .put("subtask", index)
            .put("status", subtask.state().name())
            .put("attempt", subtask.attempt())
            .put("endpoint", endpoint(subtask))
            .put("start-time", times.start())
            .put("end-time", times.end())
            .put("duration", times.duration())
            .put("metrics", TaskMetric.sums(List.of(subtask)))
            .put("taskmanager-id", taskManager(subtask))
            .put("status-duration", durations)
            .put("start_time", times.start());
    if (!subtask.state().isTerminal()) {
      // A key that Flink does not have. It is present only while the thread is reported.
      subtask
          .counters()
          .flatMap(TaskCounters::thread)
          .ifPresent(thread -> json.put("thread", thread(thread)));
    }
    // A key that Flink does not have. It is present if the task uses event time.
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

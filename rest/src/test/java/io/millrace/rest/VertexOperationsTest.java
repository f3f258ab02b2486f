package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.task.InputSubtask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskSplits;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VertexOperationsTest extends RestTestBase {
  private static final String VERTEX =
      "/jobs/" + SampleJobs.RUNNING + "/vertices/" + SampleJobs.SINK;

  /** The first subtask was back pressured in the last 10 s, the second was busy. */
  @BeforeEach
  void report() {
    JobDetails sample = SampleJobs.details(SampleJobs.RUNNING, JobStatus.RUNNING);
    List<SubtaskDetails> subtasks = sample.vertices().get(1).subtasks();
    show(
        sample,
        with(
            subtasks.get(0),
            counters(subtasks.get(0), 100, 5_000, 0, 5_000),
            counters(subtasks.get(0), 1_100, 7_000, 6_000, 7_000),
            TaskState.RUNNING),
        with(
            subtasks.get(1),
            counters(subtasks.get(1), 100, 0, 20_000, 0),
            counters(subtasks.get(1), 3_100, 10_000, 20_000, 0),
            TaskState.RUNNING));
  }

  private void show(JobDetails sample, SubtaskDetails first, SubtaskDetails second) {
    cluster.dispatcher.jobs.put(
        SampleJobs.RUNNING,
        new JobDetails(
            sample.graph(),
            sample.statusHistory(),
            sample.slots(),
            sample.waitingFor(),
            sample.restarts(),
            List.of(
                sample.vertices().get(0),
                new VertexDetails(SampleJobs.SINK, List.of(first, second))),
            sample.failures()));
  }

  private static TaskCounters counters(
      SubtaskDetails of, long records, long busy, long backPressured, long idle) {
    return new TaskCounters(of.execution(), records, 0, 0, 0, busy, backPressured, idle);
  }

  private static SubtaskDetails with(
      SubtaskDetails subtask, TaskCounters earlier, TaskCounters last, TaskState state) {
    return new SubtaskDetails(
        subtask.execution(),
        subtask.attempt(),
        state,
        subtask.worker(),
        subtask.entered(),
        Optional.of(last),
        Optional.of(earlier));
  }

  @Test
  @Behaviour("I3: busy, idle and back-pressured time add up to the age of a task")
  void backPressureCoversTimeBetweenLastReports() {
    JsonObject shown = cluster.get(VERTEX + "/backpressure").json();
    assertThat(shown.getString("status")).isEqualTo("ok");
    assertThat(shown.getString("backpressureLevel")).isEqualTo("high");
    assertThat(ratios(shown, 0)).containsExactly(0.6, 0.2, 0.2);
    assertThat(ratios(shown, 1)).containsExactly(0.0, 1.0, 0.0);
    assertThat(shown.getJsonArray("subtasks").getJsonObject(1).getString("backpressureLevel"))
        .isEqualTo("ok");
  }

  private static List<Double> ratios(JsonObject shown, int subtask) {
    JsonObject json = shown.getJsonArray("subtasks").getJsonObject(subtask);
    return List.of(
        json.getDouble("ratio"), json.getDouble("busyRatio"), json.getDouble("idleRatio"));
  }

  @Test
  void endedTasksHaveNoBackPressure() {
    JobDetails sample = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    List<SubtaskDetails> now = sample.vertices().get(1).subtasks();
    List<SubtaskDetails> ended =
        now.stream()
            .map(
                one ->
                    with(
                        one,
                        one.earlier().orElseThrow(),
                        one.counters().orElseThrow(),
                        TaskState.FINISHED))
            .toList();
    show(sample, ended.get(0), ended.get(1));

    assertThat(cluster.get(VERTEX + "/backpressure").json().getString("status"))
        .isEqualTo("deprecated");
    assertThat(values("/subtasks/0/metrics?get=busyTimeMsPerSecond,numRecordsIn"))
        .containsExactly("numRecordsIn=1100", "busyTimeMsPerSecond=0");
  }

  private List<String> values(String path) {
    return new JsonArray(cluster.get(VERTEX + path).body())
        .stream()
            .map(JsonObject.class::cast)
            .map(one -> one.getString("id") + "=" + one.getString("value"))
            .toList();
  }

  @Test
  @Behaviour("I3: task metrics are available per subtask and aggregated")
  void returnsNamesAndValuesOfMetrics() {
    assertThat(values("/metrics"))
        .hasSize(46)
        .contains("0.busyTimeMsPerSecond=null", "1.accumulateBackPressuredTimeMs=null");
    assertThat(
            values(
                "/metrics?get=1.numRecordsInPerSecond,0.backPressuredTimeMsPerSecond,"
                    + "0.idleTimeMsPerSecond,1.accumulateBusyTimeMs,0.nothing"))
        .containsExactly(
            "0.idleTimeMsPerSecond=200",
            "0.backPressuredTimeMsPerSecond=600",
            "1.numRecordsInPerSecond=300",
            "1.accumulateBusyTimeMs=10000");
    assertThat(values("/subtasks/1/metrics")).hasSize(23).contains("numRecordsIn=null");
  }

  @Test
  @Behaviour("I3: task metrics are available per subtask and aggregated")
  void aggregatesMetricsOverSubtasks() {
    JsonArray all =
        new JsonArray(cluster.get(VERTEX + "/subtasks/metrics?get=busyTimeMsPerSecond").body());
    assertThat(all.getJsonObject(0).getMap())
        .containsEntry("id", "busyTimeMsPerSecond")
        .containsEntry("min", 200.0)
        .containsEntry("max", 1000.0)
        .containsEntry("avg", 600.0)
        .containsEntry("sum", 1200.0)
        .containsEntry("skew", 100.0 * 400 / 600);
    JsonArray one =
        new JsonArray(
            cluster.get(VERTEX + "/subtasks/metrics?get=numRecordsIn&agg=sum&subtasks=1-7").body());
    assertThat(one.getJsonObject(0).getMap())
        .containsOnlyKeys("id", "sum")
        .containsEntry("sum", 3100.0);
    assertThat(cluster.get(VERTEX + "/subtasks/metrics?get=numRecordsIn&agg=mode").status())
        .isEqualTo(400);
    assertThat(cluster.get(VERTEX + "/subtasks/metrics?subtasks=x").status()).isEqualTo(400);
  }

  @Test
  @Behaviour(
      "F5: a task on its own thread shows since when, why and at which line of the program, and"
          + " returns to the cores")
  void showsOwnThreadOfTask() {
    JobDetails sample = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    List<SubtaskDetails> now = sample.vertices().get(1).subtasks();
    TaskThread thread = new TaskThread(TaskThread.Kind.OWN, 77, "held its core", 3, 256);
    show(
        sample,
        with(
            now.get(0),
            now.get(0).earlier().orElseThrow(),
            now.get(0).counters().orElseThrow().on(thread),
            TaskState.RUNNING),
        now.get(1));

    JsonArray subtasks = cluster.get(VERTEX).json().getJsonArray("subtasks");
    assertThat(subtasks.getJsonObject(0).getJsonObject("thread").getMap())
        .containsEntry("kind", "own")
        .containsEntry("since", 77)
        .containsEntry("reason", "held its core")
        .containsEntry("own-threads", 3)
        .containsEntry("most-own-threads", 256);
    assertThat(subtasks.getJsonObject(1).containsKey("thread")).isFalse();
    assertThat(cluster.get(VERTEX + "/subtasks/0").json().containsKey("thread")).isTrue();
  }

  @Test
  void showsEventTime() {
    JobDetails sample = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    List<SubtaskDetails> now = sample.vertices().get(1).subtasks();
    VertexId source = sample.vertices().get(0).id();
    TaskEventTime time =
        new TaskEventTime(
            1_700_000_000_001L, 77, 88, 3, 4, 1, Optional.of(new InputSubtask(source, 1)));
    show(
        sample,
        with(
            now.get(0),
            now.get(0).earlier().orElseThrow(),
            now.get(0).counters().orElseThrow().at(time).with(new TaskSplits(false, 12, 2)),
            TaskState.RUNNING),
        now.get(1));

    assertThat(new JsonArray(cluster.get(VERTEX + "/watermarks").body()))
        .isEqualTo(
            new JsonArray()
                .add(watermark("0.currentInputWatermark", "1700000000001"))
                .add(watermark("1.currentInputWatermark", "-9223372036854775808")));
    assertThat(
            new JsonArray(
                cluster
                    .get(
                        VERTEX
                            + "/subtasks/0/metrics?get=currentOutputWatermark,"
                            + "numLateRecordsDropped,numIdleInputs,numSplitsAssigned,numSplitsPending")
                    .body()))
        .isEqualTo(
            new JsonArray()
                .add(watermark("currentOutputWatermark", "77"))
                .add(watermark("numLateRecordsDropped", "3"))
                .add(watermark("numIdleInputs", "1"))
                .add(watermark("numSplitsAssigned", "12"))
                .add(watermark("numSplitsPending", "2")));
    JsonArray subtasks = cluster.get(VERTEX).json().getJsonArray("subtasks");
    assertThat(subtasks.getJsonObject(0).getJsonObject("event-time"))
        .isEqualTo(
            new JsonObject()
                .put("input-watermark", 1_700_000_000_001L)
                .put("output-watermark", 77)
                .put("highest-input-watermark", 88)
                .put("late-records-dropped", 3)
                .put("inputs", 4)
                .put("idle-inputs", 1)
                .put(
                    "slowest-input",
                    new JsonObject().put("vertex", source.toString()).put("subtask", 1)));
    assertThat(subtasks.getJsonObject(1).containsKey("event-time")).isFalse();
  }

  private static JsonObject watermark(String id, String value) {
    return new JsonObject().put("id", id).put("value", value);
  }

  @Test
  void rejectsUnknownSubtasks() {
    for (String none : List.of("2", "-1", "x", "99999999999")) {
      assertThat(cluster.get(VERTEX + "/subtasks/" + none).status()).isEqualTo(404);
    }
  }

  @Test
  @Behaviour("I2: the page of a job shows where its bottleneck is")
  void flowNamesTheVertexThatLimitsTheRate() {
    JsonObject flow = cluster.get("/jobs/" + SampleJobs.RUNNING + "/flow").json();
    JsonObject sink = flow.getJsonArray("vertices").getJsonObject(1);
    assertThat(sink.getDouble("records-in-per-second")).isEqualTo(400);
    assertThat(sink.getDouble("busy")).isEqualTo(1);
    assertThat(sink.getDouble("back-pressured")).isEqualTo(0.6);
    assertThat(sink.getDouble("skew")).isEqualTo(1.5);
    assertThat(sink.getLong("watermark")).isNull();
    assertThat(flow.getString("bottleneck")).as("nothing waits for the sink").isNull();

    JobDetails sample = SampleJobs.details(SampleJobs.RUNNING, JobStatus.RUNNING);
    List<SubtaskDetails> sources = sample.vertices().get(0).subtasks();
    List<SubtaskDetails> waiting =
        sources.stream()
            .map(
                one ->
                    with(
                        one,
                        counters(one, 0, 0, 0, 0),
                        counters(one, 10, 100, 900, 0),
                        TaskState.RUNNING))
            .toList();
    SubtaskDetails sinkTask = sample.vertices().get(1).subtasks().get(0);
    SubtaskDetails busy =
        with(
            sinkTask,
            counters(sinkTask, 0, 0, 0, 0),
            counters(sinkTask, 10, 1_000, 0, 0),
            TaskState.RUNNING);
    cluster.dispatcher.jobs.put(
        SampleJobs.RUNNING,
        new JobDetails(
            sample.graph(),
            sample.statusHistory(),
            sample.slots(),
            sample.waitingFor(),
            sample.restarts(),
            List.of(
                new VertexDetails(SampleJobs.SOURCE, waiting),
                new VertexDetails(SampleJobs.SINK, List.of(busy))),
            sample.failures()));
    assertThat(cluster.get("/jobs/" + SampleJobs.RUNNING + "/flow").json().getString("bottleneck"))
        .isEqualTo(SampleJobs.SINK.toString());
  }
}

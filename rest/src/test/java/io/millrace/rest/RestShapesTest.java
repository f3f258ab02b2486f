package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestShapesTest extends RestTestBase {
  private static final String JOB = "/jobs/" + SampleJobs.RUNNING;

  @ParameterizedTest
  @CsvSource({
    "get-config, /config",
    "get-overview, /overview",
    "get-jobs, /jobs",
    "get-jobs-overview, /jobs/overview",
    "get-jobs-jobid, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240",
    "get-job-canceled, /jobs/dcc596addbad5bea186941a073702609",
    "get-jobs-jobid-exceptions, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/exceptions",
    "get-jobs-jobid-plan, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/plan",
    "get-jobs-jobid-status, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/status",
    "get-jobs-jobid-config, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/config",
    "get-jobs-jobid-execution-result, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/execution-result",
    "get-execution-result-canceled, /jobs/dcc596addbad5bea186941a073702609/execution-result",
    "get-jobs-jobid-vertices-vertexid, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/vertices/20ba6b65f97481d5570070de90e4e791",
    "get-jobs-jobid-vertices-vertexid-backpressure, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/vertices/20ba6b65f97481d5570070de90e4e791"
        + "/backpressure",
    "get-jobs-jobid-vertices-vertexid-subtasks-subtaskindex, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/vertices/20ba6b65f97481d5570070de90e4e791"
        + "/subtasks/0",
    "get-taskmanagers, /taskmanagers",
    "get-taskmanagers-taskmanagerid, /taskmanagers/localhost:38945-223635",
    "get-datasets, /datasets",
    "get-job-bad-id, /jobs/xyz",
    "get-job-unknown, /jobs/00000000000000000000000000000000",
    "get-unknown-path, /nothing",
  })
  @Behaviour("I1: REST answers have the recorded shapes of Flink's REST v1")
  void answersAsRecorded(String sample, String path) {
    for (String prefix : new String[] {"", "/v1"}) {
      assertRecorded(sample, cluster.get(prefix + path));
    }
  }

  @Test
  @Behaviour("I1: details, watermarks and metrics of vertices have the shapes of Flink's REST v1")
  void answersWatermarksAsRecorded() {
    JsonObject recorded = JsonShapes.sample("get-jobs-jobid-vertices-vertexid-watermarks");
    String shown =
        cluster.get(JOB + "/vertices/20ba6b65f97481d5570070de90e4e791/watermarks").body();
    assertThat(new JsonArray(shown)).isEqualTo(recorded.getJsonArray("response"));
  }

  @Test
  @Behaviour("I1: REST answers have the recorded shapes of Flink's REST v1")
  void acceptsCancellationAsRecorded() {
    assertRecorded("patch-job-cancel", cluster.send("PATCH", JOB + "?mode=cancel", ""));
    assertThat(cluster.dispatcher.received).hasSize(1);
  }

  private static void assertRecorded(String sample, Answer answer) {
    JsonObject recorded = JsonShapes.sample(sample);
    assertThat(answer.status()).isEqualTo(recorded.getInteger("status"));
    assertThat(answer.header("Content-Type")).startsWith("application/json");
    assertThat(JsonShapes.of(answer.json()))
        .isEqualTo(JsonShapes.of(recorded.getJsonObject("response")));
  }

  @Test
  void showsMemoryOfTaskManagerInBytes() {
    String path = "/taskmanagers/" + SampleJobs.WORKER;
    JsonObject recorded =
        JsonShapes.sample("get-taskmanagers-taskmanagerid").getJsonObject("response");
    JsonObject shown = cluster.get(path).json();
    for (String part : new String[] {"memoryConfiguration", "hardware"}) {
      assertThat(numbers(shown.getJsonObject(part)))
          .isEqualTo(numbers(recorded.getJsonObject(part)));
    }
  }

  private static Map<String, Long> numbers(JsonObject json) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    json.fieldNames().forEach(name -> numbers.put(name, json.getLong(name)));
    return numbers;
  }

  @Test
  void countsSlotsAndJobs() {
    JsonObject overview = cluster.get("/overview").json();
    assertThat(overview.getMap())
        .containsAllEntriesOf(
            Map.of(
                "taskmanagers", 1,
                "slots-total", 2,
                "slots-available", 0,
                "jobs-running", 1,
                "jobs-cancelled", 1));
    assertThat(overview.getString("flink-version")).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(overview.getString("flink-commit")).doesNotContain("$");
  }

  @Test
  @Behaviour("I1: details, watermarks and metrics of vertices have the shapes of Flink's REST v1")
  void showsTimesStatesAndCountersOfVertices() {
    JsonObject job = cluster.get("/jobs/" + SampleJobs.CANCELED).json();
    JsonObject source = job.getJsonArray("vertices").getJsonObject(0);
    assertThat(job.getString("state")).isEqualTo("CANCELED");
    assertThat(job.getLong("duration")).isEqualTo(100);
    assertThat(job.getJsonObject("timestamps").getLong("CREATED"))
        .isEqualTo(SampleJobs.STARTED + 10);
    assertThat(job.getJsonObject("timestamps").getLong("FAILED")).isZero();
    assertThat(job.getJsonObject("status-counts").getInteger("CANCELED")).isEqualTo(2);
    assertThat(source.getString("status")).isEqualTo("CANCELED");
    assertThat(source.getLong("start-time")).isEqualTo(SampleJobs.STARTED + 20);
    assertThat(source.getLong("end-time")).isEqualTo(SampleJobs.STARTED + 70);
    assertThat(source.getJsonObject("metrics").getLong("read-records")).isEqualTo(300);
  }

  @Test
  void escapesMarkupInPlanDescriptions() {
    JsonArray nodes = cluster.get(JOB + "/plan").json().getJsonObject("plan").getJsonArray("nodes");
    assertThat(nodes.getJsonObject(1).getString("description"))
        .isEqualTo("KeyedProcess<br/>+- Sink: &lt;b&gt;Writer&lt;/b&gt;<br/>");
  }

  @Test
  void showsWaitReasonOnlyWhileJobWaits() {
    String reason = "It needs 8 slots, 2 are registered.";
    assertThat(cluster.get(JOB).json().containsKey("waiting-for")).isFalse();
    cluster.dispatcher.jobs.put(
        SampleJobs.RUNNING, SampleJobs.details(SampleJobs.RUNNING, JobStatus.RUNNING, reason));
    cluster.dispatcher.overviews.set(
        0, SampleJobs.overview(SampleJobs.RUNNING, JobStatus.RUNNING, reason));

    JsonArray jobs = cluster.get("/jobs/overview").json().getJsonArray("jobs");

    assertThat(cluster.get(JOB).json().getString("waiting-for")).isEqualTo(reason);
    assertThat(jobs.getJsonObject(0).getString("waiting-for")).isEqualTo(reason);
    assertThat(jobs.getJsonObject(1).containsKey("waiting-for")).isFalse();
  }

  @Test
  void showsFailuresNewestFirstUpToTheLimit() {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
    String path = "/jobs/" + SampleJobs.FAILED + "/exceptions";

    JsonObject all = cluster.get(path).json().getJsonObject("exceptionHistory");
    JsonObject one =
        cluster.get(path + "?maxExceptions=1").json().getJsonObject("exceptionHistory");

    assertThat(all.getJsonArray("entries")).hasSize(2);
    assertThat(all.getBoolean("truncated")).isFalse();
    assertThat(one.getBoolean("truncated")).isTrue();
    JsonObject newest = one.getJsonArray("entries").getJsonObject(0);
    assertThat(newest.getString("exceptionName")).isEqualTo("java.lang.IllegalStateException");
    assertThat(newest.getString("taskName")).isEqualTo("Source: gen (2/2)");
    assertThat(newest.getString("taskManagerId")).isEqualTo(SampleJobs.WORKER.value());
    assertThat(all.getJsonArray("entries").getJsonObject(1).fieldNames())
        .doesNotContain("taskName", "taskManagerId", "endpoint");
  }

  @Test
  void countsTheTasksOfEachSlot() {
    JsonObject worker = cluster.get("/taskmanagers/" + SampleJobs.WORKER).json();
    assertThat(worker.getInteger("assignedTasks")).isEqualTo(4);
    assertThat(worker.getInteger("dataPort")).isEqualTo(38553);
    assertThat(worker.getJsonArray("allocatedSlots"))
        .extracting(slot -> ((JsonObject) slot).getInteger("assignedTasks"))
        .containsExactly(2, 2);
  }

  @Test
  void showsEndpointsOfSubtasksAndDistributionOfCounters() {
    JsonObject vertex = cluster.get(JOB + "/vertices/" + SampleJobs.SINK).json();
    JsonObject records =
        vertex.getJsonObject("aggregated").getJsonObject("metrics").getJsonObject("read-records");
    assertThat(vertex.getJsonArray("subtasks").getJsonObject(0).getString("endpoint"))
        .isEqualTo("127.0.0.1:38553");
    assertThat(records.getMap())
        .containsAllEntriesOf(
            Map.of("min", 300, "max", 400, "sum", 700, "median", 350, "p25", 300, "p95", 400));
  }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.accumulator.AccumulatorValue.LongSum;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.ConcurrentFailure;
import io.millrace.protocol.JobDetails.EarlierAttempt;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.rest.FakeCluster.Answer;
import io.millrace.task.TaskState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operations on jobs and their parts have the recorded statuses, keys and types. */
class JobShapesTest extends RestTestBase {
  private static final String JOB = "/jobs/" + SampleJobs.RUNNING;
  private static final String VERTEX = JOB + "/vertices/" + SampleJobs.SINK;

  @ParameterizedTest
  @CsvSource({
    "get-applications-overview, /applications/overview",
    "get-jobs-jobid-accumulators, JOB/accumulators",
    "get-jobs-jobid-vertices-vertexid-accumulators, VERTEX/accumulators",
    "get-jobs-jobid-vertices-vertexid-subtasks-accumulators, VERTEX/subtasks/accumulators",
    "get-jobs-jobid-vertices-vertexid-subtasks-subtaskindex-attempts-attempt-accumulators,"
        + " VERTEX/subtasks/0/attempts/0/accumulators",
    "get-jobs-jobid-rescales-config, JOB/rescales/config",
    "get-jobs-jobid-rescales-history, JOB/rescales/history",
    "get-jobs-jobid-rescales-overview, JOB/rescales/overview",
    "get-jobs-jobid-rescales-summary, JOB/rescales/summary",
    "get-jobs-jobid-resource-requirements, JOB/resource-requirements",
    "get-jobs-jobid-vertices-vertexid-jm-operator-metrics, VERTEX/jm-operator-metrics",
    "get-jobs-jobid-vertices-vertexid-subtasktimes, VERTEX/subtasktimes",
    "get-jobs-jobid-vertices-vertexid-taskmanagers, VERTEX/taskmanagers",
    "get-jobs-jobid-vertices-vertexid-subtasks-subtaskindex-attempts-attempt,"
        + " VERTEX/subtasks/0/attempts/0",
  })
  @Behaviour("I1: REST answers have the recorded shapes of Flink's REST v1")
  void answersWithTheRecordedShape(String shape, String path) {
    Answer answer = cluster.get(path.replace("VERTEX", VERTEX).replace("JOB", JOB));
    JsonObject recorded = JsonShapes.shape(shape);
    assertThat(answer.status()).isEqualTo(recorded.getInteger("status"));
    Object json = answer.body().startsWith("[") ? new JsonArray(answer.body()) : answer.json();
    assertThat(JsonShapes.of(json)).isEqualTo(JsonShapes.paths(recorded));
  }

  @Test
  void showsWhenSubtasksEnteredTheirStates() {
    JsonObject times =
        cluster.get(VERTEX + "/subtasktimes").json().getJsonArray("subtasks").getJsonObject(1);
    JsonObject timestamps = times.getJsonObject("timestamps");
    int running = List.of(TaskState.values()).indexOf(TaskState.RUNNING);
    assertThat(times.getInteger("subtask")).isEqualTo(1);
    assertThat(timestamps.getLong("RUNNING")).isEqualTo(SampleJobs.STARTED + 10L * running);
    assertThat(timestamps.getLong("FAILED")).isZero();
    assertThat(timestamps.getLong("RECONCILING")).isZero();
  }

  @Test
  void groupsSubtasksByTaskManager() {
    JsonArray all = cluster.get(VERTEX + "/taskmanagers").json().getJsonArray("taskmanagers");
    assertThat(all).hasSize(1);
    JsonObject one = all.getJsonObject(0);
    assertThat(one.getString("taskmanager-id")).isEqualTo(SampleJobs.WORKER.value());
    assertThat(one.getString("endpoint")).isEqualTo("127.0.0.1:38553");
    assertThat(one.getJsonObject("status-counts").getInteger("RUNNING")).isEqualTo(2);
    assertThat(one.getJsonObject("metrics").getLong("read-records")).isEqualTo(700);
  }

  @Test
  void showsReplacedAttemptsAndRejectsUnknownOnes() {
    JobDetails job = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    SubtaskDetails latest = job.vertices().get(1).subtasks().get(0);
    SubtaskDetails failed =
        new SubtaskDetails(
            latest.execution(),
            7,
            TaskState.FAILED,
            latest.worker(),
            latest.entered(),
            latest.counters(),
            Optional.empty(),
            "other:1");
    put(job, job.failures(), List.of(new EarlierAttempt(SampleJobs.SINK, 0, failed)));

    JsonObject shown = cluster.get(VERTEX + "/subtasks/0/attempts/7").json();

    assertThat(shown.getString("status")).isEqualTo("FAILED");
    assertThat(shown.getString("endpoint")).isEqualTo("other:1");
    assertThat(cluster.get(VERTEX + "/subtasks/1/attempts/7").status()).isEqualTo(404);
    assertThat(cluster.get(VERTEX + "/subtasks/0/attempts/8").error()).contains("latest one is 0");
    assertThat(cluster.get(VERTEX + "/subtasks/0/attempts/x").status()).isEqualTo(400);
  }

  @Test
  void mergesAccumulatorsOverSubtasks() {
    JobDetails job = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    List<VertexDetails> vertices =
        List.of(job.vertices().get(0), counting(job.vertices().get(1), new LongSum(4)));
    cluster.dispatcher.jobs.put(
        job.id(),
        new JobDetails(
            job.graph(),
            job.statusHistory(),
            job.slots(),
            job.waitingFor(),
            job.restarts(),
            vertices,
            job.failures()));

    JsonObject all = cluster.get(JOB + "/accumulators?includeSerializedValue=true").json();
    JsonObject ofVertex = cluster.get(VERTEX + "/accumulators").json();
    JsonObject ofSubtasks = cluster.get(VERTEX + "/subtasks/accumulators").json();
    JsonObject ofAttempt = cluster.get(VERTEX + "/subtasks/1/attempts/0/accumulators").json();

    assertThat(all.getJsonArray("user-task-accumulators")).containsExactly(lines(8));
    assertThat(all.getJsonObject("serialized-user-task-accumulators").getString("lines"))
        .isEqualTo(FlinkObjects.value(8L));
    assertThat(ofVertex.getJsonArray("user-accumulators")).containsExactly(lines(8));
    assertThat(ofSubtasks.getJsonArray("subtasks")).hasSize(2);
    assertThat(
            ofSubtasks.getJsonArray("subtasks").getJsonObject(1).getJsonArray("user-accumulators"))
        .containsExactly(lines(4));
    assertThat(ofAttempt.getJsonArray("user-accumulators")).containsExactly(lines(4));
  }

  private static JsonObject lines(int value) {
    return new JsonObject()
        .put("name", "lines")
        .put("type", "LongCounter")
        .put("value", "LongCounter " + value);
  }

  private static VertexDetails counting(VertexDetails vertex, AccumulatorValue value) {
    List<SubtaskDetails> subtasks = new ArrayList<>();
    for (SubtaskDetails each : vertex.subtasks()) {
      subtasks.add(
          new SubtaskDetails(
              each.execution(),
              each.attempt(),
              each.state(),
              each.worker(),
              each.entered(),
              each.counters().map(counters -> counters.with(Map.of("lines", value))),
              each.earlier(),
              each.endpoint()));
    }
    return new VertexDetails(vertex.id(), subtasks);
  }

  private void put(JobDetails job, List<RecordedFailure> failures, List<EarlierAttempt> earlier) {
    cluster.dispatcher.jobs.put(
        job.id(),
        new JobDetails(
            job.graph(),
            job.statusHistory(),
            job.slots(),
            job.waitingFor(),
            job.restarts(),
            job.vertices(),
            failures,
            earlier));
  }

  @Test
  void showsFailuresWithEndpointLabelsAndConcurrentOnes() {
    JobDetails job = cluster.dispatcher.jobs.get(SampleJobs.RUNNING);
    RecordedFailure failure =
        new RecordedFailure(
            SampleJobs.failure(),
            5,
            "Source: gen (1/2)",
            Optional.of(SampleJobs.WORKER),
            "127.0.0.1:38553",
            List.of(
                new ConcurrentFailure(
                    SampleJobs.failure(),
                    6,
                    "Source: gen (2/2)",
                    Optional.of(SampleJobs.WORKER),
                    "127.0.0.1:38553")));
    put(job, List.of(failure), new ArrayList<>());

    JsonObject shown =
        cluster
            .get(JOB + "/exceptions?failureLabelFilter=KIND:USER")
            .json()
            .getJsonObject("exceptionHistory")
            .getJsonArray("entries")
            .getJsonObject(0);
    JsonObject concurrent = shown.getJsonArray("concurrentExceptions").getJsonObject(0);

    assertThat(shown.getString("endpoint")).isEqualTo("127.0.0.1:38553");
    assertThat(shown.getJsonObject("failureLabels").getMap()).containsEntry("KIND", "USER");
    assertThat(concurrent.getString("taskName")).isEqualTo("Source: gen (2/2)");
    assertThat(concurrent.getLong("timestamp")).isEqualTo(6);
    assertThat(
            cluster
                .get(JOB + "/exceptions?failureLabelFilter=KIND:BUG")
                .json()
                .getJsonObject("exceptionHistory")
                .getJsonArray("entries"))
        .isEmpty();
    assertThat(cluster.get(JOB + "/exceptions?failureLabelFilter=BUG").status()).isEqualTo(400);
  }

  @Test
  void showsOneApplicationPerJob() {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
    JsonObject canceled = cluster.get("/applications/" + SampleJobs.CANCELED).json();
    JsonArray failures =
        cluster
            .get("/applications/" + SampleJobs.FAILED + "/exceptions")
            .json()
            .getJsonObject("exceptionHistory")
            .getJsonArray("entries");

    assertThat(canceled.getString("name")).isEqualTo("SingleJobApplication(failover)");
    assertThat(canceled.getString("status")).isEqualTo("CANCELED");
    assertThat(canceled.getLong("duration")).isEqualTo(100);
    assertThat(canceled.getJsonObject("timestamps").getLong("RUNNING"))
        .isEqualTo(SampleJobs.STARTED);
    assertThat(canceled.getJsonArray("jobs").getJsonObject(0).getString("jid"))
        .isEqualTo(SampleJobs.CANCELED.toString());
    assertThat(failures).hasSize(1);
    assertThat(failures.getJsonObject(0).getString("jobId"))
        .isEqualTo(SampleJobs.FAILED.toString());
    assertThat(cancel(SampleJobs.RUNNING.toString())).isEqualTo(202);
    assertThat(cancel(SampleJobs.CANCELED.toString())).isEqualTo(409);
    assertThat(cancel("00000000000000000000000000000000")).isEqualTo(404);
    assertThat(cluster.get("/applications/xyz").status()).isEqualTo(400);
  }

  private int cancel(String application) {
    return cluster.send("POST", "/applications/" + application + "/cancel", "").status();
  }

  @Test
  void rejectsRescalesAsFlinkDoes() {
    String requirements = JOB + "/resource-requirements";
    assertThat(cluster.send("PUT", requirements, "{}").status()).isEqualTo(400);
    assertThat(cluster.send("PUT", requirements, "{\"a\": {}}").status()).isEqualTo(500);
    assertThat(cluster.send("PATCH", JOB + "/rescaling?parallelism=3", "").status()).isEqualTo(503);
    assertThat(cluster.get(JOB + "/rescaling/" + SampleJobs.RUNNING).status()).isEqualTo(503);
    assertThat(cluster.get("/jobs/00000000000000000000000000000000/rescales/config").error())
        .contains("not found");
  }

  @Test
  void cancelsWithGetOnlyForOwnClients() {
    String path = JOB + "/yarn-cancel";
    assertThat(cluster.get(path).status()).isEqualTo(403);
    assertThat(
            cluster
                .send(
                    cluster
                        .request(path)
                        .header("Sec-Fetch-Site", "cross-site")
                        .header("Sec-Fetch-Mode", "navigate"))
                .status())
        .isEqualTo(403);
    assertThat(cluster.dispatcher.received).isEmpty();
    assertThat(cluster.send(cluster.request(path).header("Sec-Fetch-Site", "same-origin")).status())
        .isEqualTo(202);
    assertThat(cluster.dispatcher.received).hasSize(1);
    assertThat(cluster.get(JOB + "/yarn-stop").status()).isEqualTo(308);
    assertThat(cluster.send("PATCH", JOB + "?mode=stop", "").status()).isEqualTo(308);
  }

  @Test
  void namesSlotSharingGroupsById() {
    JsonArray vertices = cluster.get(JOB).json().getJsonArray("vertices");
    String first = vertices.getJsonObject(0).getString("slotSharingGroupId");
    assertThat(first).matches("[0-9a-f]{32}");
    assertThat(vertices.getJsonObject(1).getString("slotSharingGroupId")).isEqualTo(first);
  }

  @Test
  void writesFailureAsThrowableOfFlink() throws Exception {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
    JsonObject cause =
        cluster
            .get("/jobs/" + SampleJobs.FAILED + "/execution-result")
            .json()
            .getJsonObject("job-execution-result")
            .getJsonObject("failure-cause");
    assertThat(cause.getString("class")).isEqualTo("java.lang.IllegalStateException");
    assertThat(cause.getString("stack-trace")).contains("no more");
    List<String> classes = new ArrayList<>();
    byte[] bytes = Base64.getDecoder().decode(cause.getString("serialized-throwable"));
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes)) {
          @Override
          protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
            classes.add(type.getName());
            throw new ClassNotFoundException(type.getName());
          }
        }) {
      in.readObject();
    } catch (ClassNotFoundException expected) {
      assertThat(classes).first().isEqualTo("org.apache.flink.util.SerializedThrowable");
    }
    assertThat(classes).isNotEmpty();
  }
}

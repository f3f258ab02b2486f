package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.FailingJob;
import com.example.ObservedJob;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Each operation of Flink's REST v1 on a real cluster: Flink's own classes decode the answer, it
 * has the keys and types of a recorded one, and its values are those of the jobs.
 */
class RestConformanceIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  /** Operations that this cluster refuses as Flink with its default scheduler does. */
  private static final Map<String, Integer> REFUSED = new TreeMap<>();

  static {
    for (String which :
        List.of("config", "overview", "history", "summary", "details/:rescaleuuid")) {
      REFUSED.put("GET /jobs/:jobid/rescales/" + which, 404);
    }
    REFUSED.put("GET /jobs/:jobid/resource-requirements", 500);
    REFUSED.put("PUT /jobs/:jobid/resource-requirements", 500);
    REFUSED.put("PATCH /jobs/:jobid/rescaling", 503);
    REFUSED.put("GET /jobs/:jobid/rescaling/:triggerid", 503);
  }

  private static final String JOB = "GET /jobs/:jobid";
  private static final String VERTEX = JOB + "/vertices/:vertexid";

  @Test
  @Behaviour("I1: Flink's client decodes the answer of each operation of REST v1")
  void everyOperationAnswersAsFlinksDoes() throws Exception {
    Path savepoints = SHELL.directory().resolve("savepoints");
    try (Cluster cluster =
            SHELL.startCluster(
                "--taskmanagers",
                "1",
                "--slots",
                "8",
                "-D",
                "execution.checkpointing.savepoint-dir=" + savepoints);
        FlinkRestClient flink = new FlinkRestClient(cluster.rest().address())) {
      RestCheck rest = new RestCheck(cluster.rest(), flink);
      assertThat(flink.operations()).containsAll(RestContract.operations());
      assertThat(RestContract.operations()).hasSize(80);

      Path program = ProgramJar.of(SHELL.directory(), ObservedJob.class);
      String running = observed(cluster, program, "2", "once");
      SoftAssertions all = new SoftAssertions();
      all.check(() -> readsTheRunningJob(cluster, rest, running));
      all.check(() -> readsTheCluster(rest, running));
      all.check(() -> readsEndedJobs(cluster, rest, program));
      all.check(() -> triggersCheckpoints(cluster, rest, running, savepoints));
      all.check(() -> runsJars(cluster, rest, program));
      all.check(() -> deletesDataSets(rest));
      all.check(() -> refusesWhatFlinkRefuses(rest, running));
      all.check(() -> stopsAndCancels(cluster, rest, program, running));
      all.check(() -> shutsDown(rest));
      all.assertThat(rest.differences()).isEmpty();
      all.assertThat(rest.answered())
          .containsExactlyInAnyOrderElementsOf(RestContract.operations());
      all.assertAll();
    }
  }

  /** Submits a job that takes checkpoints, and waits until it has completed two. */
  private static String observed(
      Cluster cluster, Path program, String parallelism, String... arguments) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                "-p",
                parallelism,
                "-D",
                "execution.checkpointing.interval=500ms",
                "-D",
                "restart-strategy.type=fixed-delay",
                "-D",
                "restart-strategy.fixed-delay.delay=10ms",
                program.toString()));
    line.addAll(List.of(arguments));
    String job = cluster.submit(line.toArray(String[]::new));
    if (arguments.length > 0) {
      Wait.untilTrue("the first attempt has failed", () -> cluster.rest().failures(job) > 0);
    }
    cluster.rest().awaitAllRunning(job, 2 * Integer.parseInt(parallelism));
    cluster.rest().awaitCheckpoints(job, 2);
    return job;
  }

  private static Map<String, String> of(String job) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("jobid", job);
    parameters.put("applicationid", job);
    return parameters;
  }

  private static Map<String, String> with(Map<String, String> known, String name, String value) {
    Map<String, String> parameters = new LinkedHashMap<>(known);
    parameters.put(name, value);
    return parameters;
  }

  private static void readsTheRunningJob(Cluster cluster, RestCheck rest, String job)
      throws Exception {
    Map<String, String> known = of(job);
    JsonNode details = rest.get(JOB, known);
    assertThat(details.path("state").asText()).isEqualTo("RUNNING");
    assertThat(details.path("vertices")).hasSize(2);
    assertThat(details.at("/status-counts/RUNNING").asInt()).isEqualTo(2);
    assertThat(details.at("/timestamps/RUNNING").asLong())
        .isBetween(details.path("start-time").asLong(), details.path("now").asLong());
    String source = details.at("/vertices/0/id").asText();
    String counting = details.at("/vertices/1/id").asText();

    for (String below :
        List.of("", "/config", "/plan", "/status", "/exceptions", "/execution-result")) {
      rest.get(JOB + below, known);
    }
    assertThat(rest.get(JOB + "/config", known).at("/execution-config/job-parallelism").asInt())
        .isEqualTo(2);
    assertThat(rest.get(JOB + "/status", known).path("status").asText()).isEqualTo("RUNNING");
    JsonNode failure = rest.get(JOB + "/exceptions", known).at("/exceptionHistory/entries/0");
    assertThat(failure.path("exceptionName").asText())
        .isEqualTo(IllegalStateException.class.getName());
    assertThat(failure.path("stacktrace").asText())
        .contains("the first attempt fails", "ObservedJob");
    assertThat(failure.path("endpoint").asText()).matches("[\\w.:\\[\\]-]+:\\d+");

    Map<String, String> serialized = with(known, "includeSerializedValue", "true");
    Wait.untilTrue(
        "the accumulator is reported",
        () ->
            read(rest, JOB + "/accumulators", serialized)
                .at("/user-task-accumulators/0/name")
                .asText()
                .equals("seen"));
    readsVertices(rest, known, source, counting);
    readsCheckpoints(cluster, rest, known, counting);

    JsonNode running = rest.get("GET /jobs/overview", known, "get-jobs-overview").at("/jobs/0");
    assertThat(running.path("jid").asText()).isEqualTo(job);
    assertThat(running.path("start-time")).isEqualTo(details.path("start-time"));
    assertThat(running.at("/tasks/running").asInt()).isEqualTo(4);
    assertThat(rest.get("GET /jobs", known).at("/jobs/0/status").asText()).isEqualTo("RUNNING");
    assertThat(rest.get("GET /applications/overview", known).at("/applications/0/id").asText())
        .isEqualTo(job);
    rest.get("GET /applications/:applicationid", known);
    rest.get("GET /applications/:applicationid/exceptions", known);
  }

  private static void readsVertices(
      RestCheck rest, Map<String, String> ofJob, String source, String counting) throws Exception {
    Map<String, String> known = with(ofJob, "vertexid", counting);
    known.put("subtaskindex", "1");
    JsonNode vertex = rest.get(VERTEX, known);
    assertThat(vertex.path("subtasks")).hasSize(2);
    int attempt = vertex.at("/subtasks/1/attempt").asInt();
    assertThat(attempt).isPositive();
    known.put("attempt", String.valueOf(attempt));
    for (String below :
        List.of(
            "/accumulators",
            "/backpressure",
            "/jm-operator-metrics",
            "/metrics",
            "/subtasks/accumulators",
            "/subtasks/metrics",
            "/subtasks/:subtaskindex",
            "/subtasks/:subtaskindex/attempts/:attempt",
            "/subtasks/:subtaskindex/attempts/:attempt/accumulators",
            "/subtasks/:subtaskindex/metrics",
            "/subtasktimes",
            "/taskmanagers",
            "/flamegraph",
            "/watermarks")) {
      rest.get(VERTEX + below, known);
    }
    // The attempt that failed is still known.
    JsonNode first =
        rest.get(VERTEX + "/subtasks/:subtaskindex/attempts/:attempt", with(known, "attempt", "0"));
    assertThat(first.path("status").asText()).isIn("CANCELED", "FAILED");
    assertThat(first.path("end-time").asLong()).isPositive();

    long read = number(rest, with(known, "get", "numRecordsIn"));
    long written = number(rest, with(with(known, "vertexid", source), "get", "numRecordsOut"));
    assertThat(read).isPositive();
    assertThat(written).as("asked later, of the producer").isGreaterThanOrEqualTo(read);
    Wait.untilTrue(
        "more records are read", () -> number(rest, with(known, "get", "numRecordsIn")) > read);
  }

  /** The answer inside of a condition. */
  private static JsonNode read(RestCheck rest, String operation, Map<String, String> known) {
    try {
      return rest.get(operation, known);
    } catch (Exception e) {
      throw new AssertionError(operation, e);
    }
  }

  private static long number(RestCheck rest, Map<String, String> metric) {
    try {
      return (long)
          rest.get(VERTEX + "/subtasks/metrics", metric, "get-vertices-subtasks-metrics-selected")
              .at("/0/sum")
              .asDouble();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void readsCheckpoints(
      Cluster cluster, RestCheck rest, Map<String, String> ofJob, String counting)
      throws Exception {
    JsonNode statistics = rest.get(JOB + "/checkpoints", ofJob);
    long completed = statistics.at("/latest/completed/id").asLong();
    assertThat(statistics.at("/counts/completed").asLong()).isBetween(2L, completed);
    assertThat(statistics.at("/counts/restored").asLong()).isLessThanOrEqualTo(1);
    assertThat(rest.get(JOB + "/checkpoints/config", ofJob).path("interval").asLong())
        .isEqualTo(500);
    Map<String, String> known =
        with(with(ofJob, "checkpointid", String.valueOf(completed)), "vertexid", counting);
    JsonNode checkpoint =
        rest.get(JOB + "/checkpoints/details/:checkpointid", known, "get-checkpoint-details");
    assertThat(checkpoint.path("num_acknowledged_subtasks").asInt()).isEqualTo(4);
    JsonNode subtasks =
        rest.get(
            JOB + "/checkpoints/details/:checkpointid/subtasks/:vertexid",
            known,
            "get-checkpoint-details-subtasks");
    assertThat(subtasks.path("subtasks")).hasSize(2);
    assertThat(cluster.rest().failedCheckpoints(ofJob.get("jobid"))).isNotNegative();
  }

  private static void readsTheCluster(RestCheck rest, String job) throws Exception {
    Map<String, String> known = of(job);
    JsonNode overview = rest.get("GET /overview", known);
    assertThat(overview.path("taskmanagers").asInt()).isEqualTo(1);
    assertThat(overview.path("slots-total").asInt()).isEqualTo(8);
    assertThat(overview.path("slots-available").asInt()).isEqualTo(6);
    assertThat(overview.path("jobs-running").asInt()).isEqualTo(1);
    rest.get("GET /config", known);
    JsonNode workers = rest.get("GET /taskmanagers", known);
    assertThat(workers.at("/taskmanagers/0/freeSlots").asInt()).isEqualTo(6);
    known.put("taskmanagerid", workers.at("/taskmanagers/0/id").asText());
    JsonNode worker = rest.get("GET /taskmanagers/:taskmanagerid", known);
    assertThat(worker.path("allocatedSlots")).hasSize(2);
    assertThat(worker.at("/metrics/heapUsed").asLong())
        .isBetween(1L, worker.at("/metrics/heapMax").asLong());
    for (String operation :
        List.of(
            "GET /taskmanagers/metrics",
            "GET /taskmanagers/:taskmanagerid/metrics",
            "GET /jobmanager/metrics",
            "GET /jobs/metrics",
            JOB + "/metrics",
            "GET /taskmanagers/:taskmanagerid/logs",
            "GET /taskmanagers/:taskmanagerid/thread-dump",
            "GET /jobmanager/config",
            "GET /jobmanager/environment",
            "GET /jobmanager/logs",
            "GET /jobmanager/thread-dump",
            JOB + "/jobmanager/config",
            JOB + "/jobmanager/environment",
            JOB + "/jobmanager/log-url",
            JOB + "/taskmanagers/:taskmanagerid/log-url",
            "GET /applications/:applicationid/jobmanager/config",
            "GET /datasets")) {
      rest.get(operation, known);
    }
    rest.get(
        "GET /taskmanagers/metrics",
        with(known, "get", "Status.JVM.Memory.Heap.Used"),
        "get-taskmanagers-metrics-selected");
    rest.get(
        JOB + "/metrics",
        with(known, "get", "uptime,numRestarts"),
        "get-jobs-jobid-metrics-selected");
    Map<String, String> unknown = of("0".repeat(32));
    assertThat(rest.refused(JOB, unknown, 404)).contains("not found");
    assertThat(rest.refused(JOB, of("xyz"), 400)).contains("xyz");
  }

  /** A job that failed, one that was cancelled and one that finished, when they are archived. */
  private static void readsEndedJobs(Cluster cluster, RestCheck rest, Path program)
      throws Exception {
    String failed = cluster.submit(ProgramJar.of(SHELL.directory(), FailingJob.class).toString());
    cluster.rest().awaitState(failed, "FAILED");
    rest.awaitCompleted(JOB + "/execution-result", of(failed));
    JsonNode result =
        rest.get(JOB + "/execution-result", of(failed), "get-execution-result-canceled")
            .path("job-execution-result");
    assertThat(result.path("application-status").asText()).isEqualTo("FAILED");
    // Flink's client has read the throwable, and writes it again.
    assertThat(result.at("/failure-cause/class").asText()).isNotEmpty();
    assertThat(result.at("/failure-cause/stack-trace").asText()).contains("cannot mill a stone");

    String canceled = observed(cluster, program, "1");
    cluster.millrace("cancel", canceled).succeeded();
    cluster.rest().awaitState(canceled, "CANCELED");
    rest.awaitCompleted(JOB + "/execution-result", of(canceled));
    JsonNode details = rest.get(JOB, of(canceled), "get-job-canceled");
    assertThat(details.path("end-time").asLong())
        .isGreaterThan(details.path("start-time").asLong());
    assertThat(details.at("/status-counts/CANCELED").asInt()).isEqualTo(2);
    rest.get(JOB + "/execution-result", of(canceled), "get-execution-result-canceled");

    cluster.run(Shell.example("word-count.jar").toString()).succeeded();
    String finished = ofState(cluster, "FINISHED");
    assertThat(
            rest.get(JOB + "/execution-result", of(finished), "get-execution-result-canceled")
                .at("/job-execution-result/application-status")
                .asText())
        .isEqualTo("SUCCEEDED");
    for (String ended : List.of(failed, canceled, finished)) {
      readsArchive(rest, ended);
    }
    JsonNode overview = rest.get("GET /overview", of(finished));
    for (String which : List.of("running", "finished", "cancelled", "failed")) {
      assertThat(overview.path("jobs-" + which).asInt()).as(which).isEqualTo(1);
    }
  }

  private static String ofState(Cluster cluster, String state) {
    for (JsonNode job : cluster.rest().get("/jobs").path("jobs")) {
      if (job.path("status").asText().equals(state)) {
        return job.path("id").asText();
      }
    }
    throw new AssertionError("No job is " + state);
  }

  private static void readsArchive(RestCheck rest, String job) throws Exception {
    Map<String, String> known = of(job);
    for (String below :
        List.of(
            "", "/config", "/plan", "/status", "/exceptions", "/accumulators", "/checkpoints")) {
      rest.get(JOB + below, known);
    }
    rest.get("GET /applications/:applicationid", known);
    JsonNode first = rest.get(JOB, known).at("/vertices/0");
    known.put("vertexid", first.path("id").asText());
    known.put("subtaskindex", "0");
    JsonNode vertex = rest.get(VERTEX, known);
    assertThat(vertex.at("/subtasks/0/status").asText()).isIn("FAILED", "CANCELED", "FINISHED");
    known.put("attempt", vertex.at("/subtasks/0/attempt").asText());
    for (String below :
        List.of(
            "/accumulators",
            "/subtasks/accumulators",
            "/subtasks/:subtaskindex",
            "/subtasks/:subtaskindex/attempts/:attempt",
            "/subtasktimes",
            "/taskmanagers")) {
      rest.get(VERTEX + below, known);
    }
  }

  private static void triggersCheckpoints(
      Cluster cluster, RestCheck rest, String job, Path savepoints) throws Exception {
    Map<String, String> known = of(job);
    String checkpoint =
        rest.send("POST /jobs/:jobid/checkpoints", known, "{\"checkpointType\": \"FULL\"}")
            .path("request-id")
            .asText();
    JsonNode done =
        await(rest, JOB + "/checkpoints/:triggerid", with(known, "triggerid", checkpoint));
    assertThat(done.at("/operation/checkpointId").asLong()).isPositive();

    String target = "{\"target-directory\": \"" + savepoints + "\", \"cancel-job\": false}";
    String trigger =
        rest.send("POST /jobs/:jobid/savepoints", known, target).path("request-id").asText();
    done = await(rest, JOB + "/savepoints/:triggerid", with(known, "triggerid", trigger));
    String path = done.at("/operation/location").asText();
    assertThat(path).contains(savepoints.toString());

    String disposal =
        rest.send("POST /savepoint-disposal", known, "{\"savepoint-path\": \"" + path + "\"}")
            .path("request-id")
            .asText();
    await(rest, "GET /savepoint-disposal/:triggerid", with(known, "triggerid", disposal));
    // A savepoint that is not there: Flink's client reads why.
    disposal =
        rest.send("POST /savepoint-disposal", known, "{\"savepoint-path\": \"" + path + "\"}")
            .path("request-id")
            .asText();
    done = await(rest, "GET /savepoint-disposal/:triggerid", with(known, "triggerid", disposal));
    assertThat(done.at("/operation/failure-cause/stack-trace").asText()).contains(path);
    assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");
  }

  /** Waits until an asynchronous operation is complete. */
  private static JsonNode await(RestCheck rest, String operation, Map<String, String> known) {
    rest.awaitCompleted(operation, known);
    return read(rest, operation, known);
  }

  private static void runsJars(Cluster cluster, RestCheck rest, Path program) throws Exception {
    JsonNode uploaded = rest.upload("POST /jars/upload", program);
    assertThat(uploaded.path("status").asText()).isEqualTo("success");
    String id = Path.of(uploaded.path("filename").asText()).getFileName().toString();
    Map<String, String> known = new LinkedHashMap<>(Map.of("jarid", id));
    JsonNode jars = rest.get("GET /jars", known);
    assertThat(jars.at("/files/0/id").asText()).isEqualTo(id);
    assertThat(jars.at("/files/0/entry/0/name").asText()).isEqualTo(ObservedJob.class.getName());

    JsonNode plan = rest.send("POST /jars/:jarid/plan", known, "{\"parallelism\": 3}").path("plan");
    assertThat(plan.path("name").asText()).isEqualTo("observed");
    assertThat(plan.at("/nodes/0/parallelism").asInt()).isEqualTo(3);
    assertThat(cluster.rest().get("/overview").path("jobs-running").asInt()).isEqualTo(1);

    String run =
        rest.send("POST /jars/:jarid/run", known, "{\"parallelism\": 1}").path("jobid").asText();
    cluster.rest().awaitAllRunning(run, 2);
    Map<String, String> application = of(run);
    rest.send("POST /applications/:applicationid/cancel", application, "");
    cluster.rest().awaitState(run, "CANCELED");

    application =
        of(
            rest.send("POST /jars/:jarid/run-application", known, "{\"parallelism\": 1}")
                .path("applicationid")
                .asText());
    cluster.rest().awaitAllRunning(application.get("jobid"), 2);
    rest.send("PATCH /jobs/:jobid", with(application, "mode", "cancel"), "");
    cluster.rest().awaitState(application.get("jobid"), "CANCELED");
    rest.send("DELETE /jars/:jarid", known, "");
    assertThat(rest.get("GET /jars", known).path("files")).isEmpty();
  }

  private static void deletesDataSets(RestCheck rest) throws Exception {
    Map<String, String> known = new LinkedHashMap<>(Map.of("datasetid", "1".repeat(32)));
    String trigger =
        rest.send("DELETE /datasets/:datasetid", known, "").path("request-id").asText();
    await(rest, "GET /datasets/delete/:triggerid", with(known, "triggerid", trigger));
  }

  private static void refusesWhatFlinkRefuses(RestCheck rest, String job) throws Exception {
    Map<String, String> known = of(job);
    known.put("rescaleuuid", "1".repeat(32));
    known.put("triggerid", "1".repeat(32));
    known.put("parallelism", "3");
    JsonNode vertices = rest.get(JOB, of(job)).path("vertices");
    known.put(
        "requirements",
        "{\"%s\": {\"parallelism\": {\"lowerBound\": 1, \"upperBound\": 3}}}"
            .formatted(vertices.at("/0/id").asText()));
    for (Map.Entry<String, Integer> refused : REFUSED.entrySet()) {
      rest.refused(refused.getKey(), known, refused.getValue());
    }
  }

  private static void stopsAndCancels(Cluster cluster, RestCheck rest, Path program, String running)
      throws Exception {
    rest.send(
        "PATCH /jobs/:jobid/clientHeartbeat", of(running), "{\"expiredTimestamp\": 4102444800000}");
    String trigger =
        rest.send("POST /jobs/:jobid/stop", of(running), "{\"drain\": false}")
            .path("request-id")
            .asText();
    await(rest, JOB + "/savepoints/:triggerid", with(of(running), "triggerid", trigger));
    cluster.rest().awaitState(running, "FINISHED");

    String job = observed(cluster, program, "1");
    rest.send("PATCH /jobs/:jobid", of(job), "");
    cluster.rest().awaitState(job, "CANCELED");
    assertThatThrownBy(() -> rest.send("PATCH /jobs/:jobid", of(job), ""))
        .isInstanceOfSatisfying(
            FlinkRestClient.Refused.class, refused -> assertThat(refused.status()).isEqualTo(409));
  }

  private static void shutsDown(RestCheck rest) throws Exception {
    rest.send("DELETE /cluster", new LinkedHashMap<>(), "");
  }
}

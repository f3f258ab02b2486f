package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Place;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.rest.Timeline.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestClusterClientTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));

  private static final DataSetId DATA_SET = new DataSetId(new Id128(3, 4));

  @TempDir private Path directory;

  private FakeRestServer server;
  private RestClusterClient client;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRestServer();
    client = client(server.address().port());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private static RestClusterClient client(int port) {
    return new RestClusterClient(new HostPort("127.0.0.1", port), Duration.ofSeconds(20));
  }

  private static JobGraph graph() {
    return new JobGraph(
        JOB, "job", JobType.BATCH, List.of(), List.of(), List.of(), Configuration.EMPTY);
  }

  private static byte[] encoded(JobGraph graph, JarFile... jars) {
    return RecordCodec.of(Messages.table()).encode(graph.withJars(Arrays.asList(jars)));
  }

  @Test
  @Behaviour("I1: a client submits a graph by its hash and waits for the result")
  void uploadsWhatIsMissingAndSubmitsTheGraph() throws IOException {
    Path known = Files.writeString(directory.resolve("known.jar"), "known");
    Path fresh = Files.writeString(directory.resolve("fresh.jar"), "fresh");
    BlobKey knownKey = BlobKey.of(Bytes.utf8("known"));
    BlobKey freshKey = BlobKey.of(Bytes.utf8("fresh"));
    JobGraph graph = graph();
    byte[] encoded =
        encoded(graph, new JarFile("known.jar", knownKey), new JarFile("fresh.jar", freshKey));
    BlobKey graphKey = BlobKey.of(Bytes.wrap(encoded));
    server.answer("GET /overview", 200, "{}");
    server.answer("HEAD /blobs/" + knownKey, 200, "");
    server.answer("PUT /blobs/" + freshKey, 201, "");
    server.answer("PUT /blobs/" + graphKey, 201, "");
    server.answer("POST /jobs", 202, "{\"jobid\":\"" + JOB + "\"}");

    client.submit(graph, List.of(known, fresh));

    assertThat(server.requests()).doesNotContain("PUT /blobs/" + knownKey);
    assertThat(server.body("PUT /blobs/" + freshKey)).asString().isEqualTo("fresh");
    assertThat(server.body("PUT /blobs/" + graphKey)).isEqualTo(encoded);
    assertThat(server.text("POST /jobs"))
        .matches("\\{\"jobId\":\"" + JOB + "\",\"graph\":\"" + graphKey + "\",\"took\":\\d+}");
  }

  @Test
  void sendsHeartbeatsAndReturnsWhetherTheClusterExpectsMore() {
    String request = "PATCH /jobs/" + JOB + "/clientHeartbeat";
    Duration timeout = Duration.ofMinutes(3);
    server.answer(request, 202, "{\"expected\":true}");
    long before = System.currentTimeMillis();
    assertThat(client.heartbeat(JOB, timeout)).isTrue();
    String body = server.text(request);
    assertThat(body).matches("\\{\"expiredTimestamp\":\\d+}");
    assertThat(Long.parseLong(body.replaceAll("\\D", "")))
        .isBetween(before + timeout.toMillis(), System.currentTimeMillis() + timeout.toMillis());

    server.answer(request, 202, "{\"expected\":false}");
    assertThat(client.heartbeat(JOB, timeout)).isFalse();
    server.answer(request, 404, "{\"errors\":[\"There is no job\"]}");
    assertThat(client.heartbeat(JOB, timeout)).isFalse();
    server.answer(request, 503, "{\"errors\":[\"There is no leader\"]}");
    assertThatThrownBy(() -> client.heartbeat(JOB, timeout)).hasMessageContaining("no leader");
  }

  @Test
  void readsExplanationsAndTimelines() {
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        200,
        """
        {"jid":"%s","name":"n","state":"RUNNING","since":5,"summary":"s","notes":["note"],
         "unmet":[{"profile":"any","required":8,"missing":3,"answer":"why","answered":7,
           "asked":[{"time":6,"who":"jobmaster","sentence":"asked"}],"fixes":["fix"]}],
         "places":[{"taskmanager":"w","slots":2,"tasks":4,"granted":8,"took":9,"sentence":"there"}],
         "causes":[{"time":1,"who":"jobmaster","sentence":"failed"}]}
        """
            .formatted(JOB));
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        200,
        """
        {"jid":"%s","name":"n","state":"RUNNING","now":9,"dropped-events":2,"notes":["early"],"steps":[
         {"round":1,"step":"Run","process":"w","start-time":3,"end-time":-1,"count":4,"detail":"d"}]}
        """
            .formatted(JOB));
    Said asked = new Said(6, "jobmaster", "asked");
    assertThat(client.explain(JOB))
        .contains(
            new Explanation(
                JOB,
                "n",
                JobStatus.RUNNING,
                5,
                "s",
                List.of(new Unmet("any", 8, 3, List.of(asked), "why", 7, List.of("fix"))),
                List.of(new Place(new WorkerId("w"), 2, 4, 8, 9, "there")),
                List.of(new Said(1, "jobmaster", "failed")),
                List.of("note")));
    assertThat(client.timeline(JOB))
        .contains(
            new Timeline(
                JOB,
                "n",
                JobStatus.RUNNING,
                9,
                List.of(new Step(1, "Run", "w", 3, -1, 4, "d")),
                2,
                List.of("early")));
  }

  /** Another job with the same jar has ended between the look and the submission. */
  @Test
  void jarThatVanishesAfterItWasFoundIsUploadedAgain() throws IOException {
    Path jar = Files.writeString(directory.resolve("shared.jar"), "shared");
    BlobKey key = BlobKey.of(Bytes.utf8("shared"));
    JobGraph graph = graph();
    BlobKey graphKey = BlobKey.of(Bytes.wrap(encoded(graph, new JarFile("shared.jar", key))));
    server.answer("GET /overview", 200, "{}");
    server.answer("HEAD /blobs/" + key, 200, "");
    server.answer("PUT /blobs/" + graphKey, 201, "");
    server.answer("POST /jobs", 400, "{\"errors\":[\"Jar 'shared.jar' is not stored.\"]}");
    server.beforeAnswer(
        request -> {
          if (request.equals("PUT /blobs/" + graphKey)) {
            server.removeAnswer("HEAD /blobs/" + key);
            server.answer("PUT /blobs/" + key, 201, "");
          } else if (request.equals("PUT /blobs/" + key)) {
            server.answer("POST /jobs", 202, "{\"jobid\":\"" + JOB + "\"}");
          }
        });

    client.submit(graph, List.of(jar));

    assertThat(server.body("PUT /blobs/" + key)).asString().isEqualTo("shared");
    assertThat(server.requests().stream().filter("POST /jobs"::equals)).hasSize(2);
  }

  @Test
  void refusedJobIsNotSubmittedAgainIfItsJarsAreStored() throws IOException {
    Path jar = Files.writeString(directory.resolve("a.jar"), "a");
    BlobKey key = BlobKey.of(Bytes.utf8("a"));
    JobGraph graph = graph();
    BlobKey graphKey = BlobKey.of(Bytes.wrap(encoded(graph, new JarFile("a.jar", key))));
    server.answer("GET /overview", 200, "{}");
    server.answer("HEAD /blobs/" + key, 200, "");
    server.answer("HEAD /blobs/" + graphKey, 200, "");
    server.answer("POST /jobs", 409, "{\"errors\":[\"Job 7 runs already.\"]}");
    assertThatThrownBy(() -> client.submit(graph, List.of(jar))).hasMessage("Job 7 runs already.");
    assertThat(server.requests().stream().filter("POST /jobs"::equals)).hasSize(1);
  }

  @Test
  void refusalOfAJobHasTheMessageOfTheServer() {
    server.answer("GET /overview", 409, "{\"errors\":[\"Job 7 runs already.\"]}");
    JobGraph graph = graph();
    assertThatThrownBy(() -> client.submit(graph, List.of()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessage("Job 7 runs already.");
  }

  @Test
  void readsJobsAndWhatTheyWaitFor() {
    server.answer(
        "GET /jobs/overview",
        200,
        "{\"jobs\":[{\"jid\":\""
            + JOB
            + "\",\"name\":\"n\",\"jobType\":\"STREAMING\",\"state\":\"CREATED\",\"start-time\":5,"
            + "\"end-time\":-1,\"last-modification\":6,\"tasks\":{\"scheduled\":3,\"total\":3},"
            + "\"waiting-for\":\"2 slots\"}]}");
    JobOverview job = client.job(JOB).orElseThrow();
    assertThat(job.status()).isEqualTo(JobStatus.CREATED);
    assertThat(job.waitingFor()).contains(new ErrorReason("2 slots"));
    assertThat(job.tasks().values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(3);
    assertThat(client.job(new JobId(new Id128(9, 9)))).isEmpty();
  }

  @Test
  void readsResults() {
    String path = "GET /jobs/" + JOB + "/result?wait=50";
    Duration patience = Duration.ofMillis(50);
    server.answer(path, 200, "{\"status\":\"IN_PROGRESS\"}");
    assertThat(client.awaitResult(JOB, patience)).isEmpty();

    server.answer(path, 200, "{\"status\":\"FINISHED\",\"runtime\":7}");
    assertThat(client.awaitResult(JOB, patience))
        .contains(new JobResult(JOB, JobStatus.FINISHED, 7, Optional.empty()));

    server.answer(
        path,
        200,
        "{\"status\":\"FAILED\",\"runtime\":7,\"failure\":{\"kind\":\"USER\",\"message\":\"boom\","
            + "\"type\":\"t\",\"stack\":\"s\"}}");
    assertThat(client.awaitResult(JOB, patience).orElseThrow().failure())
        .hasValueSatisfying(failure -> assertThat(failure.message()).isEqualTo("boom"));
  }

  @Test
  void cancels() {
    String path = "PATCH /jobs/" + JOB + "?mode=cancel";
    server.answer(path, 202, "{}");
    assertThat(client.cancel(JOB)).isEqualTo(CancelOutcome.ACCEPTED);
    server.answer(path, 409, "{}");
    assertThat(client.cancel(JOB)).isEqualTo(CancelOutcome.ENDED);
    server.answer(path, 404, "{}");
    assertThat(client.cancel(JOB)).isEqualTo(CancelOutcome.NOT_FOUND);
    server.answer(path, 500, "{\"errors\":[\"No leader.\"]}");
    assertThatThrownBy(() -> client.cancel(JOB)).hasMessage("No leader.");
  }

  @Test
  void readsCollectedPages() {
    byte[] body =
        ByteBuffer.allocate(4 + 2 + 4 + 1)
            .putInt(2)
            .put(new byte[] {1, 2})
            .putInt(1)
            .put((byte) 3)
            .array();
    String path = "GET /jobs/" + JOB + "/collected/a%20b%2Fc?next=4&wait=10";
    server.answer(path, page(4, 2, true), body);
    CollectedPage page = client.collected(JOB, "a b/c", 4, Duration.ofMillis(10));
    assertThat(page)
        .isEqualTo(
            new CollectedPage(
                true, 4, List.of(Bytes.wrap(new byte[] {1, 2}), Bytes.wrap(new byte[] {3})), true));

    server.answer(path, page(4, 3, true), body);
    assertThatThrownBy(() -> client.collected(JOB, "a b/c", 4, Duration.ofMillis(10)))
        .hasMessageContaining("not a page of collected records");
  }

  private static Map<String, String> page(long first, int count, boolean complete) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Millrace-First", String.valueOf(first));
    headers.put("Millrace-Count", String.valueOf(count));
    headers.put("Millrace-Complete", String.valueOf(complete));
    return headers;
  }

  @Test
  void readsWorkersAndOverview() {
    server.answer(
        "GET /taskmanagers",
        200,
        "{\"taskmanagers\":[{\"id\":\"tm\",\"slotsNumber\":4,\"freeSlots\":3}]}");
    assertThat(client.workers()).containsExactly(new RestClusterClient.Worker("tm", 4, 3));
    server.answer(
        "GET /overview",
        200,
        "{\"taskmanagers\":1,\"slots-total\":4,\"slots-available\":3,\"jobs-running\":2}");
    assertThat(client.overview()).isEqualTo(new RestClusterClient.ClusterOverview(1, 4, 3, 2));
  }

  @Test
  void errorWithoutAMessageNamesTheStatus() {
    server.answer("DELETE /cluster", 503, "<html>");
    assertThatThrownBy(() -> client.shutDownCluster())
        .isInstanceOf(MillraceException.class)
        .hasMessage("The JobManager at " + client.address() + " answered with status 503.");
  }

  @Test
  void answerThatIsNotJsonIsAnError() {
    server.answer("GET /overview", 200, "<html>");
    assertThatThrownBy(() -> client.overview()).hasMessageContaining("is not a JobManager");
  }

  @Test
  void closedPortIsAnErrorWithTheCommandThatStartsACluster() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    try (RestClusterClient closed = client(port)) {
      assertThatThrownBy(closed::jobs)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageStartingWith("No JobManager can be reached at 127.0.0.1:" + port)
          .hasMessageContaining("millrace cluster start");
    }
  }

  @Test
  void serverOfAnotherProtocolIsAnErrorThatNamesTheRpcPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread other =
          new Thread(
              () -> {
                try (Socket connection = socket.accept();
                    OutputStream out = connection.getOutputStream()) {
                  out.write("SSH-2.0-OpenSSH\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                  out.flush();
                  connection.shutdownOutput();
                  connection.getInputStream().readAllBytes();
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      other.start();
      try (RestClusterClient wrong = client(socket.getLocalPort())) {
        assertThatThrownBy(wrong::jobs).hasMessageContaining("does not speak HTTP");
      }
      other.join(10_000);
    }
  }

  @Test
  void asksForTheOverviewBeforeItUploadsJars() throws IOException {
    Path jar = Files.writeString(directory.resolve("a.jar"), "a");
    server.answer("GET /overview", 401, "{\"errors\":[\"Present the token.\"]}");
    assertThatThrownBy(() -> client.submit(graph(), List.of(jar))).hasMessage("Present the token.");
    assertThat(server.requests()).containsExactly("GET /overview");
  }

  @Test
  void jarThatIsMissingAtTheSubmissionIsAnErrorOfTheUser() {
    server.answer("GET /overview", 200, "{}");
    Path missing = directory.resolve("missing.jar");
    assertThatThrownBy(() -> client.submit(graph(), List.of(missing)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("The jar " + missing + " cannot be read");
    assertThat(server.requests()).containsExactly("GET /overview");
  }

  @Test
  void jarThatVanishesAtEachAttemptIsUploadedThreeTimesAtMost() throws IOException {
    Path jar = Files.writeString(directory.resolve("a.jar"), "a");
    BlobKey key = BlobKey.of(Bytes.utf8("a"));
    BlobKey graphKey = BlobKey.of(Bytes.wrap(encoded(graph(), new JarFile("a.jar", key))));
    server.answer("GET /overview", 200, "{}");
    server.answer("PUT /blobs/" + key, 201, "");
    server.answer("PUT /blobs/" + graphKey, 201, "");
    server.answer("POST /jobs", 400, "{\"errors\":[\"Jar 'a.jar' is not stored.\"]}");
    assertThatThrownBy(() -> client.submit(graph(), List.of(jar)))
        .hasMessage("Jar 'a.jar' is not stored.");
    assertThat(server.requests().stream().filter(("PUT /blobs/" + key)::equals)).hasSize(3);
  }

  @Test
  void refusedUploadHasTheMessageOfTheServer() throws IOException {
    Path jar = Files.writeString(directory.resolve("a.jar"), "a");
    BlobKey key = BlobKey.of(Bytes.utf8("a"));
    server.answer("GET /overview", 200, "{}");
    server.answer("PUT /blobs/" + key, 413, "{\"errors\":[\"The blob is too large.\"]}");
    assertThatThrownBy(() -> client.submit(graph(), List.of(jar)))
        .hasMessage("The blob is too large.");
    assertThat(server.requests()).doesNotContain("POST /jobs");
  }

  @Test
  void unknownJobHasNoExplanationTimelineOrJson() {
    assertThat(client.explain(JOB)).isEmpty();
    assertThat(client.timeline(JOB)).isEmpty();
    assertThat(client.json("/jobs/" + JOB)).isEmpty();
  }

  @Test
  void jsonIsFormatted() {
    server.answer("GET /jobs/" + JOB, 200, "{\"jid\":\"x\"}");
    assertThat(client.json("/jobs/" + JOB)).contains("{\n  \"jid\" : \"x\"\n}");
  }

  @Test
  void resultOfAnUnknownJobIsAnError() {
    server.answer(
        "GET /jobs/" + JOB + "/result?wait=0", 404, "{\"errors\":[\"There is no job 7.\"]}");
    assertThatThrownBy(() -> client.awaitResult(JOB, Duration.ZERO))
        .hasMessage("There is no job 7.");
  }

  @Test
  void failureWithoutDetailsIsABugWithoutReason() {
    server.answer("GET /jobs/" + JOB + "/result?wait=0", 200, "{\"status\":\"FAILED\"}");
    assertThat(client.awaitResult(JOB, Duration.ZERO).orElseThrow().failure())
        .hasValueSatisfying(
            failure -> {
              assertThat(failure.kind()).isEqualTo(ErrorKind.BUG);
              assertThat(failure.message()).isEqualTo("The cluster has reported no reason.");
            });
  }

  @Test
  void blocksAndUnblocksNamesThatAreNotLegalInAUrl() {
    server.answer(
        "POST /blocklist?target=host%2F1%3F&seconds=90&cause=disk%20%26%20fan&future=true", "{}");
    server.answer("DELETE /blocklist/host%2F1%3F", "{}");
    client.block("host/1?", Duration.ofSeconds(90), "disk & fan", true);
    client.unblock("host/1?");
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void readsTheBlocklist() {
    server.answer(
        "GET /blocklist",
        "{\"blocked\":[{\"target\":\"w1\",\"seconds-left\":61,\"cause\":\"its disk fails\"}]}");
    assertThat(client.blocklist())
        .containsExactly(
            new RestClusterClient.Blocked("w1", Duration.ofSeconds(61), "its disk fails"));
  }

  @Test
  void limitsWorkersAndShutsTheClusterDown() {
    server.answer("PATCH /taskmanagers?most=5", "{}");
    server.answer("DELETE /cluster", "{}");
    client.limitWorkers(5);
    client.shutDownCluster();
    assertThat(server.requests()).containsExactly("PATCH /taskmanagers?most=5", "DELETE /cluster");
  }

  @Test
  void findsACompleteDataSet() {
    server.answer(
        "GET /datasets/" + DATA_SET,
        """
        {"isComplete":true,"producer":"%s","term":4,
         "partitions":[{"dataAddress":"w1:1"},{"dataAddress":"w2:2"}]}
        """
            .formatted(JOB));
    assertThat(client.dataSet(DATA_SET))
        .contains(new CachedDataSet(DATA_SET, JOB, 4, List.of("w1:1", "w2:2")));
  }

  @Test
  void incompleteOrUnknownDataSetIsNotFound() {
    assertThat(client.dataSet(DATA_SET)).isEmpty();
    server.answer("GET /datasets/" + DATA_SET, "{\"isComplete\":false,\"partitions\":[]}");
    assertThat(client.dataSet(DATA_SET)).isEmpty();
  }

  @Test
  void completeDataSetWithoutPartitionsIsAnErrorOfTheServer() {
    server.answer(
        "GET /datasets/" + DATA_SET, "{\"isComplete\":true,\"producer\":\"" + JOB + "\"}");
    assertThatThrownBy(() -> client.dataSet(DATA_SET))
        .hasMessageContaining("has an unexpected value")
        .hasMessageContaining("has no partition");
  }

  @Test
  void releasesADataSet() {
    server.answer("DELETE /datasets/" + DATA_SET + "?wait=20000", "{\"request-id\":\"r7\"}");
    server.answer("GET /datasets/delete/r7", "{\"status\":{\"id\":\"COMPLETED\"}}");
    client.releaseDataSet(DATA_SET);
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void dataSetThatIsNotReleasedIsAnErrorWithTheNextStep() {
    server.answer("DELETE /datasets/" + DATA_SET + "?wait=20000", "{\"request-id\":\"r7\"}");
    server.answer("GET /datasets/delete/r7", "{\"status\":{\"id\":\"IN_PROGRESS\"}}");
    assertThatThrownBy(() -> client.releaseDataSet(DATA_SET))
        .hasMessage(
            "Data set "
                + DATA_SET
                + " may still be in the cluster: the TaskManagers did not answer in time. Release"
                + " it again, or send DELETE /datasets/"
                + DATA_SET
                + ".");
    server.answer(
        "GET /datasets/delete/r7",
        """
        {"status":{"id":"COMPLETED"},"operation":{"failure-cause":{"stack-trace":"w1 is gone"}}}
        """);
    assertThatThrownBy(() -> client.releaseDataSet(DATA_SET)).hasMessageContaining("w1 is gone");
  }

  @Test
  void pageWithoutItsHeadersIsNotOneOfAJobManager() {
    server.answer("GET /jobs/" + JOB + "/collected/x?next=0&wait=0", "{}");
    assertThatThrownBy(() -> client.collected(JOB, "x", 0, Duration.ZERO))
        .hasMessageContaining("is not a page of collected records")
        .hasMessageContaining("the version of this client");
  }

  @Test
  void batchThatIsLongerThanThePageIsRefused() {
    byte[] body = ByteBuffer.allocate(6).putInt(100).put(new byte[2]).array();
    server.answer("GET /jobs/" + JOB + "/collected/x?next=0&wait=0", page(0, 1, true), body);
    assertThatThrownBy(() -> client.collected(JOB, "x", 0, Duration.ZERO))
        .hasMessageContaining("is not a page of collected records");
  }
}

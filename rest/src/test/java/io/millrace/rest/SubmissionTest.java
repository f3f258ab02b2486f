package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.ShutDown;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.rest.FakeCluster.Answer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests of a client that runs a program: upload, submit, follow, collect, cancel. */
class SubmissionTest extends RestTestBase {
  @Test
  void storesBlobByHashAndReportsIt() {
    byte[] content = noise(3 << 20);
    BlobKey key = BlobKey.of(Bytes.wrap(content.clone()));
    assertThat(cluster.send("HEAD", "/blobs/" + key, "").status()).isEqualTo(404);

    assertThat(cluster.send("PUT", "/blobs/" + key, content).status()).isEqualTo(201);

    assertThat(cluster.blobs.get(key)).isEqualTo(Bytes.wrap(content));
    assertThat(cluster.send("HEAD", "/v1/blobs/" + key, "").status()).isEqualTo(200);
    assertThat(cluster.send("PUT", "/blobs/" + key, content).status()).isEqualTo(200);
  }

  @Test
  void acceptsChunkedAndEmptyBlobs() {
    byte[] content = noise(1 << 20);
    BlobKey key = BlobKey.of(Bytes.wrap(content.clone()));
    Answer chunked =
        cluster.send(
            cluster
                .request("/blobs/" + key)
                .PUT(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(content))));
    BlobKey empty = BlobKey.of(Bytes.EMPTY);
    assertThat(chunked.status()).isEqualTo(201);
    assertThat(cluster.send("PUT", "/blobs/" + empty, "").status()).isEqualTo(201);
    assertThat(cluster.blobs).containsOnlyKeys(key, empty);
  }

  @Test
  void rejectsBlobWithOtherHash() throws IOException {
    BlobKey other = BlobKey.of(Bytes.utf8("other"));
    Answer answer = cluster.send("PUT", "/blobs/" + other, "content");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("hash", other.sha256());
    assertThat(cluster.blobs).isEmpty();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void rejectsBlobsAboveLimitWithAndWithoutLengthHeader() throws IOException {
    byte[] content = noise(5 << 20);
    BlobKey key = BlobKey.of(Bytes.wrap(content.clone()));
    assertThat(cluster.send("PUT", "/blobs/" + key, content).error())
        .contains("rest.server.max-content-length");
    try (RawConnection raw = new RawConnection(cluster.port())) {
      raw.send(
          "PUT /blobs/"
              + key
              + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
      assertThat(raw.sendUntilAnswered("10000\r\n" + "x".repeat(0x10000) + "\r\n"))
          .startsWith("HTTP/1.1 413");
    }
    assertThat(cluster.blobs).isEmpty();
  }

  @Test
  @Behaviour("I1: a client submits a graph by its hash and waits for the result")
  void submitsAGraphByItsHash() {
    BlobKey graph = upload("graph");
    Answer answer = cluster.send("POST", "/jobs", submission(FakeCluster.SUBMITTED, graph));
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json().getString("jobid")).isEqualTo(FakeCluster.SUBMITTED.toString());
    assertThat(cluster.dispatcher.received)
        .containsExactly(new SubmitJob(FakeCluster.SUBMITTED, graph));
  }

  @Test
  void returnsErrorOfDispatcher() {
    Answer answer = cluster.send("POST", "/jobs", submission(SampleJobs.RUNNING, upload("graph")));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getJsonArray("errors"))
        .containsExactly(
            "Job " + SampleJobs.RUNNING + " runs already. Submit it under another id.");
  }

  @Test
  void rejectsSubmissionWithoutUploadedGraph() {
    BlobKey graph = BlobKey.of(Bytes.utf8("missing"));
    Answer answer = cluster.send("POST", "/jobs", submission(FakeCluster.SUBMITTED, graph));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("PUT /blobs/" + graph);
    assertThat(cluster.dispatcher.received).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[1]",
        "{\"jobId\": 3, \"graph\": \"x\"}",
        "{\"jobId\": \"x\", \"graph\": \"y\"}",
        "not json",
        "{\"jobId\":"
      })
  void rejectsInvalidSubmission(String body) {
    Answer answer = cluster.send("POST", "/jobs", body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).endsWith(".").doesNotContain("Exception");
  }

  @Test
  @Behaviour("I1: a client submits a graph by its hash and waits for the result")
  void waitsForResult() {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);

    JsonObject failed = cluster.get("/jobs/" + SampleJobs.FAILED + "/result?wait=100000").json();
    JsonObject running = cluster.get("/jobs/" + SampleJobs.RUNNING + "/result?wait=20").json();

    assertThat(failed.getString("status")).isEqualTo("FAILED");
    assertThat(failed.getLong("runtime")).isEqualTo(100);
    assertThat(failed.getJsonObject("failure").getMap())
        .containsEntry("kind", "USER")
        .containsEntry("message", "no more")
        .containsEntry("type", "java.lang.IllegalStateException")
        .containsKey("stack");
    assertThat(running.getMap()).containsOnlyKeys("status").containsValue("IN_PROGRESS");
    // A wait is limited to less than the timeout of a call.
    assertThat(cluster.dispatcher.received)
        .containsExactly(
            new AwaitResult(SampleJobs.FAILED, Duration.ofSeconds(5)),
            new AwaitResult(SampleJobs.RUNNING, Duration.ofMillis(20)));
  }

  @Test
  void resultForFlinkClientsHasFailureCause() {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
    JsonObject result =
        cluster
            .get("/jobs/" + SampleJobs.FAILED + "/execution-result")
            .json()
            .getJsonObject("job-execution-result");
    assertThat(result.getString("application-status")).isEqualTo("FAILED");
    assertThat(result.getJsonObject("failure-cause").getString("class"))
        .isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void returnsCollectedBatchesWithLengths() {
    Answer answer = cluster.get("/jobs/" + SampleJobs.RUNNING + "/collected/words?next=4&wait=50");
    ByteBuffer body = ByteBuffer.wrap(answer.response().body());
    assertThat(answer.header("Content-Type")).isEqualTo("application/octet-stream");
    assertThat(answer.header("Millrace-First")).isEqualTo("4");
    assertThat(answer.header("Millrace-Count")).isEqualTo("2");
    assertThat(answer.header("Millrace-Complete")).isEqualTo("true");
    assertThat(batch(body)).isEqualTo("one");
    assertThat(batch(body)).isEqualTo("three");
    assertThat(body.hasRemaining()).isFalse();
    assertThat(cluster.dispatcher.received)
        .containsExactly(new FetchCollected(SampleJobs.RUNNING, "words", 4, Duration.ofMillis(50)));
  }

  @Test
  void rejectsUnknownCollectingSink() {
    String path = "/jobs/" + SampleJobs.RUNNING + "/collected/";
    assertThat(cluster.get(path + "others").status()).isEqualTo(404);
    assertThat(cluster.get(path + "words?next=-1").status()).isEqualTo(400);
    assertThat(cluster.get(path + "words?wait=soon").error()).contains("wait");
  }

  @Test
  void showsTheJournal() {
    JsonObject event =
        cluster
            .get("/jobs/" + SampleJobs.RUNNING + "/journal")
            .json()
            .getJsonArray("events")
            .getJsonObject(0);
    assertThat(event.getString("what")).isEqualTo("slots declared");
    assertThat(event.getString("cause")).isEqualTo("7");
    assertThat(cluster.get("/jobs/" + FakeCluster.SUBMITTED + "/journal").status()).isEqualTo(404);
  }

  @Test
  void acceptsClientHeartbeatAndReturnsWhetherItIsExpected() {
    String beat = "/clientHeartbeat";
    String body = "{\"expiredTimestamp\": 1700000000000}";
    Answer expected = cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING + beat, body);
    assertThat(expected.status()).isEqualTo(202);
    assertThat(expected.json().getBoolean("expected")).isTrue();
    Answer ended = cluster.send("PATCH", "/jobs/" + SampleJobs.CANCELED + beat, body);
    assertThat(ended.status()).isEqualTo(202);
    assertThat(ended.json().getBoolean("expected")).isFalse();
    assertThat(cluster.send("PATCH", "/jobs/" + FakeCluster.SUBMITTED + beat, body).status())
        .isEqualTo(404);
    Answer wrong = cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING + beat, "{}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.error()).contains("expiredTimestamp");
    assertThat(
            cluster
                .send(
                    "PATCH",
                    "/jobs/" + SampleJobs.RUNNING + beat,
                    "{\"expiredTimestamp\": \"soon\"}")
                .error())
        .isEqualTo("'expiredTimestamp' in the body must be a number, not \"soon\".");
    assertThat(cluster.dispatcher.received)
        .containsExactly(
            new ClientHeartbeat(SampleJobs.RUNNING),
            new ClientHeartbeat(SampleJobs.CANCELED),
            new ClientHeartbeat(FakeCluster.SUBMITTED));
  }

  @Test
  void cancelsRunningJobsOnly() {
    assertThat(cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING, "").status()).isEqualTo(202);
    assertThat(cluster.send("PATCH", "/jobs/" + SampleJobs.CANCELED, "").status()).isEqualTo(409);
    assertThat(cluster.send("PATCH", "/jobs/" + FakeCluster.SUBMITTED, "").status()).isEqualTo(404);
    assertThat(cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING + "?mode=stop", "").status())
        .isEqualTo(308);
    assertThat(cluster.dispatcher.received)
        .containsExactly(
            new CancelJob(SampleJobs.RUNNING),
            new CancelJob(SampleJobs.CANCELED),
            new CancelJob(FakeCluster.SUBMITTED));
  }

  @Test
  void shutsTheClusterDown() {
    Answer answer = cluster.send("DELETE", "/cluster", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().isEmpty()).isTrue();
    assertThat(cluster.dispatcher.received).containsExactly(new ShutDown());
  }

  @Test
  @Behaviour("B4: REST asks the next leader when the first is gone, and says when there is none")
  void callsNextLeader() {
    FakeDispatcher next = cluster.replaceDispatcher();
    next.jobs.put(SampleJobs.RUNNING, cluster.dispatcher.jobs.get(SampleJobs.RUNNING));
    assertThat(cluster.get("/jobs/" + SampleJobs.RUNNING + "/status").status()).isEqualTo(200);
    assertThat(cluster.get("/jobs/" + SampleJobs.CANCELED + "/status").status()).isEqualTo(404);
  }

  @Test
  @Behaviour("B4: REST asks the next leader when the first is gone, and says when there is none")
  void reportsMissingLeader() {
    cluster.loseDispatcher();
    Answer answer = cluster.get("/jobs");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.error()).contains("no leader");
  }

  private BlobKey upload(String content) {
    BlobKey key = BlobKey.of(Bytes.utf8(content));
    cluster.blobs.put(key, Bytes.utf8(content));
    return key;
  }

  private static String submission(Object job, Object graph) {
    return new JsonObject().put("jobId", job.toString()).put("graph", graph.toString()).encode();
  }

  private static String batch(ByteBuffer body) {
    byte[] batch = new byte[body.getInt()];
    body.get(batch);
    return new String(batch, StandardCharsets.UTF_8);
  }

  private static byte[] noise(int length) {
    byte[] noise = new byte[length];
    new Random(length).nextBytes(noise);
    return noise;
  }
}

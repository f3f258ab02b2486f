package io.millrace.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.live.LiveEnv;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryServerTest {
  private static final FileSystems FILES = FileSystems.withoutPlugins();
  private static final Duration NEVER = Duration.ofHours(1);

  @TempDir Path temporary;
  private final LiveEnv env = new LiveEnv("history-test");
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<HistoryServer> started = new ArrayList<>();
  private Path first;
  private Path second;

  @BeforeEach
  void createDirectories() throws IOException {
    first = Files.createDirectory(temporary.resolve("first"));
    second = Files.createDirectory(temporary.resolve("second"));
  }

  @AfterEach
  void stop() {
    started.forEach(server -> FakeCluster.await(server.stop()));
    env.close();
  }

  @Test
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void showsTheJobsOfSeveralDirectoriesNewestFirst() throws Exception {
    archive(first, 1, JobStatus.FINISHED);
    archive(second, 2, JobStatus.FAILED);
    archive(second, 1, JobStatus.FINISHED);
    String address = start(NEVER, -1, first, second);

    JsonArray jobs = get(address, "/jobs/overview").getJsonArray("jobs");
    assertThat(jobs).hasSize(2);
    assertThat(jobs.getJsonObject(0).getString("jid")).isEqualTo(job(2).toString());
    assertThat(get(address, "/v1/jobs").getJsonArray("jobs").getJsonObject(1))
        .isEqualTo(new JsonObject().put("id", job(1).toString()).put("status", "FINISHED"));
    assertThat(get(address, "/overview").getInteger("jobs-failed")).isEqualTo(1);
    assertThat(get(address, "/config").getJsonObject("features").getBoolean("web-history"))
        .isTrue();
    for (Map.Entry<String, JsonObject> response : responses(second, 2).entrySet()) {
      if (!response.getKey().equals("/jobs/overview")) {
        assertThat(get(address, response.getKey()))
            .as(response.getKey())
            .isEqualTo(response.getValue());
        assertThat(get(address, "/v1" + response.getKey())).isEqualTo(response.getValue());
      }
    }
  }

  @Test
  void namesMissingJobsAndResponses() throws Exception {
    archive(first, 1, JobStatus.FINISHED);
    String address = start(NEVER, -1, first);

    assertThat(status(address, "GET", "/jobs/" + job(9))).isEqualTo(404);
    assertThat(status(address, "GET", "/jobs/" + job(1) + "/moon")).isEqualTo(404);
    assertThat(status(address, "GET", "/jobs/x")).isEqualTo(400);
    assertThat(status(address, "GET", "/taskmanagers")).isEqualTo(404);
    assertThat(status(address, "PATCH", "/jobs/" + job(1))).isEqualTo(405);
    assertThat(status(address, "GET", "/jobs/" + job(1) + "/../../etc/passwd")).isEqualTo(404);
  }

  @Test
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void refreshShowsNewFilesAndDropsDeletedOnes() throws Exception {
    String address = start(Duration.ofMillis(20), -1, first);
    assertThat(get(address, "/jobs").getJsonArray("jobs")).isEmpty();

    archive(first, 1, JobStatus.FINISHED);
    awaitJobs(address, 1);
    assertThat(get(address, "/jobs/" + job(1) + "/status").getString("status"))
        .isEqualTo("FINISHED");
    Files.delete(first.resolve(job(1).toString()));
    awaitJobs(address, 0);
    assertThat(status(address, "GET", "/jobs/" + job(1))).isEqualTo(404);
  }

  @Test
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void keepsConfiguredNumberOfJobsPerDirectory() throws Exception {
    for (int i = 1; i <= 4; i++) {
      archive(first, i, JobStatus.FINISHED);
    }
    archive(second, 9, JobStatus.FINISHED);
    Files.writeString(first.resolve("notes.txt"), "mine");
    String address = start(NEVER, 2, first, second);

    assertThat(get(address, "/jobs").getJsonArray("jobs")).hasSize(3);
    try (Stream<Path> left = Files.list(first)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(job(3).toString(), job(4).toString(), "notes.txt");
    }
  }

  @Test
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void ignoresFilesThatAreNoArchiveOfTheirJob() throws Exception {
    archive(first, 1, JobStatus.FINISHED);
    byte[] whole = Files.readAllBytes(first.resolve(job(1).toString()));
    List<byte[]> invalid = new ArrayList<>();
    invalid.add(new byte[0]);
    invalid.add("[]".getBytes(UTF_8));
    invalid.add("{\"archive\":7}".getBytes(UTF_8));
    invalid.add("[".repeat(100_000).getBytes(UTF_8));
    invalid.add(
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"{\\\"jobs\\\":[3]}\"}]}"
            .getBytes(UTF_8));
    String renamed =
        new String(whole, UTF_8).replace(job(1).toString(), job(100 + invalid.size()).toString());
    invalid.add(renamed.replace("FINISHED", "ABDUCTED").getBytes(UTF_8));
    invalid.add(Arrays.copyOf(whole, whole.length / 2));
    invalid.add(whole); // of another job
    Random random = new Random(5);
    for (int i = 0; i < 20; i++) {
      byte[] noise = new byte[1000];
      random.nextBytes(noise);
      invalid.add(noise);
    }
    for (int i = 0; i < invalid.size(); i++) {
      Files.write(first.resolve(job(100 + i).toString()), invalid.get(i));
    }
    Files.createDirectory(first.resolve(job(99).toString()));
    String address = start(NEVER, -1, first);

    assertThat(get(address, "/jobs").getJsonArray("jobs")).hasSize(1);
    assertThat(get(address, "/jobs/" + job(1)).getString("state")).isEqualTo("FINISHED");
  }

  @Test
  @Behaviour(
      "I3: the history server shows ended jobs without a cluster and trusts a file only about its"
          + " own job")
  void ignoresResponsesAboutOtherJobs() throws Exception {
    String path = "/jobs/" + job(7);
    Map<String, JsonObject> responses = new LinkedHashMap<>();
    archive(first, 1, JobStatus.FINISHED);
    responses.putAll(responses(first, 1));
    responses.put(path, new JsonObject().put("state", "forged"));
    responses.put("/config", new JsonObject().put("forged", true));
    JsonArray archive = new JsonArray();
    responses.forEach(
        (key, json) -> archive.add(new JsonObject().put("path", key).put("json", json.encode())));
    Files.writeString(
        first.resolve(job(1).toString()), new JsonObject().put("archive", archive).encode());
    String address = start(NEVER, -1, first);

    assertThat(status(address, "GET", path)).isEqualTo(404);
    assertThat(get(address, "/config").containsKey("forged")).isFalse();
  }

  private static final BindPorts ANY_PORT = BindPorts.of(HistoryOptions.WEB_PORT, PortRange.of(0));

  @Test
  void rejectsMissingDirectoriesAndInvalidSettings() {
    assertThatThrownBy(() -> start(NEVER, -1, temporary.resolve("nowhere")))
        .hasRootCauseInstanceOf(MillraceException.class)
        .hasStackTraceContaining("There is no directory " + temporary.resolve("nowhere"));
    List<FilePath> some = List.of(FilePath.parse("/tmp"));
    assertThatThrownBy(
            () -> new HistorySettings(List.of(), ANY_PORT, NEVER, -1, FakeCluster.OWN_USER))
        .hasMessageContaining("historyserver.archive.fs.dir");
    assertThatThrownBy(() -> HistoryOptions.WEB_PORT.parse("70000"))
        .hasMessageContaining("historyserver.web.port");
    assertThatThrownBy(
            () -> new HistorySettings(some, ANY_PORT, Duration.ZERO, -1, FakeCluster.OWN_USER))
        .hasMessageContaining("refresh-interval");
    assertThatThrownBy(() -> new HistorySettings(some, ANY_PORT, NEVER, 0, FakeCluster.OWN_USER))
        .hasMessageContaining("retained-jobs is 0");
  }

  @Test
  void portInUseIsReportedWithItsOption() throws Exception {
    int port = Integer.parseInt(start(NEVER, -1, first).replaceFirst(".*:", ""));
    HistoryServer other =
        new HistoryServer(
            env,
            FILES,
            new HistorySettings(
                List.of(FilePath.parse(first.toString())),
                BindPorts.of(HistoryOptions.WEB_PORT, PortRange.of(port)),
                NEVER,
                -1,
                FakeCluster.OWN_USER));
    started.add(other);
    assertThatThrownBy(() -> FakeCluster.await(other.start()))
        .hasMessageContaining("historyserver.web.port");
  }

  @Test
  void freePortOfARangeIsBound() throws Exception {
    int taken = Integer.parseInt(start(NEVER, -1, first).replaceFirst(".*:", ""));
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    HistoryServer other =
        new HistoryServer(
            env,
            FILES,
            new HistorySettings(
                List.of(FilePath.parse(first.toString())),
                BindPorts.of(HistoryOptions.WEB_PORT, PortRange.parse(taken + "," + free)),
                NEVER,
                -1,
                FakeCluster.OWN_USER));
    started.add(other);
    assertThat(FakeCluster.await(other.start())).endsWith(":" + free);
  }

  private String start(Duration refresh, int retained, Path... directories) {
    HistoryServer server =
        new HistoryServer(
            env,
            FILES,
            new HistorySettings(
                Stream.of(directories).map(path -> FilePath.parse(path.toString())).toList(),
                ANY_PORT,
                refresh,
                retained,
                FakeCluster.OWN_USER));
    started.add(server);
    return FakeCluster.await(server.start());
  }

  private static JobId job(int number) {
    return new JobId(new Id128(3, number));
  }

  private static void archive(Path directory, int number, JobStatus status) throws IOException {
    JobId id = job(number);
    JobOverview overview = SampleJobs.overview(id, status);
    new HistoryFiles(FILES, FilePath.parse(directory.toString()))
        .write(
            new ArchivedJob(
                new EndedJob(
                    SampleJobs.result(id, status),
                    new JobOverview(
                        id,
                        overview.name(),
                        overview.type(),
                        status,
                        overview.startedAt(),
                        overview.endedAt() + number,
                        overview.changedAt(),
                        overview.tasks(),
                        Optional.empty())),
                SampleJobs.details(id, status),
                History.NONE));
  }

  private static Map<String, JsonObject> responses(Path directory, int number) throws IOException {
    Map<String, JsonObject> responses = new LinkedHashMap<>();
    new JsonObject(Files.readString(directory.resolve(job(number).toString())))
        .getJsonArray("archive")
        .forEach(
            entry -> {
              JsonObject response = (JsonObject) entry;
              responses.put(response.getString("path"), new JsonObject(response.getString("json")));
            });
    return responses;
  }

  private void awaitJobs(String address, int count) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (get(address, "/jobs").getJsonArray("jobs").size() != count) {
      assertThat(System.nanoTime()).as("%d jobs are there", count).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private JsonObject get(String address, String path) throws Exception {
    HttpResponse<String> answer = send(address, "GET", path);
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    return new JsonObject(answer.body());
  }

  private int status(String address, String method, String path) throws Exception {
    return send(address, method, path).statusCode();
  }

  private HttpResponse<String> send(String address, String method, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }
}

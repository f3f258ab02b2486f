package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A REST client without code of this project. */
final class Rest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String address;
  private final HttpClient http = HttpClient.newHttpClient();

  /** The answer to a request. */
  record Answer(int status, JsonNode body) {}

  Rest(String address) {
    this.address = address;
  }

  String address() {
    return address;
  }

  JsonNode get(String path) {
    Answer answer = call("GET", path, BodyPublishers.noBody(), "application/json");
    assertThat(answer.status()).as("%s: %s", path, answer.body()).isEqualTo(200);
    return answer.body();
  }

  Answer send(String method, String path, String json) {
    return call(method, path, BodyPublishers.ofString(json), "application/json");
  }

  Answer upload(String path, Path jar) throws IOException {
    String boundary = "part-of-a-test";
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        ("--"
                + boundary
                + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
                + jar.getFileName()
                + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8));
    body.writeBytes(Files.readAllBytes(jar));
    body.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
    return call(
        "POST",
        path,
        BodyPublishers.ofByteArray(body.toByteArray()),
        "multipart/form-data; boundary=" + boundary);
  }

  private Answer call(String method, String path, BodyPublisher body, String type) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", type)
            .method(method, body)
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return new Answer(response.statusCode(), JSON.readTree(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during " + method + " " + path, e);
    }
  }

  /** An answer that is not JSON. */
  String text(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(Duration.ofSeconds(60))
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
      return response.body();
    } catch (IOException e) {
      throw new UncheckedIOException("GET " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted during GET " + path, e);
    }
  }

  // --- jobs

  JsonNode job(String job) {
    return get("/jobs/" + job);
  }

  String state(String job) {
    return job(job).path("state").asText();
  }

  void awaitState(String job, String state) {
    Wait.untilTrue(job + " is " + state, () -> state(job).equals(state));
  }

  /** The number of tasks of a job in a state. */
  static int tasks(JsonNode job, String state) {
    int count = 0;
    for (JsonNode vertex : job.path("vertices")) {
      count += vertex.path("tasks").path(state).asInt();
    }
    return count;
  }

  /** Waits until the job and all its tasks run. */
  JsonNode awaitAllRunning(String job, int tasks) {
    return Wait.until(
        "all " + tasks + " tasks of " + job + " run",
        () ->
            Optional.of(job(job))
                .filter(now -> now.path("state").asText().equals("RUNNING"))
                .filter(now -> tasks(now, "RUNNING") == tasks));
  }

  /** The number of failures in the job's history, including those with a restart. */
  int failures(String job) {
    return get("/jobs/" + job + "/exceptions").path("exceptionHistory").path("entries").size();
  }

  /** The number of records that the job's tasks have read from each other. */
  long recordsRead(String job) {
    long read = 0;
    for (JsonNode vertex : job(job).path("vertices")) {
      read += vertex.path("metrics").path("read-records").asLong();
    }
    return read;
  }

  JsonNode checkpoints(String job) {
    return get("/jobs/" + job + "/checkpoints");
  }

  /** The path of the newest completed checkpoint. */
  String latestCheckpoint(String job) {
    return checkpoints(job).path("latest").path("completed").path("external_path").asText();
  }

  long completedCheckpoints(String job) {
    return checkpoints(job).path("counts").path("completed").asLong();
  }

  long failedCheckpoints(String job) {
    return checkpoints(job).path("counts").path("failed").asLong();
  }

  /** Waits until this JobManager has completed so many checkpoints of a job. */
  void awaitCheckpoints(String job, long count) {
    Wait.untilTrue(count + " checkpoints are complete", () -> completedCheckpoints(job) >= count);
  }

  /** Waits until tasks have gone back to a checkpoint. */
  void awaitRestored(String job) {
    Wait.untilTrue(
        "the job goes on from a checkpoint",
        () -> checkpoints(job).path("counts").path("restored").asInt() > 0);
  }

  int registeredTaskManagers() {
    return get("/overview").path("taskmanagers").asInt();
  }
}

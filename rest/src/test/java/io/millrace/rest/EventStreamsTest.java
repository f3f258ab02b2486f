package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.testing.Behaviour;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventStreamsTest extends RestTestBase {
  /** A client of an event stream. */
  private final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Client(String query) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), cluster.port());
      socket.setSoTimeout((int) Duration.ofMinutes(1).toMillis());
      socket
          .getOutputStream()
          .write(
              ("GET /events?" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    String status() throws IOException {
      return in.readLine();
    }

    JsonObject next() throws IOException {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("data: ")) {
          return new JsonObject(line.substring("data: ".length()));
        }
      }
      throw new AssertionError("The stream has ended");
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  @Behaviour("I2: a page hears of changes without polling")
  void sendsAResourceAtOnceAndWhenItHasChanged() throws IOException {
    try (Client client = new Client("resource=/overview")) {
      assertThat(client.status()).isEqualTo("HTTP/1.1 200 OK");
      JsonObject first = client.next();
      assertThat(first.getString("resource")).isEqualTo("/overview");
      assertThat(first.getInteger("status")).isEqualTo(200);
      int before = first.getJsonObject("body").getInteger("jobs-failed");

      cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
      JsonObject second = client.next();
      assertThat(second.containsKey("body")).as("only what has changed is sent").isFalse();
      assertThat(second.getJsonObject("changes").encode())
          .isEqualTo("{\"jobs-failed\":[" + (before + 1) + "]}");
    }
  }

  @Test
  void sendsErrorsOfResources() throws IOException {
    try (Client client = new Client("resource=/jobs/00000000000000000000000000000001/explain")) {
      JsonObject event = client.next();
      assertThat(event.getInteger("status")).isEqualTo(404);
      assertThat(event.getJsonObject("body").getJsonArray("errors").getString(0))
          .contains("00000000000000000000000000000001");
    }
  }

  @Test
  void passesParametersOfResources() throws IOException {
    cluster.add(SampleJobs.RUNNING, JobStatus.RUNNING);
    String path =
        "/jobs/"
            + SampleJobs.RUNNING
            + "/vertices/"
            + SampleJobs.SINK
            + "/metrics%3Fget%3D0.numRecordsIn";
    try (Client client = new Client("resource=" + path)) {
      assertThat(client.next().getJsonArray("body").getJsonObject(0).getString("id"))
          .isEqualTo("0.numRecordsIn");
    }
  }

  @Test
  void watchesOnlyWhatReads() {
    for (String resource :
        List.of(
            "/nothing",
            "/events",
            "/web/app.js",
            "/jobs/" + SampleJobs.RUNNING + "/collected/x",
            "/jobs/" + SampleJobs.RUNNING + "/stop",
            "overview",
            "http://127.0.0.1/overview")) {
      assertThat(cluster.get("/events?resource=" + resource).status()).as(resource).isEqualTo(400);
    }
    assertThat(cluster.get("/events").error()).contains("Name 1 to 16 resources");
    String many =
        "resource=/jobs/"
            + String.join("&resource=/jobs/", numbers(EventStreams.MAX_RESOURCES + 1));
    assertThat(cluster.get("/events?" + many).status()).isEqualTo(400);
  }

  private static List<String> numbers(int count) {
    List<String> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(String.format("%032d", i));
    }
    return numbers;
  }

  @Test
  @Behaviour("I4: the number of event streams is limited")
  void refusesMoreStreamsUntilOneIsClosed() throws Exception {
    List<Client> clients = new ArrayList<>();
    try {
      for (int i = 0; i < EventStreams.MAX_STREAMS; i++) {
        Client client = new Client("resource=/overview");
        client.next();
        clients.add(client);
      }
      try (Client refused = new Client("resource=/overview")) {
        assertThat(refused.status()).contains("503");
      }
      clients.remove(0).close();
      String status = "";
      // The server notices the end of a connection a moment later.
      for (int i = 0; i < 600 && !status.contains("200"); i++) {
        Client client = new Client("resource=/overview");
        clients.add(client);
        status = client.status();
      }
      assertThat(status).contains("200");
    } finally {
      for (Client client : clients) {
        client.close();
      }
    }
  }
}

package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LeaderRequestsTest {
  private final LeaderRequests requests = new LeaderRequests();
  private final Map<String, String> addresses = new TreeMap<>();
  private final List<JobManagerStub> stubs = new ArrayList<>();

  /** Answers with a status and its name. */
  private static final class JobManagerStub {
    private final HttpServer server;
    private volatile int status = 307;

    JobManagerStub(String name) throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            byte[] body = ("{\"name\": \"" + name + "\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
    }
  }

  private JobManagerStub jobManager(String name) throws IOException {
    JobManagerStub stub = new JobManagerStub(name);
    stubs.add(stub);
    addresses.put(name, "127.0.0.1:" + stub.server.getAddress().getPort());
    return stub;
  }

  @AfterEach
  void stop() {
    stubs.forEach(stub -> stub.server.stop(0));
  }

  private Optional<String> answering() throws InterruptedException {
    return requests.get(addresses, "/jobs/1").map(JsonNode::toString);
  }

  @Test
  void leaderAnswersAndStandbysDoNot() throws Exception {
    jobManager("one");
    jobManager("two").status = 200;
    assertThat(requests.leader(addresses)).contains("two");
    assertThat(answering()).contains("{\"name\":\"two\"}");
  }

  @Test
  void leaderWithoutTheJobGivesNoAnswer() throws Exception {
    jobManager("one").status = 404;
    assertThat(answering()).isEmpty();
    assertThat(requests.leader(addresses)).contains("one");
  }

  @Test
  void thereIsNoLeaderAmongStandbysAndDeadOnes() throws Exception {
    jobManager("one").status = 503;
    addresses.put("two", "127.0.0.1:1");
    assertThat(requests.leader(addresses)).isEmpty();
  }

  @Test
  void laterLeaderCountsWhileTheFormerOneDoesNotKnow() throws Exception {
    jobManager("one").status = 200;
    JobManagerStub two = jobManager("two");
    assertThat(requests.leader(addresses)).contains("one");
    two.status = 200;
    assertThat(requests.leader(addresses)).contains("two");
    assertThat(requests.leader(addresses)).contains("two");
  }

  /** 150 time-outs would take longer. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void frozenFormerLeaderIsNotWaitedForAgain() throws Exception {
    try (ServerSocket frozen = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      addresses.put("frozen", "127.0.0.1:" + frozen.getLocalPort());
      jobManager("two").status = 200;
      assertThat(requests.leader(addresses)).contains("two");
      for (int i = 0; i < 150; i++) {
        assertThat(requests.leader(addresses)).contains("two");
      }
    }
  }
}

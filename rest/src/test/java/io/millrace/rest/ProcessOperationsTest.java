package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ProcessGateway;
import io.millrace.rest.FakeCluster.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessOperationsTest extends RestTestBase {
  private static final String TASK_MANAGER = "/taskmanagers/" + SampleJobs.WORKER;
  private static final String JOB = "/jobs/" + SampleJobs.RUNNING;
  private static final String VERTEX = JOB + "/vertices/20ba6b65f97481d5570070de90e4e791";
  private static final String LOGS = "/jobmanager/logs/";

  private void log(String content) {
    cluster.process.files.put(FakeProcess.LOG, Bytes.utf8(content));
  }

  @ParameterizedTest
  @CsvSource({
    "get-jobmanager-config, /jobmanager/config",
    "get-jobmanager-environment, /jobmanager/environment",
    "get-jobs-jobid-jobmanager-config, /jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/jobmanager/config",
    "get-jobs-jobid-jobmanager-environment, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/jobmanager/environment",
    "get-jobs-jobid-jobmanager-log-url, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/jobmanager/log-url",
    "get-jobs-jobid-taskmanagers-taskmanagerid-log-url, "
        + "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/taskmanagers/localhost:38945-223635/log-url",
    "get-jobmanager-thread-dump, /jobmanager/thread-dump",
    "get-taskmanagers-taskmanagerid-thread-dump, "
        + "/taskmanagers/localhost:38945-223635/thread-dump",
    "get-jobmanager-logs, /jobmanager/logs",
    "get-taskmanagers-taskmanagerid-logs, /taskmanagers/localhost:38945-223635/logs",
  })
  @Behaviour("I1: configuration, environment, threads and logs of processes have Flink's shapes")
  void answersAsRecorded(String sample, String path) {
    JsonObject recorded = JsonShapes.sample(sample);
    Answer answer = cluster.get(path);
    assertThat(answer.status()).isEqualTo(recorded.getInteger("status"));
    Object shown = answer.body().startsWith("[") ? new JsonArray(answer.body()) : answer.json();
    assertThat(JsonShapes.of(shown)).isEqualTo(JsonShapes.of(recorded.getValue("response")));
  }

  @Test
  void unknownJobsAndTaskManagersHaveNoProcess() {
    String unknown = "00000000000000000000000000000000";
    for (String path :
        new String[] {
          "/jobs/" + unknown + "/jobmanager/config",
          "/jobs/" + unknown + "/jobmanager/environment",
          "/jobs/" + unknown + "/jobmanager/log-url",
          "/applications/" + unknown + "/jobmanager/config",
          "/taskmanagers/nobody/logs",
          "/taskmanagers/nobody/thread-dump",
          "/taskmanagers/nobody/log",
        }) {
      assertThat(cluster.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @Test
  void threadDumpShowsLocksIfAsked() {
    cluster.get("/jobmanager/thread-dump?mode=FULL");
    assertThat(cluster.process.locks).isTrue();
    cluster.get("/jobmanager/thread-dump");
    assertThat(cluster.process.locks).isFalse();
    assertThat(cluster.get("/jobmanager/thread-dump?mode=half").status()).isEqualTo(400);
  }

  @Test
  @Behaviour("I2: log files are listed and read as a whole, in parts and from their end")
  void readsLogsInParts() {
    log("0123456789");
    JsonObject listed =
        cluster.get("/jobmanager/logs").json().getJsonArray("logs").getJsonObject(0);
    assertThat(listed.getMap())
        .isEqualTo(java.util.Map.of("name", FakeProcess.LOG, "size", 10, "mtime", 1000));
    String path = LOGS + FakeProcess.LOG;
    assertThat(cluster.get("/jobmanager/log").body()).isEqualTo("0123456789");
    assertThat(cluster.get(path).header("Content-Type")).startsWith("text/plain");
    assertThat(cluster.get(path + "?start=2&size=3").body()).isEqualTo("234");
    assertThat(cluster.get(path + "?start=8").body()).isEqualTo("89");
    assertThat(cluster.get(path + "?size=2").body()).isEqualTo("01");
    assertThat(cluster.get(path + "?tail=4").body()).isEqualTo("6789");
    assertThat(cluster.get(path + "?tail=40").body()).isEqualTo("0123456789");
    assertThat(cluster.get(path + "?start=10").body()).isEmpty();
    assertThat(cluster.get(path + "?start=-1").status()).isEqualTo(400);
    assertThat(cluster.get(path + "?start=1&tail=1").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=2-4, 206, 234, bytes 2-4/10",
    "bytes=8-, 206, 89, bytes 8-9/10",
    "bytes=8-99, 206, 89, bytes 8-9/10",
    "bytes=-3, 206, 789, bytes 7-9/10",
    "bytes=-99, 206, 0123456789, bytes 0-9/10",
    "'bytes=0-1,3-4', 200, 0123456789, ''",
    "bytes=4-2, 200, 0123456789, ''",
    "lines=1-2, 200, 0123456789, ''",
  })
  void answersRangesOfHttp(String range, int status, String body, String shown) {
    log("0123456789");
    Answer answer = cluster.send(cluster.request(LOGS + FakeProcess.LOG).header("Range", range));
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.body()).isEqualTo(body);
    assertThat(answer.header("Content-Range")).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=10-", "bytes=-0"})
  void rangeOutsideOfTheFileIsAnError(String range) {
    log("0123456789");
    Answer answer = cluster.send(cluster.request(LOGS + FakeProcess.LOG).header("Range", range));
    assertThat(answer.status()).isEqualTo(416);
    assertThat(answer.header("Content-Range")).isEqualTo("bytes */10");
  }

  @Test
  @Behaviour("I4: log files travel in bounded parts, whatever their size")
  void readsLargeLogsInBoundedParts() {
    byte[] content = new byte[5 * ProcessGateway.MAX_PART + 17];
    new Random(1).nextBytes(content);
    cluster.process.files.put("large.log", Bytes.wrap(content));
    assertThat(cluster.get(LOGS + "large.log").response().body()).isEqualTo(content);
    assertThat(cluster.process.partLengths)
        .hasSize(7)
        .allMatch(length -> length <= ProcessGateway.MAX_PART);
  }

  @Test
  void unknownFilesAreNotFound() {
    for (String name : new String[] {"other.log", "..%2Fserver.log", "%2Fetc%2Fpasswd"}) {
      assertThat(cluster.get(LOGS + name).status()).as(name).isEqualTo(404);
    }
    assertThat(cluster.get("/jobmanager/log").status()).isEqualTo(404);
    assertThat(cluster.get("/jobmanager/stdout").error()).contains("writes no such file");
  }

  /** Or a client would take the beginning of one file and the end of another for one file. */
  @Test
  void downloadBreaksOffWhenTheFileIsRenamed() {
    cluster.process.files.put("large.log", Bytes.wrap(new byte[200 * ProcessGateway.MAX_PART]));
    cluster.process.replaceAtPart = 3;
    assertThatThrownBy(() -> cluster.get(LOGS + "large.log"))
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void readsLogsOfTaskManagers() {
    cluster.taskManagerProcess.files.put(FakeProcess.LOG, Bytes.utf8("worker"));
    assertThat(cluster.get(TASK_MANAGER + "/log").body()).isEqualTo("worker");
    assertThat(cluster.get(TASK_MANAGER + "/logs/" + FakeProcess.LOG + "?tail=2").body())
        .isEqualTo("er");
    assertThat(cluster.get("/jobmanager/log").status()).isEqualTo(404);
  }

  @Test
  void filesAreNotWatched() {
    log("x");
    assertThat(cluster.get("/events?resource=/jobmanager/log").status()).isEqualTo(400);
    assertThat(cluster.get("/events?resource=/jobmanager/logs/server.log").status()).isEqualTo(400);
  }

  @Test
  @Behaviour("I3: the level of a logger is changed at run time")
  void changesAndRestoresLevelsOfLoggers() {
    for (String process : new String[] {"/jobmanager", TASK_MANAGER}) {
      String levels = process + "/log-levels";
      assertThat(cluster.get(levels).body()).isEqualTo("{\"levels\":[]}");
      assertThat(cluster.send("PUT", levels + "/com.example?level=debug", "").body())
          .isEqualTo("{\"levels\":[{\"logger\":\"com.example\",\"level\":\"DEBUG\"}]}");
      assertThat(cluster.send("PUT", levels + "/com.example?level=loud", "").status())
          .isEqualTo(400);
      assertThat(cluster.send("PUT", levels + "/com.example", "").status()).isEqualTo(400);
      assertThat(cluster.send("DELETE", levels + "/com.example", "").body())
          .isEqualTo("{\"levels\":[]}");
    }
  }

  private JsonObject flameGraph(String query) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    JsonObject graph = cluster.get(VERTEX + "/flamegraph" + query).json();
    while (!graph.containsKey("data") && System.nanoTime() < deadline) {
      graph = cluster.get(VERTEX + "/flamegraph" + query).json();
    }
    return graph;
  }

  @Test
  @Behaviour("I1: flame graphs of a vertex, of all samples, on CPU and off CPU, have Flink's shape")
  void mergesSampledStacks() {
    assertThat(cluster.get(VERTEX + "/flamegraph").json().getLong("endTimestamp")).isEqualTo(-3);
    JsonObject full = flameGraph("").getJsonObject("data");
    assertThat(full.getString("name")).isEqualTo("root");
    assertThat(full.getInteger("value")).isEqualTo(100);
    JsonObject step = full.getJsonArray("children").getJsonObject(0);
    assertThat(step.getInteger("value")).isEqualTo(90);
    assertThat(step.getJsonArray("children").getJsonObject(0).getString("name"))
        .isEqualTo("com.example.Count.map:12");
    assertThat(full.getJsonArray("children").getJsonObject(1).getString("name"))
        .isEqualTo("(waits for input)");
    assertThat(flameGraph("?type=on_cpu").getJsonObject("data").getInteger("value")).isEqualTo(70);
    assertThat(flameGraph("?type=OFF_CPU").getJsonObject("data").getInteger("value")).isEqualTo(30);
    assertThat(flameGraph("?subtaskindex=1").getJsonObject("data").getInteger("value")).isZero();
    assertThat(flameGraph("?subtaskindex=0").getJsonObject("data").getInteger("value"))
        .isEqualTo(100);
    // All of these show one sampling: it is new enough.
    assertThat(cluster.taskManagerProcess.samplings).hasSize(1);
    assertThat(cluster.get(VERTEX + "/flamegraph?subtaskindex=2").status()).isEqualTo(404);
    assertThat(cluster.get(VERTEX + "/flamegraph?type=cold").status()).isEqualTo(400);
  }

  @Test
  void endedVertexHasNoFlameGraph() {
    String vertex = "/jobs/" + SampleJobs.CANCELED + "/vertices/20ba6b65f97481d5570070de90e4e791";
    assertThat(cluster.get(vertex + "/flamegraph").json().getLong("endTimestamp")).isEqualTo(-1);
  }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be wrong with a request, for every operation of the table. */
class BadRequestsTest {
  @TempDir private Path directory;
  private FakeCluster cluster;

  private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE");

  private static final String UNKNOWN = "0123456789abcdef0123456789abcdef";

  /** Path parameters that are ids, each with a value that the fake cluster knows. */
  private static final Map<String, String> IDS = new LinkedHashMap<>();

  static {
    IDS.put(":jobid", SampleJobs.RUNNING.toString());
    IDS.put(":applicationid", SampleJobs.RUNNING.toString());
    IDS.put(":vertexid", SampleJobs.SINK.toString());
    IDS.put(":datasetid", UNKNOWN);
    IDS.put(":triggerid", UNKNOWN);
    IDS.put(":sha256", "0".repeat(64));
  }

  /** Path parameters that are free texts. */
  private static final Map<String, String> TEXTS = new LinkedHashMap<>();

  static {
    TEXTS.put(":subtaskindex", "0");
    TEXTS.put(":attempt", "0");
    TEXTS.put(":rescaleuuid", UNKNOWN);
    TEXTS.put(":checkpointid", "1");
    TEXTS.put(":name", "words");
    TEXTS.put(":filename", "none.log");
    TEXTS.put(":taskmanagerid", SampleJobs.WORKER.value());
    TEXTS.put(":jarid", "none.jar");
    TEXTS.put(":target", "unknown");
    TEXTS.put(":logger", "org.example");
  }

  /** Operations that answer with the same error for every job. */
  private static final List<String> OF_NO_JOB =
      List.of(
          "/jobs/:jobid/yarn-cancel",
          "/jobs/:jobid/yarn-stop",
          "/jobs/:jobid/rescaling",
          "/jobs/:jobid/rescaling/:triggerid");

  @BeforeEach
  void start() {
    cluster = new FakeCluster(directory);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void everyPathParameterIsTestedHere() {
    Set<String> parameters =
        cluster.rest.operations().stream()
            .flatMap(operation -> List.of(operation.path().split("/")).stream())
            .filter(part -> part.startsWith(":"))
            .collect(Collectors.toCollection(LinkedHashSet::new));

    assertThat(parameters)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(IDS.keySet().stream(), TEXTS.keySet().stream()).toList());
  }

  @Test
  @Behaviour("I1: an error is one sentence in JSON with a status")
  void malformedIdsAreRefusedWithTheirNameAndValue() {
    int refused = 0;
    for (Operation operation : cluster.rest.operations()) {
      for (String parameter : IDS.keySet()) {
        if (!operation.path().contains(parameter)
            || OF_NO_JOB.contains(operation.path())
            || operation.method().name().equals("HEAD")) {
          continue;
        }
        for (String wrong : List.of("x", "0".repeat(31), "0".repeat(65), "z".repeat(32))) {
          String path = filled(operation.path().replace(parameter, wrong));
          Answer answer = cluster.send(operation.method().name(), path, "{}");

          // An id that is not one may be the name of another operation's path.
          if (answer.status() != 405) {
            assertThat(answer.status()).as("%s %s", operation.method(), path).isEqualTo(400);
            assertOneSentence(answer);
            assertThat(answer.error())
                .startsWith("Path parameter " + parameter.substring(1) + ": ")
                .contains("'" + wrong + "'");
            refused++;
          }
        }
      }
    }
    assertThat(refused).isGreaterThan(50);
  }

  @Test
  void unknownJobsVerticesAndSubtasksAreNotFound() {
    String job = "/jobs/" + UNKNOWN;
    for (Operation operation : cluster.rest.operations()) {
      if (operation.path().contains(":jobid") && !OF_NO_JOB.contains(operation.path())) {
        String path = filled(operation.path().replace(":jobid", UNKNOWN));
        Answer answer = cluster.send(operation.method().name(), path, "{\"expiredTimestamp\": 1}");

        assertThat(answer.status()).as("%s %s", operation.method(), path).isEqualTo(404);
        assertOneSentence(answer);
        assertThat(answer.error()).startsWith("Job " + UNKNOWN + " not found");
      }
      if (operation.path().contains(":vertexid")) {
        String path = filled(operation.path().replace(":vertexid", UNKNOWN));
        Answer answer = cluster.get(path);

        assertThat(answer.status()).as(path).isEqualTo(404);
        assertThat(answer.error()).contains(SampleJobs.RUNNING.toString(), UNKNOWN);
      }
      if (operation.path().contains(":subtaskindex")) {
        for (String wrong : List.of("2", "-1", "99999999999", "x", "0.5")) {
          String path = filled(operation.path().replace(":subtaskindex", wrong));
          Answer answer = cluster.get(path);

          assertThat(answer.status()).as(path).isEqualTo(404);
          assertThat(answer.error()).contains(SampleJobs.SINK.toString(), "'" + wrong + "'");
        }
      }
    }
    assertThat(cluster.get(job).status()).isEqualTo(404);
  }

  @Test
  void otherMethodsDoNotApply() {
    List<Operation> operations = cluster.rest.operations();
    for (Operation operation : operations) {
      String path = filled(operation.path());
      Set<String> legal =
          operations.stream()
              .filter(
                  other ->
                      path.matches(
                          other.path().replace("*", ".*").replaceAll(":[a-z0-9]+", "[^/]+")))
              .map(other -> other.method().name())
              .collect(Collectors.toSet());
      for (String method : METHODS) {
        if (!legal.contains(method)) {
          Answer answer = cluster.send(method, path, "{}");

          assertThat(answer.status()).as("%s %s", method, path).isEqualTo(405);
          assertThat(answer.error()).contains(method, path);
          assertThat(List.of(answer.header("Allow").split(", ")))
              .contains("OPTIONS")
              .containsAll(legal);
        }
      }
    }
  }

  @Test
  @Behaviour("I1: each path also works behind /v1")
  void readingAnswersTheSameBehindThePrefix() {
    for (Operation operation : cluster.rest.operations()) {
      if (operation.method().name().equals("GET")) {
        String path = filled(operation.path());

        assertThat(cluster.get("/v1" + path).status())
            .as(path)
            .isEqualTo(cluster.get(path).status());
      }
    }
  }

  @Test
  void numbersInQueriesAreWholeAndNotNegative() {
    String job = "/jobs/" + SampleJobs.RUNNING;
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("wait", job + "/result");
    parameters.put("maxExceptions", job + "/exceptions");
    parameters.put("next", job + "/collected/words");
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      for (String wrong : List.of("-1", "x", "1.5", "99999999999999999999", "1e3", "0x1")) {
        Answer answer = cluster.get(parameter.getValue() + "?" + parameter.getKey() + "=" + wrong);

        assertThat(answer.status()).as("%s=%s", parameter.getKey(), wrong).isEqualTo(400);
        assertThat(answer.error()).contains(" " + parameter.getKey() + " ", "'" + wrong + "'");
      }
      assertThat(cluster.get(parameter.getValue() + "?" + parameter.getKey() + "=").status())
          .as("an empty one counts as absent")
          .isEqualTo(200);
    }
    assertThat(cluster.get("/jobs/" + SampleJobs.RUNNING + "/exceptions?maxExceptions=0").status())
        .isEqualTo(200);
  }

  @Test
  void limitOfTaskManagersIsPositive() {
    for (String wrong : List.of("", "?most=0", "?most=2147483648", "?most=")) {
      Answer answer = cluster.send("PATCH", "/taskmanagers" + wrong, "");

      assertThat(answer.status()).as(wrong).isEqualTo(400);
      assertThat(answer.error()).contains(" most ", "2147483647");
    }
    assertThat(cluster.send("PATCH", "/taskmanagers?most=x", "").error()).contains(" most ", "'x'");
  }

  @Test
  void blockHasATargetACauseAndATimeWithinItsRange() {
    assertRefused("/blocklist?seconds=1&cause=x", "target");
    assertRefused("/blocklist?target=&seconds=1&cause=x", "target");
    assertRefused("/blocklist?target=w&seconds=1", "cause");
    assertRefused("/blocklist?target=%20&seconds=1&cause=x", "target");
    assertRefused("/blocklist?target=w&seconds=1&cause=" + "x".repeat(1001), "cause");
    assertRefused("/blocklist?target=w&cause=x", "seconds");
    assertRefused("/blocklist?target=w&cause=x&seconds=0", "seconds");
    assertRefused("/blocklist?target=w&cause=x&seconds=2147483648", "seconds");
    assertThat(cluster.get("/blocklist").json().getJsonArray("blocked")).isEmpty();
  }

  private void assertRefused(String path, String parameter) {
    Answer answer = cluster.send("POST", path, "");
    assertThat(answer.status()).as(path).isEqualTo(400);
    assertThat(answer.error()).startsWith("Query parameter " + parameter + " ");
  }

  @Test
  void jobsAreOnlyCancelled() {
    Answer answer = cluster.send("PATCH", "/jobs/" + SampleJobs.RUNNING + "?mode=stop", "");

    assertThat(answer.status()).isEqualTo(308);
    assertThat(answer.error()).contains("'stop'", "'cancel'");
    assertThat(cluster.dispatcher.received).isEmpty();
  }

  @Test
  void heartbeatOfAClientHasATimestamp() {
    String path = "/jobs/" + SampleJobs.RUNNING + "/clientHeartbeat";
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("", "'expiredTimestamp'");
    wrong.put("{}", "'expiredTimestamp'");
    wrong.put("{\"expiredTimestamp\": null}", "'expiredTimestamp'");
    wrong.put("{\"expiredTimestamp\": \"soon\"}", "\"soon\"");
    wrong.put("[]", "JSON");
    wrong.put("{", "JSON");
    wrong.forEach(
        (body, error) -> {
          Answer answer = cluster.send("PATCH", path, body);
          assertThat(answer.status()).as(body).isEqualTo(400);
          assertThat(answer.error()).as(body).contains(error);
        });
    assertThat(cluster.dispatcher.received).isEmpty();
  }

  @Test
  void submissionNamesWhatItLacks() {
    Map<String, String> wrong = new LinkedHashMap<>();
    String both = "{\"jobId\": \"" + UNKNOWN + "\", \"graph\": \"" + "0".repeat(64) + "\"";
    wrong.put("{}", "'jobId'");
    wrong.put("{\"jobId\": \"" + UNKNOWN + "\"}", "'graph'");
    wrong.put("{\"jobId\": \"x\", \"graph\": \"y\"}", "'jobId' in the body");
    wrong.put("{\"jobId\": \"" + UNKNOWN + "\", \"graph\": \"y\"}", "'graph' in the body");
    wrong.put(both + ", \"took\": -1}", "'took' in the body");
    wrong.put(both + ", \"took\": true}", "'took' in the body");
    wrong.forEach(
        (body, error) -> {
          Answer answer = cluster.send("POST", "/jobs", body);
          assertThat(answer.status()).as(body).isEqualTo(400);
          assertThat(answer.error()).as(body).contains(error);
        });
    assertThat(cluster.dispatcher.received).isEmpty();
  }

  @Test
  void metricsOverSubtasksRefuseWhatTheyDoNotKnow() {
    String metrics =
        "/jobs/" + SampleJobs.RUNNING + "/vertices/" + SampleJobs.SINK + "/subtasks/metrics";
    for (String wrong : List.of("x", "-1", "1-", "1-2-3", "a-b", "9999999999")) {
      Answer answer = cluster.get(metrics + "?get=numRecordsIn&subtasks=" + wrong);

      assertThat(answer.status()).as(wrong).isEqualTo(400);
      assertThat(answer.error()).contains(" subtasks ", "'" + wrong + "'");
    }
    assertThat(cluster.get(metrics + "?get=numRecordsIn&agg=median").error())
        .contains("'median'", "min", "skew");
    assertThat(cluster.get(metrics + "?get=nothing").body()).isEqualTo("[]");
    assertThat(cluster.get(metrics + "?get=numRecordsIn&agg=sum&subtasks=5-9").body())
        .isEqualTo("[]");
    assertThat(cluster.get(metrics + "?get=numRecordsIn&agg=sum&subtasks=1-999999999").body())
        .isEqualTo("[{\"id\":\"numRecordsIn\",\"sum\":400.0}]");
  }

  @Test
  void unknownThingsAreNamed() {
    assertThat(cluster.get("/taskmanagers/unknown").error()).contains("'unknown'");
    assertThat(cluster.get("/datasets/" + UNKNOWN).error()).contains(UNKNOWN);
    assertThat(cluster.get("/datasets/delete/" + UNKNOWN).error()).contains(UNKNOWN);
    assertThat(cluster.send("DELETE", "/jars/x.jar", "").error()).contains("'x.jar'", "GET /jars");
    assertThat(cluster.get("/jobs/" + SampleJobs.RUNNING + "/collected/other").error())
        .contains(SampleJobs.RUNNING.toString(), "'other'");
    assertThat(cluster.get("/nowhere").error()).contains("/nowhere", "docs/rest.md");
  }

  @Test
  void rootIsTheWebPage() {
    Answer answer = cluster.get("/");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).startsWith("text/html");
  }

  @Test
  void everyErrorHasTheHeadersThatKeepBrowsersSafe() {
    for (String path : List.of("/nowhere", "/jobs/x", "/jobs/" + UNKNOWN)) {
      Answer answer = cluster.get(path);

      assertThat(answer.header("Content-Type")).startsWith("application/json");
      assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(answer.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
      assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
    }
  }

  private static void assertOneSentence(Answer answer) {
    assertThat(answer.json().fieldNames()).containsExactly("errors");
    assertThat(answer.json().getJsonArray("errors")).hasSize(1);
    assertThat(answer.error()).endsWith(".").doesNotContain("Exception").doesNotContain("\n");
  }

  /** The path with known values for all its parameters. */
  private static String filled(String path) {
    String filled = path;
    for (Map<String, String> known : List.of(IDS, TEXTS)) {
      for (Map.Entry<String, String> parameter : known.entrySet()) {
        filled = filled.replace(parameter.getKey(), parameter.getValue());
      }
    }
    return filled.replace("*", "none");
  }
}

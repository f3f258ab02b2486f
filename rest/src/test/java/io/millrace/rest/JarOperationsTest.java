package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import io.millrace.rest.JarRunner.JarRun;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JarOperationsTest extends RestTestBase {
  @Test
  @Behaviour("I1: REST answers have the recorded shapes of Flink's REST v1")
  void uploadsListsRunsAndDeletesAsRecorded() throws IOException {
    Answer uploaded = upload("jarfile", "peers-1.jar", jar("peer.Main"));
    assertRecorded("post-jars-upload", uploaded);
    Path stored = Path.of(uploaded.json().getString("filename"));
    assertThat(stored).exists().hasParent(directory);

    Answer listed = cluster.get("/jars");
    JsonObject file = listed.json().getJsonArray("files").getJsonObject(0);
    String id = file.getString("id");
    assertThat(id).isEqualTo(stored.getFileName().toString()).matches("[0-9a-f-]{36}_peers-1.jar");
    assertThat(file.getString("name")).isEqualTo("peers-1.jar");
    assertThat(file.getJsonArray("entry").getJsonObject(0).getString("name"))
        .isEqualTo("peer.Main");
    assertThat(listed.json().getString("address")).isEqualTo("http://" + cluster.address);
    // The recorded jar had no main class.
    file.put("entry", new JsonArray());
    assertThat(
            JsonShapes.of(
                new JsonObject(listed.json().getMap()).put("files", new JsonArray().add(file))))
        .isEqualTo(JsonShapes.of(JsonShapes.sample("get-jars").getJsonObject("response")));

    assertRecorded("post-jars-run", cluster.send("POST", "/v1/jars/" + id + "/run", ""));
    assertRecorded("delete-jar", cluster.send("DELETE", "/jars/" + id, ""));
    assertThat(stored).doesNotExist();
    assertThat(cluster.send("DELETE", "/jars/" + id, "").status()).isEqualTo(404);
    assertThat(cluster.send("POST", "/jars/" + id + "/run", "").status()).isEqualTo(404);
  }

  private static void assertRecorded(String sample, Answer answer) {
    JsonObject recorded = JsonShapes.sample(sample);
    assertThat(answer.status()).isEqualTo(recorded.getInteger("status"));
    assertThat(JsonShapes.of(answer.json()))
        .isEqualTo(JsonShapes.of(recorded.getJsonObject("response")));
  }

  @Test
  @Behaviour("I1: REST answers have the recorded shapes of Flink's REST v1")
  void plansAndRunsApplicationsAsRecorded() throws IOException {
    String jar = "/jars/" + uploaded();
    Answer planned = cluster.send("POST", jar + "/plan", "{\"parallelism\": 3}");
    assertThat(planned.status()).isEqualTo(200);
    assertThat(JsonShapes.of(planned.json()))
        .isEqualTo(JsonShapes.paths(JsonShapes.shape("post-jars-plan")));
    assertThat(cluster.runs.get(0).parallelism()).hasValue(3);

    // Without credentials of its own a GET with an effect is refused; a dashboard is on this site.
    assertThat(cluster.get(jar + "/plan").status()).isEqualTo(403);
    Answer shown =
        cluster.send(
            cluster
                .request(jar + "/plan?entry-class=other.Main")
                .header("Sec-Fetch-Site", "same-origin"));
    assertThat(shown.json()).isEqualTo(planned.json());
    assertThat(cluster.runs.get(1).entryClass()).hasValue("other.Main");

    Answer run = cluster.send("POST", jar + "/run-application", "{\"parallelism\": 2}");
    assertThat(run.status()).isEqualTo(202);
    assertThat(run.json().getMap())
        .isEqualTo(Map.of("applicationid", FakeCluster.SUBMITTED.toString()));
    cluster.send(
        "POST",
        jar + "/run-application",
        "{\"applicationId\": \"%s\"}".formatted(FakeCluster.SUBMITTED));
    assertThat(cluster.runs.get(3).job()).hasValue(FakeCluster.SUBMITTED);
  }

  @Test
  void passesBodyToRunner() throws IOException {
    String id = uploaded();

    cluster.send(
        "POST",
        "/jars/" + id + "/run?entry-class=other.Main&parallelism=9",
        """
        {"entryClass": "my.Main", "parallelism": 3, "programArgsList": ["--a", "b,c"],
         "jobId": "00000000000000000000000000000007",
         "flinkConfiguration": {"restart-strategy.type": "none"}}
        """);

    JarRun run = cluster.runs.get(0);
    assertThat(run.jar()).isEqualTo(directory.resolve(id));
    assertThat(run.entryClass()).hasValue("my.Main");
    assertThat(run.parallelism()).hasValue(3);
    assertThat(run.arguments()).containsExactly("--a", "b,c");
    assertThat(run.job()).isPresent();
    assertThat(run.configuration().entries()).containsEntry("restart-strategy.type", "none");
  }

  @Test
  void startsProgramWithSavepoint() throws IOException {
    String path = "/jars/" + uploaded() + "/run";
    String state = "execution.state-recovery.";

    cluster.send(
        "POST",
        path + "?savepointPath=/tmp/other",
        """
        {"savepointPath": "/tmp/s", "allowNonRestoredState": true, "claimMode": "CLAIM"}
        """);
    cluster.send("POST", path + "?savepointPath=/tmp/s&allowNonRestoredState=true", "");
    cluster.send("POST", path, "{\"allowNonRestoredState\": false}");

    assertThat(cluster.runs.get(0).configuration().entries())
        .containsOnly(
            Map.entry(state + "path", "/tmp/s"),
            Map.entry(state + "claim-mode", "claim"),
            Map.entry(state + "ignore-unclaimed-state", "true"));
    assertThat(cluster.runs.get(1).configuration().entries())
        .containsOnly(
            Map.entry(state + "path", "/tmp/s"),
            Map.entry(state + "ignore-unclaimed-state", "true"));
    assertThat(cluster.runs.get(2).configuration().entries()).isEmpty();
  }

  @Test
  void namesUnknownFields() throws IOException {
    Answer answer =
        cluster.send("POST", "/jars/" + uploaded() + "/run", "{\"programArgs\": \"--a b\"}");
    assertThat(answer.error()).contains("'programArgs'", "programArgsList");
  }

  @Test
  void passesQueryToRunner() throws IOException {
    String id = uploaded();
    cluster.send(
        "POST", "/jars/" + id + "/run?entry-class=my.Main&parallelism=3&programArg=a,b", "");
    assertThat(cluster.runs.get(0))
        .extracting(JarRun::entryClass, JarRun::parallelism, JarRun::arguments)
        .containsExactly(Optional.of("my.Main"), Optional.of(3), List.of("a", "b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"parallelism\": 0}",
        "{\"parallelism\": 99999999999}",
        "{\"parallelism\": 1.5}",
        "{\"flinkConfiguration\": {\"heartbeat.interval\": \"0 s\"}}",
        "{\"parallelism\": \"many\"}",
        "{\"parallelism\": 99999999999}",
        "{\"parallelism\": 2.5}",
        "{\"entryClass\": 3}",
        "{\"programArgsList\": [1]}",
        "{\"jobId\": \"x\"}",
        "{\"savepointPath\": 3}",
        "{\"claimMode\": \"maybe\"}",
        "{\"allowNonRestoredState\": \"yes\"}",
        "{\"programArgs\": \"--a b\"}",
        "[]",
        "{",
      })
  void rejectsInvalidRunSettings(String body) throws IOException {
    Answer answer = cluster.send("POST", "/jars/" + uploaded() + "/run", body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).endsWith(".");
    assertThat(cluster.runs).isEmpty();
  }

  @Test
  void namesFieldOfWrongType() throws IOException {
    String path = "/jars/" + uploaded() + "/run";
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put(
        "{\"parallelism\": \"x\"}", "'parallelism' in the body must be a number, not \"x\".");
    refusals.put("{\"entryClass\": 3}", "'entryClass' in the body must be a text, not 3.");
    refusals.put("{\"jobId\": [1]}", "'jobId' in the body must be a text, not [1].");
    refusals.put(
        "{\"programArgsList\": \"a b\"}",
        "'programArgsList' in the body must be a list of texts, not \"a b\".");
    refusals.put(
        "{\"programArgsList\": [\"a\", 1]}",
        "'programArgsList' in the body must be a list of texts, not [\"a\",1].");
    refusals.put(
        "{\"flinkConfiguration\": true}",
        "'flinkConfiguration' in the body must be an object, not true.");
    refusals.put(
        "{\"flinkConfiguration\": {\"rest.port\": {\"a\": 1}}}",
        "'rest.port' in the body must be a text, a number or a boolean, not {\"a\":1}.");
    refusals.forEach(
        (body, refusal) -> {
          Answer answer = cluster.send("POST", path, body);
          assertThat(answer.status()).as(body).isEqualTo(400);
          assertThat(answer.error()).isEqualTo(refusal);
        });
    assertThat(cluster.send("POST", path + "?parallelism=x", "").status()).isEqualTo(400);
    assertThat(cluster.runs).isEmpty();
  }

  @Test
  void nullFieldsAreAbsent() throws IOException {
    cluster.send(
        "POST",
        "/jars/" + uploaded() + "/run",
        """
        {"entryClass": null, "parallelism": null, "programArgsList": null, "jobId": null,
         "flinkConfiguration": {"restart-strategy.type": null, "rest.port": 1}}
        """);
    JarRun run = cluster.runs.get(0);
    assertThat(run.entryClass()).isEmpty();
    assertThat(run.parallelism()).isEmpty();
    assertThat(run.arguments()).isEmpty();
    assertThat(run.configuration().entries()).containsOnly(Map.entry("rest.port", "1"));
  }

  @Test
  void reportsErrorOfRunnerInOneSentence() throws IOException {
    String sentence = "There is no class 'no.such.Class' in the jar. Check entryClass.";
    cluster.runOutcome =
        CompletableFuture.failedFuture(new MillraceException(ErrorKind.USER, sentence));

    Answer answer = cluster.send("POST", "/jars/" + uploaded() + "/run", "");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(JsonShapes.of(answer.json()))
        .isEqualTo(
            JsonShapes.of(JsonShapes.sample("post-jars-run-error").getJsonObject("response")));
    assertThat(answer.error()).isEqualTo(sentence);
  }

  @Test
  void rejectsFilesThatAreNoJars() throws IOException {
    assertThat(
            upload("jarfile", "a.jar", "PK\3\4 but no archive".getBytes(StandardCharsets.UTF_8))
                .error())
        .contains("'a.jar' is not a jar");
    assertThat(upload("jarfile", "a.jar", "hello".getBytes(StandardCharsets.UTF_8)).status())
        .isEqualTo(400);
    assertThat(upload("jarfile", "a.txt", jar("x")).error()).contains("does not end with .jar");
    assertThat(cluster.send("POST", "/jars/upload", "hello").error()).contains("multipart");
    assertThat(cluster.get("/jars").json().getJsonArray("files")).isEmpty();
    assertNothingLeft();
  }

  @Test
  void acceptsAJarInAnyField() throws IOException {
    assertThat(upload("file_0", "a.jar", jar("x")).status()).isEqualTo(200);
  }

  @Test
  void storesUploadsInItsDirectoryForAllNames() throws IOException {
    Answer answer = upload("jarfile", "../../etc/my jar\u00e9;rm -rf.jar", jar("x"));
    Path stored = Path.of(answer.json().getString("filename"));
    assertThat(stored).hasParent(directory);
    assertThat(stored.getFileName().toString()).matches("[0-9a-f-]{36}_[A-Za-z0-9._-]+\\.jar");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..%2F..%2Fetc%2Fpasswd", "x", "..", "%00", "a%5C..%5Cb"})
  void deletesNothingOutsideItsDirectory(String id) throws IOException {
    Path outside = Files.writeString(directory.resolve("precious"), "x");
    assertThat(cluster.send("DELETE", "/jars/" + id, "").status()).isIn(400, 404, 405);
    assertThat(cluster.send("DELETE", "/jars/precious", "").status()).isEqualTo(404);
    assertThat(outside).exists();
  }

  @Test
  void findsJarsWithNamesOfAnyLength() throws IOException {
    for (int length : new int[] {5, 119, 120, 121, 156, 157, 250}) {
      String name = "x".repeat(length - 4) + ".jar";
      Path stored = Path.of(upload("jarfile", name, jar("a.Main")).json().getString("filename"));
      String id = stored.getFileName().toString();
      assertThat(id).endsWith(".jar");
      assertThat(cluster.get("/jars").body()).as("length %d", length).contains(id);
      assertThat(cluster.send("DELETE", "/jars/" + id, "").status())
          .as("length %d", length)
          .isEqualTo(200);
    }
  }

  @Test
  void listsJarsDespiteInvalidManifest() throws IOException {
    String id = uploaded();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes)) {
      jar.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
      jar.write("no header at all\n".getBytes(StandardCharsets.UTF_8));
    }
    Answer broken = upload("jarfile", "broken.jar", bytes.toByteArray());
    assertThat(broken.status()).isEqualTo(200);

    Answer listed = cluster.get("/jars");

    assertThat(listed.status()).isEqualTo(200);
    assertThat(listed.json().getJsonArray("files")).hasSize(2);
    assertThat(listed.body()).contains(id).contains("a.Main").contains("broken.jar");
  }

  @Test
  void deletesRejectedUpload() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String field : List.of("jarfile", "jarfile")) {
      body.writeBytes(part(field, "a.jar", jar("x")));
    }
    body.writeBytes("--edge--\r\n".getBytes(StandardCharsets.UTF_8));

    Answer refused =
        cluster.send(
            cluster
                .request("/jars/upload")
                .header("Content-Type", "multipart/form-data; boundary=edge")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error()).contains("one jar at a time");
    assertThat(cluster.get("/jars").json().getJsonArray("files")).isEmpty();
    awaitNothingLeft();
  }

  private void awaitNothingLeft() {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (directory.toFile().list().length > 0) {
      assertThat(System.nanoTime()).as("files are left").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void rejectsUploadsAboveLimitAndDeletesThem() throws IOException {
    byte[] large = new byte[5 << 20];
    new Random(1).nextBytes(large);
    assertThat(upload("jarfile", "large.jar", large).status()).isEqualTo(413);
    assertNothingLeft();
  }

  private void assertNothingLeft() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  private String uploaded() throws IOException {
    Answer answer = upload("jarfile", "a.jar", jar("a.Main"));
    return Path.of(answer.json().getString("filename")).getFileName().toString();
  }

  private Answer upload(String field, String name, byte[] content) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(part(field, name, content));
    body.writeBytes("--edge--\r\n".getBytes(StandardCharsets.UTF_8));
    return cluster.send(
        cluster
            .request("/jars/upload")
            .header("Content-Type", "multipart/form-data; boundary=edge")
            .POST(BodyPublishers.ofByteArray(body.toByteArray())));
  }

  private static byte[] part(String field, String name, byte[] content) {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    part.writeBytes(
        ("--edge\r\nContent-Disposition: form-data; name=\""
                + field
                + "\"; filename=\""
                + name
                + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8));
    part.writeBytes(content);
    part.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
    return part.toByteArray();
  }

  private static byte[] jar(String mainClass) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      jar.putNextEntry(new ZipEntry("noise"));
      byte[] noise = new byte[1 << 20];
      new Random(7).nextBytes(noise);
      jar.write(noise);
    }
    return bytes.toByteArray();
  }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files about ended jobs that another program or release has written. */
class HostileHistoryTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final JobId OTHER = new JobId(new Id128(3, 4));

  private static JsonObject overview() {
    return new JsonObject()
        .put("jid", JOB.toString())
        .put("name", "counts")
        .put("state", "FINISHED")
        .put("start-time", 1)
        .put("end-time", 5)
        .put("last-modification", 5)
        .put("duration", 4)
        .put("tasks", new JsonObject());
  }

  private static JsonObject response(String path, Object json) {
    return new JsonObject().put("path", path).put("json", json);
  }

  private static JsonObject archive(Object overview, JsonObject... others) {
    JsonArray entries =
        new JsonArray()
            .add(
                response(
                    "/jobs/overview",
                    Json.encode(new JsonObject().put("jobs", new JsonArray().add(overview)))
                        .toString()));
    Arrays.stream(others).forEach(entries::add);
    return new JsonObject().put("archive", entries);
  }

  private static HistoryFile parse(JsonObject file) throws IOException {
    return HistoryFile.parse(JOB, Json.encode(file).getBytes());
  }

  @Test
  void responsesAboutTheJobAreKept() throws IOException {
    HistoryFile file =
        parse(
            archive(
                overview(),
                response("/jobs/" + JOB, "{}"),
                response("/jobs/" + JOB + "/exceptions", "{\"a\":1}")));
    assertThat(file.endedAt()).isEqualTo(5);
    assertThat(file.overview().getString("name")).isEqualTo("counts");
    assertThat(file.responses())
        .containsOnlyKeys("/jobs/" + JOB, "/jobs/" + JOB + "/exceptions")
        .containsEntry("/jobs/" + JOB + "/exceptions", "{\"a\":1}");
  }

  /** A file must not answer for other jobs, or for what is not about jobs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/jobs/00000000000000030000000000000004",
        "/jobs/00000000000000010000000000000002x",
        "/jobs/00000000000000010000000000000002x/exceptions",
        "/config",
        "/taskmanagers",
        "/jobs",
        "jobs/00000000000000010000000000000002",
        "",
        "/../jobs/00000000000000010000000000000002/config"
      })
  void responsesAboutOtherThingsAreIgnored(String path) throws IOException {
    assertThat(parse(archive(overview(), response(path, "{}"))).responses()).isEmpty();
  }

  @Test
  void entriesOfOtherTypesAreIgnored() throws IOException {
    JsonObject file = archive(overview());
    file.getJsonArray("archive")
        .add(7)
        .add("text")
        .addNull()
        .add(new JsonArray())
        .add(new JsonObject())
        .add(new JsonObject().put("path", "/jobs/" + JOB))
        .add(response("/jobs/" + JOB, 5))
        .add(new JsonObject().put("path", 3).put("json", "{}"));
    assertThat(parse(file).responses()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "[]",
        "7",
        "\"text\"",
        "{",
        "{}",
        "{\"archive\":{}}",
        "{\"archive\":null}",
        "{\"archive\":[]}",
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"[]\"}]}",
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"not json\"}]}",
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"{}\"}]}",
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"{\\\"jobs\\\":[]}\"}]}",
        "{\"archive\":[{\"path\":\"/jobs/overview\",\"json\":\"{\\\"jobs\\\":[7]}\"}]}",
        "not json"
      })
  void otherContentIsAnErrorOfOneLine(String content) {
    assertThatThrownBy(() -> HistoryFile.parse(JOB, content.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getMessage()).isNotBlank().doesNotContain("\n"));
  }

  @Test
  void fileOfAnotherJobIsRefused() {
    JsonObject other = overview().put("jid", OTHER.toString());
    assertThatThrownBy(() -> parse(archive(other)))
        .hasMessageContaining("does not contain job " + JOB);
    assertThatThrownBy(() -> parse(archive(overview().put("jid", 7))))
        .isInstanceOf(IOException.class);
  }

  /** Clients parse the whole list of jobs: one entry must not make it unreadable. */
  @ParameterizedTest
  @CsvSource({
    "state, UNHEARD",
    "state, finished",
    "jobType, HYBRID",
    "name, ",
    "tasks, ",
    "start-time, ",
    "end-time, ",
    "last-modification, ",
    "duration, "
  })
  void overviewThatClientsCannotReadIsRefused(String key, String value) {
    JsonObject broken = overview();
    if (value == null) {
      broken.putNull(key);
    } else {
      broken.put(key, value);
    }
    assertThatThrownBy(() -> parse(archive(broken)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("overview");
    JsonObject missing = overview();
    missing.remove(key);
    if (!key.equals("jobType")) {
      assertThatThrownBy(() -> parse(archive(missing))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void numbersMayBeOfAnyKind() throws IOException {
    assertThat(parse(archive(overview().put("end-time", 7.9))).endedAt()).isEqualTo(7);
    assertThat(parse(archive(overview().put("end-time", -1))).endedAt()).isEqualTo(-1);
    for (String wrong : List.of("5", "soon")) {
      assertThatThrownBy(() -> parse(archive(overview().put("end-time", wrong))))
          .hasMessageContaining("end-time");
    }
  }

  @Test
  void deeplyNestedContentIsAnError() {
    String deep = "{\"archive\":" + "[".repeat(200_000) + "]".repeat(200_000) + "}";
    assertThatThrownBy(() -> HistoryFile.parse(JOB, deep.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void damagedFilesNeverFailOtherwise() {
    byte[] whole = Json.encode(archive(overview(), response("/jobs/" + JOB, "{}"))).getBytes();
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      byte[] damaged =
          random.nextInt(4) == 0
              ? Arrays.copyOf(whole, random.nextInt(whole.length))
              : whole.clone();
      for (int change = random.nextInt(3); change > 0 && damaged.length > 0; change--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      try {
        HistoryFile file = HistoryFile.parse(JOB, damaged);
        assertThat(file.overview().getString("jid")).as("seed %s", seed).isEqualTo(JOB.toString());
      } catch (IOException refused) {
        assertThat(refused.getMessage()).as("seed %s", seed).isNotBlank();
      }
    }
  }
}

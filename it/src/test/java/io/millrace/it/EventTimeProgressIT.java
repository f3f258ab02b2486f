package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.SilentPartition;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What users see of event time that does not advance. */
class EventTimeProgressIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static String explained(Cluster cluster, String job) {
    try {
      return String.join(" ", cluster.millrace("explain", job).succeeded().out())
          .replaceAll("\\s+", " ");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void explainNamesTheInstanceThatHoldsBackEventTime() throws Exception {
    String jar = ProgramJar.of(SHELL.directory(), SilentPartition.class).toString();
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers", "2", "--slots", "1", "-D", "heartbeat.interval=500ms")) {
      String job = cluster.submit(jar);
      Wait.untilTrue(
          "explain names the instance",
          () ->
              explained(cluster, job)
                  .matches(
                      ".*\\(2/2\\) on taskmanager-\\d holds event time back in .*per second.*: it"
                          + " has not emitted a watermark, others are at 2023-11-14T22:13:2.*"
                          + " It emits no records\\. .* withIdleness .*"));
      String windows = "";
      for (JsonNode vertex : cluster.rest().job(job).path("vertices")) {
        windows =
            vertex.path("name").asText().contains("per second")
                ? vertex.path("id").asText()
                : windows;
      }
      JsonNode watermarks =
          cluster.rest().get("/jobs/" + job + "/vertices/" + windows + "/watermarks");
      assertThat(watermarks).hasSize(2);
      assertThat(watermarks.get(1).path("id").asText()).isEqualTo("1.currentInputWatermark");
      assertThat(watermarks.get(1).path("value").asText()).isEqualTo("-9223372036854775808");
      cluster.millrace("cancel", job).succeeded();
    }
  }
}

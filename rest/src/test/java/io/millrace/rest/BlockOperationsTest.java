package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class BlockOperationsTest extends RestTestBase {
  @Test
  void blocksShowsAndUnblocks() {
    assertThat(
            cluster
                .send(
                    "POST",
                    "/blocklist?target=w-1&seconds=60&cause=its%20disk%20fails&future=true",
                    "")
                .status())
        .isEqualTo(200);
    JsonObject shown = cluster.get("/v1/blocklist").json().getJsonArray("blocked").getJsonObject(0);
    assertThat(shown.getString("target")).isEqualTo("w-1");
    assertThat(shown.getLong("seconds-left")).isEqualTo(60);
    assertThat(shown.getString("cause")).isEqualTo("its disk fails");
    assertThat(cluster.send("DELETE", "/blocklist/w-1", "").status()).isEqualTo(200);
    assertThat(cluster.get("/blocklist").json().getJsonArray("blocked")).isEmpty();
  }

  @Test
  void rejectsUnknownTargetAndNamesKnownOnes() {
    FakeCluster.Answer refused =
        cluster.send("POST", "/blocklist?target=w-1&seconds=60&cause=x", "");
    assertThat(refused.status()).isEqualTo(404);
    assertThat(refused.error())
        .contains("'w-1'", SampleJobs.WORKER.value(), "hosts are 127.0.0.1", "--future");
    assertThat(cluster.get("/blocklist").json().getJsonArray("blocked")).isEmpty();
    assertThat(status("127.0.0.1")).isEqualTo(200);
    assertThat(status(SampleJobs.WORKER.value())).isEqualTo(200);
    cluster.resourceManager.workers.clear();
    assertThat(status("127.0.0.1")).as("it is blocked already").isEqualTo(200);
    assertThat(cluster.send("POST", "/blocklist?target=w-1&seconds=60&cause=x", "").error())
        .contains("No TaskManager is registered.");
  }

  private int status(String target) {
    String query = "/blocklist?target=" + target + "&seconds=60&cause=x";
    return cluster.send("POST", query, "").status();
  }

  @Test
  void rejectsInvalidParameters() {
    assertThat(cluster.send("POST", "/blocklist?seconds=60&cause=x", "").status()).isEqualTo(400);
    assertThat(cluster.send("POST", "/blocklist?target=w&cause=x", "").status()).isEqualTo(400);
    assertThat(cluster.send("POST", "/blocklist?target=w&seconds=5", "").status()).isEqualTo(400);
    FakeCluster.Answer notAFlag =
        cluster.send("POST", "/blocklist?target=w&seconds=60&cause=x&future=perhaps", "");
    assertThat(notAFlag.status()).isEqualTo(400);
    assertThat(notAFlag.error())
        .isEqualTo("Query parameter future must be true or false, not 'perhaps'.");
    assertThat(cluster.send("DELETE", "/blocklist/nobody", "").error())
        .contains("nobody is not blocked");
  }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class BlockOperationsTest extends WithCluster {
  @Test
  void blocksShowsAndUnblocks() {
    assertThat(
            cluster
                .send("POST", "/blocklist?target=w-1&seconds=60&cause=its%20disk%20fails", "")
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
  void refusesWhatMakesNoSense() {
    assertThat(cluster.send("POST", "/blocklist?seconds=60&cause=x", "").status()).isEqualTo(400);
    assertThat(cluster.send("POST", "/blocklist?target=w&cause=x", "").status()).isEqualTo(400);
    assertThat(cluster.send("POST", "/blocklist?target=w&seconds=5", "").status()).isEqualTo(400);
    assertThat(cluster.send("DELETE", "/blocklist/nobody", "").error())
        .contains("nobody is not blocked");
  }
}

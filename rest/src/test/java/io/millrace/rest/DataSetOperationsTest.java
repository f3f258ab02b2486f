package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DataSetInfo.Placed;
import io.millrace.rpc.Acknowledge;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DataSetOperationsTest extends RestTestBase {
  private static final DataSetId COMPLETE = new DataSetId(new Id128(1, 1));
  private static final DataSetId INCOMPLETE = new DataSetId(new Id128(1, 2));
  private static final JobId PRODUCER = new JobId(new Id128(2, 2));

  @BeforeEach
  void keep() {
    Placed first = new Placed(0, new WorkerId("w-1"), "host:1");
    Placed second = new Placed(1, new WorkerId("w-2"), "host:2");
    cluster.resourceManager.dataSets.add(
        new DataSetInfo(COMPLETE, PRODUCER, 7, 2, List.of(first, second)));
    cluster.resourceManager.dataSets.add(
        new DataSetInfo(INCOMPLETE, PRODUCER, 7, 2, List.of(first)));
  }

  @Test
  void listsCachedDataSets() {
    assertThat(cluster.get("/v1/datasets").json())
        .isEqualTo(
            new JsonObject()
                .put(
                    "dataSets",
                    new JsonArray()
                        .add(
                            new JsonObject().put("id", COMPLETE.toString()).put("isComplete", true))
                        .add(
                            new JsonObject()
                                .put("id", INCOMPLETE.toString())
                                .put("isComplete", false))));
  }

  @Test
  void showsTaskManagersOfDataSet() {
    JsonObject shown = cluster.get("/datasets/" + COMPLETE).json();
    assertThat(shown.getString("producer")).isEqualTo(PRODUCER.toString());
    assertThat(shown.getLong("term")).isEqualTo(7);
    assertThat(shown.getInteger("numPartitions")).isEqualTo(2);
    assertThat(shown.getJsonArray("partitions").getJsonObject(1))
        .isEqualTo(
            new JsonObject()
                .put("index", 1)
                .put("taskmanager", "w-2")
                .put("dataAddress", "host:2"));
    assertThat(cluster.get("/datasets/" + new Id128(9, 9)).status()).isEqualTo(404);
    assertThat(cluster.get("/datasets/words").status()).isEqualTo(400);
  }

  @Test
  @Behaviour("D10: cached partitions are released on request of the leader at every TaskManager")
  void statusOfDeletionIsAvailableByItsId() {
    CompletableFuture<Acknowledge> released = new CompletableFuture<>();
    cluster.resourceManager.release = id -> released;
    FakeCluster.Answer accepted = cluster.send("DELETE", "/datasets/" + COMPLETE, "");
    assertThat(accepted.status()).isEqualTo(202);
    assertThat(accepted.json().fieldNames()).containsExactly("request-id");
    String outcome = "/datasets/delete/" + accepted.json().getString("request-id");
    assertThat(status(outcome)).isEqualTo("IN_PROGRESS");
    released.complete(Acknowledge.INSTANCE);
    await(outcome);
    assertThat(cluster.get(outcome).json().getJsonObject("operation")).isEmpty();
    assertThat(cluster.get("/datasets/delete/" + new Id128(9, 9)).status()).isEqualTo(404);
  }

  @Test
  void statusOfFailedDeletionHasCause() {
    cluster.resourceManager.release =
        id ->
            CompletableFuture.failedFuture(
                new MillraceException(ErrorKind.EXTERNAL, "w-2 does not answer"));
    String trigger =
        cluster
            .send("DELETE", "/datasets/" + COMPLETE + "?wait=10000", "")
            .json()
            .getString("request-id");
    JsonObject answer = cluster.get("/datasets/delete/" + trigger).json();
    assertThat(answer.getJsonObject("status").getString("id")).isEqualTo("COMPLETED");
    assertThat(
            answer
                .getJsonObject("operation")
                .getJsonObject("failure-cause")
                .getString("stack-trace"))
        .contains("w-2 does not answer");
  }

  private void await(String outcome) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!status(outcome).equals("COMPLETED") && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(status(outcome)).isEqualTo("COMPLETED");
  }

  private String status(String outcome) {
    return cluster.get(outcome).json().getJsonObject("status").getString("id");
  }
}

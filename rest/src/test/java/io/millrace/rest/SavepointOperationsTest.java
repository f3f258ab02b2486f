package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointFailure;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.CheckpointStatistics.CheckpointSummary;
import io.millrace.protocol.CheckpointStatistics.Distribution;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.DispatcherGateway.DisposalAnswer;
import io.millrace.protocol.DispatcherGateway.DisposeSavepoint;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.rest.FakeCluster.Answer;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot.Timing;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SavepointOperationsTest extends RestTestBase {
  private static final String JOB = "/jobs/" + SampleJobs.RUNNING;
  private static final Id128 OPERATION = new Id128(5, 6);
  private static final SubtaskRecord FIRST =
      new SubtaskRecord(0, 1_043, 87_650, 87_650, 0, new Timing(12, 3, 1, 2, 7, false));
  private static final SubtaskRecord SECOND =
      new SubtaskRecord(1, 1_055, 87_242, 87_242, 0, new Timing(13, 4, 2, 4, 8, false));

  private static CheckpointRecord completed(long number) {
    return new CheckpointRecord(
        number,
        CheckpointRequest.Type.CHECKPOINT,
        Status.COMPLETED,
        1_000,
        CheckpointTotals.of(2, List.of(FIRST, SECOND)),
        Optional.of("/checkpoints/" + number),
        false,
        Optional.empty(),
        List.of(new VertexRecord(SampleJobs.SINK, 2, List.of(FIRST, SECOND))));
  }

  private static CheckpointRecord failed(long number) {
    return new CheckpointRecord(
        number,
        CheckpointRequest.Type.SAVEPOINT,
        Status.FAILED,
        1_000,
        CheckpointTotals.of(2, List.of(SECOND)),
        Optional.empty(),
        false,
        Optional.of(new CheckpointFailure(2_000, new TasksEnding())),
        List.of(new VertexRecord(SampleJobs.SINK, 2, List.of(SECOND))));
  }

  private void show(CheckpointOperation... operations) {
    Distribution values = Distribution.of(new long[] {1, 2, 3});
    cluster.dispatcher.checkpoints.put(
        SampleJobs.RUNNING,
        new CheckpointStatistics(
            new CheckpointCounts(1, 3, 0, 2, 1),
            new CheckpointSummary(values, values, values, values, values),
            Optional.of(completed(11)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(completed(11)),
            List.of(operations)));
  }

  private static CheckpointOperation done(CheckpointRequest.Type type) {
    return new CheckpointOperation(
        OPERATION,
        type,
        Optional.of(new CompletedCheckpoint(4, 5, type, "file:/savepoints/one", 6)),
        Optional.empty());
  }

  /** The ids of vertices are keys, which differ. */
  private static Map<String, String> shape(JsonObject json) {
    JsonObject copy = json.copy();
    if (copy.getValue("tasks") instanceof JsonObject tasks && !tasks.isEmpty()) {
      String first = tasks.fieldNames().iterator().next();
      copy.put("tasks", new JsonObject().put("vertex", tasks.getJsonObject(first)));
    }
    return JsonShapes.of(copy);
  }

  private static JsonObject recorded(String sample) {
    return JsonShapes.sample(sample).getJsonObject("response");
  }

  @Test
  @Behaviour("I1: statistics of checkpoints have the shapes of Flink's REST v1")
  void statisticsAreShownAsRecorded() {
    show();
    assertThat(shape(cluster.get(JOB + "/checkpoints").json()))
        .isEqualTo(shape(recorded("get-jobs-jobid-checkpoints")));
    assertThat(shape(cluster.get(JOB + "/checkpoints/details/11").json()))
        .isEqualTo(shape(recorded("get-checkpoint-details")));
    assertThat(shape(cluster.get(JOB + "/checkpoints/config").json()))
        .isEqualTo(shape(recorded("get-jobs-jobid-checkpoints-config")));
    JsonObject vertex =
        cluster.get(JOB + "/checkpoints/details/11/subtasks/" + SampleJobs.SINK).json();
    JsonObject sample = recorded("get-checkpoint-details-subtasks");
    assertThat(vertex.getJsonObject("summary").fieldNames())
        .isEqualTo(sample.getJsonObject("summary").fieldNames());
    vertex.remove("summary");
    sample.remove("summary");
    assertThat(shape(vertex)).isEqualTo(shape(sample));
    assertThat(vertex.getLong("end_to_end_duration")).isEqualTo(55);
    assertThat(vertex.getLong("checkpointed_size")).isEqualTo(174_892);
  }

  @Test
  void failedCheckpointHasTheReasonAndTheSubtasksThatAreMissing() {
    cluster.dispatcher.checkpoints.put(
        SampleJobs.RUNNING,
        new CheckpointStatistics(
            CheckpointStatistics.NONE.counts(),
            CheckpointStatistics.NONE.summary(),
            Optional.empty(),
            Optional.of(failed(7)),
            Optional.empty(),
            Optional.of(new RestoredState(6, 900, true, "/from")),
            List.of(failed(7)),
            List.of()));
    JsonObject all = cluster.get(JOB + "/checkpoints").json();
    assertThat(all.getJsonObject("latest").getJsonObject("failed").getString("failure_message"))
        .contains("failed or ended");
    assertThat(all.getJsonObject("latest").getJsonObject("restored"))
        .isEqualTo(
            new JsonObject()
                .put("id", 6)
                .put("restore_timestamp", 900)
                .put("is_savepoint", true)
                .put("external_path", "/from"));
    assertThat(all.getJsonObject("summary").getJsonObject("state_size").getValue("p50"))
        .isEqualTo("NaN");
    JsonObject vertex =
        cluster.get(JOB + "/checkpoints/details/7/subtasks/" + SampleJobs.SINK).json();
    assertThat(vertex.getString("status")).isEqualTo("FAILED");
    assertThat(vertex.getJsonArray("subtasks").getJsonObject(1))
        .isEqualTo(
            new JsonObject()
                .put("className", "pending")
                .put("index", 0)
                .put("status", "pending_or_failed"));
  }

  @Test
  void savepointIsTriggeredAndItsPathShownAsRecorded() {
    Answer accepted =
        cluster.send(
            "POST", JOB + "/savepoints", "{\"target-directory\": \"/dir\", \"cancel-job\": false}");
    assertThat(accepted.status()).isEqualTo(202);
    assertThat(shape(accepted.json())).isEqualTo(shape(recorded("post-savepoints")));
    StartJobCheckpoint request = (StartJobCheckpoint) cluster.dispatcher.received.get(0);
    assertThat(request.type()).isEqualTo(CheckpointRequest.Type.SAVEPOINT);
    assertThat(request.directory()).contains("/dir");
    assertThat(accepted.json().getString("request-id")).isEqualTo(request.operation().toString());

    show(done(CheckpointRequest.Type.SAVEPOINT));
    JsonObject outcome = cluster.get(JOB + "/savepoints/" + OPERATION).json();
    assertThat(shape(outcome)).isEqualTo(shape(recorded("get-savepoints-triggerid")));
    assertThat(outcome.getJsonObject("operation").getString("location"))
        .isEqualTo("file:/savepoints/one");
    assertThat(cluster.get(JOB + "/savepoints/" + new Id128(9, 9)).status()).isEqualTo(404);
  }

  @Test
  void stopDrainsIfTheRequestSaysSo() {
    cluster.send(
        "POST",
        JOB + "/stop",
        "{\"drain\": true, \"targetDirectory\": \"/dir\", \"triggerId\": \"" + OPERATION + "\"}");
    cluster.send("POST", JOB + "/stop", "{}");
    assertThat(cluster.dispatcher.received.get(0))
        .isEqualTo(
            new StartJobCheckpoint(
                SampleJobs.RUNNING,
                OPERATION,
                CheckpointRequest.Type.SAVEPOINT_DRAIN,
                Optional.of("/dir")));
    assertThat(((StartJobCheckpoint) cluster.dispatcher.received.get(1)).type())
        .isEqualTo(CheckpointRequest.Type.SAVEPOINT_SUSPEND);
  }

  @Test
  void formatTypeIsThatOfTheSavepoint() {
    cluster.send("POST", JOB + "/savepoints", "{\"formatType\": \"NATIVE\"}");
    cluster.send("POST", JOB + "/savepoints", "{\"formatType\": \"CANONICAL\"}");
    cluster.send("POST", JOB + "/stop", "{\"formatType\": \"NATIVE\", \"drain\": true}");
    assertThat(cluster.dispatcher.received)
        .extracting(request -> ((StartJobCheckpoint) request).type())
        .containsExactly(
            CheckpointRequest.Type.NATIVE_SAVEPOINT,
            CheckpointRequest.Type.SAVEPOINT,
            CheckpointRequest.Type.NATIVE_SAVEPOINT_DRAIN);
  }

  @Test
  void outcomeOfACheckpointIsItsNumberOrTheFailure() {
    assertThat(cluster.send("POST", JOB + "/checkpoints", "{}").status()).isEqualTo(202);
    show(done(CheckpointRequest.Type.CHECKPOINT));
    String outcome = JOB + "/checkpoints/" + OPERATION;
    assertThat(cluster.get(outcome).json().getJsonObject("operation"))
        .isEqualTo(new JsonObject().put("checkpointId", 4));
    show(
        new CheckpointOperation(
            OPERATION, CheckpointRequest.Type.CHECKPOINT, Optional.empty(), Optional.empty()));
    assertThat(cluster.get(outcome).json().getJsonObject("status").getString("id"))
        .isEqualTo("IN_PROGRESS");
    show(
        new CheckpointOperation(
            OPERATION,
            CheckpointRequest.Type.CHECKPOINT,
            Optional.empty(),
            Optional.of(Failure.of(ErrorKind.EXTERNAL, "disk full"))));
    assertThat(
            cluster
                .get(outcome)
                .json()
                .getJsonObject("operation")
                .getJsonObject("failureCause")
                .getString("stack-trace"))
        .isEqualTo("disk full");
  }

  @Test
  void requestsThatCannotBeMetSayWhy() {
    String ended = "/jobs/" + SampleJobs.CANCELED;
    assertThat(cluster.send("POST", ended + "/stop", "{}").status()).isEqualTo(409);
    assertThat(cluster.send("POST", "/jobs/" + new Id128(0, 1) + "/stop", "{}").status())
        .isEqualTo(404);
    Answer cancel = cluster.send("POST", JOB + "/savepoints", "{\"cancel-job\": true}");
    assertThat(cancel.status()).isEqualTo(400);
    assertThat(cancel.error()).contains("/stop");
    Answer format = cluster.send("POST", JOB + "/stop", "{\"formatType\": \"BINARY\"}");
    assertThat(format.status()).isEqualTo(400);
    assertThat(format.error()).contains("CANONICAL or NATIVE, not in 'BINARY'");
    assertThat(cluster.get(JOB + "/checkpoints/details/x").status()).isEqualTo(400);
    assertThat(cluster.get(JOB + "/checkpoints/details/99").error()).contains("99");
    assertThat(cluster.dispatcher.received).hasSize(2);
  }

  @Test
  void disposalHasAnOutcome() {
    Answer accepted =
        cluster.send("POST", "/savepoint-disposal", "{\"savepoint-path\": \"/dir/one\"}");
    assertThat(accepted.status()).isEqualTo(200);
    DisposeSavepoint request = (DisposeSavepoint) cluster.dispatcher.received.get(0);
    assertThat(request.path()).isEqualTo("/dir/one");
    String outcome = "/savepoint-disposal/" + request.operation();
    assertThat(cluster.get(outcome).status()).isEqualTo(404);
    cluster.dispatcher.disposals.put(
        request.operation(), new DisposalAnswer(true, false, Optional.empty()));
    assertThat(cluster.get(outcome).json().getJsonObject("status").getString("id"))
        .isEqualTo("IN_PROGRESS");
    cluster.dispatcher.disposals.put(
        request.operation(),
        new DisposalAnswer(
            true, true, Optional.of(Failure.of(ErrorKind.USER, "it does not exist"))));
    assertThat(cluster.get(outcome).json().getJsonObject("operation").encode())
        .contains("it does not exist");
    assertThat(cluster.send("POST", "/savepoint-disposal", "{}").status()).isEqualTo(400);
  }
}

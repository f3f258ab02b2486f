package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CheckpointClient.CheckpointState;
import io.millrace.client.CheckpointClient.StartedOperation;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointClientTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final String PATH = "/jobs/" + JOB;

  private FakeRestServer server;
  private RestClusterClient cluster;
  private CheckpointClient client;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRestServer();
    cluster =
        new RestClusterClient(
            new HostPort("127.0.0.1", server.address().port()), Duration.ofSeconds(20));
    client = cluster.checkpoints();
  }

  @AfterEach
  void stop() {
    cluster.close();
    server.close();
  }

  private void accept(String path) {
    server.answer("POST " + path, 202, "{\"request-id\":\"r1\"}");
  }

  private void outcome(String path, String json) {
    server.answer("GET " + path, 200, json);
  }

  @Test
  void asksForTheOutcomeWhereTheOperationWasStarted() {
    accept(PATH + "/checkpoints");
    accept(PATH + "/savepoints");
    accept(PATH + "/stop");
    accept("/savepoint-disposal");
    SavepointRequest request =
        new SavepointRequest(JOB, Optional.empty(), SavepointRequest.Format.CANONICAL);
    assertThat(client.checkpoint(JOB)).isEqualTo(new StartedOperation(PATH + "/checkpoints/r1"));
    assertThat(client.savepoint(request)).isEqualTo(new StartedOperation(PATH + "/savepoints/r1"));
    assertThat(client.stop(request, false))
        .isEqualTo(new StartedOperation(PATH + "/savepoints/r1"));
    assertThat(client.dispose("/sp/1")).isEqualTo(new StartedOperation("/savepoint-disposal/r1"));
    assertThat(server.text("POST " + PATH + "/savepoints")).isEqualTo("{}");
    assertThat(server.text("POST " + PATH + "/stop")).isEqualTo("{\"drain\":false}");
    assertThat(server.text("POST /savepoint-disposal")).isEqualTo("{\"savepoint-path\":\"/sp/1\"}");
  }

  @Test
  void namesTheDirectoryOfASavepoint() {
    accept(PATH + "/savepoints");
    accept(PATH + "/stop");
    SavepointRequest request =
        new SavepointRequest(JOB, Optional.of("hdfs://host/sp"), SavepointRequest.Format.CANONICAL);
    client.savepoint(request);
    client.stop(request, true);
    assertThat(server.text("POST " + PATH + "/savepoints"))
        .isEqualTo("{\"target-directory\":\"hdfs://host/sp\"}");
    assertThat(server.text("POST " + PATH + "/stop"))
        .isEqualTo("{\"drain\":true,\"targetDirectory\":\"hdfs://host/sp\"}");
  }

  @Test
  void hasNoResultUntilTheOperationIsCompleted() {
    StartedOperation operation = new StartedOperation(PATH + "/savepoints/r1");
    outcome(operation.path(), "{\"status\":{\"id\":\"IN_PROGRESS\"}}");
    assertThat(client.result(operation)).isEmpty();
    outcome(
        operation.path(),
        "{\"status\":{\"id\":\"COMPLETED\"},\"operation\":{\"location\":\"/sp/savepoint-1\"}}");
    assertThat(client.result(operation)).contains("/sp/savepoint-1");
  }

  @Test
  void resultOfACheckpointIsItsNumberAndThatOfADisposalIsEmpty() {
    StartedOperation checkpoint = new StartedOperation(PATH + "/checkpoints/r1");
    outcome(
        checkpoint.path(),
        "{\"status\":{\"id\":\"COMPLETED\"},\"operation\":{\"checkpointId\":12}}");
    assertThat(client.result(checkpoint)).contains("12");
    StartedOperation disposal = new StartedOperation("/savepoint-disposal/r1");
    outcome(disposal.path(), "{\"status\":{\"id\":\"COMPLETED\"},\"operation\":{}}");
    assertThat(client.result(disposal)).contains("");
  }

  @Test
  void aFailedOperationHasTheReasonOfTheCluster() {
    StartedOperation operation = new StartedOperation(PATH + "/savepoints/r1");
    for (String field : new String[] {"failure-cause", "failureCause"}) {
      outcome(
          operation.path(),
          "{\"status\":{\"id\":\"COMPLETED\"},\"operation\":{\""
              + field
              + "\":{\"stack-trace\":\"The disk is full.\"}}}");
      assertThatThrownBy(() -> client.result(operation))
          .isInstanceOf(MillraceException.class)
          .hasMessage("The disk is full.");
    }
  }

  @Test
  void readsTheNewestCheckpoint() {
    outcome(PATH + "/checkpoints", "{\"history\":[]}");
    assertThat(client.newest(JOB)).isEmpty();
    outcome(
        PATH + "/checkpoints",
        "{\"history\":[{\"id\":5,\"status\":\"IN_PROGRESS\",\"num_acknowledged_subtasks\":3,"
            + "\"num_subtasks\":8,\"state_size\":4096},{\"id\":4}]}");
    assertThat(client.newest(JOB)).contains(new CheckpointState(5, "IN_PROGRESS", 3, 8, 4096));
  }

  @Test
  void aJobThatIsNotThereIsReportedInTheWordsOfTheCluster() {
    server.answer("POST " + PATH + "/savepoints", 404, "{\"errors\":[\"There is no job 1\"]}");
    assertThatThrownBy(
            () ->
                client.savepoint(
                    new SavepointRequest(JOB, Optional.empty(), SavepointRequest.Format.CANONICAL)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("There is no job 1");
  }
}

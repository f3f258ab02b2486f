package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.Bytes;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavepointCommandsTest {
  private static final String JOB = "5e20cb6b0f357591171dfcca2eea09de";
  private static final String ID = "00000000000000010000000000000002";
  private static final String ACCEPTED = "{\"request-id\":\"" + ID + "\"}";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private FakeRestServer server;

  @BeforeEach
  void prepare() throws IOException {
    cli = new CommandLineHarness(directory);
    server = new FakeRestServer();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private int call(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("-m", server.address().toString()));
    return cli.call(line.toArray(String[]::new));
  }

  private static String completed(String operation) {
    return "{\"status\":{\"id\":\"COMPLETED\"},\"operation\":" + operation + "}";
  }

  @Test
  @Behaviour("A2: savepoint, stop and checkpoint wait for the outcome and print it")
  void savepointPrintsProgressAndItsPath() {
    String outcome = "GET /jobs/" + JOB + "/savepoints/" + ID;
    server.answer("POST /jobs/" + JOB + "/savepoints", 202, ACCEPTED);
    server.answer(outcome, "{\"status\":{\"id\":\"IN_PROGRESS\"},\"operation\":null}");
    server.answer(
        "GET /jobs/" + JOB + "/checkpoints",
        "{\"history\":[{\"id\":7,\"status\":\"IN_PROGRESS\",\"num_subtasks\":4,"
            + "\"num_acknowledged_subtasks\":3,\"state_size\":12}]}");
    server.beforeAnswer(
        request -> {
          if (request.endsWith("/checkpoints")) {
            server.answer(outcome, completed("{\"location\":\"/dir/savepoint-1\"}"));
          }
        });
    assertThat(call("savepoint", JOB, "relative")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Savepoint completed. Path: /dir/savepoint-1\n");
    assertThat(cli.err())
        .contains("Taking a savepoint of job " + JOB)
        .contains("3 of 4 tasks have stored their state (12 bytes)");
    assertThat(server.text("POST /jobs/" + JOB + "/savepoints"))
        .isEqualTo("{\"target-directory\":\"" + Path.of("relative").toAbsolutePath() + "\"}");
  }

  @Test
  void triggerIsTheSameCommand() {
    server.answer("POST /jobs/" + JOB + "/savepoints", 202, ACCEPTED);
    server.answer("GET /jobs/" + JOB + "/savepoints/" + ID, completed("{\"location\":\"/one\"}"));
    assertThat(call("savepoint", "trigger", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(server.text("POST /jobs/" + JOB + "/savepoints")).isEqualTo("{}");
  }

  @Test
  void stopSendsDirectoryAndDrain() {
    server.answer("POST /jobs/" + JOB + "/stop", 202, ACCEPTED);
    server.answer("GET /jobs/" + JOB + "/savepoints/" + ID, completed("{\"location\":\"/one\"}"));
    assertThat(call("stop", JOB, "--savepointPath", "/target", "--drain")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Savepoint completed. Path: /one\n");
    assertThat(server.text("POST /jobs/" + JOB + "/stop"))
        .isEqualTo("{\"drain\":true,\"targetDirectory\":\"/target\"}");
  }

  @Test
  void typeIsTheFormatOfTheSavepoint() {
    server.answer("POST /jobs/" + JOB + "/savepoints", 202, ACCEPTED);
    server.answer("POST /jobs/" + JOB + "/stop", 202, ACCEPTED);
    server.answer("GET /jobs/" + JOB + "/savepoints/" + ID, completed("{\"location\":\"/one\"}"));
    assertThat(call("savepoint", "--type", "native", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(server.text("POST /jobs/" + JOB + "/savepoints"))
        .isEqualTo("{\"formatType\":\"NATIVE\"}");
    assertThat(call("stop", "--type", "native", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(server.text("POST /jobs/" + JOB + "/stop"))
        .isEqualTo("{\"formatType\":\"NATIVE\",\"drain\":false}");
    assertThat(call("savepoint", "--type", "canonical", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(server.text("POST /jobs/" + JOB + "/savepoints")).isEqualTo("{}");
    assertThat(call("savepoint", "--type", "binary", JOB)).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("canonical or native, not binary");
  }

  @Test
  void checkpointPrintsItsNumber() {
    server.answer("POST /jobs/" + JOB + "/checkpoints", 202, ACCEPTED);
    server.answer("GET /jobs/" + JOB + "/checkpoints/" + ID, completed("{\"checkpointId\":12}"));
    assertThat(call("checkpoint", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Checkpoint 12 completed.\n");
  }

  @Test
  void failedSavepointIsOneLineAndExitCodeOne() {
    server.answer("POST /jobs/" + JOB + "/savepoints", 202, ACCEPTED);
    server.answer(
        "GET /jobs/" + JOB + "/savepoints/" + ID,
        completed(
            "{\"failure-cause\":{\"class\":\"EXTERNAL\",\"stack-trace\":\"No directory for"
                + " savepoints is known.\"}}"));
    assertThat(call("savepoint", JOB)).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("millrace: No directory for savepoints is known.\n");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void jobThatHasEndedIsRefusedWithTheMessageOfTheServer() {
    server.answer(
        "POST /jobs/" + JOB + "/stop", 409, "{\"errors\":[\"Job x has already ended.\"]}");
    assertThat(call("stop", JOB)).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("millrace: Job x has already ended.");
  }

  @Test
  void jobIdThatIsNoneIsAUsageError() {
    assertThat(call("savepoint", "x")).isEqualTo(ExitCodes.USAGE);
    assertThat(call("stop", "x")).isEqualTo(ExitCodes.USAGE);
    assertThat(call("checkpoint")).isEqualTo(ExitCodes.USAGE);
    assertThat(call("savepoint")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("JOB");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void disposeWaitsForTheDeletion() {
    server.answer("POST /savepoint-disposal", ACCEPTED);
    server.answer("GET /savepoint-disposal/" + ID, completed("{}"));
    assertThat(call("savepoint", "dispose", "/dir/one")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Savepoint /dir/one deleted.\n");
    assertThat(server.text("POST /savepoint-disposal"))
        .isEqualTo("{\"savepoint-path\":\"/dir/one\"}");
  }

  @Test
  void inspectShowsOperatorsAndSizesAlsoIfAPieceIsDamaged() {
    Path savepoint = directory.resolve("savepoint");
    OperatorId source = new OperatorId(new Id128(1, 1));
    FileCheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());
    storage.createDirectory(savepoint.toString());
    storage.writeMetadata(
        savepoint.toString(),
        new CheckpointMetadata(
            JobId.parse(JOB),
            9,
            1_794_780_261_474L,
            CheckpointRequest.Type.SAVEPOINT,
            List.of(
                new VertexState(
                    new VertexId(new Id128(2, 2)),
                    "numbers",
                    1,
                    128,
                    List.of(new OperatorInfo(source, "Source: numbers")),
                    List.of(
                        new SubtaskState(
                            false,
                            List.of(
                                new OperatorSnapshot(
                                    source,
                                    List.of(),
                                    List.of(
                                        new OperatorSnapshot.ListState(
                                            "splits",
                                            OperatorSnapshot.Redistribution.SPLIT,
                                            3,
                                            new StateHandle.Inline(Bytes.utf8("12345")))))),
                            List.of()))))));
    assertThat(cli.call("savepoint", "inspect", savepoint.toString())).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.out())
        .contains("Savepoint 9 of job " + JOB)
        .contains("5 bytes of state in " + savepoint)
        .contains("Source: numbers")
        .contains("1 (max 128)");
    assertThat(cli.err())
        .isEqualTo(
            "millrace: A piece in the metadata of checkpoint 9 is damaged: it has only 5 bytes\n");
    assertThat(cli.call("savepoint", "inspect", "--json", savepoint.toString()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.out())
        .startsWith("{\"type\":\"savepoint\",\"id\":9,\"job\":\"" + JOB + "\"")
        .contains("\"parallelism\":1,\"maxParallelism\":128,\"bytes\":5");
  }

  @Test
  void entriesNeedAnOperatorAndAState() {
    assertThat(cli.call("savepoint", "inspect", "--state", "x", "path")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--operator");
    assertThat(cli.call("savepoint", "inspect", "--key", "x", "path")).isEqualTo(ExitCodes.USAGE);
    assertThat(
            cli.call(
                "savepoint", "inspect", "--operator", "o", "--state", "s", "--limit", "0", "path"))
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void inspectOfAMissingPathSaysSo() {
    assertThat(cli.call("savepoint", "inspect", directory.resolve("none").toString()))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("none").contains("does not exist");
  }

  @Test
  @Behaviour("A2: run --dry-run checks a savepoint without a cluster")
  void dryRunNeedsASavepointThatExists() {
    assertThat(cli.call("run", "--dry-run", cli.program(), "job", "x")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--dry-run").contains("-s");
    String missing = directory.resolve("none").toString();
    assertThat(cli.call("run", "-s", missing, "--dry-run", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .startsWith("millrace: Job 'x' cannot start with the state of '" + missing + "'.\n")
        .contains("'" + missing + "' does not exist");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void droppingStateNeedsASavepoint() {
    assertThat(cli.call("run", "-n", cli.program())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("-s");
  }
}

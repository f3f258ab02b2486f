package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** {@code run -m} against a REST server with prepared answers. */
@ResourceLock("ProgramContext")
class RemoteRunTest {
  private static final Pattern RESULT = Pattern.compile("GET /jobs/([0-9a-f]{32})/result.*");

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private FakeRestServer server;
  private volatile String result = "{\"status\":\"FINISHED\",\"runtime\":10}";

  @BeforeEach
  void start() throws IOException {
    cli = new CommandLineHarness(directory);
    server = new FakeRestServer();
    server.answer("GET /overview", "{}");
    server.answer("POST /jobs", 202, "{}");
    server.beforeAnswer(
        request -> {
          if (request.startsWith("PUT /blobs/")) {
            server.answer(request, 201, "");
          }
          if (RESULT.matcher(request).matches()) {
            server.answer(request, result);
          }
        });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  @Behaviour("A7: the same program runs on the targets local, remote and YARN")
  void submitsGraphAndJarAndWaitsForTheResult() {
    assertThat(run(cli.program(), "job", "my job")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err())
        .containsPattern("Job has been submitted with JobID [0-9a-f]{32}\n")
        .containsPattern("Job 'my job' \\([0-9a-f]{32}\\) finished in 0.01 s\n");
    assertThat(server.requests().stream().filter(request -> request.startsWith("PUT /blobs/")))
        .as("the jar and the graph")
        .hasSize(2);
    assertThat(server.requests().get(0)).isEqualTo("GET /overview");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void failureOnTheClusterIsThree() {
    result =
        "{\"status\":\"FAILED\",\"runtime\":1,\"failure\":{\"kind\":\"USER\",\"type\":\"t\","
            + "\"message\":\"boom\",\"stack\":\"t: boom\\n\\tat some.Place.map(Place.java:12)\"}}";
    assertThat(run(cli.program(), "job", "x")).isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).contains("failed: boom\nIt happened in some.Place.map(Place.java:12)");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void cancellationOnTheClusterIsFour() {
    result = "{\"status\":\"CANCELED\",\"runtime\":1}";
    assertThat(run(cli.program(), "job", "x")).isEqualTo(ExitCodes.JOB_CANCELED);
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void detachedRunPrintsTheIdAndRequestsNoResult() {
    assertThat(run("-d", cli.program(), "async", "x")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).matches("Job has been submitted with JobID [0-9a-f]{32}\n");
    assertThat(cli.err()).isEmpty();
    assertThat(server.requests()).noneMatch(request -> RESULT.matcher(request).matches());
  }

  @Test
  void detachedRunMayBeConfigured() {
    assertThat(run("-D", "execution.attached=false", cli.program(), "async", "x"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).startsWith("Job has been submitted with JobID ");
  }

  @Test
  void refusalOfTheJobIsOneLine() {
    server.answer("POST /jobs", 409, "{\"errors\":[\"Job 7 runs already.\"]}");
    assertThat(run(cli.program(), "job", "x")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: Job 7 runs already.\n");
  }

  @Test
  void missingTokenIsOneLineBeforeAnythingIsUploaded() {
    server.answer("GET /overview", 401, "{\"errors\":[\"Present the token of the cluster.\"]}");
    assertThat(run(cli.program(), "job", "x")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: Present the token of the cluster.\n");
    assertThat(server.requests()).containsExactly("GET /overview");
  }

  @Test
  void resultThatIsNotJsonIsOneLine() {
    result = "<html>";
    assertThat(run("-D", "client.timeout=1 ms", cli.program(), "job", "x"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("millrace: No JobManager can be reached at");
  }

  @Test
  void exceptionOfMainNamesTheJobsThatContinue() {
    result = "{\"status\":\"IN_PROGRESS\"}";
    assertThat(run(cli.program(), "async-then-throw", "x")).isEqualTo(ExitCodes.ERROR);
    List<String> ids = ids();
    assertThat(ids).hasSize(1);
    assertThat(cli.err().lines())
        .contains("Job " + ids.get(0) + " continues. End it with: millrace cancel " + ids.get(0))
        .last()
        .asString()
        .startsWith("millrace: The program ended with an exception in main of ");
  }

  @Test
  @Behaviour("A8: with shut-down-on-exit a command that ends before its jobs cancels them")
  void exceptionOfMainCancelsTheJobsOfATiedRun() {
    result = "{\"status\":\"IN_PROGRESS\"}";
    server.beforeAnswer(
        request -> {
          if (request.startsWith("PUT /blobs/") || request.startsWith("PATCH /jobs/")) {
            server.answer(request, 202, "{}");
          }
          if (RESULT.matcher(request).matches()) {
            server.answer(request, result);
          }
        });
    assertThat(run("-sae", cli.program(), "async-then-throw", "x")).isEqualTo(ExitCodes.ERROR);
    String id = ids().get(0);
    assertThat(server.requests()).contains("PATCH /jobs/" + id + "?mode=cancel");
    assertThat(cli.err())
        .contains(
            "Job " + id + " was cancelled because execution.shutdown-on-attached-exit is set.");
  }

  @Test
  @Behaviour("A2: run ends with the outcome of its jobs as exit code")
  void failedJobDecidesTheExitCodeAlsoIfMainThrowsBecauseOfIt() {
    result = "{\"status\":\"FAILED\",\"failure\":{\"kind\":\"USER\",\"message\":\"boom\"}}";
    assertThat(run(cli.program(), "job", "x")).isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).contains("failed: boom").doesNotContain("exception in main");
  }

  private List<String> ids() {
    List<String> ids = new ArrayList<>();
    for (String request : server.requests()) {
      Matcher matcher = RESULT.matcher(request);
      if (matcher.matches() && !ids.contains(matcher.group(1))) {
        ids.add(matcher.group(1));
      }
    }
    return ids;
  }

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("run", "-m", server.address().toString()));
    all.addAll(List.of(arguments));
    return cli.call(all.toArray(new String[0]));
  }
}

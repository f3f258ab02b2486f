package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.cluster.FreePorts;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListCommandTest {
  private static final String JOBS = "GET /jobs/overview";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private FakeRestServer server;

  @BeforeEach
  void start() throws IOException {
    cli = new CommandLineHarness(directory);
    server = new FakeRestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void listsJobsInColumnsTheNewestFirst() {
    jobs(job("1", "short", "RUNNING", 1000, ""), job("2", "a longer name", "CREATED", 2000, ""));
    assertThat(list()).isEqualTo(ExitCodes.OK);
    List<String> lines = cli.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).matches("JOB ID +STATE +STARTED +TASKS  NAME");
    assertThat(lines.get(1))
        .matches("0{31}2  CREATED  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:02  5 +a longer name");
    assertThat(lines.get(2)).matches("0{31}1  RUNNING  .*:01  5 +short");
    assertThat(lines.get(0).indexOf("NAME")).isEqualTo(lines.get(1).indexOf("a longer name"));
    assertThat(cli.err()).isEmpty();
  }

  @Test
  void showsWhatAJobWaitsForBelowIt() {
    jobs(job("1", "x", "CREATED", 1000, "2 slots of 4"));
    list();
    assertThat(cli.out().lines()).last().isEqualTo("  waiting: 2 slots of 4.");
  }

  @Test
  void jobThatHasNotStartedHasNoTime() {
    jobs(job("1", "x", "INITIALIZING", -1, ""));
    list();
    assertThat(cli.out()).containsPattern("INITIALIZING +- +5 +x");
  }

  @Test
  void endedJobsAreShownOnlyOnRequest() {
    jobs(job("1", "ended", "FINISHED", 1000, ""));
    assertThat(list()).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("No jobs are running.\n");
    assertThat(list("-a")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("FINISHED", "ended");
    assertThat(list("--all")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("FINISHED", "ended");
  }

  @Test
  void clusterWithoutJobsIsNoError() {
    jobs();
    assertThat(list("-a")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("There are no jobs.\n");
  }

  @Test
  void nameOfAJobCannotControlTheTerminal() {
    jobs(job("1", "red\\u001b[31m\\nline", "RUNNING", 1000, "\\u0007bell"));
    list();
    assertThat(cli.out()).contains("red [31m line", "waiting: bell").doesNotContain("\u001b");
    assertThat(cli.out().lines()).hasSize(3);
  }

  @Test
  void errorOfTheServerIsOneLine() {
    for (int status : new int[] {401, 403, 500, 503}) {
      server.answer(JOBS, status, "{\"errors\":[\"The reason\\nin two lines.\"]}");
      assertThat(list()).as("status " + status).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: The reason in two lines.\n");
      assertThat(cli.out()).isEmpty();
    }
  }

  @Test
  void pathThatTheServerDoesNotHaveIsOneLine() {
    assertThat(list()).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: There is no such path.\n");
  }

  @Test
  void malformedAnswerIsOneLineThatNamesTheAddress() {
    for (String answer : new String[] {"<html>", "{\"jobs\":", "{\"jobs\":[{}]}"}) {
      server.answer(JOBS, answer);
      assertThat(list()).as(answer).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .startsWith("millrace: ")
          .contains(server.address().toString())
          .doesNotContain("error in Millrace")
          .hasLineCount(1);
    }
  }

  @Test
  void closedPortIsOneLineWithTheNextStep() {
    try (FreePorts ports = new FreePorts("127.0.0.1")) {
      int closed = ports.free();
      assertThat(cli.call("list", "-m", "127.0.0.1:" + closed)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .startsWith("millrace: No JobManager can be reached at 127.0.0.1:" + closed)
          .contains("millrace cluster start", "-m host:port")
          .hasLineCount(1);
    }
  }

  @Test
  @Behaviour(
      "A3: without a target, -m is the REST address of a cluster, and nothing means the embedded"
          + " cluster")
  void addressComesFromTheOptionTheConfigurationOrTheUrl() {
    jobs();
    String port = String.valueOf(server.address().port());
    assertThat(cli.call("list", "--jobmanager", "127.0.0.1:" + port)).isEqualTo(ExitCodes.OK);
    assertThat(cli.call("list", "-m", "http://127.0.0.1:" + port + "/")).isEqualTo(ExitCodes.OK);
    assertThat(cli.call("list", "-D", "rest.port=" + port)).isEqualTo(ExitCodes.OK);
    assertThat(server.requests()).containsExactly(JOBS, JOBS, JOBS);
  }

  @Test
  void parameterIsRefused() {
    assertThat(list("0".repeat(32))).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("0".repeat(32)).contains("See `millrace list --help`.");
  }

  private int list(String... more) {
    String[] arguments = new String[3 + more.length];
    arguments[0] = "list";
    arguments[1] = "-m";
    arguments[2] = server.address().toString();
    System.arraycopy(more, 0, arguments, 3, more.length);
    return cli.call(arguments);
  }

  private void jobs(String... jobs) {
    server.answer(JOBS, "{\"jobs\":[" + String.join(",", jobs) + "]}");
  }

  private static String job(
      String lastDigit, String name, String state, long start, String waitingFor) {
    return "{\"jid\":\""
        + "0".repeat(31)
        + lastDigit
        + "\",\"name\":\""
        + name
        + "\",\"jobType\":\"STREAMING\",\"state\":\""
        + state
        + "\",\"start-time\":"
        + start
        + ",\"tasks\":{\"running\":2,\"scheduled\":3}"
        + (waitingFor.isEmpty() ? "" : ",\"waiting-for\":\"" + waitingFor + "\"")
        + "}";
  }
}

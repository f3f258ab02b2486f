package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.jobs.CancelCommand.Wait;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CancelCommandTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final JobResult CANCELED =
      new JobResult(new JobId(new Id128(1, 2)), JobStatus.CANCELED, 5, Optional.empty());

  private static final String JOB = "5e20cb6b0f357591171dfcca2eea09de";
  private static final String CANCEL = "PATCH /jobs/" + JOB + "?mode=cancel";
  private static final String RESULT = "GET /jobs/" + JOB + "/result?wait=30000";

  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  private final List<Duration> asked = new ArrayList<>();
  private Duration now = Duration.ofDays(1);

  @Test
  void waitsUntilItsTimeIsOverAlsoIfTheClusterAnswersEarlier() {
    Wait wait = Wait.forEnd(left -> answer(left, 12), MAX_WAIT, this::nanos);
    assertThat(wait).isEqualTo(new Wait(Optional.empty(), Duration.ofSeconds(36)));
    assertThat(asked)
        .containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(18), Duration.ofSeconds(6));
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void endsWithTheJob() {
    Wait wait =
        Wait.forEnd(
            left -> {
              boolean first = asked.isEmpty();
              answer(left, 10);
              return first ? Optional.empty() : Optional.of(CANCELED);
            },
            MAX_WAIT,
            this::nanos);
    assertThat(wait).isEqualTo(new Wait(Optional.of(CANCELED), Duration.ofSeconds(20)));
  }

  @Test
  @Behaviour("A2: list, cancel and REST act on a detached job")
  void printsTheStateInWhichTheJobEnded() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(CANCEL, 202, "{}");
      server.answer(RESULT, "{\"status\":\"CANCELED\",\"runtime\":1}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("Job " + JOB + " is CANCELED\n");
      assertThat(cli.err()).isEqualTo("Cancelling job " + JOB + "\n");
    }
  }

  @Test
  void jobThatFinishesBeforeItIsCancelledIsReportedSo() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(CANCEL, 202, "{}");
      server.answer(RESULT, "{\"status\":\"FINISHED\",\"runtime\":1}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).isEqualTo("Job " + JOB + " is FINISHED\n");
    }
  }

  @Test
  void endedJobIsAnErrorThatNamesItsState() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(CANCEL, 409, "{}");
      server.answer("GET /jobs/overview", "{\"jobs\":[]}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: Job " + JOB + " has ended already.\n");
      server.answer(
          "GET /jobs/overview",
          "{\"jobs\":[{\"jid\":\"" + JOB + "\",\"name\":\"x\",\"state\":\"FAILED\"}]}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: Job " + JOB + " has ended already (FAILED).\n");
    }
  }

  @Test
  void unknownJobIsAnErrorWithTheCommandThatListsJobs() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err())
          .contains(server.address() + " knows no job " + JOB)
          .contains("millrace list -a")
          .hasLineCount(1);
    }
  }

  @Test
  void refusalOfTheServerIsOneLine() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(CANCEL, 401, "{\"errors\":[\"Present the token.\"]}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: Present the token.\n");
    }
  }

  @Test
  void clusterThatEndsWithItsJobIsNoError() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(CANCEL, 202, "{}");
      server.answer(RESULT, 503, "{\"errors\":[\"The cluster is shutting down.\"]}");
      assertThat(cancel(server, JOB)).isEqualTo(ExitCodes.OK);
      assertThat(cli.out()).contains("is being cancelled").contains("no longer answers");
    }
  }

  @Test
  void malformedIdsAreRefusedWithoutARequest() throws IOException {
    try (FakeRestServer server = new FakeRestServer()) {
      for (String id : new String[] {"", "7", "g".repeat(32), JOB + "0"}) {
        assertThat(cancel(server, id)).as(id).isEqualTo(ExitCodes.USAGE);
        assertThat(cli.err())
            .contains("'" + id + "' is not a job id. A job id has 32 hex digits")
            .hasLineCount(1);
      }
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void jobIdIsRequired() {
    assertThat(cli.call("cancel")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("JOB").contains("See `millrace cancel --help`.");
  }

  private int cancel(FakeRestServer server, String job) {
    return cli.call("cancel", "-m", server.address().toString(), job);
  }

  private Optional<JobResult> answer(Duration left, long seconds) {
    asked.add(left);
    now = now.plusSeconds(seconds);
    return Optional.empty();
  }

  private long nanos() {
    return now.toNanos();
  }
}

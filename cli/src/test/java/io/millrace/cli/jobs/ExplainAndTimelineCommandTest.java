package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain} and {@code timeline} against a server with prepared answers. */
class ExplainAndTimelineCommandTest {
  private static final String JOB = "5e20cb6b0f357591171dfcca2eea09de";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private FakeRestServer server;

  @BeforeEach
  void serve() throws IOException {
    cli = new CommandLineHarness(directory);
    server = new FakeRestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int call(String command, String... more) {
    String[] arguments = new String[3 + more.length];
    arguments[0] = command;
    arguments[1] = "-m";
    arguments[2] = server.address().toString();
    System.arraycopy(more, 0, arguments, 3, more.length);
    return cli.call(arguments);
  }

  @Test
  void optionsMayFollowTheJob() {
    server.answer("GET /jobs/" + JOB + "/timeline", "{\"steps\":[]}");
    String address = server.address().toString();
    assertThat(cli.call("timeline", JOB, "--json", "-m", address)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("\"steps\"");
  }

  @Test
  void optionsMayFollowTheNameOfWhatIsBlocked() {
    server.answer("POST /blocklist?target=w1&seconds=1800&cause=x", "{}");
    String address = server.address().toString();
    assertThat(
            cli.call("cluster", "block", "w1", "--for", "30min", "--because", "x", "-m", address))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("w1 is blocked for 30 min.");
  }

  @Test
  @Behaviour("I2: explain shows on one screen why a job waits")
  void explainsAWaitingJobOnOneScreen() {
    StringBuilder places = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      places
          .append(i == 0 ? "" : ",")
          .append(
              "{\"taskmanager\":\"w%d\",\"sentence\":\"TaskManager w%d: slot 0\"}".formatted(i, i));
    }
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        """
        {"jid":"%s","name":"count\\u001b[31m\\nwords","state":"RUNNING","since":1000,
         "summary":"The job waits for 3 of 8 slots.",
         "unmet":[{"profile":"any","required":8,"missing":3,
           "asked":[{"time":2000,"who":"jobmaster","sentence":"The JobMaster asked\\u0007 for 8 slots."}],
           "answer":"It needs 8 slots and has 5.","fixes":["3 more slots."]}],
         "places":[%s],"causes":[],"notes":["Tasks: 8 SCHEDULED."]}
        """
            .formatted(JOB, places));

    assertThat(call("explain", JOB)).isEqualTo(ExitCodes.OK);

    assertThat(cli.out().lines())
        .hasSize(40)
        .contains(
            "The job waits for 3 of 8 slots.",
            "Waits for 3 of 8 slots:",
            " ".repeat(16) + "Answer: It needs 8 slots and has 5.",
            "  Would help:   3 more slots.")
        .anyMatch(line -> line.contains("'count [31m words' is RUNNING"))
        .anyMatch(line -> line.endsWith("The JobMaster asked for 8 slots."))
        .last()
        .asString()
        .matches("\\.\\.\\. \\d+ more lines; --json has it all\\.");
    assertThat(cli.out()).doesNotContain("\u001b").doesNotContain("\u0007");
  }

  @Test
  void answerIsSortedByItsTime() {
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        """
        {"jid":"%s","name":"words","state":"RUNNING","since":1000,"summary":"It waits.",
         "unmet":[{"profile":"any","required":8,"missing":3,"answered":3000,
           "asked":[{"time":2000,"who":"jobmaster","sentence":"The JobMaster asked."},
                    {"time":3000,"who":"resourcemanager","sentence":"The ResourceManager asked."},
                    {"time":4000,"who":"resourcemanager","sentence":"TaskManagers answered."}],
           "answer":"It needs 8 slots and has 5.","fixes":[]}],
         "places":[],"causes":[],"notes":[]}
        """
            .formatted(JOB));

    assertThat(call("explain", JOB)).isEqualTo(ExitCodes.OK);

    assertThat(cli.out().lines().map(line -> line.replaceFirst("^  [\\d:.]+  ", "")))
        .containsSubsequence(
            "The JobMaster asked.",
            "The ResourceManager asked.",
            "Answer: It needs 8 slots and has 5.",
            "TaskManagers answered.");
  }

  @Test
  @Behaviour("I2: timeline shows the life of a job from client to end")
  void drawsTheStepsOfAJob() {
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        """
        {"jid":"%s","name":"words","state":"RUNNING","now":5000,"dropped-events":0,
         "notes":["The history begins\\u0007 late."],"steps":[
         {"round":0,"step":"Store and accept","process":"jobmanager","start-time":1000,"end-time":1100},
         {"round":0,"step":"Grant slots","process":"a-taskmanager-with-a-long-name\\u001b[2J",
          "start-time":1100,"end-time":1200,"count":4},
         {"round":0,"step":"Run","process":"taskmanagers","start-time":1200,"end-time":-1}]}
        """
            .formatted(JOB));

    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);

    assertThat(cli.out().lines())
        .hasSize(6)
        .contains("The history begins late.")
        .allMatch(line -> line.length() <= 100)
        .anyMatch(line -> line.matches("Store and accept +jobmanager +\\+0 ms +100 ms \\|#+ +\\|"))
        .anyMatch(
            line -> line.matches("Grant slots \\(4\\) +a-taskm\\S+ +\\+100 ms +100 ms \\| +#+\\|"))
        .anyMatch(line -> line.matches("Run +taskmanagers +\\+200 ms +3.80 s.. \\| +>\\|"));
    assertThat(cli.out()).doesNotContain("\u001b");
  }

  @Test
  void leavesOutStartsInBetween() {
    StringBuilder steps = new StringBuilder();
    for (int round = 0; round < 100; round++) {
      steps
          .append(round == 0 ? "" : ",")
          .append(
              "{\"round\":%d,\"step\":\"Restart %d\",\"process\":\"jobmanager\",\"start-time\":%d,\"end-time\":%d}"
                  .formatted(round, round, round * 1000L, round * 1000L + 5));
    }
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        "{\"jid\":\"%s\",\"name\":\"x\",\"state\":\"RUNNING\",\"now\":1,\"dropped-events\":7,\"steps\":[%s]}"
            .formatted(JOB, steps));
    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .hasSizeLessThanOrEqualTo(40)
        .anyMatch(line -> line.startsWith("Restart 0 "))
        .anyMatch(
            line ->
                line.matches("\\.\\.\\. \\d+ starts in between are not shown; --json has them\\."))
        .anyMatch(line -> line.startsWith("Restart 99 "))
        .contains("The journal has dropped 7 older events of the job.");
  }

  @Test
  void printsTheJsonOfRest() {
    server.answer("GET /jobs/" + JOB + "/timeline", "{\"jid\":\"" + JOB + "\"}");
    assertThat(call("timeline", "--json", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().replaceAll("\\s", "")).isEqualTo("{\"jid\":\"" + JOB + "\"}");
  }

  @Test
  void unknownJobIsAnErrorThatNamesIt() {
    for (String command : new String[] {"explain", "timeline"}) {
      assertThat(call(command, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).contains("knows no job " + JOB).contains("millrace list -a");
      assertThat(cli.err().lines()).hasSize(1);
      assertThat(call(command, "x")).isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).contains("'x' is not a job id");
      assertThat(call(command)).isEqualTo(ExitCodes.USAGE);
    }
  }

  @Test
  void explanationHasTheWidthOfTheTerminal() {
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        """
        {"jid":"%s","name":"words","state":"CREATED","since":1000,
         "summary":"The job waits for 3 of 8 slots, and no TaskManager has registered so far.",
         "causes":[{"time":2000,"who":"jobmaster","sentence":"%s"}]}
        """
            .formatted(JOB, "word ".repeat(30).strip()));
    cli.with("COLUMNS", "60");
    assertThat(call("explain", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .allMatch(line -> line.length() <= 60)
        .contains("The job waits for 3 of 8 slots, and no TaskManager has")
        .contains("registered so far.")
        .contains("What happened:")
        .anyMatch(line -> line.startsWith(" ".repeat(16) + "word word"));
  }

  @Test
  void explanationOfAnEndedJobNamesWhereItsTasksWere() {
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        """
        {"jid":"%s","name":"words","state":"FINISHED","since":-1,"summary":"The job has finished.",
         "places":[{"taskmanager":"w1","granted":-1,"sentence":"TaskManager w1: 2 slots."}]}
        """
            .formatted(JOB));
    assertThat(call("explain", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .containsExactly(
            "Job " + JOB + " 'words' is FINISHED.",
            "The job has finished.",
            "",
            "Where its tasks were:",
            " ".repeat(16) + "TaskManager w1: 2 slots.");
  }

  @Test
  void explanationNamesTheProfileOfMissingSlotsAndAllFixes() {
    server.answer(
        "GET /jobs/" + JOB + "/explain",
        """
        {"jid":"%s","name":"words","state":"CREATED","since":-1,"summary":"It waits.",
         "unmet":[{"profile":"1 cpu, 2 gb","required":4,"missing":4,"answered":-1,
           "answer":"No TaskManager has registered.","fixes":["Start one.","Lower the profile."]}]}
        """
            .formatted(JOB));
    assertThat(call("explain", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .containsSubsequence(
            "Waits for 4 of 4 slots of 1 cpu, 2 gb:",
            " ".repeat(16) + "Answer: No TaskManager has registered.",
            "  Would help:   Start one.",
            " ".repeat(16) + "Lower the profile.");
  }

  @Test
  @Behaviour("I2: timeline shows the life of a job from client to end")
  void durationsOfTheTimelineHaveReadableUnits() {
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        """
        {"jid":"%s","name":"words","state":"FINISHED","now":0,"dropped-events":0,"steps":[
         {"round":0,"step":"Instant","process":"p","start-time":0,"end-time":0},
         {"round":0,"step":"Millis","process":"p","start-time":0,"end-time":999},
         {"round":0,"step":"Seconds","process":"p","start-time":0,"end-time":99990},
         {"round":0,"step":"Minutes","process":"p","start-time":0,"end-time":120000},
         {"round":0,"step":"Hours","process":"p","start-time":0,"end-time":36000000}]}
        """
            .formatted(JOB));
    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines().map(line -> line.replaceAll(" +", " ")))
        .anyMatch(line -> line.startsWith("Instant p +0 ms 0 ms |'"))
        .anyMatch(line -> line.startsWith("Millis p +0 ms 999 ms |#"))
        .anyMatch(line -> line.startsWith("Seconds p +0 ms 99.99 s |#"))
        .anyMatch(line -> line.startsWith("Minutes p +0 ms 2.0 min |#"))
        .anyMatch(line -> line.startsWith("Hours p +0 ms 10.0 h |#"));
  }

  @Test
  void barOfALongRunIsCutSoThatTheStartStaysVisible() {
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        """
        {"jid":"%s","name":"words","state":"FINISHED","now":0,"dropped-events":0,"steps":[
         {"round":0,"step":"Deploy","process":"p","start-time":0,"end-time":100},
         {"round":0,"step":"Run","process":"p","start-time":100,"end-time":3600000}]}
        """
            .formatted(JOB));
    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .anyMatch(line -> line.matches("Deploy .* 100 ms \\|#+\\|"))
        .anyMatch(line -> line.matches("Run .* 60.0 min \\| *>\\|"));
  }

  @Test
  void timelineOfAJobWithoutEventsIsOneSentence() {
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        "{\"jid\":\"" + JOB + "\",\"name\":\"words\",\"state\":\"FINISHED\",\"steps\":[]}");
    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .containsExactly(
            "Job " + JOB + " 'words' is FINISHED.",
            "The cluster no longer has events of this job.");
  }

  @Test
  void barsKeepAMinimumWidthOnANarrowTerminal() {
    server.answer(
        "GET /jobs/" + JOB + "/timeline",
        """
        {"jid":"%s","name":"words","state":"FINISHED","now":0,"dropped-events":0,"steps":[
         {"round":0,"step":"Store","process":"jobmanager","start-time":0,"end-time":10}]}
        """
            .formatted(JOB));
    cli.with("COLUMNS", "40");
    assertThat(call("timeline", JOB)).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("|########|");
  }

  @Test
  void refusalOfTheServerIsOneLine() {
    for (String command : new String[] {"explain", "timeline"}) {
      server.answer(
          "GET /jobs/" + JOB + "/" + command, 401, "{\"errors\":[\"Present the token.\"]}");
      assertThat(call(command, JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: Present the token.\n");
      assertThat(call(command, "--json", JOB)).isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err()).isEqualTo("millrace: Present the token.\n");
    }
  }

  @Test
  void jsonOfAnUnknownJobIsAnError() {
    assertThat(call("explain", "--json", JOB)).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("knows no job " + JOB);
    assertThat(cli.out()).isEmpty();
  }
}

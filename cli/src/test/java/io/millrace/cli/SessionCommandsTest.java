package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.common.ExitCodes;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Options of the session commands; {@link FakeResourceManager} has the sessions. */
@ResourceLock("ProgramContext")
class SessionCommandsTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void attachedStartWaitsForTheEndOfTheSession() {
    assertThat(cli.call("session", "start")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out())
        .isEqualTo("Session " + FakeResourceManager.SESSION + " runs at http://127.0.0.1:1\n");
    assertThat(cli.err())
        .isEqualTo("The session " + FakeResourceManager.SESSION + " has ended (SUCCEEDED)\n");
  }

  @Test
  void detachedStartPrintsTheCommandThatStopsTheSession() {
    for (String[] arguments :
        new String[][] {
          {"session", "start", "-d"},
          {"session", "start", "--detached"},
          {"session", "start", "-D", "execution.attached=false"}
        }) {
      assertThat(cli.call(arguments)).isEqualTo(ExitCodes.OK);
      assertThat(cli.err())
          .isEqualTo("Stop it with: millrace session stop " + FakeResourceManager.SESSION + "\n");
    }
  }

  @Test
  void overridesWinOverTheOptionsOfAStyle() {
    assertThat(
            cli.call(
                "session",
                "start",
                "-d",
                "-rD",
                "parallelism.default=2",
                "-D",
                "parallelism.default=5"))
        .isEqualTo(ExitCodes.OK);
    assertThat(FakeResourceManager.asked().get(CoreOptions.DEFAULT_PARALLELISM)).isEqualTo(5);
  }

  @Test
  void targetMayBeConfigured() {
    assertThat(cli.call("session", "list", "-D", "execution.target=rack-session"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.call("session", "list", "-D", "execution.target=local"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .isEqualTo(
            "millrace: There are no sessions on target 'local'. Choose one of: rack-session.\n");
    assertThat(cli.call("session", "list", "-t", "rack-session", "-D", "execution.target=local"))
        .as("-t wins")
        .isEqualTo(ExitCodes.OK);
  }

  @Test
  void warningsOfAStyleArePrinted() {
    assertThat(cli.call("session", "start", "-d", "-rn", "3")).isEqualTo(ExitCodes.OK);
    assertThat(cli.err()).startsWith("-rn is ignored.\n");
  }

  @Test
  void listHasColumns() {
    assertThat(cli.call("session", "list")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out().lines())
        .hasSize(2)
        .first()
        .asString()
        .matches("ID +USER +STATE +STARTED +QUEUE +NAME");
    assertThat(cli.out().lines())
        .last()
        .asString()
        .matches(FakeResourceManager.SESSION + " +miller +RUNNING +19\\d\\d-.* +default +mine");
  }

  @Test
  void listHasSessionsOfOtherUsersOnRequest() {
    assertThat(cli.call("session", "list")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).doesNotContain(FakeResourceManager.DEAF_SESSION);
    assertThat(cli.call("session", "list", "--all")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out())
        .contains(FakeResourceManager.SESSION)
        .contains(FakeResourceManager.DEAF_SESSION);
  }

  /** The tests have no terminal at which a user could agree. */
  @Test
  @Behaviour("A2: a session that does not answer is killed only with the consent of its user")
  void deafSessionIsKilledByForceOnly() {
    assertThat(cli.call("session", "stop", FakeResourceManager.DEAF_SESSION))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).isEqualTo("millrace: It was not stopped.\n");
    assertThat(cli.call("session", "stop", "--force", FakeResourceManager.DEAF_SESSION))
        .isEqualTo(ExitCodes.OK);
  }

  @Test
  void sessionThatIsGivenTwiceIsRefused() {
    for (String command : new String[] {"attach", "stop"}) {
      assertThat(cli.call("session", command, "application_1_1", "-rid", "application_2_2"))
          .as(command)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .isEqualTo(
              "millrace: The session is given twice: application_1_1 and application_2_2. Omit one"
                  + " of them.\n");
    }
  }

  @Test
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  void sessionMayBeNamedByParameterOptionOrNotAtAll() {
    assertThat(cli.call("session", "stop", "application_1_1")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Session application_1_1 has ended (SUCCEEDED)\n");
    assertThat(cli.call("session", "stop", "-rid", "application_2_2")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Session application_2_2 has ended (SUCCEEDED)\n");
    assertThat(cli.call("session", "stop", "-D", "rack.application.id=application_3_3"))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo("Session application_3_3 has ended (SUCCEEDED)\n");
    assertThat(cli.call("session", "attach")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains(FakeResourceManager.SESSION);
  }

  @Test
  void moreThanOneSessionIsRefused() {
    assertThat(cli.call("session", "stop", "application_1_1", "application_2_2"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("application_2_2").contains("millrace session stop --help");
  }

  @Test
  void optionsOfAnotherSubcommandAreRefused() {
    assertThat(cli.call("session", "stop", "-d")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.call("session", "list", "-rid", "application_1_1")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.call("session", "attach", "-rs", "3")).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownKeyIsRefusedByAllSubcommands() {
    for (String command : new String[] {"start", "attach", "list", "stop"}) {
      assertThat(cli.call("session", command, "-D", "rest.prot=1"))
          .as(command)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err())
          .isEqualTo("millrace: Unknown option 'rest.prot'. Did you mean 'rest.port'?\n");
    }
  }

  @Test
  void shutdownOnExitIsAccepted() {
    assertThat(cli.call("session", "start", "-sae")).isEqualTo(ExitCodes.OK);
    assertThat(cli.call("session", "start", "--shutdownOnAttachedExit")).isEqualTo(ExitCodes.OK);
    assertThat(FakeResourceManager.asked().contains(DeploymentOptions.SHUTDOWN_IF_ATTACHED))
        .as("only the command reads it")
        .isFalse();
  }
}

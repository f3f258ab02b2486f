package io.millrace.cli.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.ClusterAddress;
import io.millrace.client.HostPort;
import io.millrace.client.Progress;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionMonitorTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;
  private final Deque<Supplier<Optional<Outcome>>> answers = new ArrayDeque<>();

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
  }

  @ParameterizedTest
  @Behaviour("A2: session starts, lists, attaches to and stops a session cluster")
  @CsvSource({"SUCCEEDED,0", "CANCELED,0", "FAILED,3", "UNKNOWN,3"})
  void exitCodeFollowsFromTheEndOfTheSession(ApplicationStatus status, int code) {
    answers.add(() -> Optional.of(new Outcome(status, "")));
    assertThat(follow()).isEqualTo(code);
    assertThat(cli.err())
        .isEqualTo(
            (code == ExitCodes.OK ? "" : "millrace: ")
                + "The session s7 has ended ("
                + status
                + ")\n");
  }

  @Test
  void causeOfAFailureIsOneLine() {
    answers.add(() -> Optional.of(new Outcome(ApplicationStatus.FAILED, "out of\nmemory")));
    assertThat(follow()).isEqualTo(ExitCodes.JOB_FAILED);
    assertThat(cli.err()).isEqualTo("millrace: The session s7 has ended (FAILED): out of memory\n");
  }

  @Test
  void unreachableResourceManagerDoesNotEndTheWait() {
    answers.add(
        () -> {
          throw new UnreachableException("The ResourceManager restarts.", null);
        });
    answers.add(() -> Optional.of(new Outcome(ApplicationStatus.SUCCEEDED, "")));
    assertThat(follow()).isEqualTo(ExitCodes.OK);
    assertThat(answers).isEmpty();
  }

  @Test
  void otherErrorEndsTheWait() {
    answers.add(
        () -> {
          throw new MillraceException(ErrorKind.EXTERNAL, "The session is unknown.");
        });
    assertThatThrownBy(this::follow).hasMessage("The session is unknown.");
  }

  @Test
  void interruptedWaitEndsWithAnErrorAndKeepsTheInterrupt() {
    answers.add(
        () -> {
          Thread.currentThread().interrupt();
          return Optional.empty();
        });
    try {
      assertThatThrownBy(this::follow)
          .isInstanceOf(MillraceException.class)
          .hasMessage(
              "The wait for the end of the session was interrupted. The session continues.");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private int follow() {
    return new SessionMonitor(cli.console(), new FakeSession(), false).follow();
  }

  private final class FakeSession implements Session {
    @Override
    public Info info() {
      return new Info("s7", "mine", "miller", "RUNNING", "default", 0);
    }

    @Override
    public ClusterAddress address() {
      return ClusterAddress.plain(new HostPort("127.0.0.1", 1));
    }

    @Override
    public Optional<Outcome> ended() {
      return answers.remove().get();
    }

    @Override
    public Outcome stop(Progress progress, Predicate<String> mayKill) {
      return new Outcome(ApplicationStatus.CANCELED, "");
    }
  }
}

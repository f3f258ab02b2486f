package io.millrace.rpc.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Address;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The endpoint does not answer, fails, refuses, rejects or accepts, as the test sets. */
final class RetryingRegistrationTest {
  private static final RegistrationSettings SETTINGS =
      new RegistrationSettings(
          Duration.ofMillis(100),
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30));

  private final ManualEnv env = new ManualEnv();
  private final Rpc rpc = new Rpc(env, new InProcessNetwork().join("here"), Duration.ofSeconds(10));
  private final Mailbox mailbox = env.mailbox("registering");
  private final Registry registry = new Registry(rpc);
  private final List<Welcome> accepted = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final List<String> rejected = new ArrayList<>();
  private final RetryingRegistration<Welcome, String> registration =
      new RetryingRegistration<>(
          mailbox,
          SETTINGS,
          "test at registry",
          this::attempt,
          new RetryingRegistration.RegistrationCallbacks<>(
              success -> {
                mailbox.checkInside();
                accepted.add(success);
              },
              refused::add,
              rejected::add));

  record Register() {}

  record Reply(RegistrationStatus verdict, Optional<String> reason, Optional<Welcome> success)
      implements RegistrationReply<Welcome, String> {}

  record Welcome(int number) {}

  interface RegistryGateway extends Gateway {
    CompletableFuture<Reply> register(Register request);
  }

  private enum Mode {
    NO_ANSWER,
    FAILING,
    REFUSING,
    REJECTING,
    ACCEPTING
  }

  private static final class Registry extends Endpoint implements RegistryGateway {
    private final List<Long> askedAtMillis = new ArrayList<>();
    private final List<CompletableFuture<Reply>> unanswered = new ArrayList<>();
    private Mode mode = Mode.NO_ANSWER;

    Registry(Rpc rpc) {
      super(rpc, "registry", Optional.empty());
      start();
    }

    @Override
    public CompletableFuture<Reply> register(Register request) {
      askedAtMillis.add(env.wallMillis());
      return switch (mode) {
        case NO_ANSWER -> {
          CompletableFuture<Reply> never = new CompletableFuture<>();
          unanswered.add(never);
          yield never;
        }
        case FAILING -> throw new IllegalStateException("out of order");
        case REFUSING -> reply(RegistrationStatus.REFUSED);
        case REJECTING -> reply(RegistrationStatus.REJECTED);
        case ACCEPTING -> CompletableFuture.completedFuture(accepted(1));
      };
    }

    private static CompletableFuture<Reply> reply(RegistrationStatus verdict) {
      return CompletableFuture.completedFuture(
          new Reply(verdict, Optional.of("because"), Optional.empty()));
    }

    private static Reply accepted(int number) {
      return new Reply(
          RegistrationStatus.ACCEPTED, Optional.empty(), Optional.of(new Welcome(number)));
    }
  }

  private CompletableFuture<Answer<Welcome, String>> attempt(Duration timeout) {
    return rpc.gateway(
            RegistryGateway.class,
            new Address("here", "registry"),
            Optional.empty(),
            mailbox,
            timeout)
        .register(new Register())
        .thenApply(Answer::of);
  }

  /** The times of the attempts, relative to the first. */
  private List<Long> attempts() {
    return registry.askedAtMillis.stream().map(at -> at - registry.askedAtMillis.get(0)).toList();
  }

  private void start() {
    env.in(mailbox, registration::start);
  }

  @Test
  @Behaviour(
      "E2: an unanswered registration is repeated at once with twice the time-out, up to a limit")
  void repeatsUnansweredAttemptsAtOnceWithTwiceTheTimeoutUpToTheMaximum() {
    start();
    env.advance(Duration.ofMillis(4600));
    assertThat(attempts()).containsExactly(0L, 100L, 300L, 700L, 1500L, 2500L, 3500L, 4500L);
  }

  @Test
  @Behaviour("E2: an error and a refusal have distinct delays")
  void pausesAfterAnErrorAndRestartsWithTheInitialTimeout() {
    start();
    env.advance(Duration.ofMillis(350));
    registry.mode = Mode.FAILING;
    env.advance(Duration.ofMillis(350)); // the attempt at 700 ms fails
    registry.mode = Mode.NO_ANSWER;
    env.advance(Duration.ofMillis(10_150));
    assertThat(attempts()).containsExactly(0L, 100L, 300L, 700L, 10_700L, 10_800L);
  }

  @Test
  @Behaviour("E2: an error and a refusal have distinct delays")
  void pausesLongerAfterARefusal() {
    registry.mode = Mode.REFUSING;
    start();
    env.advance(Duration.ofSeconds(60));
    assertThat(attempts()).containsExactly(0L, 30_000L, 60_000L);
    assertThat(refused).containsExactly("because", "because", "because");
    assertThat(accepted).isEmpty();
    assertThat(rejected).isEmpty();
  }

  @Test
  void endsWhenAccepted() {
    registry.mode = Mode.ACCEPTING;
    start();
    env.advance(Duration.ofMinutes(10));
    assertThat(accepted).containsExactly(new Welcome(1));
    assertThat(attempts()).containsExactly(0L);
  }

  @Test
  void endsWhenRejected() {
    registry.mode = Mode.REJECTING;
    start();
    env.advance(Duration.ofMinutes(10));
    assertThat(rejected).containsExactly("because");
    assertThat(attempts()).containsExactly(0L);
  }

  @Test
  void makesNoAttemptAfterCancel() {
    start();
    env.advance(Duration.ofMillis(150));
    env.in(mailbox, registration::cancel);
    registry.unanswered.forEach(late -> late.complete(Registry.accepted(2)));
    env.advance(Duration.ofMinutes(10));
    assertThat(attempts()).containsExactly(0L, 100L);
    assertThat(accepted).isEmpty();
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void makesNoAttemptWhenCancelledDuringAPause() {
    registry.mode = Mode.REFUSING;
    start();
    env.in(mailbox, registration::cancel);
    env.advance(Duration.ofMinutes(10));
    assertThat(attempts()).containsExactly(0L);
  }

  @Test
  @Behaviour("E2: registration and heartbeats have the documented defaults")
  void hasTheDocumentedDefaults() {
    assertThat(RegistrationSettings.from(Configuration.EMPTY))
        .isEqualTo(
            new RegistrationSettings(
                Duration.ofMillis(100),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30)));
  }
}

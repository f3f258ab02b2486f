package io.millrace.rpc.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.rpc.Address;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares a {@link LeaderConnection} with the table of transitions in its description, event by
 * event, for random sequences of events. A failure shows the seed and the events.
 */
final class RandomRegistrationsTest {
  private static final int EVENTS = 400;
  private static final long HEARTBEAT_TIMEOUT = 5_000;
  private static final long INITIAL_TIMEOUT = 100;
  private static final long MAX_TIMEOUT = 30_000;
  private static final long ERROR_DELAY = 10_000;
  private static final long REFUSED_DELAY = 30_000;

  record Accepted(int number) {}

  record Question() {}

  interface UnansweredGateway extends Gateway {
    CompletableFuture<Accepted> ask(Question question);
  }

  private static final class Unanswered extends Endpoint implements UnansweredGateway {
    Unanswered(Rpc rpc) {
      super(rpc, "unanswered", Optional.empty());
    }

    @Override
    public CompletableFuture<Accepted> ask(Question question) {
      return new CompletableFuture<>();
    }
  }

  /** The failure of a call that is not answered in time. */
  private static RpcException noAnswer() {
    ManualEnv env = new ManualEnv();
    Rpc rpc = new Rpc(env, new InProcessNetwork().join("here"), Duration.ofMillis(1));
    Unanswered endpoint = new Unanswered(rpc);
    endpoint.start();
    CompletableFuture<Accepted> call =
        rpc.gateway(
                UnansweredGateway.class,
                endpoint.address(),
                Optional.empty(),
                env.mailbox("caller"))
            .ask(new Question());
    env.advance(Duration.ofMillis(2));
    return (RpcException) call.handle((answer, failure) -> failure).join();
  }

  /** The connection under test, with everything that it calls. */
  private static final class Subject implements LeaderConnection.Follower<Accepted, String> {
    private final ManualEnv env = new ManualEnv();
    private final InProcessNetwork network = new InProcessNetwork();
    private final Rpc rpc = new Rpc(env, network.join("here"), Duration.ofSeconds(10));
    private final Mailbox mailbox = env.mailbox("follower");
    private final List<String> calls = new ArrayList<>();
    private final List<CompletableFuture<Answer<Accepted, String>>> attempts = new ArrayList<>();
    private Consumer<Optional<Leader>> election = leader -> {};
    private final LeaderConnection<Accepted, String> connection =
        new LeaderConnection<>(
            rpc,
            mailbox,
            new Configuration(
                Map.of(
                    "heartbeat.interval",
                    "1 s",
                    "heartbeat.timeout",
                    HEARTBEAT_TIMEOUT + " ms",
                    "cluster.registration.initial-timeout",
                    INITIAL_TIMEOUT + " ms",
                    "cluster.registration.max-timeout",
                    MAX_TIMEOUT + " ms",
                    "cluster.registration.error-delay",
                    ERROR_DELAY + " ms",
                    "cluster.registration.refused-registration-delay",
                    REFUSED_DELAY + " ms")),
            "Test at",
            this);

    void start() {
      env.in(
          mailbox,
          () ->
              connection.start(
                  listener -> {
                    election = listener;
                    return () -> election = ignored -> {};
                  }));
    }

    @Override
    public CompletableFuture<Answer<Accepted, String>> register(LeaderConnection.Attempt attempt) {
      calls.add("register " + name(attempt.leader()) + " " + attempt.timeout().toMillis());
      attempts.add(new CompletableFuture<>());
      return attempts.get(attempts.size() - 1);
    }

    @Override
    public void connected(Leader leader, Accepted success) {
      calls.add("connected " + name(leader) + " " + success.number());
    }

    @Override
    public void disconnected(Leader leader, ConnectionLoss loss) {
      calls.add("disconnected " + name(leader) + " " + loss.getClass().getSimpleName());
    }

    @Override
    public void refused(Leader leader, String reason) {
      calls.add("refused " + name(leader) + " " + reason);
    }

    @Override
    public void rejected(Leader leader, String reason) {
      calls.add("rejected " + name(leader) + " " + reason);
    }

    @Override
    public void leaderFound(Leader leader) {
      calls.add("found " + name(leader));
    }

    private static String name(Leader leader) {
      return leader.address().process();
    }
  }

  private enum State {
    NO_LEADER,
    /** An attempt has no answer yet. */
    ASKED,
    /** The next attempt follows after a delay. */
    PAUSED,
    CONNECTED,
    REJECTED,
    DISCONNECTED,
    CLOSED
  }

  /** The table of transitions, written down a second time. */
  private static final class Model {
    private final List<String> calls = new ArrayList<>();
    private State state = State.NO_LEADER;
    private Optional<Leader> leader = Optional.empty();
    private int attempts;
    private long timeout;
    private long retryAt;
    private long retryTimeout;
    private long heardAt;

    private String name() {
      return Subject.name(leader.orElseThrow());
    }

    void elect(Optional<Leader> now) {
      if (state == State.CLOSED || now.equals(leader)) {
        return;
      }
      if (state == State.CONNECTED) {
        calls.add(
            "disconnected " + name() + " " + (now.isPresent() ? "LeaderChanged" : "NoLeader"));
      }
      leader = now;
      state = State.NO_LEADER;
      if (now.isPresent()) {
        calls.add("found " + name());
        register(INITIAL_TIMEOUT);
      }
    }

    private void register(long within) {
      state = State.ASKED;
      timeout = within;
      attempts++;
      calls.add("register " + name() + " " + within);
    }

    void accept(int number, long now) {
      state = State.CONNECTED;
      heardAt = now;
      calls.add("connected " + name() + " " + number);
    }

    void refuse(long now) {
      calls.add("refused " + name() + " busy");
      pause(now + REFUSED_DELAY, timeout);
    }

    void reject() {
      state = State.REJECTED;
      calls.add("rejected " + name() + " unknown");
    }

    void fail(long now) {
      pause(now + ERROR_DELAY, INITIAL_TIMEOUT);
    }

    void timeOut() {
      register(Math.min(2 * timeout, MAX_TIMEOUT));
    }

    private void pause(long until, long nextTimeout) {
      state = State.PAUSED;
      retryAt = until;
      retryTimeout = nextTimeout;
    }

    void breakConnection(String process) {
      if (state == State.CONNECTED && name().equals(process)) {
        calls.add("disconnected " + name() + " ConnectionBroken");
        register(INITIAL_TIMEOUT);
      }
    }

    void reconnect() {
      if (leader.isPresent()) {
        register(INITIAL_TIMEOUT);
      }
    }

    void disconnect() {
      state = leader.isPresent() ? State.DISCONNECTED : State.NO_LEADER;
    }

    void close() {
      state = State.CLOSED;
      leader = Optional.empty();
    }

    void pass(long now) {
      if (state == State.PAUSED && retryAt <= now) {
        register(retryTimeout);
      } else if (state == State.CONNECTED && heardAt + HEARTBEAT_TIMEOUT <= now) {
        calls.add("disconnected " + name() + " HeartbeatTimeout");
        register(INITIAL_TIMEOUT);
      }
    }
  }

  private static Leader leader(int number) {
    return new Leader(
        new Address("process-" + number % 2, "component"),
        new LeaderToken(number, new Id128(0, number)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void behavesAsTheTableOfTransitionsSays(long seed) {
    Random random = new Random(seed);
    Subject subject = new Subject();
    Model model = new Model();
    List<String> events = new ArrayList<>();
    subject.start();
    for (int i = 0; i < EVENTS; i++) {
      events.add(next(random, subject, model));
      assertThat(subject.calls).as("seed %d: %s", seed, events).isEqualTo(model.calls);
      assertThat(subject.attempts).as("seed %d: %s", seed, events).hasSize(model.attempts);
      assertThat(subject.connection.connected())
          .as("seed %d: %s", seed, events)
          .isEqualTo(model.state == State.CONNECTED ? model.leader : Optional.empty());
    }
    subject.env.in(subject.mailbox, subject.connection::close);
    model.close();
    for (int i = 0; i < 50; i++) {
      events.add(next(random, subject, model));
    }
    assertThat(subject.calls).as("seed %d, closed: %s", seed, events).isEqualTo(model.calls);
  }

  private static String next(Random random, Subject subject, Model model) {
    int kind = random.nextInt(100);
    if (kind < 12) {
      Optional<Leader> now =
          random.nextInt(4) == 0 ? Optional.empty() : Optional.of(leader(random.nextInt(3)));
      subject.env.in(subject.mailbox, () -> subject.election.accept(now));
      model.elect(now);
      return "elect " + now.map(Leader::token);
    } else if (kind < 50) {
      return answer(random, subject, model);
    } else if (kind < 58) {
      return lateAnswer(random, subject, model);
    } else if (kind < 63) {
      String process = "process-" + random.nextInt(2);
      subject.network.join(process).close();
      subject.env.settle();
      model.breakConnection(process);
      return "break " + process;
    } else if (kind < 66) {
      subject.env.in(subject.mailbox, subject.connection::reconnect);
      model.reconnect();
      return "reconnect";
    } else if (kind < 68) {
      subject.env.in(subject.mailbox, subject.connection::disconnect);
      if (model.state != State.CLOSED) {
        model.disconnect();
      }
      return "disconnect";
    } else if (kind < 80) {
      subject.env.in(subject.mailbox, subject.connection::heard);
      model.heardAt = millis(subject);
      return "heard";
    } else {
      // Not above the shortest delay, so that at most one thing becomes due.
      Duration time = Duration.ofMillis(random.nextInt(1, 4_900));
      subject.env.advance(time);
      model.pass(millis(subject));
      return "pass " + time.toMillis();
    }
  }

  private static String answer(Random random, Subject subject, Model model) {
    if (model.state != State.ASKED) {
      return "nothing";
    }
    CompletableFuture<Answer<Accepted, String>> attempt =
        subject.attempts.get(subject.attempts.size() - 1);
    switch (random.nextInt(5)) {
      case 0 -> {
        int number = random.nextInt(100);
        complete(subject, attempt, new Answer.Accepted<>(new Accepted(number)));
        model.accept(number, millis(subject));
        return "accept";
      }
      case 1 -> {
        complete(subject, attempt, new Answer.Refused<>("busy"));
        model.refuse(millis(subject));
        return "refuse";
      }
      case 2 -> {
        complete(subject, attempt, new Answer.Rejected<>("unknown"));
        model.reject();
        return "reject";
      }
      case 3 -> {
        fail(subject, attempt, new IllegalStateException("no route"));
        model.fail(millis(subject));
        return "fail";
      }
      default -> {
        fail(subject, attempt, noAnswer());
        model.timeOut();
        return "time out";
      }
    }
  }

  /** An answer to an attempt that is no longer current, which has no effect. */
  private static String lateAnswer(Random random, Subject subject, Model model) {
    int end = model.state == State.ASKED ? subject.attempts.size() - 1 : subject.attempts.size();
    if (end == 0) {
      return "nothing";
    }
    CompletableFuture<Answer<Accepted, String>> late = subject.attempts.get(random.nextInt(end));
    if (random.nextBoolean()) {
      complete(subject, late, new Answer.Accepted<>(new Accepted(-1)));
    } else {
      fail(subject, late, noAnswer());
    }
    return "late answer";
  }

  private static void complete(
      Subject subject,
      CompletableFuture<Answer<Accepted, String>> attempt,
      Answer<Accepted, String> answer) {
    subject.env.in(subject.mailbox, () -> attempt.complete(answer));
  }

  private static void fail(
      Subject subject,
      CompletableFuture<Answer<Accepted, String>> attempt,
      RuntimeException failure) {
    subject.env.in(subject.mailbox, () -> attempt.completeExceptionally(failure));
  }

  private static long millis(Subject subject) {
    return subject.env.nanos() / 1_000_000;
  }
}

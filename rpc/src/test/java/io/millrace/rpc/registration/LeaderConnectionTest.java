package io.millrace.rpc.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The test elects the leader and answers the attempts of the follower. */
final class LeaderConnectionTest {
  private static final Leader FIRST = leader("first", 1);
  private static final Leader SECOND = leader("second", 2);

  private final ManualEnv env = new ManualEnv();
  private final Rpc rpc = new Rpc(env, new InProcessNetwork().join("here"), Duration.ofSeconds(10));
  private final Mailbox mailbox = env.mailbox("follower");
  private final RecordingFollower follower = new RecordingFollower();
  private final LeaderConnection<Accepted, String> connection =
      new LeaderConnection<>(
          rpc,
          mailbox,
          new Configuration(Map.of("heartbeat.interval", "1 s", "heartbeat.timeout", "5 s")),
          "Test at",
          follower);
  private Consumer<Optional<Leader>> election = leader -> {};

  record Accepted(int number) {}

  private static final class RecordingFollower
      implements LeaderConnection.Follower<Accepted, String> {
    private final List<String> calls = new ArrayList<>();
    private final List<LeaderConnection.Attempt> attempts = new ArrayList<>();
    private final List<CompletableFuture<Answer<Accepted, String>>> answers = new ArrayList<>();
    private Runnable whenDisconnected = () -> {};
    private Runnable whenRefused = () -> {};

    @Override
    public CompletableFuture<Answer<Accepted, String>> register(LeaderConnection.Attempt attempt) {
      attempts.add(attempt);
      answers.add(new CompletableFuture<>());
      return answers.get(answers.size() - 1);
    }

    @Override
    public void connected(Leader leader, Accepted success) {
      calls.add("connected " + name(leader) + " " + success.number());
    }

    @Override
    public void disconnected(Leader leader, ConnectionLoss loss) {
      calls.add("disconnected " + name(leader) + " " + loss.getClass().getSimpleName());
      whenDisconnected.run();
    }

    @Override
    public void refused(Leader leader, String reason) {
      calls.add("refused " + name(leader) + " " + reason);
      whenRefused.run();
    }

    @Override
    public void rejected(Leader leader, String reason) {
      calls.add("rejected " + name(leader) + " " + reason);
    }

    @Override
    public void leaderFound(Leader leader) {
      calls.add("leader " + name(leader));
    }

    private static String name(Leader leader) {
      return leader.address().process();
    }
  }

  private static Leader leader(String process, long term) {
    return new Leader(new Address(process, "component"), new LeaderToken(term, new Id128(0, term)));
  }

  private void start() {
    env.in(
        mailbox,
        () ->
            connection.start(
                listener -> {
                  election = listener;
                  return () -> election = ignored -> {};
                }));
  }

  private void elect(Leader leader) {
    env.in(mailbox, () -> election.accept(Optional.of(leader)));
  }

  private void loseLeader() {
    env.in(mailbox, () -> election.accept(Optional.empty()));
  }

  private void answer(int attempt, Answer<Accepted, String> answer) {
    env.in(mailbox, () -> follower.answers.get(attempt).complete(answer));
  }

  private void connect() {
    start();
    elect(FIRST);
    answer(0, new Answer.Accepted<>(new Accepted(1)));
    follower.calls.clear();
  }

  @Test
  void registersAtTheLeaderAndReportsTheConnection() {
    start();
    assertThat(follower.attempts).isEmpty();
    elect(FIRST);
    answer(0, new Answer.Accepted<>(new Accepted(7)));
    assertThat(follower.calls).containsExactly("leader first", "connected first 7");
    assertThat(connection.isConnectedTo(FIRST.token())).isTrue();
    assertThat(connection.isConnectedTo(SECOND.token())).isFalse();
  }

  @Test
  void sameLeaderAgainChangesNothing() {
    connect();
    elect(FIRST);
    assertThat(follower.calls).isEmpty();
    assertThat(follower.attempts).hasSize(1);
  }

  @Test
  void newLeaderEndsTheConnectionBeforeRegistrationBegins() {
    connect();
    elect(SECOND);
    assertThat(follower.calls).containsExactly("disconnected first LeaderChanged", "leader second");
    assertThat(follower.attempts.get(0).isCurrent()).isFalse();
    assertThat(follower.attempts.get(1).isCurrent()).isTrue();
    assertThat(connection.connected()).isEmpty();
    answer(1, new Answer.Accepted<>(new Accepted(2)));
    assertThat(connection.connected()).contains(SECOND);
  }

  @Test
  void waitsForTheNextLeader() {
    connect();
    loseLeader();
    assertThat(follower.calls).containsExactly("disconnected first NoLeader");
    assertThat(follower.attempts).hasSize(1);
    elect(FIRST);
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void lateAnswerOfAFormerLeaderIsIgnored() {
    start();
    elect(FIRST);
    elect(SECOND);
    answer(0, new Answer.Accepted<>(new Accepted(1)));
    assertThat(connection.connected()).isEmpty();
    assertThat(follower.calls).containsExactly("leader first", "leader second");
  }

  @Test
  void registersAgainAtLeaderThatSendsNoHeartbeats() {
    connect();
    env.advance(Duration.ofSeconds(4));
    env.in(mailbox, connection::heard);
    env.advance(Duration.ofSeconds(4));
    assertThat(follower.calls).isEmpty();
    env.advance(Duration.ofSeconds(2));
    assertThat(follower.calls).containsExactly("disconnected first HeartbeatTimeout");
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void noHeartbeatIsExpectedBeforeTheLeaderHasAccepted() {
    start();
    elect(FIRST);
    env.advance(Duration.ofMinutes(1));
    assertThat(follower.calls).containsExactly("leader first");
  }

  @Test
  void reconnectRegistersAgainWithoutACallback() {
    connect();
    env.in(mailbox, connection::reconnect);
    assertThat(follower.calls).isEmpty();
    assertThat(connection.connected()).isEmpty();
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void refusedFollowerRegistersAgainAtTheSameLeader() {
    start();
    elect(FIRST);
    answer(0, new Answer.Refused<>("busy"));
    assertThat(follower.calls).containsExactly("leader first", "refused first busy");
    env.advance(Duration.ofMinutes(5));
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void rejectedFollowerRegistersOnlyAtTheNextLeader() {
    start();
    elect(FIRST);
    answer(0, new Answer.Rejected<>("unknown"));
    env.advance(Duration.ofMinutes(5));
    assertThat(follower.calls).containsExactly("leader first", "rejected first unknown");
    assertThat(follower.attempts).hasSize(1);
    elect(SECOND);
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void disconnectedFollowerWaitsForAChangeOfTheLeader() {
    connect();
    env.in(mailbox, connection::disconnect);
    env.advance(Duration.ofMinutes(5));
    assertThat(follower.attempts).hasSize(1);
    elect(SECOND);
    assertThat(follower.attempts).hasSize(2);
  }

  @Test
  void closedConnectionDoesNothing() {
    connect();
    env.in(mailbox, connection::close);
    elect(SECOND);
    env.advance(Duration.ofMinutes(5));
    assertThat(follower.calls).isEmpty();
    assertThat(follower.attempts).hasSize(1);
  }

  /** An endpoint may stop because it has lost its leader. */
  @Test
  void followerThatClosesWhenItIsDisconnectedHearsOfNoNewLeader() {
    connect();
    follower.whenDisconnected = connection::close;
    elect(SECOND);
    env.advance(Duration.ofMinutes(5));

    assertThat(follower.calls).containsExactly("disconnected first LeaderChanged");
    assertThat(follower.attempts).hasSize(1);
  }

  @Test
  void followerThatClosesWhenItIsRefusedMakesNoFurtherAttempt() {
    start();
    elect(FIRST);
    follower.whenRefused = connection::close;
    answer(0, new Answer.Refused<>("busy"));
    env.advance(Duration.ofMinutes(5));

    assertThat(follower.calls).containsExactly("leader first", "refused first busy");
    assertThat(follower.attempts).hasSize(1);
  }

  @Test
  void attemptIsCurrentUntilItsConnectionEnds() {
    connect();
    LeaderConnection.Attempt attempt = follower.attempts.get(0);
    assertThat(attempt.isCurrent()).isTrue();
    assertThat(attempt.leader()).isEqualTo(FIRST);

    loseLeader();
    assertThat(attempt.isCurrent()).isFalse();
  }
}

package io.millrace.rpc.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.manual.ManualEnv;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LeadershipTest {
  private static final String NAME = "resourcemanager";

  private final ManualEnv env = new ManualEnv();
  private final EmbeddedLeaderElection leadership = new EmbeddedLeaderElection(env);
  private final Mailbox mailbox = env.mailbox("follower");

  /** A contender that records its tokens. */
  private final class Candidate implements LeaderElection.Contender {
    private final Mailbox own = env.mailbox("candidate");
    private final List<LeaderToken> tokens = new ArrayList<>();
    private final LeaderElection.Candidacy candidacy = leadership.contend(NAME, own, this);

    @Override
    public void granted(LeaderToken token) {
      own.checkInside();
      tokens.add(token);
    }

    @Override
    public void revoked() {
      throw new AssertionError("Local leadership is never revoked");
    }

    private LeaderToken token() {
      return tokens.get(tokens.size() - 1);
    }

    private Leader confirm(String process) {
      Leader leader = new Leader(new Address(process, NAME), token());
      candidacy.confirm(leader.token(), leader.address());
      return leader;
    }
  }

  private Subscription follow(LeaderRetrieval leaders, List<Optional<Leader>> notified) {
    Subscription following =
        leaders.follow(
            NAME,
            mailbox,
            leader -> {
              mailbox.checkInside();
              notified.add(leader);
            });
    env.settle();
    return following;
  }

  @Test
  @Behaviour("G1: a follower hears of a leader when the leader is confirmed, and of each change")
  void nextLeaderHasAHigherTerm() {
    Candidate first = new Candidate();
    Candidate second = new Candidate();
    env.settle();
    assertThat(first.tokens).hasSize(1);
    assertThat(second.tokens).isEmpty();
    assertThat(first.candidacy.leads(first.token())).isTrue();

    first.candidacy.withdraw();
    env.settle();

    assertThat(second.tokens).hasSize(1);
    assertThat(second.token().term()).isGreaterThan(first.token().term());
    assertThat(second.token().session()).isNotEqualTo(first.token().session());
    assertThat(first.candidacy.leads(first.token())).isFalse();
  }

  @Test
  void withdrawnContenderGetsNoQueuedGrant() {
    Candidate candidate = new Candidate();
    candidate.candidacy.withdraw();
    env.settle();
    assertThat(candidate.tokens).isEmpty();
  }

  @Test
  @Behaviour(
      "G1: terms grow from process to process, and each JobManager start has a new session id")
  void termsGrowAcrossRestarts() {
    Candidate first = new Candidate();
    env.settle();
    env.advance(Duration.ofSeconds(1));
    List<LeaderToken> later = new ArrayList<>();
    new EmbeddedLeaderElection(env)
        .contend(
            NAME,
            mailbox,
            new LeaderElection.Contender() {
              @Override
              public void granted(LeaderToken token) {
                later.add(token);
              }

              @Override
              public void revoked() {}
            });
    env.settle();
    assertThat(later.get(0).term()).isGreaterThan(first.token().term());
  }

  @Test
  @Behaviour("G1: a follower hears of a leader when the leader is confirmed, and of each change")
  void followersAreNotifiedWhenTheLeaderConfirmsAndAtEachChange() {
    List<Optional<Leader>> notified = new ArrayList<>();
    Candidate first = new Candidate();
    follow(leadership, notified);
    assertThat(notified).containsExactly(Optional.empty());

    Leader leader = first.confirm("a");
    env.settle();
    Candidate second = new Candidate();
    first.candidacy.withdraw();
    env.settle();
    // Too late: another token leads by now.
    first.confirm("a");
    Leader next = second.confirm("b");
    env.settle();

    assertThat(notified)
        .containsExactly(
            Optional.empty(), Optional.of(leader), Optional.empty(), Optional.of(next));
  }

  @Test
  @Behaviour("G1: a follower hears of a leader when the leader is confirmed, and of each change")
  void unconfirmedLeaderIsNotPublished() {
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(leadership, notified);
    Candidate candidate = new Candidate();
    env.settle();
    candidate.candidacy.withdraw();
    env.settle();
    assertThat(notified).containsExactly(Optional.empty());
  }

  @Test
  void lateFollowersGetThePresentLeaderAndCancelledOnesNothing() {
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("a");
    List<Optional<Leader>> notified = new ArrayList<>();
    Subscription following = follow(leadership, notified);
    assertThat(notified).containsExactly(Optional.of(leader));

    candidate.candidacy.withdraw();
    following.cancel(); // while the notification is queued
    env.settle();
    assertThat(notified).hasSize(1);
  }

  // --- one of several processes

  @Test
  @Behaviour("G1: components of a standby process lead only while their process leads")
  void contendersOfAStandbyLeadBetweenBeginAndEndOfItsLeadership() {
    EmbeddedLeaderElection standby = EmbeddedLeaderElection.ofStandby(env);
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(standby, notified);
    List<Optional<LeaderToken>> tokens = new ArrayList<>();
    LeaderElection.Candidacy candidacy =
        standby.contend(
            NAME,
            mailbox,
            new LeaderElection.Contender() {
              @Override
              public void granted(LeaderToken token) {
                tokens.add(Optional.of(token));
              }

              @Override
              public void revoked() {
                tokens.add(Optional.empty());
              }
            });
    env.settle();
    assertThat(tokens).isEmpty();

    standby.begin(100);
    env.settle();
    LeaderToken first = tokens.get(0).orElseThrow();
    assertThat(first.term()).isGreaterThan(100);
    Leader leader = new Leader(new Address("a", NAME), first);
    candidacy.confirm(first, leader.address());
    standby.end();
    assertThat(candidacy.leads(first)).as("at once, before the contender has noticed").isFalse();
    candidacy.confirm(first, leader.address());
    env.settle();
    assertThat(tokens).containsExactly(Optional.of(first), Optional.empty());
    assertThat(notified).containsExactly(Optional.empty(), Optional.of(leader), Optional.empty());

    standby.end();
    standby.begin(50);
    env.settle();
    assertThat(tokens).hasSize(3);
    assertThat(tokens.get(2).orElseThrow().term())
        .as("also if the bound is lower")
        .isGreaterThan(first.term());
    candidacy.withdraw();
    standby.end();
    env.settle();
    assertThat(tokens).as("a withdrawn contender is not called").hasSize(3);
  }

  // --- over the network

  private final InProcessNetwork network = new InProcessNetwork();
  private final Rpc worker = new Rpc(env, network.join("worker"), Duration.ofSeconds(10));
  private final DirectoryLeaderRetrieval remote = new DirectoryLeaderRetrieval(worker, "master");

  private Rpc startMaster(LeaderRetrieval leaders) {
    Rpc rpc = new Rpc(env, network.join("master"), Duration.ofSeconds(10));
    new LeaderDirectory(rpc, leaders).start();
    env.settle();
    return rpc;
  }

  @Test
  void directoryReportsEachChangeAtOnce() {
    startMaster(leadership);
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(remote, notified);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    env.settle();
    assertThat(notified).containsExactly(Optional.of(leader));

    Candidate next = new Candidate();
    candidate.candidacy.withdraw();
    env.settle();
    Leader successor = next.confirm("master");
    env.settle();
    assertThat(notified.get(notified.size() - 1)).contains(successor);
  }

  @Test
  void unchangedLeaderIsNotReportedAgain() {
    startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("master");
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(remote, notified);
    env.advance(Duration.ofMinutes(5));
    assertThat(notified).hasSize(1);
  }

  @Test
  @Behaviour(
      "E2: a process that starts before its JobManager registers as soon as the JobManager is up")
  void followerThatStartsBeforeTheMasterFindsItSoon() {
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(remote, notified);
    env.advance(Duration.ofMinutes(1));
    assertThat(notified).containsExactly(Optional.empty());

    startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    env.advance(Duration.ofMillis(500));

    assertThat(notified).containsExactly(Optional.empty(), Optional.of(leader));
  }

  @Test
  @Behaviour(
      "G1: terms grow from process to process, and each JobManager start has a new session id")
  void restartedMasterHasAnotherToken() {
    Rpc master = startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader before = candidate.confirm("master");
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(remote, notified);

    master.close();
    env.advance(Duration.ofSeconds(1));
    assertThat(notified).containsExactly(Optional.of(before), Optional.empty());

    EmbeddedLeaderElection reborn = new EmbeddedLeaderElection(env);
    startMaster(reborn);
    List<LeaderElection.Candidacy> candidacies = new ArrayList<>();
    candidacies.add(
        reborn.contend(
            NAME,
            mailbox,
            new LeaderElection.Contender() {
              @Override
              public void granted(LeaderToken token) {
                candidacies.get(0).confirm(token, new Address("master", NAME));
              }

              @Override
              public void revoked() {}
            }));
    env.advance(Duration.ofMillis(500));

    assertThat(notified).hasSize(3);
    assertThat(notified.get(2).orElseThrow().token()).isNotEqualTo(before.token());
    assertThat(notified.get(2).orElseThrow().token().term()).isGreaterThan(before.token().term());
  }

  @Test
  @Behaviour("E2: a new connection to the same leader cuts delays short")
  void leaderIsReportedAgainAfterAReconnectToItsDirectory() {
    Rpc master = startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(remote, notified);

    master.close();
    startMaster(leadership);
    env.advance(Duration.ofMillis(500));

    assertThat(notified)
        .containsExactly(Optional.of(leader), Optional.empty(), Optional.of(leader));
  }

  @Test
  void cancelledFollowerOfADirectoryIsNotNotified() {
    startMaster(leadership);
    List<Optional<Leader>> notified = new ArrayList<>();
    Subscription following = follow(remote, notified);
    following.cancel();
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("master");
    env.advance(Duration.ofMinutes(1));
    assertThat(notified).isEmpty();
  }

  private Optional<String> published = Optional.empty();
  private boolean storageFails;
  private int lookups;

  private Optional<String> lookUp() throws IOException {
    lookups++;
    if (storageFails) {
      throw new IOException("storage is unavailable");
    }
    return published;
  }

  /** A master with a leader. */
  private record OtherMaster(Rpc rpc, Leader leader) {}

  private OtherMaster startOtherMaster(String process) {
    EmbeddedLeaderElection own = new EmbeddedLeaderElection(env);
    Rpc rpc = new Rpc(env, network.join(process), Duration.ofSeconds(10));
    new LeaderDirectory(rpc, own).start();
    List<Leader> leaders = new ArrayList<>();
    List<LeaderElection.Candidacy> candidacies = new ArrayList<>();
    candidacies.add(
        own.contend(
            NAME,
            mailbox,
            new LeaderElection.Contender() {
              @Override
              public void granted(LeaderToken token) {
                leaders.add(new Leader(new Address(process, NAME), token));
                candidacies.get(0).confirm(token, leaders.get(0).address());
              }

              @Override
              public void revoked() {}
            }));
    env.settle();
    return new OtherMaster(rpc, leaders.get(0));
  }

  @Test
  void lookUpIsRetriedUntilTheAddressOfTheMasterIsKnown() {
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(new DirectoryLeaderRetrieval(worker, this::lookUp), notified);
    env.advance(Duration.ofMinutes(1));
    assertThat(notified).containsExactly(Optional.empty());
    storageFails = true;
    env.advance(Duration.ofMinutes(1));

    Leader leader = startOtherMaster("first").leader();
    published = Optional.of("first");
    storageFails = false;
    env.advance(Duration.ofMillis(500));

    assertThat(notified).containsExactly(Optional.empty(), Optional.of(leader));
  }

  @Test
  @Behaviour(
      "G3: a JobManager that restarts on another machine and other ports recovers its jobs and"
          + " TaskManagers")
  void followsMasterThatRestartsAtAnotherAddress() {
    OtherMaster first = startOtherMaster("first");
    published = Optional.of("first");
    List<Optional<Leader>> notified = new ArrayList<>();
    follow(new DirectoryLeaderRetrieval(worker, this::lookUp), notified);
    env.advance(Duration.ofMinutes(5));
    assertThat(notified).containsExactly(Optional.of(first.leader()));
    assertThat(lookups).as("look-ups while the master answers").isEqualTo(1);

    first.rpc().close();
    env.advance(Duration.ofSeconds(30));
    assertThat(notified).containsExactly(Optional.of(first.leader()), Optional.empty());

    Leader after = startOtherMaster("second").leader();
    published = Optional.of("second");
    env.advance(Duration.ofMillis(500));

    assertThat(notified)
        .containsExactly(Optional.of(first.leader()), Optional.empty(), Optional.of(after));
  }

  @Test
  @Behaviour("G3: TaskManagers follow a new leader without an answer of the previous one")
  void changedAddressIsUsedBeforeTheFormerMasterAnswers() {
    OtherMaster first = startOtherMaster("first");
    published = Optional.of("first");
    List<Runnable> listeners = new ArrayList<>();
    List<Optional<Leader>> notified = new ArrayList<>();
    Subscription following =
        follow(
            new DirectoryLeaderRetrieval(
                worker,
                new DirectoryLeaderRetrieval.Lookup() {
                  @Override
                  public Optional<String> process() throws IOException {
                    return lookUp();
                  }

                  @Override
                  public Subscription onChange(Runnable listener) {
                    listeners.add(listener);
                    return () -> listeners.remove(listener);
                  }
                }),
            notified);
    assertThat(notified).containsExactly(Optional.of(first.leader()));

    // The first master still holds the question and would answer only after a while.
    Leader after = startOtherMaster("second").leader();
    published = Optional.of("second");
    listeners.forEach(Runnable::run);
    env.settle();
    assertThat(notified).containsExactly(Optional.of(first.leader()), Optional.of(after));

    first.rpc().close();
    env.advance(Duration.ofMinutes(1));
    assertThat(notified).as("the end of the former master changes nothing").hasSize(2);
    following.cancel();
    assertThat(listeners).isEmpty();
  }

  // --- gateways

  record Ping() {}

  interface EchoGateway extends Gateway {
    CompletableFuture<Acknowledge> ping(Ping message);
  }

  private static final class Echo extends Endpoint implements EchoGateway {
    Echo(Rpc rpc, LeaderToken token) {
      super(rpc, NAME, Optional.of(token));
    }

    @Override
    public CompletableFuture<Acknowledge> ping(Ping message) {
      return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
    }
  }

  @Test
  @Behaviour("B4: a gateway look-up of a leader is tried twelve times")
  void leaderGatewayWaitsForALeaderAndUsesItsToken() {
    LeaderGateway<EchoGateway> doors =
        new LeaderGateway<>(worker, leadership, EchoGateway.class, NAME, mailbox);
    CompletableFuture<Acknowledge> knocked =
        doors.find().thenCompose(door -> door.ping(new Ping()));
    env.advance(Duration.ofMillis(400));
    assertThat(knocked).isNotDone();

    Candidate candidate = new Candidate();
    env.settle();
    new Echo(worker, candidate.token()).start();
    candidate.confirm("worker");
    env.advance(Duration.ofMillis(50));

    assertThat(knocked).isCompletedWithValue(Acknowledge.INSTANCE);
  }

  @Test
  @Behaviour("B4: a gateway look-up of a leader is tried twelve times")
  void leaderGatewayFailsAfterTwelveAttempts() {
    LeaderGateway<EchoGateway> doors =
        new LeaderGateway<>(worker, leadership, EchoGateway.class, NAME, mailbox);
    CompletableFuture<EchoGateway> found = doors.find();
    // 10 + 20 + 40 + 8 × 50 ms
    env.advance(Duration.ofMillis(469));
    assertThat(found).isNotDone();
    env.advance(Duration.ofMillis(1));
    assertThatThrownBy(found::join).hasMessageContaining(NAME + " has no leader");
  }

  @Test
  void closedLeaderGatewayCancelsItsSubscription() {
    LeaderGateway<EchoGateway> doors =
        new LeaderGateway<>(worker, leadership, EchoGateway.class, NAME, mailbox);
    env.settle();
    doors.close();
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("worker");
    CompletableFuture<EchoGateway> found = doors.find();
    env.advance(Duration.ofSeconds(1));
    assertThat(found).isCompletedExceptionally();
  }
}

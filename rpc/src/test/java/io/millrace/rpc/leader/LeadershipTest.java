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

  /** Takes part and keeps what it is told. */
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

  private Subscription follow(LeaderRetrieval leaders, List<Optional<Leader>> told) {
    Subscription following =
        leaders.follow(
            NAME,
            mailbox,
            leader -> {
              mailbox.checkInside();
              told.add(leader);
            });
    env.settle();
    return following;
  }

  @Test
  @Behaviour("G1: a follower hears of a leader when the leader is confirmed, and of each change")
  void oneLeadsAndTheNextFollowsWithAHigherTerm() {
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
  void aWithdrawnCandidateIsNotGrantedWhatWasOnItsWay() {
    Candidate candidate = new Candidate();
    candidate.candidacy.withdraw();
    env.settle();
    assertThat(candidate.tokens).isEmpty();
  }

  @Test
  @Behaviour(
      "G1: terms grow from process to process, and each JobManager start has a new session id")
  void termsGrowFromOneProcessToTheNext() {
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
  void followersHearOfTheLeaderOnlyOnceItIsConfirmedAndOfEachChange() {
    List<Optional<Leader>> told = new ArrayList<>();
    Candidate first = new Candidate();
    follow(leadership, told);
    assertThat(told).containsExactly(Optional.empty());

    Leader leader = first.confirm("a");
    env.settle();
    Candidate second = new Candidate();
    first.candidacy.withdraw();
    env.settle();
    // Too late: another token leads by now.
    first.confirm("a");
    Leader next = second.confirm("b");
    env.settle();

    assertThat(told)
        .containsExactly(
            Optional.empty(), Optional.of(leader), Optional.empty(), Optional.of(next));
  }

  @Test
  @Behaviour("G1: a follower hears of a leader when the leader is confirmed, and of each change")
  void aLeaderThatWasNeverConfirmedGoesUnnoticed() {
    List<Optional<Leader>> told = new ArrayList<>();
    follow(leadership, told);
    Candidate candidate = new Candidate();
    env.settle();
    candidate.candidacy.withdraw();
    env.settle();
    assertThat(told).containsExactly(Optional.empty());
  }

  @Test
  void lateFollowersHearOfThePresentLeaderAndCancelledOnesOfNothing() {
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("a");
    List<Optional<Leader>> told = new ArrayList<>();
    Subscription following = follow(leadership, told);
    assertThat(told).containsExactly(Optional.of(leader));

    candidate.candidacy.withdraw();
    following.cancel(); // while the news is on its way
    env.settle();
    assertThat(told).hasSize(1);
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
  void aDirectoryTellsOthersOfEachChangeAtOnce() {
    startMaster(leadership);
    List<Optional<Leader>> told = new ArrayList<>();
    follow(remote, told);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    env.settle();
    assertThat(told).containsExactly(Optional.of(leader));

    Candidate next = new Candidate();
    candidate.candidacy.withdraw();
    env.settle();
    Leader successor = next.confirm("master");
    env.settle();
    assertThat(told.get(told.size() - 1)).contains(successor);
  }

  @Test
  void aLongQuietTimeIsNoNews() {
    startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("master");
    List<Optional<Leader>> told = new ArrayList<>();
    follow(remote, told);
    env.advance(Duration.ofMinutes(5));
    assertThat(told).hasSize(1);
  }

  @Test
  @Behaviour(
      "E2: a process that starts before its JobManager registers as soon as the JobManager is up")
  void whoStartsBeforeTheMasterLosesNoTime() {
    List<Optional<Leader>> told = new ArrayList<>();
    follow(remote, told);
    env.advance(Duration.ofMinutes(1));
    assertThat(told).containsExactly(Optional.empty());

    startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    env.advance(Duration.ofMillis(500));

    assertThat(told).containsExactly(Optional.empty(), Optional.of(leader));
  }

  @Test
  @Behaviour(
      "G1: terms grow from process to process, and each JobManager start has a new session id")
  void aMasterThatComesBackHasAnotherToken() {
    Rpc master = startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader before = candidate.confirm("master");
    List<Optional<Leader>> told = new ArrayList<>();
    follow(remote, told);

    master.close();
    env.advance(Duration.ofSeconds(1));
    assertThat(told).containsExactly(Optional.of(before), Optional.empty());

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

    assertThat(told).hasSize(3);
    assertThat(told.get(2).orElseThrow().token()).isNotEqualTo(before.token());
    assertThat(told.get(2).orElseThrow().token().term()).isGreaterThan(before.token().term());
  }

  @Test
  @Behaviour("E2: a new connection to the same leader cuts delays short")
  void aLeaderIsToldAnewWhenTheConnectionToItsDirectoryIsBack() {
    Rpc master = startMaster(leadership);
    Candidate candidate = new Candidate();
    env.settle();
    Leader leader = candidate.confirm("master");
    List<Optional<Leader>> told = new ArrayList<>();
    follow(remote, told);

    master.close();
    startMaster(leadership);
    env.advance(Duration.ofMillis(500));

    assertThat(told).containsExactly(Optional.of(leader), Optional.empty(), Optional.of(leader));
  }

  @Test
  void aCancelledFollowerOfADirectoryHearsNothing() {
    startMaster(leadership);
    List<Optional<Leader>> told = new ArrayList<>();
    Subscription following = follow(remote, told);
    following.cancel();
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("master");
    env.advance(Duration.ofMinutes(1));
    assertThat(told).isEmpty();
  }

  private Optional<String> published = Optional.empty();
  private boolean storageFails;
  private int lookups;

  private Optional<String> lookUp() throws IOException {
    lookups++;
    if (storageFails) {
      throw new IOException("storage is away");
    }
    return published;
  }

  /** A master that has a leader. */
  private record Elsewhere(Rpc rpc, Leader leader) {}

  private Elsewhere startElsewhere(String process) {
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
    return new Elsewhere(rpc, leaders.get(0));
  }

  @Test
  void whoLooksTheMasterUpWaitsUntilItIsKnownWhereItIs() {
    List<Optional<Leader>> told = new ArrayList<>();
    follow(new DirectoryLeaderRetrieval(worker, this::lookUp), told);
    env.advance(Duration.ofMinutes(1));
    assertThat(told).containsExactly(Optional.empty());
    storageFails = true;
    env.advance(Duration.ofMinutes(1));

    Leader leader = startElsewhere("first").leader();
    published = Optional.of("first");
    storageFails = false;
    env.advance(Duration.ofMillis(500));

    assertThat(told).containsExactly(Optional.empty(), Optional.of(leader));
  }

  @Test
  @Behaviour(
      "G3: a JobManager that restarts on another machine and other ports recovers its jobs and"
          + " TaskManagers")
  void aMasterThatComesBackElsewhereIsFollowed() {
    Elsewhere first = startElsewhere("first");
    published = Optional.of("first");
    List<Optional<Leader>> told = new ArrayList<>();
    follow(new DirectoryLeaderRetrieval(worker, this::lookUp), told);
    env.advance(Duration.ofMinutes(5));
    assertThat(told).containsExactly(Optional.of(first.leader()));
    assertThat(lookups).as("nobody asks the storage while the master answers").isEqualTo(1);

    first.rpc().close();
    env.advance(Duration.ofSeconds(30));
    assertThat(told).containsExactly(Optional.of(first.leader()), Optional.empty());

    Leader after = startElsewhere("second").leader();
    published = Optional.of("second");
    env.advance(Duration.ofMillis(500));

    assertThat(told)
        .containsExactly(Optional.of(first.leader()), Optional.empty(), Optional.of(after));
  }

  // --- gateways

  record Knock() {}

  interface DoorGateway extends Gateway {
    CompletableFuture<Acknowledge> knock(Knock message);
  }

  private static final class Door extends Endpoint implements DoorGateway {
    Door(Rpc rpc, LeaderToken token) {
      super(rpc, NAME, Optional.of(token));
    }

    @Override
    public CompletableFuture<Acknowledge> knock(Knock message) {
      return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
    }
  }

  @Test
  @Behaviour("B4: a gateway look-up of a leader is tried twelve times")
  void aLeaderGatewayWaitsAMomentForALeaderAndCarriesItsToken() {
    LeaderGateway<DoorGateway> doors =
        new LeaderGateway<>(worker, leadership, DoorGateway.class, NAME, mailbox);
    CompletableFuture<Acknowledge> knocked =
        doors.find().thenCompose(door -> door.knock(new Knock()));
    env.advance(Duration.ofMillis(400));
    assertThat(knocked).isNotDone();

    Candidate candidate = new Candidate();
    env.settle();
    new Door(worker, candidate.token()).start();
    candidate.confirm("worker");
    env.advance(Duration.ofMillis(50));

    assertThat(knocked).isCompletedWithValue(Acknowledge.INSTANCE);
  }

  @Test
  @Behaviour("B4: a gateway look-up of a leader is tried twelve times")
  void aLeaderGatewayGivesUpAfterTwelveTriesAndSaysSo() {
    LeaderGateway<DoorGateway> doors =
        new LeaderGateway<>(worker, leadership, DoorGateway.class, NAME, mailbox);
    CompletableFuture<DoorGateway> found = doors.find();
    // 10 + 20 + 40 + 8 × 50 ms
    env.advance(Duration.ofMillis(469));
    assertThat(found).isNotDone();
    env.advance(Duration.ofMillis(1));
    assertThatThrownBy(found::join).hasMessageContaining(NAME + " has no leader");
  }

  @Test
  void aClosedLeaderGatewayFollowsNobody() {
    LeaderGateway<DoorGateway> doors =
        new LeaderGateway<>(worker, leadership, DoorGateway.class, NAME, mailbox);
    env.settle();
    doors.close();
    Candidate candidate = new Candidate();
    env.settle();
    candidate.confirm("worker");
    CompletableFuture<DoorGateway> found = doors.find();
    env.advance(Duration.ofSeconds(1));
    assertThat(found).isCompletedExceptionally();
  }
}

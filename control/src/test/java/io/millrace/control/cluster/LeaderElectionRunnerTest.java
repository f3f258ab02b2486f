package io.millrace.control.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.testing.ManualElection;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaderElectionRunnerTest {
  private static final LeaderToken FIRST = new LeaderToken(1, new Id128(1, 1));
  private static final LeaderToken SECOND = new LeaderToken(2, new Id128(2, 2));

  private final ManualEnv env = new ManualEnv();
  private final Rpc rpc = new Rpc(env, new InProcessNetwork().join("here"), Duration.ofSeconds(10));
  private final ManualElection election = new ManualElection();
  private final List<SlowPart> parts = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final List<LeaderToken> madeKnown = new ArrayList<>();
  private Optional<RuntimeException> trouble = Optional.empty();
  private final LeaderElectionRunner terms =
      new LeaderElectionRunner(
          new ClusterServices(rpc, election, new EmbeddedLeaderElection(env), Configuration.EMPTY),
          "part",
          this::begin);

  @BeforeEach
  void takePart() {
    terms.start();
    env.settle();
  }

  @Test
  void endpointIsKnownWhenItServes() {
    assertThat(terms.known()).isEmpty();
    grant(FIRST);
    assertThat(election.confirmed).containsExactly(FIRST + " at " + parts.get(0).address());
    assertThat(madeKnown).containsExactly(FIRST);
    assertThat(terms.known()).contains(FIRST);
  }

  @Test
  @Behaviour(
      "C1: a term of the Dispatcher begins after the previous term and all its jobs have ended")
  void nextTermBeginsWhenThePreviousEndpointHasTerminated() {
    grant(FIRST);
    election.revoke();
    grant(SECOND);
    assertThat(terms.known()).isEmpty();
    assertThat(parts).hasSize(1);
    parts.get(0).mayEnd.complete(null);
    env.settle();
    assertThat(parts).hasSize(2);
    assertThat(terms.known()).contains(SECOND);
    assertThat(failures).isEmpty();
  }

  @Test
  void newTokenEndsTheTermBeforeAlsoWhenNobodyRevokedIt() {
    grant(FIRST);
    grant(SECOND);
    assertThat(parts.get(0).stopping).isTrue();
    parts.get(0).mayEnd.complete(null);
    env.settle();
    assertThat(madeKnown).containsExactly(FIRST, SECOND);
  }

  @Test
  void termThatIsOverBeforeItCouldBeginNeverDoes() {
    grant(FIRST);
    election.revoke();
    grant(SECOND);
    election.revoke();
    env.settle();
    parts.get(0).mayEnd.complete(null);
    env.settle();
    assertThat(parts).hasSize(1);
  }

  @Test
  @Behaviour(
      "C1: a term of the Dispatcher begins after the previous term and all its jobs have ended")
  void givesUpLeadershipWhenItsEndpointHasTerminated() {
    grant(FIRST);
    CompletableFuture<Void> stopped = terms.stop();
    env.settle();
    assertThat(election.withdrawn).as("while its endpoint still runs").isFalse();
    parts.get(0).mayEnd.complete(null);
    env.settle();
    assertThat(election.withdrawn).isTrue();
    assertThat(stopped).isCompleted();
    assertThat(terms.stop()).isCompleted();
    assertThat(terms.known()).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void tellsOfAnEndpointThatDoesNotStartAndDoesNotMakeItKnown() {
    trouble = Optional.of(new IllegalStateException("broken"));
    grant(FIRST);
    assertThat(failures).singleElement().isSameAs(trouble.get());
    assertThat(election.confirmed).isEmpty();
    assertThat(madeKnown).isEmpty();
  }

  @Test
  void tellsOfAnEndpointThatEndsByItself() {
    grant(FIRST);
    parts.get(0).mayEnd.complete(null);
    parts.get(0).stop();
    env.settle();
    assertThat(failures).singleElement().asString().contains("part ended by itself");
  }

  private void grant(LeaderToken token) {
    election.grant(token);
    env.settle();
  }

  private void begin(LeaderElectionRunner.Term term) {
    SlowPart part = new SlowPart(rpc, term.token(), trouble);
    parts.add(part);
    term.run(part, failures::add).thenRun(() -> madeKnown.add(term.token()));
  }

  /** Stops when the test lets it. */
  private static final class SlowPart extends Endpoint {
    private final Optional<RuntimeException> trouble;
    private final CompletableFuture<Void> mayEnd = new CompletableFuture<>();
    private boolean stopping;

    SlowPart(Rpc rpc, LeaderToken token, Optional<RuntimeException> trouble) {
      super(rpc, "part", Optional.of(token));
      this.trouble = trouble;
    }

    @Override
    protected void onStart() {
      trouble.ifPresent(
          thrown -> {
            throw thrown;
          });
    }

    @Override
    protected CompletableFuture<Void> onStop() {
      stopping = true;
      return mayEnd;
    }
  }
}

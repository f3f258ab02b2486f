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
  private final List<SlowEndpoint> endpoints = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final List<LeaderToken> published = new ArrayList<>();
  private Optional<RuntimeException> startFailure = Optional.empty();
  private final LeaderElectionRunner runner =
      new LeaderElectionRunner(
          new ClusterServices(rpc, election, new EmbeddedLeaderElection(env), Configuration.EMPTY),
          "component",
          this::begin);

  @BeforeEach
  void start() {
    runner.start();
    env.settle();
  }

  @Test
  void endpointIsPublishedWhenItRuns() {
    assertThat(runner.known()).isEmpty();
    grant(FIRST);
    assertThat(election.confirmed).containsExactly(FIRST + " at " + endpoints.get(0).address());
    assertThat(published).containsExactly(FIRST);
    assertThat(runner.known()).contains(FIRST);
  }

  @Test
  @Behaviour(
      "C1: a term of the Dispatcher begins after the previous term and all its jobs have ended")
  void nextTermBeginsWhenThePreviousEndpointHasTerminated() {
    grant(FIRST);
    election.revoke();
    grant(SECOND);
    assertThat(runner.known()).isEmpty();
    assertThat(endpoints).hasSize(1);
    endpoints.get(0).mayTerminate.complete(null);
    env.settle();
    assertThat(endpoints).hasSize(2);
    assertThat(runner.known()).contains(SECOND);
    assertThat(failures).isEmpty();
  }

  @Test
  void newTokenEndsThePreviousTermWithoutARevocation() {
    grant(FIRST);
    grant(SECOND);
    assertThat(endpoints.get(0).stopping).isTrue();
    endpoints.get(0).mayTerminate.complete(null);
    env.settle();
    assertThat(published).containsExactly(FIRST, SECOND);
  }

  @Test
  void termThatIsRevokedBeforeItBeginsIsSkipped() {
    grant(FIRST);
    election.revoke();
    grant(SECOND);
    election.revoke();
    env.settle();
    endpoints.get(0).mayTerminate.complete(null);
    env.settle();
    assertThat(endpoints).hasSize(1);
  }

  @Test
  @Behaviour(
      "C1: a term of the Dispatcher begins after the previous term and all its jobs have ended")
  void givesUpLeadershipWhenItsEndpointHasTerminated() {
    grant(FIRST);
    CompletableFuture<Void> stopped = runner.stop();
    env.settle();
    assertThat(election.withdrawn).as("while its endpoint still runs").isFalse();
    endpoints.get(0).mayTerminate.complete(null);
    env.settle();
    assertThat(election.withdrawn).isTrue();
    assertThat(stopped).isCompleted();
    assertThat(runner.stop()).isCompleted();
    assertThat(runner.known()).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void reportsAndDoesNotPublishAnEndpointThatFailsToStart() {
    startFailure = Optional.of(new IllegalStateException("broken"));
    grant(FIRST);
    assertThat(failures).singleElement().isSameAs(startFailure.get());
    assertThat(election.confirmed).isEmpty();
    assertThat(published).isEmpty();
  }

  @Test
  void reportsAnEndpointThatTerminatesBeforeItsTermEnds() {
    grant(FIRST);
    endpoints.get(0).mayTerminate.complete(null);
    endpoints.get(0).stop();
    env.settle();
    assertThat(failures)
        .singleElement()
        .asString()
        .contains("component terminated before its term ended");
  }

  private void grant(LeaderToken token) {
    election.grant(token);
    env.settle();
  }

  private void begin(LeaderElectionRunner.Term term) {
    SlowEndpoint endpoint = new SlowEndpoint(rpc, term.token(), this::failIfSet);
    endpoints.add(endpoint);
    term.run(endpoint, failures::add).thenRun(() -> published.add(term.token()));
  }

  private void failIfSet() {
    startFailure.ifPresent(
        thrown -> {
          throw thrown;
        });
  }

  /** Terminates when the test allows it. */
  private static final class SlowEndpoint extends Endpoint {
    private final Runnable startAction;
    private final CompletableFuture<Void> mayTerminate = new CompletableFuture<>();
    private boolean stopping;

    SlowEndpoint(Rpc rpc, LeaderToken token, Runnable startAction) {
      super(rpc, "component", Optional.of(token));
      this.startAction = startAction;
    }

    @Override
    protected void onStart() {
      startAction.run();
    }

    @Override
    protected CompletableFuture<Void> onStop() {
      stopping = true;
      return mayTerminate;
    }
  }
}

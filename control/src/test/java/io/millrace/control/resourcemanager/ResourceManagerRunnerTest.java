package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.ManualElection;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DeregisterApplication;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ResourceManagerRunnerTest {
  private static final LeaderToken FIRST = new LeaderToken(1, new Id128(1, 1));
  private static final LeaderToken SECOND = new LeaderToken(2, new Id128(2, 2));

  private final ManualEnv env = new ManualEnv();
  private final Rpc rpc =
      new Rpc(env, new InProcessNetwork().join("jobmanager"), Duration.ofSeconds(10));
  private final ManualElection election = new ManualElection();
  private final RecordingDriver driver = new RecordingDriver();
  private final List<Throwable> fatal = new ArrayList<>();
  private ResourceManagerRunner runner = runner(DelegationTokens.NONE);

  @Test
  void publishesItsAddressWhenAllServicesHaveStarted() {
    runner.start();
    env.settle();
    assertThat(driver.calls).isEmpty();
    election.grant(FIRST);
    env.settle();
    assertThat(driver.calls).containsExactly("start");
    assertThat(election.confirmed)
        .containsExactly(
            FIRST + " at " + new Address("jobmanager", ComponentNames.RESOURCE_MANAGER));
    assertThat(call(FIRST)).isCompleted();
  }

  @Test
  @Behaviour("D1: the ResourceManager publishes its address only if it is still the leader")
  void doesNotPublishItsAddressAfterItsTermHasEnded() {
    runner.start();
    env.settle();
    election.grant(FIRST);
    election.leading = Optional.empty();
    env.settle();
    assertThat(election.confirmed).isEmpty();
  }

  @Test
  @Behaviour(
      "D1: each term of the ResourceManager is a fresh instance that starts after the previous one"
          + " has released the driver")
  @Behaviour("D1: the ResourceManager does not execute a call with another fencing token")
  void eachTermIsANewInstanceThatStartsAfterThePreviousHasEnded() {
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    election.revoke();
    election.grant(SECOND);
    env.settle();
    assertThat(driver.calls).containsExactly("start", "stop", "start");
    assertThat(election.confirmed).hasSize(2);
    assertThat(call(SECOND)).isCompleted();
    CompletableFuture<?> stale = call(FIRST);
    assertThat(stale).isCompletedExceptionally();
    stale.whenComplete(
        (result, failure) -> assertThat(RpcException.is(failure, RpcError.Code.FENCED)).isTrue());
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "D1: the ResourceManager is not published and serves no call before all its parts have"
          + " started")
  void neitherPublishesNorServesBeforeItsDriverHasStarted() {
    CompletableFuture<DriverCapabilities> capabilities = new CompletableFuture<>();
    driver.capabilities = capabilities;
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    assertThat(driver.calls).containsExactly("start");
    assertThat(election.confirmed).isEmpty();
    assertThat(call(FIRST)).isCompletedExceptionally();
    capabilities.complete(DriverCapabilities.standalone());
    env.settle();
    assertThat(election.confirmed).hasSize(1);
    assertThat(call(FIRST)).isCompleted();
  }

  @Test
  @Behaviour(
      "D1: each term of the ResourceManager is a fresh instance that starts after the previous one"
          + " has released the driver")
  void nextTermStartsTheDriverAfterThePreviousTermHasStoppedIt() {
    driver.stopped = new CompletableFuture<>();
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    election.revoke();
    election.grant(SECOND);
    env.settle();
    assertThat(driver.calls).containsExactly("start", "stop");
    assertThat(election.confirmed).hasSize(1);
    driver.stopped.complete(null);
    env.settle();
    assertThat(driver.calls).containsExactly("start", "stop", "start");
    assertThat(election.confirmed).hasSize(2);
  }

  @Test
  @Behaviour("D1: workers end with the cluster, not with a term")
  void endOfTheApplicationEndsItsWorkers() {
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    rpc.gateway(
            ResourceManagerGateway.class,
            new Address("jobmanager", ComponentNames.RESOURCE_MANAGER),
            Optional.of(FIRST),
            env.mailbox("test"))
        .deregisterApplication(new DeregisterApplication(ApplicationStatus.FAILED, "It broke."));
    env.settle();
    runner.stop();
    env.settle();
    assertThat(driver.calls)
        .containsExactly(
            "start", "stop: " + new DriverTermination.Over(ApplicationStatus.FAILED, "It broke."));
  }

  @Test
  @Behaviour("D1: the ResourceManager does not execute a call with another fencing token")
  void revokedLeaderServesNoCall() {
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    election.revoke();
    env.settle();
    assertThat(driver.calls).containsExactly("start", "stop");
    assertThat(call(FIRST)).isCompletedExceptionally();
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("D1: a failure during the start ends the process")
  void failureDuringTheStartIsFatalAndNoAddressIsPublished() {
    driver.capabilities =
        CompletableFuture.failedFuture(new IllegalStateException("the driver is broken"));
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    assertThat(fatal).hasSize(1);
    assertThat(fatal.get(0)).hasMessage("the driver is broken");
    assertThat(election.confirmed).isEmpty();
  }

  @Test
  @Behaviour(
      "D1: the parts start in order: job-leader tracking, heartbeats, SlotManager, delegation"
          + " tokens, driver")
  void startsItsServicesInDependencyOrder() {
    runner = runner(new FakeTokens(env).services());
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    assertThat(env.journal().ofCluster())
        .filteredOn(entry -> entry.event() instanceof ResourceManagerStarted)
        .singleElement()
        .satisfies(
            event ->
                assertThat(JournalText.of(event))
                    .endsWith(
                        "Started in this order: job-leader tracking, heartbeats, SlotManager,"
                            + " delegation tokens, driver."));
  }

  @Test
  @Behaviour(
      "B5: the first delegation tokens are obtained before the driver starts and the"
          + " ResourceManager is published")
  void obtainsTokensBeforeTheDriverStarts() {
    FakeTokens tokens = new FakeTokens(env);
    runner = runner(tokens.services());
    env.ioTime = Duration.ofSeconds(3);
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.advance(Duration.ofSeconds(2));
    assertThat(driver.calls).isEmpty();
    assertThat(election.confirmed).isEmpty();
    env.advance(Duration.ofSeconds(1));
    assertThat(tokens.received).containsExactly("token-1");
    assertThat(driver.calls).containsExactly("start");
    assertThat(election.confirmed).hasSize(1);
  }

  @Test
  @Behaviour(
      "B5: a first token that cannot be obtained ends the process with an error that names the"
          + " provider")
  void failureToObtainTheFirstTokenIsFatalAndNamesTheProvider() {
    FakeTokens tokens = new FakeTokens(env);
    tokens.failure = Optional.of("the service is down");
    runner = runner(tokens.services());
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    assertThat(fatal).hasSize(1);
    assertThat(fatal.get(0))
        .hasMessageContainingAll("'mill'", FakeTokens.ORIGIN, "the service is down");
    assertThat(driver.calls).isEmpty();
    assertThat(election.confirmed).isEmpty();
  }

  @Test
  @Behaviour("B5: each term obtains new tokens, and the previous term stops renewing")
  void eachTermObtainsNewTokensAndThePreviousTermStopsRenewal() {
    FakeTokens tokens = new FakeTokens(env);
    runner = runner(tokens.services());
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.advance(Duration.ofMinutes(80));
    assertThat(tokens.obtained).isEqualTo(2);
    // While the driver stops, the other services of the term have already stopped.
    driver.stopped = new CompletableFuture<>();
    election.revoke();
    env.advance(Duration.ofHours(5));
    assertThat(tokens.obtained).as("without a leader").isEqualTo(2);
    driver.stopped.complete(null);
    election.grant(SECOND);
    env.settle();
    assertThat(tokens.obtained).isEqualTo(3);
    env.advance(Duration.ofMinutes(45));
    assertThat(tokens.obtained).as("renewals of one term only").isEqualTo(4);
    assertThat(fatal).isEmpty();
  }

  @Test
  void stopsWhileTheFirstTokensAreBeingObtained() {
    runner = runner(new FakeTokens(env).services());
    env.ioTime = Duration.ofSeconds(3);
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    CompletableFuture<Void> stopped = runner.stop();
    env.settle();
    assertThat(stopped).isCompleted();
    env.advance(Duration.ofSeconds(10));
    assertThat(driver.calls).as("neither started nor stopped").isEmpty();
    assertThat(fatal).isEmpty();
  }

  @Test
  @Behaviour("D1: workers end with the cluster, not with a term")
  void stopWithdrawsFromTheElectionAndEndsTheTerm() {
    runner.start();
    env.settle();
    election.grant(FIRST);
    env.settle();
    CompletableFuture<Void> stopped = runner.stop();
    env.settle();
    assertThat(stopped).isCompleted();
    assertThat(election.withdrawn).isTrue();
    assertThat(driver.calls).containsExactly("start", "stop");
    assertThat(runner.stop()).isCompleted();
    assertThat(fatal).isEmpty();
  }

  @Test
  void stopsBeforeTheFirstTerm() {
    runner.start();
    CompletableFuture<Void> stopped = runner.stop();
    env.settle();
    assertThat(stopped).isCompleted();
    assertThat(driver.calls).isEmpty();
  }

  private ResourceManagerRunner runner(DelegationTokens tokens) {
    return new ResourceManagerRunner(
        new ClusterServices(rpc, election, new EmbeddedLeaderElection(env), Configuration.EMPTY),
        new ResourceManagerRunner.Backing(driver, tokens, new MemoryHaStore()),
        fatal::add);
  }

  private CompletableFuture<?> call(LeaderToken token) {
    Mailbox mailbox = env.mailbox("test");
    CompletableFuture<?> answer =
        rpc.gateway(
                ResourceManagerGateway.class,
                new Address("jobmanager", ComponentNames.RESOURCE_MANAGER),
                Optional.of(token),
                mailbox)
            .listWorkers(new ListWorkers());
    env.settle();
    return answer;
  }

  private static final class RecordingDriver implements WorkerDriver {
    private final List<String> calls = new ArrayList<>();
    private CompletableFuture<DriverCapabilities> capabilities =
        CompletableFuture.completedFuture(DriverCapabilities.standalone());
    private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

    @Override
    public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
      calls.add("start");
      return capabilities;
    }

    @Override
    public void request(long request, WorkerSpec spec) {
      calls.add("request");
    }

    @Override
    public void cancel(long request) {
      calls.add("cancel");
    }

    @Override
    public void release(WorkerId worker, Reason reason) {
      calls.add("release");
    }

    @Override
    public void blocked(List<String> nodes) {
      calls.add("blocked");
    }

    @Override
    public Reason advice() {
      return new DriverReason("fake.advice", "Wait.");
    }

    @Override
    public CompletableFuture<Void> stop(DriverTermination ending) {
      calls.add(ending.isForGood() ? "stop: " + ending : "stop");
      return stopped;
    }
  }
}

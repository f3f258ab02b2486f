package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.StandaloneDriver;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Delegation tokens that the ResourceManager obtains and sends to workers. */
class DelegationTokenManagerTest extends ResourceManagerTestBase {
  private final FakeTokens tokens = new FakeTokens(env);

  @Test
  @Behaviour(
      "B5: a TaskManager gets all tokens with the answer to its registration and installs them"
          + " before its slot report")
  void registrationAnswerContainsTheTokens() {
    begin();
    FakeTaskManager worker = taskManager("one", 1);
    assertThat(register(worker, 1).success().orElseThrow().tokens()).containsExactly(token(1));
    assertThat(worker.updates).isEmpty();
  }

  @Test
  void registrationAnswerContainsNoTokensWithoutProviders() {
    start();
    assertThat(register(taskManager("one", 1), 1).success().orElseThrow().tokens()).isEmpty();
    assertThat(clusterJournal(ResourceManagerEvent.TokenObtained.class)).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: renewed tokens go to all registered TaskManagers and the JobManager process; a failed"
          + " delivery is repeated")
  void sendsRenewedTokensToAllWorkersAndInstallsThem() {
    begin();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    env.advance(Duration.ofMinutes(46));
    for (FakeTaskManager worker : List.of(one, two)) {
      assertThat(worker.updates)
          .containsExactly(
              new UpdateTokens(leader().token(), worker.instance.orElseThrow(), List.of(token(2))));
    }
    assertThat(tokens.received).containsExactly("token-1", "token-2");
    assertThat(register(taskManager("three", 1), 1).success().orElseThrow().tokens())
        .containsExactly(token(2));
  }

  @Test
  @Behaviour("B5: each token is renewed after the configured part of its life")
  void renewsTokensAfterTheConfiguredFraction() {
    start(
        Configuration.EMPTY.with(SecurityOptions.DELEGATION_TOKEN_RENEWAL_RATIO, 0.5),
        new StandaloneDriver(),
        tokens.services());
    env.advance(Duration.ofMinutes(31));
    assertThat(tokens.obtained).isEqualTo(2);
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  void recordsAndRetriesAFailedRenewal() {
    start(
        Configuration.EMPTY.with(SecurityOptions.DELEGATION_TOKEN_RETRY_BACKOFF, "2 min"),
        new StandaloneDriver(),
        tokens.services());
    FakeTaskManager worker = registered("one", 1);
    tokens.failure = Optional.of("the service is down");
    env.advance(Duration.ofMinutes(46));
    assertThat(JournalText.of(last(clusterJournal(ResourceManagerEvent.TokenNotRenewed.class))))
        .contains("'mill'", FakeTokens.ORIGIN, "the service is down", "The next try is in 2 min");
    assertThat(worker.updates).isEmpty();
    tokens.failure = Optional.empty();
    env.advance(Duration.ofMinutes(2));
    assertThat(worker.updates).hasSize(1);
  }

  @Test
  void refusesATokenThatHasExpired() {
    begin();
    tokens.life = Optional.of(Duration.ofSeconds(-1));
    env.advance(Duration.ofMinutes(46));
    assertThat(JournalText.of(last(clusterJournal(ResourceManagerEvent.TokenNotRenewed.class))))
        .contains("Compare the clocks");
    assertThat(register(taskManager("one", 1), 1).success().orElseThrow().tokens())
        .containsExactly(token(1));
  }

  @Test
  @Behaviour(
      "B5: renewed tokens go to all registered TaskManagers and the JobManager process; a failed"
          + " delivery is repeated")
  void sendsTokensAgainToAWorkerThatDoesNotTakeThem() {
    begin();
    FakeTaskManager worker = registered("one", 1);
    worker.takesTokens = false;
    env.advance(Duration.ofMinutes(45));
    assertThat(worker.updates).hasSize(1);
    assertThat(workerJournal(worker)).hasSize(1);
    worker.takesTokens = true;
    env.advance(Duration.ofSeconds(10));
    assertThat(worker.updates).hasSize(2);
    env.advance(Duration.ofMinutes(10));
    assertThat(worker.updates).hasSize(2);
  }

  @Test
  void sendsNoTokensToALostWorker() {
    begin();
    FakeTaskManager worker = registered("one", 1);
    worker.answersHeartbeats = false;
    env.advance(Duration.ofMinutes(50));
    assertThat(tokens.obtained).isEqualTo(2);
    assertThat(worker.updates).isEmpty();
  }

  @Test
  @Behaviour("B5: the content of a token appears in no log, journal or text of a message")
  void journalDoesNotContainTokens() {
    begin();
    registered("one", 1);
    env.advance(Duration.ofMinutes(46));
    List<JournalEntry> all = new ArrayList<>(env.journal().ofCluster());
    assertThat(all).isNotEmpty().noneMatch(event -> event.toString().contains("token-"));
  }

  private void begin() {
    start(Configuration.EMPTY, new StandaloneDriver(), tokens.services());
  }

  private List<JournalEntry> workerJournal(FakeTaskManager worker) {
    return clusterJournal(ResourceManagerEvent.TokenNotTaken.class).stream()
        .filter(event -> event.worker().equals(Optional.of(worker.id)))
        .toList();
  }

  private static IssuedToken token(int number) {
    return new IssuedToken("mill", Bytes.utf8("token-" + number));
  }
}

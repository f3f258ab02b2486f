package io.millrace.worker.taskexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationTokenReceiver;
import io.millrace.core.security.DelegationTokens;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.rpc.Acknowledge;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of delegation tokens on a TaskManager. */
class TokenReceiptTest {
  private final Recipient recipient = new Recipient();
  private final TaskManagerFixture fixture =
      new TaskManagerFixture(
          Configuration.EMPTY,
          DelegationTokens.of(
              Configuration.EMPTY,
              Plugins.NONE,
              List.of(),
              List.of(new DiscoveredService<>("plugin 'mill' in /plugins/mill", recipient))));

  @Test
  @Behaviour(
      "B5: a TaskManager gets all tokens with the answer to its registration and installs them"
          + " before its slot report")
  void appliesTokensBeforeItReportsSlots() {
    fixture.resourceManager.tokens.add(token("mill", 1));
    fixture.env.ioTime = Duration.ofSeconds(3);
    fixture.registered();
    fixture.env.advance(Duration.ofSeconds(2));
    assertThat(fixture.resourceManager.registrations).hasSize(1);
    assertThat(fixture.resourceManager.reports).isEmpty();
    fixture.env.advance(Duration.ofSeconds(1));
    assertThat(recipient.received).containsExactly("token-1");
    assertThat(fixture.resourceManager.reports).hasSize(1);
  }

  @Test
  void acknowledgesRenewedTokensAfterTheyAreApplied() {
    fixture.resourceManager.tokens.add(token("mill", 1));
    fixture.registered();
    fixture.env.ioTime = Duration.ofSeconds(3);
    CompletableFuture<Acknowledge> answer = update(2);
    fixture.env.settle();
    assertThat(answer).isNotDone();
    fixture.env.advance(Duration.ofSeconds(3));
    assertThat(answer).isCompleted();
    assertThat(recipient.received).containsExactly("token-1", "token-2");
  }

  @Test
  @Behaviour(
      "B5: a token is never replaced by an older one, nor accepted from a ResourceManager that the"
          + " TaskManager does not follow")
  void appliesTokensInTheOrderOfTheirArrival() {
    fixture.registered();
    fixture.env.ioTime = Duration.ofSeconds(3);
    CompletableFuture<Acknowledge> first = update(1);
    fixture.env.settle();
    fixture.env.ioTime = Duration.ZERO;
    CompletableFuture<Acknowledge> second = update(2);
    fixture.env.settle();
    assertThat(second).isNotDone();
    fixture.env.advance(Duration.ofSeconds(3));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(recipient.received).containsExactly("token-1", "token-2");
  }

  @Test
  @Behaviour(
      "B5: a token is never replaced by an older one, nor accepted from a ResourceManager that the"
          + " TaskManager does not follow")
  void rejectsTokensOfAnotherLeaderOrInstance() {
    fixture.registered();
    CompletableFuture<Acknowledge> stale =
        fixture
            .gateway()
            .updateTokens(
                new UpdateTokens(
                    TaskManagerFixture.token(7),
                    fixture.resourceManager.instance(),
                    List.of(token("mill", 1))));
    assertThat(fixture.failureOf(stale)).contains("the call carries");
    CompletableFuture<Acknowledge> outdated =
        fixture
            .gateway()
            .updateTokens(
                new UpdateTokens(
                    fixture.resourceManager.leaderToken(),
                    new InstanceId(new Id128(9, 9)),
                    List.of(token("mill", 1))));
    assertThat(fixture.failureOf(outdated)).contains("the call carries");
    assertThat(recipient.received).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a TaskManager registers anew while its token receiver fails, and ends if it has no"
          + " receiver")
  void retriesTheRegistrationWhileTheReceiverFails() {
    fixture.resourceManager.tokens.add(token("mill", 1));
    recipient.failure = Optional.of("access denied");
    fixture.registered();
    assertThat(fixture.resourceManager.reports).isEmpty();
    assertThat(fixture.fatal).isEmpty();
    recipient.failure = Optional.empty();
    fixture.env.advance(Duration.ofMinutes(1));
    assertThat(recipient.received).containsExactly("token-1");
    assertThat(fixture.resourceManager.reports).hasSize(1);
  }

  @Test
  void reportsAFailedReceiverToTheResourceManager() {
    fixture.registered();
    recipient.failure = Optional.of("access denied");
    assertThat(fixture.failureOf(update(2)))
        .contains("Plugin 'mill'", "access denied")
        .doesNotContain("token-2");
    recipient.failure = Optional.empty();
    fixture.env.answer(update(2));
    assertThat(recipient.received).containsExactly("token-2");
    assertThat(fixture.fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a TaskManager registers anew while its token receiver fails, and ends if it has no"
          + " receiver")
  void tokensWithoutAReceiverEndTheProcess() {
    fixture.resourceManager.tokens.add(token("granary", 1));
    fixture.registered();
    assertThat(fixture.fatal).hasSize(1);
    assertThat(fixture.fatal.get(0))
        .hasMessageContainingAll("'granary'", "it has receivers for mill");
    assertThat(fixture.resourceManager.reports).isEmpty();
  }

  private CompletableFuture<Acknowledge> update(int number) {
    return fixture
        .gateway()
        .updateTokens(
            new UpdateTokens(
                fixture.resourceManager.leaderToken(),
                fixture.resourceManager.instance(),
                List.of(token("mill", number))));
  }

  private static IssuedToken token(String service, int number) {
    return new IssuedToken(service, Bytes.utf8("token-" + number));
  }

  private static final class Recipient implements DelegationTokenReceiver {
    private final List<String> received = new ArrayList<>();
    private Optional<String> failure = Optional.empty();

    @Override
    public String serviceName() {
      return "mill";
    }

    @Override
    public void received(Bytes token) throws IOException {
      if (failure.isPresent()) {
        throw new IOException(failure.get());
      }
      received.add(new String(token.toArray(), StandardCharsets.UTF_8));
    }
  }
}

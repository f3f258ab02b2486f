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

/** What a TaskManager does with delegation tokens. */
class TokenReceiptTest {
  private final Recipient recipient = new Recipient();
  private final World world =
      new World(
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
  void tokensAreTakenBeforeTheSlotsAreReported() {
    world.resourceManager.tokens.add(token("mill", 1));
    world.env.ioTime = Duration.ofSeconds(3);
    world.registered();
    world.env.advance(Duration.ofSeconds(2));
    assertThat(world.resourceManager.registrations).hasSize(1);
    assertThat(world.resourceManager.reports).isEmpty();
    world.env.advance(Duration.ofSeconds(1));
    assertThat(recipient.received).containsExactly("token-1");
    assertThat(world.resourceManager.reports).hasSize(1);
  }

  @Test
  void renewedTokensAreAcknowledgedWhenTheyAreTaken() {
    world.resourceManager.tokens.add(token("mill", 1));
    world.registered();
    world.env.ioTime = Duration.ofSeconds(3);
    CompletableFuture<Acknowledge> answer = update(2);
    world.env.settle();
    assertThat(answer).isNotDone();
    world.env.advance(Duration.ofSeconds(3));
    assertThat(answer).isCompleted();
    assertThat(recipient.received).containsExactly("token-1", "token-2");
  }

  @Test
  @Behaviour(
      "B5: a token is never replaced by an older one, nor accepted from a ResourceManager that the"
          + " TaskManager does not follow")
  void tokensAreTakenInTheOrderTheyCame() {
    world.registered();
    world.env.ioTime = Duration.ofSeconds(3);
    CompletableFuture<Acknowledge> first = update(1);
    world.env.settle();
    world.env.ioTime = Duration.ZERO;
    CompletableFuture<Acknowledge> second = update(2);
    world.env.settle();
    assertThat(second).isNotDone();
    world.env.advance(Duration.ofSeconds(3));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(recipient.received).containsExactly("token-1", "token-2");
  }

  @Test
  @Behaviour(
      "B5: a token is never replaced by an older one, nor accepted from a ResourceManager that the"
          + " TaskManager does not follow")
  void tokensOfSomebodyElseAreRefused() {
    world.registered();
    CompletableFuture<Acknowledge> stale =
        world
            .gateway()
            .updateTokens(
                new UpdateTokens(
                    World.token(7), world.resourceManager.instance(), List.of(token("mill", 1))));
    assertThat(world.failureOf(stale)).contains("the call carries");
    CompletableFuture<Acknowledge> outdated =
        world
            .gateway()
            .updateTokens(
                new UpdateTokens(
                    world.resourceManager.leaderToken(),
                    new InstanceId(new Id128(9, 9)),
                    List.of(token("mill", 1))));
    assertThat(world.failureOf(outdated)).contains("the call carries");
    assertThat(recipient.received).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a TaskManager registers anew while its token receiver fails, and ends if it has no"
          + " receiver")
  void receiverThatFailsAtFirstKeepsTheWorkerOutUntilItDoesNot() {
    world.resourceManager.tokens.add(token("mill", 1));
    recipient.failure = Optional.of("the door is locked");
    world.registered();
    assertThat(world.resourceManager.reports).isEmpty();
    assertThat(world.fatal).isEmpty();
    recipient.failure = Optional.empty();
    world.env.advance(Duration.ofMinutes(1));
    assertThat(recipient.received).containsExactly("token-1");
    assertThat(world.resourceManager.reports).hasSize(1);
  }

  @Test
  void receiverThatFailsLaterIsToldToTheResourceManager() {
    world.registered();
    recipient.failure = Optional.of("the door is locked");
    assertThat(world.failureOf(update(2)))
        .contains("Plugin 'mill'", "the door is locked")
        .doesNotContain("token-2");
    recipient.failure = Optional.empty();
    world.env.answer(update(2));
    assertThat(recipient.received).containsExactly("token-2");
    assertThat(world.fatal).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a TaskManager registers anew while its token receiver fails, and ends if it has no"
          + " receiver")
  void tokensThatNobodyTakesEndTheProcess() {
    world.resourceManager.tokens.add(token("granary", 1));
    world.registered();
    assertThat(world.fatal).hasSize(1);
    assertThat(world.fatal.get(0))
        .hasMessageContainingAll("'granary'", "it has receivers for mill");
    assertThat(world.resourceManager.reports).isEmpty();
  }

  private CompletableFuture<Acknowledge> update(int number) {
    return world
        .gateway()
        .updateTokens(
            new UpdateTokens(
                world.resourceManager.leaderToken(),
                world.resourceManager.instance(),
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

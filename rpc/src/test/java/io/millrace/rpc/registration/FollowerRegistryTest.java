package io.millrace.rpc.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Address;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The test controls the answers of the followers. */
final class FollowerRegistryTest {
  private final ManualEnv env = new ManualEnv();
  private final Rpc rpc = new Rpc(env, new InProcessNetwork().join("here"), Duration.ofSeconds(10));
  private final Mailbox mailbox = env.mailbox("leader");
  private final RecordingLeader leader = new RecordingLeader();
  private final FollowerRegistry<String, Follower> registry =
      new FollowerRegistry<>(
          rpc,
          mailbox,
          new HeartbeatSettings(Duration.ofSeconds(1), Duration.ofSeconds(5)),
          leader);

  record Heartbeat() {}

  interface FollowerGateway extends Gateway {
    CompletableFuture<Heartbeat> heartbeat(Heartbeat question);
  }

  private static final class Follower {
    private final String name;
    private int asked;
    private int answered;
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

    Follower(String name) {
      this.name = name;
    }
  }

  private static final class RecordingLeader implements FollowerRegistry.Leader<Follower> {
    private final List<String> lost = new ArrayList<>();
    private final List<String> details = new ArrayList<>();

    @Override
    public CompletableFuture<Runnable> ask(Follower follower) {
      follower.asked++;
      return follower.answer.thenApply(done -> () -> follower.answered++);
    }

    @Override
    public void lost(Follower follower, ConnectionLoss loss) {
      lost.add(follower.name + " " + loss.getClass().getSimpleName());
      if (loss instanceof ConnectionLoss.ConnectionBroken broken) {
        details.add(broken.detail());
      }
    }
  }

  private Follower add(String key) {
    Follower follower = new Follower(key);
    env.in(mailbox, () -> registry.add(key, "process-" + key, follower));
    env.settle();
    return follower;
  }

  @Test
  void requestsHeartbeatsAtOnceAndAtEveryInterval() {
    Follower follower = add("a");
    assertThat(follower.asked).isEqualTo(1);
    env.advance(Duration.ofSeconds(3));
    assertThat(follower.asked).isEqualTo(4);
    assertThat(follower.answered).isEqualTo(4);
    assertThat(leader.lost).isEmpty();
  }

  @Test
  void firstHeartbeatIsRequestedAfterTheTaskThatRegisters() {
    Follower follower = new Follower("a");
    env.in(
        mailbox,
        () -> {
          registry.add("a", "process-a", follower);
          assertThat(follower.asked).isZero();
        });
    env.settle();
    assertThat(follower.asked).isEqualTo(1);
  }

  @Test
  void followerThatDoesNotAnswerIsReportedAndStaysRegistered() {
    Follower follower = add("a");
    follower.answer = new CompletableFuture<>();
    env.advance(Duration.ofSeconds(10));
    assertThat(leader.lost).containsExactly("a HeartbeatTimeout");
    assertThat(registry.has("a", follower)).isTrue();
    env.in(mailbox, () -> assertThat(registry.remove("a", follower)).isTrue());
    env.in(mailbox, () -> assertThat(registry.remove("a", follower)).isFalse());
    assertThat(registry.get("a")).isEmpty();
  }

  @Test
  void brokenConnectionIsReportedAndOtherErrorsAreNot() {
    Follower follower = add("a");
    follower.answer = CompletableFuture.failedFuture(new IllegalStateException("not yet"));
    env.in(mailbox, () -> registry.ask("a", follower));
    assertThat(leader.lost).isEmpty();
    follower.answer =
        rpc.gateway(FollowerGateway.class, new Address("gone", "a"), Optional.empty(), mailbox)
            .heartbeat(new Heartbeat())
            .thenApply(answer -> null);
    env.in(mailbox, () -> registry.ask("a", follower));
    env.settle();
    assertThat(leader.lost).containsExactly("a ConnectionBroken");
    // A future puts the class name of a failure in front of its message.
    assertThat(leader.details).allSatisfy(it -> assertThat(it).startsWith("Lost the connection"));
  }

  @Test
  void laterRegistrationUnderTheSameKeyReplacesTheFormer() {
    Follower first = add("a");
    Follower second = add("a");
    int asked = first.asked;
    env.advance(Duration.ofSeconds(3));
    assertThat(first.asked).isEqualTo(asked);
    assertThat(registry.has("a", first)).isFalse();
    assertThat(registry.get("a")).contains(second);
    assertThat(registry.size()).isEqualTo(1);
    assertThat(leader.lost).isEmpty();
  }

  @Test
  void lateAnswerOfARemovedFollowerIsIgnored() {
    Follower follower = add("a");
    follower.answer = new CompletableFuture<>();
    env.in(mailbox, () -> registry.ask("a", follower));
    env.in(mailbox, () -> registry.remove("a", follower));
    int answered = follower.answered;
    env.in(mailbox, () -> follower.answer.complete(null));
    assertThat(follower.answered).isEqualTo(answered);
  }

  @Test
  void followersAreListedInTheOrderOfTheirKeys() {
    add("b");
    add("c");
    add("a");
    assertThat(registry.all()).extracting(follower -> follower.name).containsExactly("a", "b", "c");
  }

  @Test
  void closedRegistryRequestsNoHeartbeats() {
    Follower follower = add("a");
    env.in(mailbox, registry::close);
    env.advance(Duration.ofMinutes(1));
    assertThat(follower.asked).isEqualTo(1);
    assertThat(leader.lost).isEmpty();
    assertThat(registry.size()).isZero();
  }
}

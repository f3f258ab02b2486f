package io.millrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a transport does with calls, each future completes exactly once, in the mailbox of its
 * caller, with the first of answer, loss and deadline.
 */
final class RandomCallsTest {
  private static final long TIMEOUT = 10_000;
  private static final List<String> PEERS = List.of("a", "b", "c");

  private final ManualEnv env = new ManualEnv();
  private final ScriptedTransport transport = new ScriptedTransport();
  private final Rpc rpc = new Rpc(env, transport, Duration.ofMillis(TIMEOUT));
  private final Mailbox caller = env.mailbox("caller");

  record Question(int number) {}

  record Reply(int number) {}

  interface PeerGateway extends Gateway {
    CompletableFuture<Reply> ask(Question question);

    void tell(Question notice);
  }

  /** Keeps what is sent, in place of a network. */
  private static final class ScriptedTransport implements Transport {
    private final List<Sent> sent = new ArrayList<>();
    private Inbound inbound;
    private boolean closed;

    record Sent(String peer, Envelope.Call call) {}

    @Override
    public String address() {
      return "here";
    }

    @Override
    public void start(Inbound inbound) {
      this.inbound = inbound;
    }

    @Override
    public void send(String peer, Envelope.Call call) {
      sent.add(new Sent(peer, call));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** A call whose future is not complete. */
  private record Open(int number, String peer, long deadline) {}

  private final Map<Integer, String> outcomes = new LinkedHashMap<>();
  private final Map<Integer, String> expected = new LinkedHashMap<>();
  private final Deque<Open> open = new ArrayDeque<>();

  private PeerGateway gateway(String peer) {
    return rpc.gateway(PeerGateway.class, new Address(peer, "service"), Optional.empty(), caller);
  }

  private void ask(String peer, int number) {
    open.add(new Open(number, peer, env.nanos() / 1_000_000 + TIMEOUT));
    gateway(peer)
        .ask(new Question(number))
        .whenComplete(
            (reply, failure) -> {
              caller.checkInside();
              String outcome =
                  failure == null
                      ? "reply " + reply.number()
                      : ((RpcException) failure).code().name();
              assertThat(outcomes.put(number, outcome)).as("call %d again", number).isNull();
            });
  }

  private Envelope.Call callOf(int number) {
    return transport.sent.stream()
        .map(ScriptedTransport.Sent::call)
        .filter(call -> call.message().equals(new Question(number)))
        .findFirst()
        .orElseThrow();
  }

  private Open take(Random random) {
    List<Open> all = new ArrayList<>(open);
    Open chosen = all.get(random.nextInt(all.size()));
    open.remove(chosen);
    return chosen;
  }

  private void failAll(Consumer<Open> ended, String peer) {
    for (Open call : new ArrayList<>(open)) {
      if (call.peer().equals(peer)) {
        open.remove(call);
        ended.accept(call);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void eachCallCompletesOnceWithTheFirstOfAnswerLossAndDeadline(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 800; i++) {
      int kind = random.nextInt(100);
      if (kind < 45 || open.isEmpty()) {
        ask(PEERS.get(random.nextInt(PEERS.size())), i);
      } else if (kind < 60) {
        Open call = take(random);
        transport.inbound.answered(
            call.peer(), new Envelope.Reply(callOf(call.number()).correlation(), new Reply(i)));
        expected.put(call.number(), "reply " + i);
      } else if (kind < 68) {
        Open call = take(random);
        transport.inbound.answered(
            call.peer(),
            new Envelope.Failed(
                callOf(call.number()).correlation(), RpcError.of(RpcError.Code.FENCED, "old")));
        expected.put(call.number(), "FENCED");
      } else if (kind < 74) {
        Open call = take(random);
        transport.inbound.undeliverable(call.peer(), callOf(call.number()), "too large");
        expected.put(call.number(), "FAILED");
      } else if (kind < 78) {
        String peer = PEERS.get(random.nextInt(PEERS.size()));
        transport.inbound.lost(peer, "reset");
        failAll(call -> expected.put(call.number(), "CONNECTION"), peer);
      } else if (kind < 85) {
        // An answer of a process that was not called, and a repeated answer.
        Open call = open.peekFirst();
        String stranger = call.peer().equals("a") ? "b" : "a";
        transport.inbound.answered(
            stranger, new Envelope.Reply(callOf(call.number()).correlation(), new Reply(-1)));
        transport.inbound.answered("a", new Envelope.Reply(1_000_000 + i, new Reply(-2)));
      } else {
        env.advance(Duration.ofMillis(random.nextInt(1, 3_000)));
        long now = env.nanos() / 1_000_000;
        while (!open.isEmpty() && open.peekFirst().deadline() <= now) {
          expected.put(open.removeFirst().number(), "TIMEOUT");
        }
      }
      env.settle();
      assertThat(outcomes).as("seed %d, step %d", seed, i).isEqualTo(expected);
    }
    rpc.close();
    env.settle();
    open.forEach(call -> expected.put(call.number(), "CONNECTION"));
    assertThat(outcomes).as("seed %d", seed).isEqualTo(expected);
    assertThat(transport.closed).isTrue();
    env.advance(Duration.ofMinutes(5));
    assertThat(outcomes).as("seed %d", seed).isEqualTo(expected);
  }

  @Test
  void failuresSayWhatWasAskedOfWhom() {
    List<String> messages = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      gateway("a")
          .ask(new Question(number))
          .exceptionally(
              failure -> {
                messages.add(failure.getMessage());
                return null;
              });
    }
    transport.inbound.undeliverable("a", callOf(0), "The message has 2000000 bytes");
    transport.inbound.lost("a", "reset by peer");
    env.settle();
    gateway("b")
        .ask(new Question(9))
        .exceptionally(
            failure -> {
              messages.add(failure.getMessage());
              return null;
            });
    env.advance(Duration.ofMillis(TIMEOUT));

    assertThat(messages)
        .containsExactly(
            "The message has 2000000 bytes",
            "Lost the connection to a/service before it answered Question: reset by peer",
            "Lost the connection to a/service before it answered Question: reset by peer",
            "No answer from b/service to Question within 10000 ms");
  }

  @Test
  void oneWayMessagesThatAreLostAreNobodysCall() {
    gateway("a").tell(new Question(1));
    Envelope.Call notice = transport.sent.get(0).call();
    transport.inbound.undeliverable("a", notice, "too large");
    transport.inbound.lost("a", "reset");
    env.advance(Duration.ofMinutes(1));

    assertThat(notice.correlation()).isZero();
    assertThat(notice.timeoutMillis()).isZero();
  }

  @Test
  void callWithoutAnEndpointIsAnsweredAndAOneWayMessageIsNot() {
    List<Envelope> answers = new ArrayList<>();
    for (long correlation : new long[] {0, 5}) {
      transport.inbound.called(
          "a",
          new Envelope.Call("nobody", Optional.empty(), correlation, 0, 0, new Question(1)),
          answers::add);
    }

    assertThat(answers)
        .singleElement()
        .isInstanceOfSatisfying(
            Envelope.Failed.class,
            failed -> {
              assertThat(failed.correlation()).isEqualTo(5);
              assertThat(failed.error().failure().message())
                  .isEqualTo("No endpoint nobody at here");
            });
  }

  @Test
  void watchersOfOneProcessAreNotifiedInTheOrderOfTheirRegistrationUnlessCancelled() {
    List<String> notified = new ArrayList<>();
    List<Subscription> watches = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      watches.add(rpc.watch("a", caller, reason -> notified.add(number + " " + reason)));
    }
    rpc.watch("b", caller, reason -> notified.add("b"));
    watches.get(1).cancel();
    transport.inbound.lost("a", "reset");
    // Cancelled when it is already queued.
    watches.get(2).cancel();
    env.settle();
    assertThat(notified).containsExactly("0 reset", "3 reset");

    watches.forEach(Subscription::cancel);
    transport.inbound.lost("a", "again");
    env.settle();
    assertThat(notified).hasSize(2);
  }

  @Test
  void codeIsFoundInsideTheWrappersOfFutures() {
    CompletableFuture<Integer> wrapped = gateway("a").ask(new Question(1)).thenApply(Reply::number);
    transport.inbound.lost("a", "reset");
    env.settle();
    Throwable thrown = wrapped.handle((number, failure) -> failure).join();

    assertThat(thrown).isNotInstanceOf(RpcException.class);
    assertThat(RpcException.is(thrown, RpcError.Code.CONNECTION)).isTrue();
    assertThat(RpcException.is(thrown, RpcError.Code.TIMEOUT)).isFalse();
    assertThat(
            RpcException.is(new MillraceException(ErrorKind.USER, "no"), RpcError.Code.CONNECTION))
        .isFalse();
  }
}

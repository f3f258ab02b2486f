package io.millrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class RpcTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final LeaderToken FIRST = new LeaderToken(1, new Id128(1, 1));
  private static final LeaderToken SECOND = new LeaderToken(2, new Id128(2, 2));

  private final ManualEnv env = new ManualEnv();
  private final InProcessNetwork network = new InProcessNetwork();
  private final Rpc here = new Rpc(env, network.join("here"), TIMEOUT);
  private final Rpc there = new Rpc(env, network.join("there"), TIMEOUT);
  private final Mailbox caller = env.mailbox("caller");

  interface EchoGateway extends Gateway {
    CompletableFuture<EchoReply> echo(EchoRequest message);

    void note(Note message);
  }

  record EchoRequest(String what) {}

  record EchoReply(String what) {}

  record Note(int number) {}

  /** Answers at once, or when the test releases its answers. */
  private static class Echo extends Endpoint implements EchoGateway {
    final List<Integer> notes = new ArrayList<>();
    final List<Long> causes = new ArrayList<>();
    final List<CompletableFuture<EchoReply>> held = new ArrayList<>();
    CompletableFuture<Void> stopping = CompletableFuture.completedFuture(null);
    boolean hold;

    Echo(Rpc rpc, String name, Optional<LeaderToken> token) {
      super(rpc, name, token);
    }

    @Override
    public CompletableFuture<EchoReply> echo(EchoRequest message) {
      causes.add(mailbox.cause());
      if (message.what().equals("throw")) {
        throw new MillraceException(ErrorKind.USER, "You asked for it.");
      }
      if (message.what().equals("null")) {
        return CompletableFuture.completedFuture(null);
      }
      CompletableFuture<EchoReply> answer = new CompletableFuture<>();
      if (hold) {
        held.add(answer);
      } else {
        answer.complete(new EchoReply(message.what()));
      }
      return answer;
    }

    @Override
    public void note(Note message) {
      if (message.number() < 0) {
        throw new IllegalArgumentException("negative");
      }
      notes.add(message.number());
    }

    @Override
    protected CompletableFuture<Void> onStop() {
      return stopping;
    }
  }

  private Echo serve(Rpc rpc, Optional<LeaderToken> token) {
    Echo echo = new Echo(rpc, "echo", token);
    echo.start();
    env.settle();
    return echo;
  }

  private EchoGateway gateway(Echo echo, Optional<LeaderToken> token) {
    return here.gateway(EchoGateway.class, echo.address(), token, caller);
  }

  private static RpcException failure(CompletableFuture<?> call) {
    assertThat(call).isCompletedExceptionally();
    return (RpcException) call.handle((x, thrown) -> thrown).join();
  }

  @Test
  void repliesCompleteInTheCallersMailbox() {
    for (Rpc rpc : List.of(here, there)) {
      EchoGateway gateway = gateway(serve(rpc, Optional.empty()), Optional.empty());
      List<String> answers = new ArrayList<>();

      CompletableFuture<EchoReply> call = gateway.echo(new EchoRequest("hello"));
      call.thenAccept(
          reply -> {
            caller.checkInside();
            answers.add(reply.what());
          });
      assertThat(call).isNotDone();
      env.settle();

      assertThat(answers).containsExactly("hello");
    }
  }

  @Test
  void failuresCompleteInTheCallersMailbox() {
    EchoGateway gateway =
        here.gateway(EchoGateway.class, new Address("nowhere", "echo"), Optional.empty(), caller);
    List<String> inside = new ArrayList<>();
    gateway
        .echo(new EchoRequest("x"))
        .whenComplete(
            (reply, thrown) -> {
              caller.checkInside();
              inside.add("notified");
            });
    env.settle();
    assertThat(inside).containsExactly("notified");
  }

  @Test
  void keepsTheOrderOfCallsAndOneWayMessages() {
    Echo echo = serve(there, Optional.empty());
    EchoGateway gateway = gateway(echo, Optional.empty());
    for (int i = 0; i < 100; i++) {
      gateway.note(new Note(i));
    }
    env.settle();
    assertThat(echo.notes).hasSize(100).isSorted();
  }

  @Test
  @Behaviour(
      "G1: an endpoint does not execute a call with another fencing token and names both tokens in"
          + " its answer")
  void callWithAnotherTokenIsNotExecutedAndTheErrorNamesBothTokens() {
    Echo echo = serve(there, Optional.of(SECOND));

    CompletableFuture<EchoReply> stale =
        gateway(echo, Optional.of(FIRST)).echo(new EchoRequest("x"));
    CompletableFuture<EchoReply> bare = gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    gateway(echo, Optional.of(FIRST)).note(new Note(1));
    CompletableFuture<EchoReply> right =
        gateway(echo, Optional.of(SECOND)).echo(new EchoRequest("x"));
    env.settle();

    assertThat(failure(stale).code()).isEqualTo(RpcError.Code.FENCED);
    assertThat(failure(stale)).hasMessageContaining("" + FIRST).hasMessageContaining("" + SECOND);
    assertThat(failure(bare)).hasMessageContaining("none").hasMessageContaining("" + SECOND);
    assertThat(right).isCompletedWithValue(new EchoReply("x"));
    assertThat(echo.causes).hasSize(1);
    assertThat(echo.notes).isEmpty();
  }

  @Test
  @Behaviour(
      "D1: the ResourceManager is not published and serves no call before all its parts have"
          + " started")
  @Behaviour("G1: an endpoint takes no call before its start has finished and ends if it fails")
  void executesNoCallBeforeItsStartHasFinished() {
    List<CompletableFuture<EchoReply>> early = new ArrayList<>();
    Echo echo =
        new Echo(there, "echo", Optional.empty()) {
          @Override
          protected void onStart() {
            early.add(gateway(this, Optional.empty()).echo(new EchoRequest("during")));
          }
        };
    early.add(gateway(echo, Optional.empty()).echo(new EchoRequest("before")));
    echo.start();
    env.settle();

    // The call made during the start waits in the mailbox until the start has finished.
    assertThat(failure(early.get(0)).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
    assertThat(early.get(1)).isCompletedWithValue(new EchoReply("during"));
  }

  @Test
  @Behaviour("G1: an endpoint takes no call before its start has finished and ends if it fails")
  void failedStartTerminatesTheEndpoint() {
    Echo echo =
        new Echo(there, "echo", Optional.empty()) {
          @Override
          protected void onStart() {
            throw new IllegalStateException("no luck");
          }
        };
    echo.start();
    CompletableFuture<EchoReply> waiting =
        gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    env.settle();
    CompletableFuture<EchoReply> late = gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    env.settle();

    assertThat(echo.terminated()).isCompletedExceptionally();
    assertThatThrownBy(() -> echo.terminated().join()).hasMessageContaining("no luck");
    assertThat(failure(waiting).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
    assertThat(failure(late).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
  }

  @Test
  void rejectsCallsWhileStoppingAndCallsThatAreQueued() {
    Echo echo = serve(there, Optional.empty());
    EchoGateway gateway = gateway(echo, Optional.empty());
    echo.stopping = new CompletableFuture<>();
    echo.stop();
    env.settle();
    CompletableFuture<EchoReply> whileStopping = gateway.echo(new EchoRequest("x"));
    env.settle();
    assertThat(failure(whileStopping).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
    assertThat(echo.terminated()).isNotDone();

    echo.stopping.complete(null);
    CompletableFuture<EchoReply> behindTheEnd = gateway.echo(new EchoRequest("x"));
    env.settle();

    assertThat(echo.terminated()).isCompleted();
    assertThat(failure(behindTheEnd).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
  }

  @Test
  void canBeStoppedTwiceAndBeforeItWasStarted() {
    Echo echo = serve(there, Optional.empty());
    assertThat(echo.stop()).isSameAs(echo.stop());
    Echo never = new Echo(there, "never", Optional.empty());
    never.stop();
    env.settle();
    assertThat(echo.terminated()).isCompleted();
    assertThat(never.terminated()).isCompleted();

    // The name is free again.
    serve(there, Optional.empty());
  }

  @Test
  void callsFailAtTheirDeadline() {
    Echo echo = serve(there, Optional.empty());
    echo.hold = true;
    CompletableFuture<EchoReply> call = gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    CompletableFuture<EchoReply> quick =
        here.gateway(
                EchoGateway.class, echo.address(), Optional.empty(), caller, Duration.ofMillis(100))
            .echo(new EchoRequest("x"));
    env.advance(Duration.ofMillis(100));
    assertThat(failure(quick).code()).isEqualTo(RpcError.Code.TIMEOUT);
    assertThat(failure(quick)).hasMessageContaining("there/echo").hasMessageContaining("100 ms");

    env.advance(TIMEOUT.minusMillis(101));
    assertThat(call).isNotDone();
    env.advance(Duration.ofMillis(1));
    assertThat(failure(call).code()).isEqualTo(RpcError.Code.TIMEOUT);

    // A late answer has no effect.
    echo.held.forEach(answer -> answer.complete(new EchoReply("late")));
    env.settle();
    assertThat(call).isCompletedExceptionally();
  }

  @Test
  void failuresKeepTheirKindAndMessage() {
    EchoGateway gateway = gateway(serve(there, Optional.empty()), Optional.empty());
    CompletableFuture<EchoReply> thrown = gateway.echo(new EchoRequest("throw"));
    CompletableFuture<EchoReply> nothing = gateway.echo(new EchoRequest("null"));
    env.settle();

    assertThat(failure(thrown).code()).isEqualTo(RpcError.Code.FAILED);
    assertThat(failure(thrown).kind()).isEqualTo(ErrorKind.USER);
    assertThat(failure(thrown)).hasMessage("You asked for it.");
    assertThat(failure(nothing).kind()).isEqualTo(ErrorKind.BUG);
  }

  @Test
  void failedMessageDoesNotStopTheNext() {
    Echo echo = serve(there, Optional.empty());
    EchoGateway gateway = gateway(echo, Optional.empty());
    gateway.note(new Note(-1));
    gateway.note(new Note(1));
    env.settle();
    assertThat(echo.notes).containsExactly(1);
  }

  @Test
  void lostConnectionFailsItsCallsAndNotifiesWatchers() {
    Echo echo = serve(there, Optional.empty());
    echo.hold = true;
    CompletableFuture<EchoReply> call = gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    List<String> notified = new ArrayList<>();
    here.watch("there", caller, notified::add);
    here.watch("elsewhere", caller, notified::add);
    Subscription cancelled = here.watch("there", caller, notified::add);
    env.settle();

    there.close();
    cancelled.cancel();
    env.settle();

    assertThat(failure(call).code()).isEqualTo(RpcError.Code.CONNECTION);
    assertThat(failure(call))
        .hasMessageContaining("there/echo")
        .hasMessageContaining("EchoRequest");
    assertThat(notified).hasSize(1);
  }

  @Test
  void closedRpcFailsItsCalls() {
    Echo echo = serve(there, Optional.empty());
    echo.hold = true;
    CompletableFuture<EchoReply> call = gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    env.settle();
    here.close();
    env.settle();
    assertThat(failure(call).code()).isEqualTo(RpcError.Code.CONNECTION);
    CompletableFuture<EchoReply> afterwards =
        gateway(echo, Optional.empty()).echo(new EchoRequest("x"));
    env.settle();
    assertThat(failure(afterwards).code()).isEqualTo(RpcError.Code.CONNECTION);
  }

  @Test
  void callsCarryTheEventThatCausedThem() {
    Echo echo = serve(there, Optional.empty());
    EchoGateway gateway = gateway(echo, Optional.empty());
    env.in(
        caller,
        () -> {
          caller.cause(env.journal().append(JournalEntry.of(new EchoRequest("decided"))));
          gateway.echo(new EchoRequest("x"));
        });
    env.in(caller, () -> gateway.echo(new EchoRequest("y")));
    assertThat(echo.causes).containsExactly(env.journal().ofCluster().get(0).id(), 0L);
  }

  @Test
  void rejectsSecondEndpointWithTheSameName() {
    serve(there, Optional.empty());
    assertThatThrownBy(() -> new Echo(there, "echo", Optional.empty()).start())
        .hasMessageContaining("echo");
  }

  interface OddGateway extends Gateway {
    void two(EchoRequest first, EchoRequest second);
  }

  private static final class Odd extends Endpoint implements OddGateway {
    Odd(Rpc rpc) {
      super(rpc, "odd", Optional.empty());
    }

    @Override
    public void two(EchoRequest first, EchoRequest second) {}
  }

  @Test
  void rejectsGatewayMethodsWithoutAMessageRecord() {
    assertThatThrownBy(() -> new Odd(there)).hasMessageContaining("is not a gateway method");
  }

  @Test
  void errorNamesMessageThatAnEndpointDoesNotHandle() {
    serve(there, Optional.empty());
    CompletableFuture<Acknowledge> call =
        here.gateway(OtherGateway.class, new Address("there", "echo"), Optional.empty(), caller)
            .other(new Note(1));
    CompletableFuture<Acknowledge> unknown =
        here.gateway(OtherGateway.class, new Address("there", "echo"), Optional.empty(), caller)
            .unknown(new Unknown());
    env.settle();
    assertThat(call).isCompletedWithValue(Acknowledge.INSTANCE);
    assertThat(failure(unknown)).hasMessageContaining("has no method for Unknown");
  }

  record Unknown() {}

  interface OtherGateway extends Gateway {
    CompletableFuture<Acknowledge> other(Note message);

    CompletableFuture<Acknowledge> unknown(Unknown message);
  }
}

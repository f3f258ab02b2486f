package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.TestMessages.Ping;
import io.millrace.rpc.grpc.TestMessages.Pong;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that every transport must pass. */
abstract class TransportContract {
  private final List<Transport> open = new ArrayList<>();

  /** A new transport. */
  abstract Transport join();

  /** A transport at the address of a closed one. */
  abstract Transport rejoin(String address);

  @AfterEach
  void closeAll() {
    open.forEach(Transport::close);
  }

  final <T extends Transport> T started(T transport, Receiver receiver) {
    open.add(transport);
    transport.start(receiver);
    return transport;
  }

  @Test
  void carriesCallsAndTheirAnswers() throws Exception {
    Receiver here = new Receiver();
    Receiver there =
        new Receiver(
            (call, reply) -> reply.accept(new Envelope.Reply(call.correlation(), new Pong(7))));
    Transport a = started(join(), here);
    Transport b = started(join(), there);

    a.send(b.address(), call(42, new Ping(1, 2)));

    assertThat(next(there.called)).isEqualTo(new Receiver.Callback(a.address(), new Ping(1, 2)));
    assertThat(next(here.answered))
        .isEqualTo(new Receiver.Callback(b.address(), new Envelope.Reply(42, new Pong(7))));
  }

  @Test
  void acceptsAnswersLaterFromOtherThreads() throws Exception {
    BlockingQueue<Consumer<Envelope>> replies = new LinkedBlockingQueue<>();
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), new Receiver((call, reply) -> replies.add(reply)));

    a.send(b.address(), call(1, new Ping(0, 1)));
    a.send(b.address(), call(2, new Ping(0, 2)));
    Consumer<Envelope> first = replies.take();
    Consumer<Envelope> second = replies.take();
    second.accept(new Envelope.Reply(2, new Pong(2)));
    first.accept(new Envelope.Reply(1, new Pong(1)));

    assertThat(here.reply()).isEqualTo(new Pong(2));
    assertThat(here.reply()).isEqualTo(new Pong(1));
  }

  @Test
  void keepsTheOrderOfEachSenderUnderLoadInBothDirections() throws Exception {
    int senders = 3;
    int each = 5_000;
    Receiver here = new Receiver();
    Receiver there = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), there);

    List<Thread> threads = new ArrayList<>();
    for (int sender = 0; sender < senders; sender++) {
      threads.add(burst(a, b.address(), sender, each));
      threads.add(burst(b, a.address(), sender, each));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    for (Receiver receiver : List.of(here, there)) {
      checkOrder(receiver.called, senders, each, callback -> (Ping) callback.what());
      checkOrder(
          receiver.answered,
          senders,
          each,
          callback -> (Ping) ((Envelope.Reply) callback.what()).message());
      assertThat(receiver.allLost).isEmpty();
    }
  }

  private static Thread burst(Transport from, String to, int sender, int count) {
    Thread thread =
        new Thread(
            () -> {
              for (int i = 0; i < count; i++) {
                from.send(to, call(i + 1, new Ping(sender, i)));
              }
            });
    thread.start();
    return thread;
  }

  private static void checkOrder(
      BlockingQueue<Receiver.Callback> callback,
      int senders,
      int each,
      java.util.function.Function<Receiver.Callback, Ping> ping)
      throws InterruptedException {
    int[] expected = new int[senders];
    for (int i = 0; i < senders * each; i++) {
      Ping next = ping.apply(next(callback));
      assertThat(next.number()).isEqualTo(expected[next.sender()]++);
    }
  }

  @Test
  void reportsUnreachablePeerAtOnce() throws Exception {
    Transport gone = started(join(), new Receiver());
    gone.close();
    Receiver here = new Receiver();
    Transport a = started(join(), here);

    a.send(gone.address(), call(1, new Ping(0, 0)));

    assertThat(next(here.lost).peer()).isEqualTo(gone.address());
  }

  @Test
  void reportsLossOnceToBothSidesWhenOneCloses() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), new Receiver());
    a.send(b.address(), call(1, new Ping(0, 1)));
    b.send(a.address(), call(1, new Ping(0, 1)));
    next(here.answered);
    next(here.called);

    b.close();

    assertThat(next(here.lost).peer()).isEqualTo(b.address());
    // A second callback would have arrived before a new call is found undeliverable.
    a.send(b.address(), call(2, new Ping(0, 2)));
    next(here.lost);
    assertThat(here.allLost).hasSize(2);
  }

  @Test
  void reportsLossToTheCalledSideWhenTheCallerCloses() throws Exception {
    Receiver there = new Receiver();
    Transport a = started(join(), new Receiver());
    Transport b = started(join(), there);
    a.send(b.address(), call(1, new Ping(0, 1)));
    next(there.called);

    a.close();

    assertThat(next(there.lost).peer()).isEqualTo(a.address());
  }

  @Test
  void reconnectsToPeerThatRestartedAtTheSameAddress() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), new Receiver());
    a.send(b.address(), call(1, new Ping(0, 1)));
    next(here.answered);
    b.close();
    next(here.lost);
    a.send(b.address(), call(2, new Ping(0, 2)));
    next(here.lost);

    Receiver again = new Receiver();
    started(rejoin(b.address()), again);
    a.send(b.address(), call(3, new Ping(0, 3)));

    assertThat(next(again.called).what()).isEqualTo(new Ping(0, 3));
    assertThat(here.reply()).isEqualTo(new Ping(0, 3));
  }

  @Test
  void closedTransportSendsNothing() throws Exception {
    Receiver here = new Receiver();
    Receiver there = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), there);

    a.close();
    a.send(b.address(), call(1, new Ping(0, 1)));

    assertThat(next(here.lost).peer()).isEqualTo(b.address());
    assertThat(there.called).isEmpty();
  }
}

package io.millrace.rpc.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Records the callbacks of a transport and answers calls with the given handler. */
final class Receiver implements Transport.Inbound {
  record Callback(String peer, Object what) {}

  final BlockingQueue<Callback> called = new LinkedBlockingQueue<>();
  final BlockingQueue<Callback> answered = new LinkedBlockingQueue<>();
  final BlockingQueue<Callback> undeliverable = new LinkedBlockingQueue<>();
  final BlockingQueue<Callback> lost = new LinkedBlockingQueue<>();
  final List<Callback> allLost = new CopyOnWriteArrayList<>();

  private final BiConsumer<Envelope.Call, Consumer<Envelope>> handler;

  /** Answers each call with its own message. */
  Receiver() {
    this((call, reply) -> reply.accept(new Envelope.Reply(call.correlation(), call.message())));
  }

  Receiver(BiConsumer<Envelope.Call, Consumer<Envelope>> handler) {
    this.handler = handler;
  }

  @Override
  public void called(String peer, Envelope.Call call, Consumer<Envelope> reply) {
    called.add(new Callback(peer, call.message()));
    handler.accept(call, reply);
  }

  @Override
  public void answered(String peer, Envelope answer) {
    answered.add(new Callback(peer, answer));
  }

  @Override
  public void undeliverable(String peer, Envelope.Call call, String reason) {
    undeliverable.add(new Callback(peer, reason));
  }

  @Override
  public void lost(String peer, String reason) {
    allLost.add(new Callback(peer, reason));
    lost.add(new Callback(peer, reason));
  }

  /** The next callback; fails if there is none within a few seconds. */
  static Callback next(BlockingQueue<Callback> queue) throws InterruptedException {
    Callback callback = queue.poll(20, TimeUnit.SECONDS);
    assertThat(callback).as("a callback within the time-out").isNotNull();
    return callback;
  }

  /** The message of the next reply. */
  Record reply() throws InterruptedException {
    return ((Envelope.Reply) next(answered).what()).message();
  }
}

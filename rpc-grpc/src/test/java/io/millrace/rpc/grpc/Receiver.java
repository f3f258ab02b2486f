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

/** Keeps what a transport tells, and answers calls as the test says. */
final class Receiver implements Transport.Inbound {
  record Told(String peer, Object what) {}

  final BlockingQueue<Told> called = new LinkedBlockingQueue<>();
  final BlockingQueue<Told> answered = new LinkedBlockingQueue<>();
  final BlockingQueue<Told> undeliverable = new LinkedBlockingQueue<>();
  final BlockingQueue<Told> lost = new LinkedBlockingQueue<>();
  final List<Told> allLost = new CopyOnWriteArrayList<>();

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
    called.add(new Told(peer, call.message()));
    handler.accept(call, reply);
  }

  @Override
  public void answered(String peer, Envelope answer) {
    answered.add(new Told(peer, answer));
  }

  @Override
  public void undeliverable(String peer, Envelope.Call call, String reason) {
    undeliverable.add(new Told(peer, reason));
  }

  @Override
  public void lost(String peer, String reason) {
    allLost.add(new Told(peer, reason));
    lost.add(new Told(peer, reason));
  }

  /** The next thing told, which has to come within a few seconds. */
  static Told next(BlockingQueue<Told> queue) throws InterruptedException {
    Told told = queue.poll(20, TimeUnit.SECONDS);
    assertThat(told).as("something told in time").isNotNull();
    return told;
  }

  /** The next reply's message. */
  Record reply() throws InterruptedException {
    return ((Envelope.Reply) next(answered).what()).message();
  }
}

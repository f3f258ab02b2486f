package io.millrace.bench.scale;

import io.millrace.core.codec.RecordCodec;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Virtual time, one event queue and a reliable network; only processes fail. Messages are encoded
 * by the sender and decoded by the receiver. Unlike the simulator it has no trace and no
 * randomness, so that ten thousand processes fit.
 */
final class VirtualWorld {
  /** A constant delay keeps the messages of a pair of processes in order. */
  private static final long DELAY_NANOS = 200_000;

  private static final long EPOCH_MILLIS = 1_800_000_000_000L;
  private static final String WIRE = "wire";

  private final RecordCodec codec;
  private final PriorityQueue<Event> queue = new PriorityQueue<>();
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<Class<?>, Long> arrived = new HashMap<>();
  private Consumer<Record> leaving = message -> {};
  private long now;
  private long numbers;

  /** An event of a process at a time; can be cancelled. */
  private static final class Event implements Mailbox.Timer, Comparable<Event> {
    private final long time;
    private final long number;
    private final VirtualProcess owner;
    private final String part;
    private Runnable action;

    Event(long time, long number, VirtualProcess owner, String part, Runnable action) {
      this.time = time;
      this.number = number;
      this.owner = owner;
      this.part = part;
      this.action = action;
    }

    @Override
    public void cancel() {
      action = null; // Allows garbage collection.
    }

    @Override
    public int compareTo(Event other) {
      int order = Long.compare(time, other.time);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  VirtualWorld(RecordCodec codec) {
    this.codec = codec;
  }

  long nanos() {
    return now;
  }

  long wallMillis() {
    return EPOCH_MILLIS + now / 1_000_000;
  }

  /** The number of received messages of a class. */
  long arrived(Class<? extends Record> message) {
    return arrived.getOrDefault(message, 0L);
  }

  /** Sets a listener for every call before it is encoded. */
  void onLeaving(Consumer<Record> watch) {
    leaving = watch;
  }

  /** Runs events until the condition holds; throws if it does not hold in time. */
  void runUntil(String what, BooleanSupplier condition, Duration atMost) {
    if (!run(condition, now + atMost.toNanos())) {
      throw new IllegalStateException("After " + atMost + " still waiting for: " + what);
    }
  }

  /** Advances the time. */
  void run(Duration time) {
    run(() -> false, now + time.toNanos());
  }

  private boolean run(BooleanSupplier condition, long end) {
    while (!condition.getAsBoolean()) {
      Event next = queue.peek();
      if (next == null || next.time > end) {
        now = end;
        return condition.getAsBoolean();
      }
      queue.poll();
      now = next.time;
      Runnable action = next.action;
      if (action != null && next.owner.isAlive()) {
        next.owner.meter().run(next.part, action);
      }
    }
    return true;
  }

  Mailbox.Timer schedule(VirtualProcess owner, long delayNanos, String part, Runnable action) {
    Event event = new Event(now + Math.max(0, delayNanos), numbers++, owner, part, action);
    queue.add(event);
    return event;
  }

  Transport join(VirtualProcess process) {
    Node node = new Node(process);
    nodes.put(process.name(), node);
    return node;
  }

  /** Ends a process; its peers lose the connection. */
  void leave(VirtualProcess process) {
    Node gone = nodes.remove(process.name());
    if (gone != null) {
      for (String name : gone.peers) {
        Node peer = nodes.get(name);
        if (peer != null) {
          schedule(
              peer.process,
              DELAY_NANOS,
              WIRE,
              () -> peer.inbound.lost(process.name(), "the connection broke"));
        }
      }
    }
  }

  /** Removes a process without notifications, so that its heap can be measured. */
  void erase(VirtualProcess process) {
    nodes.remove(process.name());
    List<Event> others = queue.stream().filter(event -> event.owner != process).toList();
    queue.clear();
    queue.addAll(others);
    leaving = message -> {};
  }

  private byte[] encode(CostMeter meter, Envelope envelope) {
    long began = meter.codecBegins();
    byte[] wire = codec.encode((Record) envelope);
    meter.codecEnds(began);
    meter.sent(wire.length);
    return wire;
  }

  private Envelope decode(CostMeter meter, byte[] wire) {
    long began = meter.codecBegins();
    Envelope envelope = (Envelope) codec.decode(wire);
    meter.codecEnds(began);
    return envelope;
  }

  private final class Node implements Transport {
    private final VirtualProcess process;
    private final Set<String> peers = new LinkedHashSet<>();
    private Inbound inbound;

    Node(VirtualProcess process) {
      this.process = process;
    }

    @Override
    public String address() {
      return process.name();
    }

    @Override
    public void start(Inbound inbound) {
      this.inbound = inbound;
    }

    @Override
    public void send(String peer, Envelope.Call call) {
      Node target = nodes.get(peer);
      if (target == null) {
        schedule(
            process, DELAY_NANOS, WIRE, () -> inbound.lost(peer, "the process does not exist"));
        return;
      }
      leaving.accept(call.message());
      peers.add(peer);
      target.peers.add(address());
      byte[] wire = encode(process.meter(), call);
      schedule(target.process, DELAY_NANOS, WIRE, () -> target.receive(this, wire));
    }

    private void receive(Node from, byte[] wire) {
      Envelope.Call call = (Envelope.Call) decode(process.meter(), wire);
      arrived.merge(call.message().getClass(), 1L, Long::sum);
      inbound.called(from.address(), call, answer -> reply(from, answer));
    }

    private void reply(Node to, Envelope answer) {
      byte[] wire = encode(process.meter(), answer);
      schedule(
          to.process,
          DELAY_NANOS,
          WIRE,
          () -> to.inbound.answered(address(), decode(to.process.meter(), wire)));
    }

    @Override
    public void close() {
      leave(process);
    }
  }
}

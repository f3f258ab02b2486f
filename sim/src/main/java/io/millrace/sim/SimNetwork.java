package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Connections between simulated processes. What is sent is encoded and decoded as on the wire,
 * arrives in order and late, or is lost: then the connection breaks, and either both sides hear of
 * it or, behind a partition, nobody does.
 */
public final class SimNetwork {
  private final Simulation simulation;
  private final RecordCodec codec;
  private final Random random;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, Link> links = new LinkedHashMap<>();
  private final Set<String> partitioned = new LinkedHashSet<>();
  private double breakProbability;

  /** One direction between two processes. */
  private static final class Link {
    private long lastArrival;

    /** Grows when the connection breaks; what was sent before then never arrives. */
    private long connection;
  }

  SimNetwork(Simulation simulation, RecordCodec codec) {
    this.simulation = simulation;
    this.codec = codec;
    this.random = simulation.random("network");
  }

  /** How likely it is for each message that the connection breaks instead of carrying it. */
  public void breakProbability(double probability) {
    breakProbability = probability;
  }

  /** Cuts a process off: nothing arrives from or at it and nobody is told. */
  public void partition(String process) {
    simulation.trace().event(simulation.nanos(), "partition " + process);
    partitioned.add(process);
  }

  /** Ends a partition; connections of the process that were in use break now. */
  public void heal(String process) {
    simulation.trace().event(simulation.nanos(), "heal " + process);
    partitioned.remove(process);
    for (Node node : new ArrayList<>(nodes.values())) {
      if (!node.name().equals(process)) {
        breakConnection(node.name(), process);
      }
    }
  }

  Transport join(SimProcess process) {
    Node node = new Node(process);
    nodes.put(process.name(), node);
    return node;
  }

  void leave(SimProcess process) {
    Node node = nodes.get(process.name());
    if (node != null && node.process == process) {
      nodes.remove(process.name());
      for (Node other : new ArrayList<>(nodes.values())) {
        breakConnection(other.name(), process.name());
      }
    }
  }

  private boolean isCut(String from, String to) {
    return partitioned.contains(from) || partitioned.contains(to);
  }

  private Link link(String from, String to) {
    return links.computeIfAbsent(from + ">" + to, x -> new Link());
  }

  /** Both sides lose what is under way and, unless cut off, hear of it soon. */
  private void breakConnection(String one, String other) {
    for (List<String> ends : List.of(List.of(one, other), List.of(other, one))) {
      Link link = link(ends.get(0), ends.get(1));
      link.connection++;
      Node told = nodes.get(ends.get(1));
      if (told != null && !isCut(one, other)) {
        simulation.schedule(
            delay(),
            "lost " + ends.get(0) + " at " + ends.get(1),
            () -> told.ifAlive(() -> told.inbound.lost(ends.get(0), "the connection broke")));
      }
    }
  }

  private long delay() {
    // Mostly a fraction of a millisecond; now and then tens of them.
    double chance = random.nextDouble();
    return (long) (chance < 0.95 ? 50_000 + chance * 500_000 : random.nextDouble() * 40_000_000);
  }

  private void carry(String from, String to, Envelope envelope, Consumer<Envelope> arrive) {
    Link link = link(from, to);
    if (isCut(from, to)) {
      return;
    }
    if (random.nextDouble() < breakProbability) {
      breakConnection(from, to);
      return;
    }
    byte[] wire = codec.encode((Record) envelope);
    long arrival = Math.max(link.lastArrival, simulation.nanos() + delay());
    link.lastArrival = arrival;
    long connection = link.connection;
    simulation.schedule(
        arrival - simulation.nanos(),
        from + " > " + to + " " + describe(envelope) + " " + wire.length,
        () -> {
          if (link.connection == connection && !isCut(from, to)) {
            arrive.accept((Envelope) codec.decode(wire));
          }
        });
  }

  private static String describe(Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      return call.message().getClass().getSimpleName() + " to " + call.endpoint();
    }
    return envelope instanceof Envelope.Reply reply
        ? reply.message().getClass().getSimpleName()
        : "failed: " + ((Envelope.Failed) envelope).error().code();
  }

  private final class Node implements Transport {
    private final SimProcess process;
    private Inbound inbound;

    Node(SimProcess process) {
      this.process = process;
    }

    String name() {
      return process.name();
    }

    void ifAlive(Runnable action) {
      if (process.isAlive() && nodes.get(name()) == this && inbound != null) {
        action.run();
      }
    }

    @Override
    public String address() {
      return name();
    }

    @Override
    public void start(Inbound inbound) {
      this.inbound = inbound;
    }

    @Override
    public void send(String peer, Envelope.Call call) {
      Node target = nodes.get(peer);
      if (target == null && !isCut(name(), peer)) {
        simulation.schedule(
            delay(),
            "refused " + name() + " > " + peer,
            () -> ifAlive(() -> inbound.lost(peer, "connection refused")));
        return;
      }
      try {
        carry(name(), peer, call, arrived -> deliver(peer, (Envelope.Call) arrived));
      } catch (MillraceException e) {
        inbound.undeliverable(peer, call, e.getMessage());
      }
    }

    private void deliver(String peer, Envelope.Call call) {
      Node target = nodes.get(peer);
      if (target != null) {
        target.ifAlive(
            () ->
                target.inbound.called(
                    name(),
                    call,
                    answer -> {
                      if (target.process.isAlive() && nodes.get(peer) == target) {
                        carry(
                            peer,
                            name(),
                            answer,
                            back -> ifAlive(() -> inbound.answered(peer, back)));
                      }
                    }));
      }
    }

    @Override
    public void close() {
      leave(process);
    }
  }
}

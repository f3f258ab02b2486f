package io.millrace.sim;

import io.millrace.rpc.Envelope;
import java.util.ArrayList;
import java.util.List;

/**
 * Two processes and the connection between them. Each connection has a number, its epoch; a side
 * that knows an earlier one has not noticed yet that the connection broke.
 */
final class SimConnection {
  private final SimNetwork network;
  private final Simulation simulation;
  private final String first;
  private final String second;
  private final Side firstSide = new Side();
  private final Side secondSide = new Side();
  boolean open;
  long epoch;

  /** Counts partitions and freezes, so that a timeout knows whether its own one still lasts. */
  long interruptions;

  /** Of a half-open connection: until when its unaware side may read what was sent before. */
  private long unreadEpoch = -1;

  private String unaware = "";
  private long unreadUntil;
  private long lastUnread;

  SimConnection(SimNetwork network, Simulation simulation, String first, String second) {
    this.network = network;
    this.simulation = simulation;
    this.first = first;
    this.second = second;
  }

  boolean joins(String process) {
    return first.equals(process) || second.equals(process);
  }

  String other(String process) {
    return first.equals(process) ? second : first;
  }

  Side side(String process) {
    return first.equals(process) ? firstSide : secondSide;
  }

  /** The messages from a process that wait for the end of a partition. */
  List<Message> held(String from) {
    return side(from).held;
  }

  boolean isPartitioned() {
    return network.faults().isPartitioned(first, second)
        || network.faults().isPartitioned(second, first);
  }

  /** Breaks a connection while calls may be pending, so that their outcome is unknown. */
  void brokenInUse(String reason) {
    network.faults().uncertain(first, second);
    broken(reason);
  }

  void broken(String reason) {
    close();
    notifyLoss(first, second, reason);
    notifyLoss(second, first, reason);
  }

  private void close() {
    network.connectionBroken();
    epoch++;
    open = false;
    firstSide.held.clear();
    secondSide.held.clear();
  }

  void halfOpen(String unaware, long nanos, boolean endsNew) {
    unreadEpoch = epoch;
    this.unaware = unaware;
    unreadUntil = simulation.nanos() + nanos;
    lastUnread = simulation.nanos();
    close();
    network.faults().uncertainFor(first, second, nanos);
    long ended = epoch;
    notifyLoss(other(unaware), unaware, "the connection broke");
    SimTransport node = network.node(unaware);
    if (node == null) {
      return;
    }
    Side side = side(unaware);
    simulation.schedule(
        node.process,
        nanos,
        "lost late",
        () -> {
          if (side.known >= ended) {
            return; // A later connection has broken since, and the side knows that.
          }
          if (endsNew && open && epoch == ended) {
            broken("the connection broke");
          } else {
            side.known = ended;
            node.lost(other(unaware), "the connection broke");
          }
        });
  }

  /**
   * What a process had sent to the unaware side when it ended is read there before the end of the
   * connection is, in order, but maybe later than what the next process says. What one process
   * sends arrives in order or not at all.
   */
  boolean isUnread(Message message) {
    return message.epoch() == unreadEpoch
        && message.to().equals(unaware)
        && message.isOfGoneProcess()
        && message.envelope() instanceof Envelope.Call
        && simulation.nanos() < unreadUntil;
  }

  long readLate() {
    lastUnread =
        Math.max(simulation.nanos(), lastUnread)
            + (long)
                (network.random().nextDouble()
                    * (unreadUntil - Math.max(simulation.nanos(), lastUnread)));
    return lastUnread - simulation.nanos();
  }

  /** Nothing of a new connection arrives before the end of the old one is known. */
  private void notifyLoss(String process, String peer, String reason) {
    SimTransport node = network.node(process);
    if (node == null) {
      return;
    }
    Side side = side(process);
    long when = simulation.nanos() + network.faults().delay(peer, process);
    side.lastCall = Math.max(side.lastCall, when);
    side.lastHeartbeat = Math.max(side.lastHeartbeat, when);
    long ended = epoch;
    simulation.schedule(
        node.process,
        when - simulation.nanos(),
        "lost",
        () -> {
          side.known = Math.max(side.known, ended);
          node.lost(peer, reason);
        });
  }

  /** One side of a connection. */
  static final class Side {
    /** The connection that this side knows. What it sends on an old connection is lost. */
    long known;

    long lastCall;
    long lastHeartbeat;
    boolean connecting;
    final List<Message> held = new ArrayList<>();
  }

  /** A message that is in flight or waits for the end of a partition. */
  record Message(
      String from,
      String to,
      long epoch,
      long sent,
      boolean heartbeat,
      Envelope envelope,
      byte[] wire,
      SimProcess sender,
      Arrival arrive) {
    boolean isOfGoneProcess() {
      return !sender.isAlive();
    }
  }

  interface Arrival {
    /**
     * @param late whether it arrives on a replaced connection, so that no answer is possible
     */
    void of(Envelope envelope, boolean late);
  }
}

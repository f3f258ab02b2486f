package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The connections between simulated processes, with the guarantees of the gRPC transport. There is
 * one connection per connection of processes. Calls arrive in order, and so do heartbeats, but not
 * relative to each other. Messages are encoded and decoded as on the wire. A message is lost only
 * with its connection, and each side is notified of that with its own delay. During a partition
 * messages wait until it ends or the connection times out. There is no order between different
 * connections. No message of a new connection arrives before the end of the old one is known,
 * unless the old one is half-open.
 */
public final class SimNetwork {
  /** The timeout of a connection without an answer, plus up to the same time at random. */
  private static final long KEEP_ALIVE_NANOS = 20_000_000_000L;

  private static final long AT_ONCE_NANOS = 1_000_000;

  private final Simulation simulation;
  private final RecordCodec codec;
  private final Random random;
  private final Map<String, SimTransport> nodes = new LinkedHashMap<>();
  private final Map<String, SimConnection> connections = new LinkedHashMap<>();

  /** The same connections by both names, so that no key has to be built per message. */
  private final Map<String, Map<String, SimConnection>> ways = new HashMap<>();

  private final Set<String> frozen = new LinkedHashSet<>();
  private final NetworkFaults faults;
  private MessageInterceptor tap = MessageInterceptor.NONE;
  private long losses;
  private long echoes;
  private long breaks;
  private long overtakings;
  private long stragglers;

  SimNetwork(Simulation simulation, RecordCodec codec) {
    this.simulation = simulation;
    this.codec = codec;
    this.random = simulation.random("network");
    this.faults = new NetworkFaults(simulation, random);
  }

  /** The faults of this network. */
  public NetworkFaults faults() {
    return faults;
  }

  /** Sets the interceptor of all messages. */
  public void tap(MessageInterceptor tap) {
    this.tap = tap;
  }

  /** The number of calls that arrived twice. */
  public long echoes() {
    return echoes;
  }

  /** The number of calls and answers that were lost on working connections. */
  public long losses() {
    return losses;
  }

  /** The number of broken connections. */
  public long breaks() {
    return breaks;
  }

  /** Blocks all messages from one process to another, without notifying them. */
  public void partition(String from, String to) {
    if (faults.partition(from, to)) {
      SimConnection connection = connection(from, to);
      connection.interruptions++;
      timeOutLater(connection, connection.interruptions, connection::isPartitioned);
    }
  }

  /** Ends the partition; messages that waited are delivered. */
  public void heal(String from, String to) {
    if (faults.heal(from, to)) {
      SimConnection connection = connection(from, to);
      List<SimConnection.Message> held = connection.held(from);
      List<SimConnection.Message> waiting = new ArrayList<>(held);
      held.clear();
      waiting.forEach(message -> arriveLater(connection, message));
    }
  }

  /** Breaks the connection between two processes, if there is one; both are notified soon. */
  public void breakConnection(String one, String other) {
    SimConnection connection = connection(one, other);
    if (connection.open) {
      connection.brokenInUse("the connection broke");
    }
  }

  /**
   * Breaks the connection between two processes, if there is one. One side is notified soon and may
   * connect again; the other side is notified after the given time. Until then the messages that it
   * sends are lost, while calls on the new connection and their answers arrive.
   *
   * @param endsNew whether the new connection breaks, too, when the end of the old one is noticed
   */
  public void halfOpen(String unaware, String aware, long nanos, boolean endsNew) {
    SimConnection connection = connection(unaware, aware);
    if (connection.open) {
      connection.halfOpen(unaware, nanos, endsNew);
    }
  }

  /** Whether two processes are connected. */
  public boolean isConnected(String one, String other) {
    return connection(one, other).open;
  }

  /**
   * The number of calls that arrived on a new connection at a process that did not know the end of
   * the old one yet.
   */
  public long overtakings() {
    return overtakings;
  }

  /** How many calls of a process arrived after it had ended and its connection was replaced. */
  public long stragglers() {
    return stragglers;
  }

  /**
   * A call arrives once more on the connection that carried it, if that still lives then. No
   * connection does that, but the calls that end up here claim to bear it, however late it is. A
   * call that was lost is not repeated: it would arrive for the first time, behind later calls.
   */
  public void repeat(String from, String to, Envelope.Call call, long nanos) {
    SimConnection connection = connection(from, to);
    SimTransport caller = nodes.get(from);
    SimTransport target = nodes.get(to);
    long epoch = connection.epoch;
    if (caller == null
        || target == null
        || !connection.open
        || connection.side(from).known != epoch) {
      return; // It was not carried the first time.
    }
    byte[] wire = codec.encode((Record) call);
    simulation.schedule(
        target.process,
        nanos,
        "arrival",
        () -> {
          if (connection.epoch == epoch
              && !faults.isPartitioned(from, to)
              && !faults.isLost(from, to, call)) {
            echoes++;
            target.deliver(caller, connection, false, (Envelope.Call) codec.decode(wire), false);
          }
        });
  }

  Transport join(SimProcess process) {
    SimTransport node = new SimTransport(process, this, simulation);
    nodes.put(process.name(), node);
    for (SimConnection connection : connections.values()) {
      if (connection.joins(process.name())) {
        connection.side(process.name()).known = connection.epoch;
      }
    }
    return node;
  }

  void leave(SimProcess process) {
    leave(process, connection -> connection.broken("the connection broke"));
  }

  /**
   * A process is lost with its machine: the others notice it only after a while, each at its own
   * time.
   */
  void leaveUnnoticed(SimProcess process, long nanos) {
    leave(
        process,
        connection ->
            connection.halfOpen(connection.other(process.name()), unnoticed(nanos), false));
  }

  /** Some peers notice at once, some at the end of the time and some in between. */
  private long unnoticed(long nanos) {
    return switch (random.nextInt(3)) {
      case 0 -> Math.min(nanos, AT_ONCE_NANOS);
      case 1 -> nanos;
      default -> (long) (random.nextDouble() * nanos);
    };
  }

  private void leave(SimProcess process, Consumer<SimConnection> end) {
    SimTransport node = nodes.get(process.name());
    if (node != null && node.process == process) {
      nodes.remove(process.name());
      frozen.remove(process.name());
      faults.ended(process.name());
      for (SimConnection connection : connections.values()) {
        if (connection.joins(process.name()) && connection.open) {
          end.accept(connection);
        }
      }
    }
  }

  void unresponsive(String process, boolean now) {
    if (!now) {
      frozen.remove(process);
      return;
    }
    frozen.add(process);
    for (SimConnection connection : connections.values()) {
      if (connection.joins(process) && connection.open) {
        connection.interruptions++;
        timeOutLater(connection, connection.interruptions, () -> frozen.contains(process));
      }
    }
  }

  private void timeOutLater(SimConnection connection, long interruption, BooleanSupplier still) {
    simulation.schedule(
        null,
        KEEP_ALIVE_NANOS + (long) (random.nextDouble() * KEEP_ALIVE_NANOS),
        "keep-alive",
        () -> {
          if (connection.open && connection.interruptions == interruption && still.getAsBoolean()) {
            connection.broken("no answer to keep-alive");
          }
        });
  }

  SimConnection connection(String one, String other) {
    return ways.computeIfAbsent(one, x -> new HashMap<>())
        .computeIfAbsent(other, x -> newConnection(one, other));
  }

  private SimConnection newConnection(String one, String other) {
    boolean inOrder = one.compareTo(other) < 0;
    String first = inOrder ? one : other;
    String second = inOrder ? other : one;
    return connections.computeIfAbsent(
        first + "|" + second, x -> new SimConnection(this, simulation, first, second));
  }

  void carry(
      SimConnection connection,
      SimProcess sender,
      String to,
      boolean heartbeat,
      Envelope original,
      SimConnection.Arrival arrival) {
    String from = sender.name();
    if (faults.breaksConnection()) {
      lose(from, to, original);
      connection.brokenInUse("the connection broke");
      return;
    }
    for (Envelope envelope : tap.sends(from, to, original)) {
      if (faults.loses(envelope)) {
        losses++;
        faults.lost(from, to, envelope);
        simulation.trace().lost(simulation.nanos(), from, to, envelope);
        continue;
      }
      byte[] wire = codec.encode((Record) envelope);
      SimConnection.Message message =
          new SimConnection.Message(
              from,
              to,
              connection.epoch,
              simulation.nanos(),
              heartbeat,
              envelope,
              wire,
              sender,
              arrival);
      arriveLater(connection, message);
      if (faults.repeats(envelope)) {
        echoes++;
        arriveLater(connection, message);
      }
    }
  }

  /** A message is lost with its connection. The sender has sent it and does not know. */
  void lose(String from, String to, Envelope original) {
    for (Envelope envelope : tap.sends(from, to, original)) {
      simulation.trace().lost(simulation.nanos(), from, to, envelope);
    }
  }

  private void arriveLater(SimConnection connection, SimConnection.Message message) {
    if (faults.isPartitioned(message.from(), message.to())) {
      connection.held(message.from()).add(message);
      return;
    }
    SimTransport target = nodes.get(message.to());
    if (target == null) {
      return;
    }
    SimConnection.Side side = connection.side(message.to());
    long last = message.heartbeat() ? side.lastHeartbeat : side.lastCall;
    long delay =
        message.heartbeat()
            ? faults.heartbeatDelay(message.from(), message.to())
            : faults.delay(message.from(), message.to());
    long arrival = Math.max(last, simulation.nanos() + delay);
    if (message.heartbeat()) {
      side.lastHeartbeat = arrival;
    } else {
      side.lastCall = arrival;
    }
    simulation.schedule(
        target.process,
        arrival - simulation.nanos(),
        "arrival",
        () -> {
          if (connection.epoch != message.epoch()) {
            if (connection.isUnread(message)) {
              simulation.schedule(
                  target.process,
                  connection.readLate(),
                  "late arrival",
                  () -> arrive(message, true));
            } else {
              simulation
                  .trace()
                  .lost(message.sent(), message.from(), message.to(), message.envelope());
            }
          } else if (faults.isPartitioned(message.from(), message.to())) {
            connection.held(message.from()).add(message);
          } else if (faults.isDropped(message.from(), message.to(), message.envelope())) {
            losses++;
            faults.lost(message.from(), message.to(), message.envelope());
            simulation
                .trace()
                .lost(message.sent(), message.from(), message.to(), message.envelope());
          } else {
            arrive(message, false);
          }
        });
  }

  private void arrive(SimConnection.Message message, boolean late) {
    Envelope envelope = (Envelope) codec.decode(message.wire());
    simulation
        .trace()
        .arrived(
            message.sent(),
            simulation.nanos(),
            message.from(),
            message.to(),
            message.wire(),
            envelope);
    message.arrive().of(envelope, late);
  }

  /** The transport of a living process. */
  SimTransport node(String process) {
    return nodes.get(process);
  }

  Random random() {
    return random;
  }

  MessageInterceptor tap() {
    return tap;
  }

  void connectionBroken() {
    breaks++;
  }

  void countOvertaking() {
    overtakings++;
  }

  void countStraggler() {
    stragglers++;
  }
}

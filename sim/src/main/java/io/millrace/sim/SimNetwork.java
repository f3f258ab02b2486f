package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.Messages;
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

  private static final long CONNECT_NANOS = 2_000_000_000L;

  private final Simulation simulation;
  private final RecordCodec codec;
  private final Random random;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
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
   * connection does that, but the calls that end up here claim to bear it, however late it is.
   */
  public void repeat(String from, String to, Envelope.Call call, long nanos) {
    SimConnection connection = connection(from, to);
    Node caller = nodes.get(from);
    Node target = nodes.get(to);
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
          if (connection.epoch == epoch && !faults.isPartitioned(from, to)) {
            echoes++;
            target.deliver(caller, connection, false, (Envelope.Call) codec.decode(wire), false);
          }
        });
  }

  Transport join(SimProcess process) {
    Node node = new Node(process);
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
            connection.halfOpen(
                connection.other(process.name()),
                random.nextBoolean() ? nanos : (long) (random.nextDouble() * nanos),
                false));
  }

  private void leave(SimProcess process, Consumer<SimConnection> end) {
    Node node = nodes.get(process.name());
    if (node != null && node.process == process) {
      nodes.remove(process.name());
      frozen.remove(process.name());
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

  private SimConnection connection(String one, String other) {
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

  private void carry(
      SimConnection connection,
      SimProcess sender,
      String to,
      boolean heartbeat,
      Envelope original,
      SimConnection.Arrival arrival) {
    String from = sender.name();
    if (faults.breaksConnection()) {
      simulation.trace().lost(simulation.nanos(), from, to, original);
      connection.brokenInUse("the connection broke");
      return;
    }
    for (Envelope envelope : tap.sends(from, to, original)) {
      if (faults.loses(envelope)) {
        losses++;
        faults.uncertain(from, to);
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

  private void arriveLater(SimConnection connection, SimConnection.Message message) {
    if (faults.isPartitioned(message.from(), message.to())) {
      connection.held(message.from()).add(message);
      return;
    }
    Node target = nodes.get(message.to());
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
            faults.uncertain(message.from(), message.to());
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

  /** The Node of a living process. */
  Node node(String process) {
    return nodes.get(process);
  }

  Random random() {
    return random;
  }

  void connectionBroken() {
    breaks++;
  }

  /** The transport of a process. */
  final class Node implements Transport {
    final SimProcess process;
    private Inbound inbound;

    Node(SimProcess process) {
      this.process = process;
    }

    private boolean isHere() {
      return process.isAlive() && nodes.get(process.name()) == this && inbound != null;
    }

    void lost(String peer, String reason) {
      if (isHere()) {
        tap.lost(process, peer);
        inbound.lost(peer, reason);
      }
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
      SimConnection connection = connection(address(), peer);
      SimConnection.Side own = connection.side(address());
      if (own.known != connection.epoch) {
        // What is written to a dead connection before its end is noticed.
        tap.sends(address(), peer, call)
            .forEach(sent -> simulation.trace().lost(simulation.nanos(), address(), peer, sent));
        return;
      }
      Node target = nodes.get(peer);
      if (!connection.open && (target == null || connection.isPartitioned())) {
        unreachable(peer, own, connection.isPartitioned());
        return;
      }
      if (target == null) {
        return;
      }
      connection.open = true;
      boolean heartbeat = Messages.isHeartbeat(call.message().getClass());
      try {
        carry(
            connection,
            process,
            peer,
            heartbeat,
            call,
            (arrived, late) ->
                target.deliver(this, connection, heartbeat, (Envelope.Call) arrived, late));
      } catch (MillraceException e) {
        inbound.undeliverable(peer, call, e.getMessage());
      }
    }

    private static Envelope.Call numbered(Envelope.Call call, long correlation) {
      return new Envelope.Call(
          call.endpoint(),
          call.token(),
          correlation,
          call.timeoutMillis(),
          call.cause(),
          call.message());
    }

    /** Refuses at once if the process does not run; times out if it is partitioned. */
    private void unreachable(String peer, SimConnection.Side own, boolean partitioned) {
      if (!own.connecting) {
        own.connecting = true;
        simulation.schedule(
            process,
            partitioned ? CONNECT_NANOS : faults.delay(address(), peer),
            "refused",
            () -> {
              own.connecting = false;
              lost(peer, partitioned ? "it cannot be reached" : "connection refused");
            });
      }
    }

    private void deliver(
        Node caller,
        SimConnection connection,
        boolean heartbeat,
        Envelope.Call call,
        boolean late) {
      if (!isHere()) {
        return;
      }
      long epoch = connection.epoch;
      String to = caller.address();
      if (late) {
        stragglers++;
      } else if (connection.side(address()).known < epoch) {
        overtakings++;
      }
      tap.called(to, process, call);
      inbound.called(
          to,
          call,
          answer -> {
            if (late) {
              // It gets nowhere, and a later process of the caller may use the same number.
              tap.answers(process, to, numbered(call, -call.correlation()), answer);
            } else if (process.isAlive() && connection.epoch == epoch && connection.open) {
              tap.answers(process, to, call, answer);
              carry(
                  connection,
                  process,
                  to,
                  heartbeat,
                  answer,
                  (back, overdue) -> {
                    if (caller.isHere()) {
                      tap.heard(caller.process, address(), call, back);
                      caller.inbound.answered(address(), back);
                    }
                  });
            }
          });
    }

    @Override
    public void close() {
      leave(process);
    }
  }
}

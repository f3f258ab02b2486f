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
import java.util.function.Consumer;

/**
 * The connections between simulated processes, with the guarantees of the gRPC transport. There is
 * one connection per pair of processes. Calls arrive in order, and so do heartbeats, but not
 * relative to each other. Messages are encoded and decoded as on the wire. A message is lost only
 * with its connection, and each side is notified of that with its own delay. During a partition
 * messages wait until it ends or the connection times out. There is no order between different
 * pairs. No message of a new connection arrives before the end of the old one is known, unless the
 * old one is half-open.
 */
public final class SimNetwork {
  /** The timeout of a connection without an answer, plus up to the same time at random. */
  private static final long KEEP_ALIVE_NANOS = 20_000_000_000L;

  private static final long CONNECT_NANOS = 2_000_000_000L;

  private final Simulation simulation;
  private final RecordCodec codec;
  private final Random random;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, Pair> pairs = new LinkedHashMap<>();

  /** The same pairs by both names, so that no key has to be built per message. */
  private final Map<String, Map<String, Pair>> ways = new HashMap<>();

  private final Set<String> cuts = new LinkedHashSet<>();
  private final Map<String, Long> cutUntil = new LinkedHashMap<>();
  private final Set<String> frozen = new LinkedHashSet<>();
  private final Map<String, Long> slow = new LinkedHashMap<>();
  private final Map<String, Long> slowHeartbeats = new LinkedHashMap<>();

  /** Calls and answers that are to be lost on living connections. */
  private final Set<String> dropped = new LinkedHashSet<>();

  private MessageInterceptor tap = MessageInterceptor.NONE;
  private double breakProbability;
  private double echoProbability;
  private double lossProbability;
  private long losses;
  private long echoes;
  private long breaks;
  private long overtakings;
  private long stragglers;

  SimNetwork(Simulation simulation, RecordCodec codec) {
    this.simulation = simulation;
    this.codec = codec;
    this.random = simulation.random("network");
  }

  /** Sets the interceptor of all messages. */
  public void tap(MessageInterceptor tap) {
    this.tap = tap;
  }

  /** The probability per message that the connection breaks instead of delivering it. */
  public void breakProbability(double probability) {
    breakProbability = probability;
  }

  /**
   * The probability per call that it arrives twice in a row. No connection does that, but all
   * messages of the protocol are specified to tolerate it.
   */
  public void echoProbability(double probability) {
    echoProbability = probability;
  }

  /**
   * The probability per call with an answer, and per answer, that it is lost on a working
   * connection. No connection does that, but a process that is overloaded or out of memory may.
   * Only the timeout of the call notices it.
   */
  public void lossProbability(double probability) {
    lossProbability = probability;
  }

  /** The maximum additional delay of messages to and from a process. */
  public void slow(String process, long nanos) {
    if (nanos == 0) {
      slow.remove(process);
    } else {
      slow.put(process, nanos);
    }
  }

  /** Heartbeats to or from a process, and the answers to them, take up to this much longer. */
  public void slowHeartbeats(String process, long nanos) {
    if (nanos == 0) {
      slowHeartbeats.remove(process);
    } else {
      slowHeartbeats.put(process, nanos);
    }
  }

  /** Whether messages to or from a process did not get through at some time since then. */
  public boolean wasCutOff(String process, long sinceNanos) {
    return cuts.stream()
            .anyMatch(cut -> cut.startsWith(process + ">") || cut.endsWith(">" + process))
        || cutUntil.getOrDefault(process, -1L) >= sinceNanos;
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
  public void cut(String from, String to) {
    if (cuts.add(from + ">" + to)) {
      Pair pair = pair(from, to);
      pair.cut++;
      giveUpLater(pair, pair.cut, () -> pair.isCut());
    }
  }

  public void mend(String from, String to) {
    if (cuts.remove(from + ">" + to)) {
      cutUntil.put(from, simulation.nanos());
      cutUntil.put(to, simulation.nanos());
      Pair pair = pair(from, to);
      List<Held> held = pair.held(from);
      List<Held> waiting = new ArrayList<>(held);
      held.clear();
      waiting.forEach(message -> arriveLater(pair, message));
    }
  }

  /** Breaks the connection between two processes, if there is one; both are notified soon. */
  public void breakConnection(String one, String other) {
    Pair pair = pair(one, other);
    if (pair.open) {
      pair.brokenInUse("the connection broke");
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
    Pair pair = pair(unaware, aware);
    if (pair.open) {
      pair.halfOpen(unaware, nanos, endsNew);
    }
  }

  /** Whether two processes are connected. */
  public boolean isConnected(String one, String other) {
    return pair(one, other).open;
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
    Pair pair = pair(from, to);
    Node caller = nodes.get(from);
    Node target = nodes.get(to);
    long epoch = pair.epoch;
    if (caller == null || target == null || !pair.open || pair.side(from).known != epoch) {
      return; // It was not carried the first time.
    }
    byte[] wire = codec.encode((Record) call);
    simulation.schedule(
        target.process,
        nanos,
        "arrival",
        () -> {
          if (pair.epoch == epoch && !isCut(from, to)) {
            echoes++;
            target.deliver(caller, pair, false, (Envelope.Call) codec.decode(wire), false);
          }
        });
  }

  /** A call that is under way is lost, or the answer to it is, while the connection lives. */
  public void drop(String from, String to, Envelope.Call call, boolean answer) {
    dropped.add(answer ? dropKey(to, from, call.correlation(), true) : dropKey(from, to, call));
  }

  private static String dropKey(String from, String to, Envelope envelope) {
    return envelope instanceof Envelope.Call call
        ? dropKey(from, to, call.correlation(), false)
        : dropKey(from, to, correlation(envelope), true);
  }

  private static long correlation(Envelope answer) {
    return answer instanceof Envelope.Reply reply
        ? reply.correlation()
        : ((Envelope.Failed) answer).correlation();
  }

  private static String dropKey(String from, String to, long correlation, boolean answer) {
    return from + (answer ? " answers " : " calls ") + to + " " + correlation;
  }

  Transport join(SimProcess process) {
    Node node = new Node(process);
    nodes.put(process.name(), node);
    for (Pair pair : pairs.values()) {
      if (pair.joins(process.name())) {
        pair.side(process.name()).known = pair.epoch;
      }
    }
    return node;
  }

  void leave(SimProcess process) {
    leave(process, pair -> pair.broken("the connection broke"));
  }

  /** A process is gone with its machine: the others hear of it only after a while, each its own. */
  void leaveUnnoticed(SimProcess process, long nanos) {
    leave(
        process,
        pair ->
            pair.halfOpen(
                pair.other(process.name()),
                random.nextBoolean() ? nanos : (long) (random.nextDouble() * nanos),
                false));
  }

  private void leave(SimProcess process, Consumer<Pair> end) {
    Node node = nodes.get(process.name());
    if (node != null && node.process == process) {
      nodes.remove(process.name());
      frozen.remove(process.name());
      for (Pair pair : pairs.values()) {
        if (pair.joins(process.name()) && pair.open) {
          end.accept(pair);
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
    for (Pair pair : pairs.values()) {
      if (pair.joins(process) && pair.open) {
        pair.cut++;
        giveUpLater(pair, pair.cut, () -> frozen.contains(process));
      }
    }
  }

  private void giveUpLater(Pair pair, long cut, java.util.function.BooleanSupplier still) {
    simulation.schedule(
        null,
        KEEP_ALIVE_NANOS + (long) (random.nextDouble() * KEEP_ALIVE_NANOS),
        "keep-alive",
        () -> {
          if (pair.open && pair.cut == cut && still.getAsBoolean()) {
            pair.broken("no answer to keep-alive");
          }
        });
  }

  private Pair pair(String one, String other) {
    return ways.computeIfAbsent(one, x -> new HashMap<>())
        .computeIfAbsent(other, x -> newPair(one, other));
  }

  private Pair newPair(String one, String other) {
    boolean inOrder = one.compareTo(other) < 0;
    String first = inOrder ? one : other;
    String second = inOrder ? other : one;
    return pairs.computeIfAbsent(first + "|" + second, x -> new Pair(first, second));
  }

  private boolean isCut(String from, String to) {
    return !cuts.isEmpty() && cuts.contains(from + ">" + to);
  }

  private long delay(String from, String to) {
    // Mostly a fraction of a millisecond, sometimes tens of milliseconds.
    double chance = random.nextDouble();
    long delay =
        (long) (chance < 0.95 ? 50_000 + chance * 500_000 : random.nextDouble() * 40_000_000);
    if (!slow.isEmpty()) {
      long longer = Math.max(slow.getOrDefault(from, 0L), slow.getOrDefault(to, 0L));
      delay += (long) (random.nextDouble() * longer);
    }
    return delay;
  }

  /** One end of a connection. */
  private static final class Side {
    /** The connection that this side knows. What it sends on an old connection is lost. */
    private long known;

    private long lastCall;
    private long lastHeartbeat;
    private boolean connecting;
    private final List<Held> held = new ArrayList<>();
  }

  /** A message on its way, or stuck behind a partition. */
  private record Held(
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

  private interface Arrival {
    /**
     * @param late whether it comes on a connection that was replaced, so that no answer gets back
     */
    void of(Envelope envelope, boolean late);
  }

  /** Two processes and the connection between them. */
  private final class Pair {
    private final String first;
    private final String second;
    private final Side firstSide = new Side();
    private final Side secondSide = new Side();
    private boolean open;
    private long epoch;
    private long cut;

    /** Of a half-open connection: until when its unaware side may read what was sent before. */
    private long unreadEpoch = -1;

    private String unaware = "";
    private long unreadUntil;
    private long lastUnread;

    Pair(String first, String second) {
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
    List<Held> held(String from) {
      return side(from).held;
    }

    boolean isCut() {
      return SimNetwork.this.isCut(first, second) || SimNetwork.this.isCut(second, first);
    }

    /** Breaks a connection while calls may be pending, so that their outcome is unknown. */
    void brokenInUse(String reason) {
      cutUntil.merge(first, simulation.nanos(), Math::max);
      cutUntil.merge(second, simulation.nanos(), Math::max);
      broken(reason);
    }

    void broken(String reason) {
      close();
      tell(first, second, reason);
      tell(second, first, reason);
    }

    private void close() {
      breaks++;
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
      cutUntil.put(first, simulation.nanos() + nanos);
      cutUntil.put(second, simulation.nanos() + nanos);
      long ended = epoch;
      tell(other(unaware), unaware, "the connection broke");
      Node node = nodes.get(unaware);
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
    private boolean isUnread(Held message) {
      return message.epoch() == unreadEpoch
          && message.to().equals(unaware)
          && message.isOfGoneProcess()
          && message.envelope() instanceof Envelope.Call
          && simulation.nanos() < unreadUntil;
    }

    private long readLate() {
      lastUnread =
          Math.max(simulation.nanos(), lastUnread)
              + (long)
                  (random.nextDouble() * (unreadUntil - Math.max(simulation.nanos(), lastUnread)));
      return lastUnread - simulation.nanos();
    }

    /** Nothing of a new connection arrives before the end of the old one is known. */
    private void tell(String who, String of, String reason) {
      Node node = nodes.get(who);
      if (node == null) {
        return;
      }
      Side side = side(who);
      long when = simulation.nanos() + delay(of, who);
      side.lastCall = Math.max(side.lastCall, when);
      side.lastHeartbeat = Math.max(side.lastHeartbeat, when);
      long ended = epoch;
      simulation.schedule(
          node.process,
          when - simulation.nanos(),
          "lost",
          () -> {
            side.known = Math.max(side.known, ended);
            node.lost(of, reason);
          });
    }
  }

  private void carry(
      Pair pair, SimProcess sender, String to, boolean heartbeat, Envelope said, Arrival go) {
    String from = sender.name();
    if (random.nextDouble() < breakProbability) {
      simulation.trace().lost(simulation.nanos(), from, to, said);
      pair.brokenInUse("the connection broke");
      return;
    }
    for (Envelope envelope : tap.sends(from, to, said)) {
      if (lossProbability > 0 && isAnswered(envelope) && random.nextDouble() < lossProbability) {
        losses++;
        // What was asked for may have been done or not.
        cutUntil.merge(from, simulation.nanos(), Math::max);
        cutUntil.merge(to, simulation.nanos(), Math::max);
        simulation.trace().lost(simulation.nanos(), from, to, envelope);
        continue;
      }
      byte[] wire = codec.encode((Record) envelope);
      Held message =
          new Held(from, to, pair.epoch, simulation.nanos(), heartbeat, envelope, wire, sender, go);
      arriveLater(pair, message);
      if (envelope instanceof Envelope.Call && random.nextDouble() < echoProbability) {
        echoes++;
        arriveLater(pair, message);
      }
    }
  }

  /** Whether it belongs to a call that ends with an answer or a timeout. */
  private static boolean isAnswered(Envelope envelope) {
    return !(envelope instanceof Envelope.Call call) || call.correlation() != 0;
  }

  /** Whether messages from one process to another are blocked. */
  public boolean isPartitioned(String from, String to) {
    return isCut(from, to);
  }

  private void arriveLater(Pair pair, Held message) {
    if (isCut(message.from(), message.to())) {
      pair.held(message.from()).add(message);
      return;
    }
    Node target = nodes.get(message.to());
    if (target == null) {
      return;
    }
    Side side = pair.side(message.to());
    long last = message.heartbeat() ? side.lastHeartbeat : side.lastCall;
    long delay = delay(message.from(), message.to());
    if (message.heartbeat() && !slowHeartbeats.isEmpty()) {
      long longer =
          Math.max(
              slowHeartbeats.getOrDefault(message.from(), 0L),
              slowHeartbeats.getOrDefault(message.to(), 0L));
      delay += (long) (random.nextDouble() * longer);
    }
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
          if (pair.epoch != message.epoch()) {
            if (pair.isUnread(message)) {
              simulation.schedule(
                  target.process, pair.readLate(), "late arrival", () -> arrive(message, true));
            } else {
              simulation
                  .trace()
                  .lost(message.sent(), message.from(), message.to(), message.envelope());
            }
          } else if (isCut(message.from(), message.to())) {
            pair.held(message.from()).add(message);
          } else if (!dropped.isEmpty()
              && dropped.remove(dropKey(message.from(), message.to(), message.envelope()))) {
            losses++;
            cutUntil.merge(message.from(), simulation.nanos(), Math::max);
            cutUntil.merge(message.to(), simulation.nanos(), Math::max);
            simulation
                .trace()
                .lost(message.sent(), message.from(), message.to(), message.envelope());
          } else {
            arrive(message, false);
          }
        });
  }

  private void arrive(Held message, boolean late) {
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

  private final class Node implements Transport {
    private final SimProcess process;
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
      Pair pair = pair(address(), peer);
      Side own = pair.side(address());
      if (own.known != pair.epoch) {
        // What is written to a dead connection before its end is noticed.
        tap.sends(address(), peer, call)
            .forEach(sent -> simulation.trace().lost(simulation.nanos(), address(), peer, sent));
        return;
      }
      Node target = nodes.get(peer);
      if (!pair.open && (target == null || pair.isCut())) {
        unreachable(peer, own, pair.isCut());
        return;
      }
      if (target == null) {
        return;
      }
      pair.open = true;
      boolean heartbeat = Messages.isHeartbeat(call.message().getClass());
      try {
        carry(
            pair,
            process,
            peer,
            heartbeat,
            call,
            (arrived, late) ->
                target.deliver(this, pair, heartbeat, (Envelope.Call) arrived, late));
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

    /** Refused at once where nobody is there, given up after a while where nothing gets through. */
    private void unreachable(String peer, Side own, boolean cut) {
      if (!own.connecting) {
        own.connecting = true;
        simulation.schedule(
            process,
            cut ? CONNECT_NANOS : delay(address(), peer),
            "refused",
            () -> {
              own.connecting = false;
              lost(peer, cut ? "it cannot be reached" : "connection refused");
            });
      }
    }

    private void deliver(
        Node caller, Pair pair, boolean heartbeat, Envelope.Call call, boolean late) {
      if (!isHere()) {
        return;
      }
      long epoch = pair.epoch;
      String to = caller.address();
      if (late) {
        stragglers++;
      } else if (pair.side(address()).known < epoch) {
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
            } else if (process.isAlive() && pair.epoch == epoch && pair.open) {
              tap.answers(process, to, call, answer);
              carry(
                  pair,
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

package io.millrace.sim;

import io.millrace.rpc.Envelope;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The faults of the simulated network: partitions, slow processes, messages that are dropped, and
 * the probabilities of broken connections, repeated calls and lost messages.
 */
public final class NetworkFaults {
  private final Simulation simulation;
  private final Random random;
  private final Set<String> partitions = new LinkedHashSet<>();

  /** When the outcome of messages to or from a process was last unknown. */
  private final Map<String, Long> uncertainUntil = new LinkedHashMap<>();

  private final Map<String, Long> slow = new LinkedHashMap<>();
  private final Map<String, Long> slowHeartbeats = new LinkedHashMap<>();
  private final Set<MessageKey> dropped = new LinkedHashSet<>();

  /** Calls that never arrived. */
  private final Set<MessageKey> lost = new LinkedHashSet<>();

  private double breakProbability;
  private double echoProbability;
  private double lossProbability;

  /** One call or its answer, by the number that the calling process has given to the call. */
  private record MessageKey(String from, String to, long correlation, boolean answer) {
    boolean isOf(String process) {
      return from.equals(process) || to.equals(process);
    }
  }

  NetworkFaults(Simulation simulation, Random random) {
    this.simulation = simulation;
    this.random = random;
  }

  /** The probability per message that the connection breaks instead of delivering it. */
  public void breakProbability(double probability) {
    breakProbability = probability;
  }

  boolean breaksConnection() {
    return random.nextDouble() < breakProbability;
  }

  /**
   * The probability per call that it arrives twice in a row. No connection does that, but all
   * messages of the protocol are specified to tolerate it.
   */
  public void echoProbability(double probability) {
    echoProbability = probability;
  }

  boolean repeats(Envelope envelope) {
    return envelope instanceof Envelope.Call && random.nextDouble() < echoProbability;
  }

  /**
   * The probability per call with an answer, and per answer, that it is lost on a working
   * connection. No connection does that, but a process that is overloaded or out of memory may.
   * Only the timeout of the call notices it.
   */
  public void lossProbability(double probability) {
    lossProbability = probability;
  }

  boolean loses(Envelope envelope) {
    return lossProbability > 0 && isAnswered(envelope) && random.nextDouble() < lossProbability;
  }

  /** Whether it belongs to a call that ends with an answer or a timeout. */
  private static boolean isAnswered(Envelope envelope) {
    return !(envelope instanceof Envelope.Call call) || call.correlation() != 0;
  }

  /** The maximum additional delay of messages to and from a process; zero ends the fault. */
  public void slow(String process, long nanos) {
    set(slow, process, nanos);
  }

  /**
   * The maximum additional delay of heartbeats to and from a process and of their answers; zero
   * ends the fault.
   */
  public void slowHeartbeats(String process, long nanos) {
    set(slowHeartbeats, process, nanos);
  }

  private static void set(Map<String, Long> delays, String process, long nanos) {
    if (nanos == 0) {
      delays.remove(process);
    } else {
      delays.put(process, nanos);
    }
  }

  /** Loses a call that is in flight, or its answer, while the connection lives. */
  public void drop(String from, String to, Envelope.Call call, boolean answer) {
    dropped.add(answer ? new MessageKey(to, from, call.correlation(), true) : key(from, to, call));
  }

  /**
   * A process has ended. The next one of its name begins to number its calls anew: what was to
   * happen to calls of the former one does not concern those.
   */
  void ended(String process) {
    dropped.removeIf(message -> message.isOf(process));
    lost.removeIf(message -> message.isOf(process));
  }

  /** Whether this message is to be dropped, once. */
  boolean isDropped(String from, String to, Envelope envelope) {
    return !dropped.isEmpty() && dropped.remove(key(from, to, envelope));
  }

  private static MessageKey key(String from, String to, Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      return new MessageKey(from, to, call.correlation(), false);
    }
    long correlation =
        envelope instanceof Envelope.Reply reply
            ? reply.correlation()
            : ((Envelope.Failed) envelope).correlation();
    return new MessageKey(from, to, correlation, true);
  }

  /** A message is lost on a living connection. */
  void lost(String from, String to, Envelope envelope) {
    uncertain(from, to);
    if (envelope instanceof Envelope.Call) {
      lost.add(key(from, to, envelope));
    }
  }

  boolean isLost(String from, String to, Envelope.Call call) {
    return lost.contains(key(from, to, call));
  }

  /** Blocks messages in one direction. Returns whether they were not blocked before. */
  boolean partition(String from, String to) {
    return partitions.add(from + ">" + to);
  }

  /** Ends a partition in one direction. Returns whether there was one. */
  boolean heal(String from, String to) {
    if (!partitions.remove(from + ">" + to)) {
      return false;
    }
    uncertainFor(from, to, 0);
    return true;
  }

  /** Whether messages from one process to another are blocked. */
  public boolean isPartitioned(String from, String to) {
    return !partitions.isEmpty() && partitions.contains(from + ">" + to);
  }

  /** Whether messages to or from a process were blocked or lost at some time since then. */
  public boolean wasPartitioned(String process, long sinceNanos) {
    return partitions.stream()
            .anyMatch(
                partition ->
                    partition.startsWith(process + ">") || partition.endsWith(">" + process))
        || uncertainUntil.getOrDefault(process, -1L) >= sinceNanos;
  }

  /** The outcome of a message between two processes is unknown. */
  void uncertain(String one, String other) {
    uncertainUntil.merge(one, simulation.nanos(), Math::max);
    uncertainUntil.merge(other, simulation.nanos(), Math::max);
  }

  /** The outcome of messages between two processes is unknown from now on for a time. */
  void uncertainFor(String one, String other, long nanos) {
    uncertainUntil.put(one, simulation.nanos() + nanos);
    uncertainUntil.put(other, simulation.nanos() + nanos);
  }

  /** Draws the delay of a message: mostly below a millisecond, sometimes tens of milliseconds. */
  long delay(String from, String to) {
    double chance = random.nextDouble();
    long delay =
        (long) (chance < 0.95 ? 50_000 + chance * 500_000 : random.nextDouble() * 40_000_000);
    return delay + longer(slow, from, to);
  }

  /** Draws the delay of a heartbeat or its answer. */
  long heartbeatDelay(String from, String to) {
    long delay = delay(from, to);
    return delay + longer(slowHeartbeats, from, to);
  }

  private long longer(Map<String, Long> delays, String from, String to) {
    if (delays.isEmpty()) {
      return 0;
    }
    long longest = Math.max(delays.getOrDefault(from, 0L), delays.getOrDefault(to, 0L));
    return (long) (random.nextDouble() * longest);
  }
}

package io.millrace.sim.zookeeper;

import io.millrace.core.Bytes;
import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.sim.Coordination;
import io.millrace.sim.SimProcess;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Servers of ZooKeeper. Writes happen one after the other. A process reads from a server that may
 * be behind, but never behind what the session has seen; watches fire when that server has caught
 * up. A session ends when nothing was heard of it for its time-out, and its nodes vanish; its
 * process hears of it when it can reach the servers again. The servers themselves never fail.
 */
public final class SimZooKeeper implements Coordination {
  public static final Duration TIMEOUT = Duration.ofSeconds(4);
  private static final Duration CHECKS = Duration.ofMillis(250);
  private static final long DEFAULT_LAG_NANOS = 20_000_000;
  private static final String LATCH = "latch";

  private final Simulation simulation;
  private final Random random;
  private final SimPeers peers;
  private final NodeTree tree = new NodeTree();
  private final Map<Long, Session> sessions = new LinkedHashMap<>();
  private final Map<SimProcess, SimNodeSession> clients = new LinkedHashMap<>();
  private final Set<String> cut = new LinkedHashSet<>();

  /** The processes that do not hear that their sessions have ended. */
  private final Set<String> unaware = new LinkedHashSet<>();

  private long nextSession = 1;
  private long nextNumber = 1;
  private long longestLagNanos = DEFAULT_LAG_NANOS;
  private int expirations;
  private int staleReads;
  private int removals;

  private Listener listener =
      new Listener() {
        @Override
        public void removed(SimProcess by, SimProcess owner, boolean refused) {}

        @Override
        public void timedOut(SimProcess process) {}

        @Override
        public void takenOver(SimProcess by) {}

        @Override
        public void changed(SimProcess by) {}
      };

  /** Hears what happens at the servers. */
  public interface Listener {
    /** A process has removed the node with which another one contends. */
    void removed(SimProcess by, SimProcess owner, boolean refused);

    /** The session of a process was silent for too long. */
    void timedOut(SimProcess process);

    /** A process has raised the fence. */
    void takenOver(SimProcess by);

    /** A process has changed nodes behind the fence. */
    void changed(SimProcess by);
  }

  /** A session, as the servers know it. */
  static final class Session {
    final long id;
    final SimProcess process;
    long heard;

    /** How far its server is behind. */
    long lagNanos;

    /** The last transaction that it has seen. */
    long seen;

    boolean ended;

    /** For requests of a process that does not know that its session has ended. */
    boolean spare;

    Session(long id, SimProcess process) {
      this.id = id;
      this.process = process;
    }
  }

  public SimZooKeeper(Simulation simulation) {
    this.simulation = simulation;
    this.random = simulation.random("zookeeper");
    this.peers = new SimPeers(simulation);
    change(nodes -> nodes.put("fence", new NodeTree.Node(Bytes.EMPTY, 0, 0)));
    simulation.schedule(CHECKS, "session check", this::endSilentSessions);
  }

  /** The session of a process, and the next ones if that ends. */
  public SimNodeSession of(SimProcess process) {
    SimNodeSession client = new SimNodeSession(this, process);
    clients.put(process, client);
    return client;
  }

  public void listener(Listener now) {
    listener = now;
  }

  Listener listener() {
    return listener;
  }

  public SimPeers peers() {
    return peers;
  }

  /** Cuts a process off from the servers. */
  public void cut(String process, boolean now) {
    if (now) {
      cut.add(process);
    } else {
      cut.remove(process);
      reachable(process);
    }
  }

  private void reachable(String process) {
    clients.forEach(
        (owner, client) -> {
          if (owner.name().equals(process)) {
            client.reachable();
          }
        });
  }

  /** Whether a process does not hear that its session has ended. */
  boolean isUnaware(SimProcess process) {
    return unaware.contains(process.name());
  }

  boolean isCut(SimProcess process) {
    return cut.contains(process.name());
  }

  @Override
  public boolean leads(SimProcess process, String component) {
    return tree.now().children(LATCH).stream()
        .min((one, other) -> Long.compare(number(one), number(other)))
        .flatMap(first -> tree.now().find(LATCH + "/" + first))
        .map(node -> sessions.get(node.owner()))
        .filter(owner -> owner.process == process)
        .isPresent();
  }

  private static long number(String node) {
    return Long.parseLong(node.substring(node.lastIndexOf('_') + 1));
  }

  @Override
  public void longestLag(Duration lag) {
    longestLagNanos = lag.toNanos();
  }

  /**
   * Until it is notified, the process gets no answers of the election. Its blocking requests
   * succeed, because its client has another session for them.
   */
  @Override
  public void expire(String process, Duration unnoticed) {
    List<Session> ending = new ArrayList<>();
    for (Session session : sessions.values()) {
      if (session.process.name().equals(process) && session.process.isAlive()) {
        ending.add(session);
      }
    }
    ending.forEach(this::end);
    if (!ending.isEmpty() && unaware.add(process)) {
      simulation.schedule(
          unnoticed,
          "session lost",
          () -> {
            unaware.remove(process);
            reachable(process);
          });
    }
  }

  /** A frozen process is not heard. */
  @Override
  public void freezes(String process, Duration time) {}

  /** How many sessions have ended although their processes live. */
  public int expirations() {
    return expirations;
  }

  /** How often a process has removed the node of another one. */
  public int removals() {
    return removals;
  }

  /** How many reads have missed a transaction. */
  public int staleReads() {
    return staleReads;
  }

  Simulation simulation() {
    return simulation;
  }

  /** A short time on the way to or from a server. */
  long delay() {
    return 50_000 + (long) (random.nextDouble() * 950_000);
  }

  /** The server of a session may have caught up, or is behind again. */
  void moves(Session session) {
    if (random.nextInt(4) == 0) {
      session.lagNanos = lag();
    }
  }

  /** How far the server of a process is behind. One in ten is far behind. */
  private long lag() {
    boolean raised = longestLagNanos > DEFAULT_LAG_NANOS;
    boolean far = random.nextInt(raised ? 2 : 10) == 0;
    return (long) (random.nextDouble() * (far ? longestLagNanos : 2_000_000));
  }

  Session connect(SimProcess process) {
    Session session = new Session(nextSession++, process);
    session.lagNanos = lag();
    session.heard = simulation.nanos();
    sessions.put(session.id, session);
    return session;
  }

  /** The session has another connection, perhaps to another server. */
  void reconnected(Session session) {
    session.lagNanos = lag();
    session.heard = simulation.nanos();
  }

  void end(Session session) {
    if (!session.ended) {
      session.ended = true;
      sessions.remove(session.id);
      expirations += session.process.isAlive() ? 1 : 0;
      change(nodes -> nodes.values().removeIf(node -> node.owner() == session.id));
    }
  }

  private void endSilentSessions() {
    long limit = simulation.nanos() - TIMEOUT.toNanos();
    for (Session session : new ArrayList<>(sessions.values())) {
      if (session.heard < limit) {
        simulation
            .trace()
            .note(
                simulation.nanos(), session.process.name(), "its session " + session.id + " ends");
        if (!session.spare) {
          listener.timedOut(session.process);
        }
        end(session);
      }
    }
    clients.keySet().removeIf(process -> !process.isAlive());
    simulation.schedule(CHECKS, "session check", this::endSilentSessions);
  }

  /** The nodes as the server of a session has them. */
  NodeTree.State read(Session session) {
    NodeTree.State state = tree.at(simulation.nanos() - session.lagNanos, session.seen);
    staleReads += state.transaction() < tree.now().transaction() ? 1 : 0;
    session.seen = Math.max(session.seen, state.transaction());
    return state;
  }

  /** The nodes as they are. */
  NodeTree.State now() {
    return tree.now();
  }

  /** A transaction of a session, which then sees all transactions so far. */
  void seesAll(Session session) {
    session.seen = tree.now().transaction();
  }

  NodeTree.State change(Consumer<Map<String, NodeTree.Node>> changes) {
    NodeTree.State before = tree.now();
    NodeTree.State after = tree.change(simulation.nanos(), changes);
    boolean contenders = !before.children(LATCH).equals(after.children(LATCH));
    boolean leader = !before.find(NodeSession.LEADER).equals(after.find(NodeSession.LEADER));
    for (SimNodeSession client : new ArrayList<>(clients.values())) {
      client.changed(contenders, leader, after.transaction());
    }
    return after;
  }

  /** Adds a node of a contender; returns its name. */
  String join(String name, Session session) {
    String node = name + String.format(Locale.ROOT, "%010d", nextNumber++);
    change(nodes -> nodes.put(LATCH + "/" + node, new NodeTree.Node(Bytes.EMPTY, 0, session.id)));
    return node;
  }

  static Optional<NodeTree.Node> contender(NodeTree.State state, String node) {
    return state.find(LATCH + "/" + node);
  }

  static List<String> contenders(NodeTree.State state) {
    return state.children(LATCH);
  }

  void remove(String node, SimProcess by) {
    Optional<NodeTree.Node> found = tree.now().find(LATCH + "/" + node);
    if (found.isPresent()) {
      SimProcess owner = sessions.get(found.get().owner()).process;
      if (owner != by) {
        removals++;
        listener.removed(by, owner, peers.hasRefused(owner.name()));
      }
      change(nodes -> nodes.remove(LATCH + "/" + node));
    }
  }
}

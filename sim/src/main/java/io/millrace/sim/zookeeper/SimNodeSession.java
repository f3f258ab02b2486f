package io.millrace.sim.zookeeper;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.ha.zookeeper.nodes.NodeHaStore;
import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.rpc.Subscription;
import io.millrace.sim.FaultyDisk;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The sessions of one process, one after the other. Requests arrive in the order in which they were
 * sent, and so do answers and notifications. A request fails if the process is cut off, and perhaps
 * has been processed; a session that has ended is replaced when the servers can be reached.
 */
public final class SimNodeSession implements NodeSession, FaultyDisk {
  private static final Duration PINGS = SimZooKeeper.TIMEOUT.dividedBy(4);

  private final SimZooKeeper servers;
  private final SimProcess process;
  private final List<Runnable> leaderListeners = new ArrayList<>();
  private Optional<Listener> listener = Optional.empty();
  private SimZooKeeper.Session session;
  private Optional<SimZooKeeper.Session> spare = Optional.empty();
  private Optional<Content> leader = Optional.empty();

  /** Whether a change of contenders is notified. */
  private boolean watching;

  private long lastArrival;
  private long lastNotification;
  private SimStore.FailureMode failureMode = SimStore.FailureMode.NONE;
  private boolean quiet;

  SimNodeSession(SimZooKeeper servers, SimProcess process) {
    this.servers = servers;
    this.process = process;
    this.session = servers.connect(process);
    notifyOfLeader();
    process.schedule(PINGS, "ping", this::ping);
  }

  /** Runs an action at the process, after all that was sent to it before. */
  private void receive(long afterNanos, Runnable action) {
    long now = servers.simulation().nanos();
    lastNotification = Math.max(lastNotification, now + afterNanos + servers.delay());
    process.schedule(
        Duration.ofNanos(lastNotification - now),
        "from zookeeper",
        () -> {
          if (isHeard()) {
            action.run();
          }
        });
  }

  private void ping() {
    renew();
    servers.moves(session);
    process.schedule(PINGS, "ping", this::ping);
  }

  private boolean isHeard() {
    return !servers.isCut(process) && !servers.isUnaware(process);
  }

  /** The servers hear the process. */
  private void renew() {
    if (!isHeard()) {
      return;
    }
    if (session.ended) {
      session = servers.connect(process);
      watching = false;
      listener.ifPresent(
          known -> {
            known.lost();
            known.connected();
          });
      notifyOfLeader();
    } else {
      session.heard = servers.simulation().nanos();
    }
  }

  /** The servers can be reached again. What they sent meanwhile is lost. */
  void reachable() {
    process.schedule(
        Duration.ofNanos(servers.delay()),
        "connected",
        () -> {
          if (!session.ended && isHeard()) {
            servers.reconnected(session);
            listener.ifPresent(Listener::connected);
            notifyOfLeader();
          } else {
            renew();
          }
        });
  }

  /** Nodes have changed. The process hears of it when its server has caught up. */
  void changed(boolean contenders, boolean leaderChanged, long transaction) {
    if (session == null || session.ended) {
      return;
    }
    SimZooKeeper.Session notified = session;
    if (contenders && watching) {
      watching = false;
      receive(
          notified.lagNanos,
          () -> {
            notified.seen = Math.max(notified.seen, transaction);
            listener.ifPresent(Listener::changed);
          });
    }
    if (leaderChanged) {
      notifyOfLeader();
    }
  }

  /** The server has caught up then, and does not fall behind what it has said. */
  private void notifyOfLeader() {
    SimZooKeeper.Session notified = session;
    long transaction = servers.now().transaction();
    receive(
        notified.lagNanos,
        () -> {
          if (!notified.ended) {
            notified.seen = Math.max(notified.seen, transaction);
            Optional<Content> now =
                servers.read(notified).find(LEADER).map(SimNodeSession::content);
            if (!now.equals(leader)) {
              leader = now;
              new ArrayList<>(leaderListeners).forEach(Runnable::run);
            }
          }
        });
  }

  private static Content content(NodeTree.Node node) {
    return new Content(node.value(), node.version());
  }

  private <T> CompletableFuture<T> send(Supplier<T> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    long now = servers.simulation().nanos();
    lastArrival = Math.max(lastArrival, now + servers.delay());
    SimZooKeeper.Session asking = session;
    servers
        .simulation()
        .schedule(
            Duration.ofNanos(lastArrival - now),
            "to zookeeper",
            () -> {
              if (!isHeard() || asking.ended || asking != session) {
                process.schedule(
                    Duration.ofNanos(servers.delay()),
                    "connection lost",
                    () -> {
                      renew();
                      answer.completeExceptionally(lost());
                    });
                return;
              }
              asking.heard = servers.simulation().nanos();
              T value = request.get();
              receive(0, () -> answer.complete(value));
              // The connection may break before the answer arrives.
              process.schedule(
                  SimZooKeeper.TIMEOUT,
                  "connection lost",
                  () -> answer.completeExceptionally(lost()));
            });
    return answer;
  }

  private static ConnectionLost lost() {
    return new ConnectionLost();
  }

  /** The process could not reach the servers. */
  public static final class ConnectionLost extends MillraceException {
    private static final long serialVersionUID = 1L;

    ConnectionLost() {
      super(ErrorKind.EXTERNAL, "The connection to ZooKeeper was lost.");
    }
  }

  @Override
  public void listen(Listener added) {
    listener = Optional.of(added);
  }

  @Override
  public Duration timeout() {
    return SimZooKeeper.TIMEOUT;
  }

  @Override
  public CompletableFuture<Joined> join(String name) {
    SimZooKeeper.Session joining = session;
    return send(
        () -> {
          String node = servers.join(name, joining);
          servers.seesAll(joining);
          return new Joined(node, joining.id);
        });
  }

  @Override
  public CompletableFuture<List<String>> contenders() {
    SimZooKeeper.Session asking = session;
    return send(
        () -> {
          watching = true;
          NodeTree.State state = servers.read(asking);
          if (!SimZooKeeper.contenders(state).equals(SimZooKeeper.contenders(servers.now()))) {
            // The server catches up later.
            changed(true, false, servers.now().transaction());
          }
          return SimZooKeeper.contenders(state);
        });
  }

  @Override
  public CompletableFuture<Owner> owner(String node) {
    SimZooKeeper.Session asking = session;
    return send(
        () ->
            new Owner(
                SimZooKeeper.contender(servers.read(asking), node).map(NodeTree.Node::owner),
                asking.id));
  }

  @Override
  public CompletableFuture<Void> remove(String node) {
    SimZooKeeper.Session asking = session;
    return send(
        () -> {
          servers.remove(node, process);
          servers.seesAll(asking);
          return null;
        });
  }

  /** A blocking request uses another session if the current one has ended. */
  private SimZooKeeper.Session blocking() {
    if (servers.isCut(process) || failureMode == SimStore.FailureMode.UNAVAILABLE) {
      throw lost();
    }
    renew();
    if (!session.ended) {
      return session;
    }
    if (spare.isEmpty() || spare.get().ended) {
      spare = Optional.of(servers.connect(process));
      spare.get().spare = true;
    }
    spare.get().heard = servers.simulation().nanos();
    return spare.get();
  }

  @Override
  public OptionalInt raiseFence(Optional<String> contender) {
    SimZooKeeper.Session asking = blocking();
    if (contender.isPresent() && SimZooKeeper.contender(servers.now(), contender.get()).isEmpty()) {
      return OptionalInt.empty();
    }
    NodeTree.State after =
        servers.change(
            nodes ->
                nodes.computeIfPresent(
                    "fence",
                    (path, node) -> new NodeTree.Node(node.value(), node.version() + 1, 0)));
    servers.seesAll(asking);
    servers.listener().takenOver(process);
    return OptionalInt.of(after.find("fence").orElseThrow().version());
  }

  @Override
  public Optional<Content> read(String node) {
    return state().find(node).map(SimNodeSession::content);
  }

  @Override
  public List<String> list() {
    return state().children(NodeHaStore.DIRECTORY);
  }

  private NodeTree.State state() {
    return quiet ? servers.now() : servers.read(blocking());
  }

  @Override
  public Outcome change(int fence, List<Change> changes) {
    SimZooKeeper.Session asking = blocking();
    servers.seesAll(asking);
    if (servers.now().find("fence").orElseThrow().version() != fence) {
      return Outcome.FENCED_OFF;
    }
    TreeMap<String, NodeTree.Node> changed = new TreeMap<>(servers.now().nodes());
    for (Change change : changes) {
      if (!apply(changed, change, asking.id)) {
        return Outcome.CONFLICT;
      }
    }
    if (failureMode == SimStore.FailureMode.FULL) {
      throw new MillraceException(ErrorKind.EXTERNAL, "The disks of ZooKeeper are full.");
    }
    servers.change(
        nodes -> {
          nodes.clear();
          nodes.putAll(changed);
        });
    servers.seesAll(asking);
    servers.listener().changed(process);
    if (failureMode == SimStore.FailureMode.OUTCOME_UNKNOWN) {
      throw lost();
    }
    return Outcome.DONE;
  }

  /** Returns false if the change conflicts with the node. */
  private static boolean apply(Map<String, NodeTree.Node> nodes, Change change, long session) {
    if (change instanceof Create create) {
      return nodes.putIfAbsent(
              create.node(), new NodeTree.Node(create.value(), 0, create.ephemeral() ? session : 0))
          == null;
    } else if (change instanceof Replace replace) {
      NodeTree.Node before = nodes.get(replace.node());
      if (before == null || before.version() != replace.version()) {
        return false;
      }
      nodes.put(
          replace.node(), new NodeTree.Node(replace.value(), before.version() + 1, before.owner()));
      return true;
    } else if (change instanceof Delete delete) {
      NodeTree.Node before = nodes.get(delete.node());
      return before != null
          && before.version() == delete.version()
          && nodes.remove(delete.node()) != null;
    }
    throw new IllegalArgumentException("Unknown change " + change);
  }

  @Override
  public Optional<Content> leader() {
    return leader;
  }

  @Override
  public Subscription onLeaderChange(Runnable added) {
    leaderListeners.add(added);
    return () -> leaderListeners.remove(added);
  }

  @Override
  public void close() {
    servers.end(session);
  }

  @Override
  public void failureMode(SimStore.FailureMode now) {
    failureMode = now;
  }

  /** Reads the nodes as they are. */
  @Override
  public <T> T quietly(Supplier<T> reading) {
    boolean before = quiet;
    quiet = true;
    try {
      return reading.get();
    } finally {
      quiet = before;
    }
  }

  @Override
  public String toString() {
    return "the simulated ZooKeeper";
  }
}

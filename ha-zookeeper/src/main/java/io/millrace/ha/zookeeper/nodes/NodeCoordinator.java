package io.millrace.ha.zookeeper.nodes;

import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A process at ZooKeeper. A JobManager has one latch for all its components. All processes watch
 * the node with the addresses of the leader.
 */
public final class NodeCoordinator implements Coordinator {
  /** Separates the RPC address from the REST address in the name of a process. */
  public static final char SEPARATOR = ',';

  private static final int PUBLISH_ATTEMPTS = 10;

  private final Env env;
  private final NodeSession nodes;
  private final Peers peers;
  private final NodeHaStore store;
  private volatile Optional<LatchElection> contending = Optional.empty();

  /** How a contender notices the end of those before it. */
  public record Peers(PeerConnections connections, PeerSettings settings) {
    public Peers {
      Objects.requireNonNull(connections);
      Objects.requireNonNull(settings);
    }
  }

  public NodeCoordinator(Env env, NodeSession nodes, Peers peers) {
    this.env = env;
    this.nodes = nodes;
    this.peers = peers;
    this.store = new NodeHaStore(nodes, env.random("writes"));
  }

  @Override
  public void contend(LeaderRecord own, Mailbox mailbox, Contender contender) {
    LatchElection election =
        new LatchElection(
            env, nodes, peers, own.rpc() + SEPARATOR + own.rest(), mailbox, contender);
    contending = Optional.of(election);
    election.start();
  }

  @Override
  public boolean takeOver() {
    Optional<LatchElection> election = contending;
    Optional<String> latch = election.flatMap(LatchElection::latch);
    return (election.isEmpty() || latch.isPresent()) && store.takeOver(latch);
  }

  /** Replaces the node of a predecessor whose session has not ended yet, or an older own one. */
  @Override
  public void publish(LeaderRecord leader) {
    for (int attempt = 1; attempt < PUBLISH_ATTEMPTS; attempt++) {
      if (isPublished(leader)) {
        return;
      }
    }
    throw new StaleWriteException("Other processes change the node of the leader");
  }

  private boolean isPublished(LeaderRecord leader) {
    List<NodeSession.Change> changes = new ArrayList<>();
    nodes
        .read(NodeSession.LEADER)
        .ifPresent(
            before -> changes.add(new NodeSession.Delete(NodeSession.LEADER, before.version())));
    changes.add(new NodeSession.Create(NodeSession.LEADER, leader.encode(), true));
    NodeSession.Outcome outcome = nodes.change(store.fence(), changes);
    return switch (outcome) {
      case DONE -> true;
      case CONFLICT -> false;
      case FENCED_OFF ->
          throw StaleWriteException.ofLaterTerm("Another JobManager has taken over the cluster");
    };
  }

  @Override
  public int contenders() {
    return nodes.contenders().join().size();
  }

  @Override
  public HaStore store() {
    return store;
  }

  @Override
  public Optional<LeaderRecord> leader() {
    return nodes.leader().map(NodeSession.Content::value).flatMap(LeaderRecord::find);
  }

  @Override
  public Subscription onLeaderChange(Runnable listener) {
    return nodes.onLeaderChange(listener);
  }

  @Override
  public void close() {
    contending.ifPresent(LatchElection::close);
    nodes.close();
  }

  @Override
  public String toString() {
    return nodes.toString();
  }
}

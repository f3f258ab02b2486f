package io.millrace.ha.zookeeper.nodes;

import io.millrace.control.ha.Coordinator;
import io.millrace.core.id.Id128;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Contends for the leadership with a node that vanishes with the session: the oldest node leads.
 * Reads its own node regularly to know that its session lives, and watches the processes before it.
 * {@link LeadershipLease} and {@link PeerWatch} decide. Confined to the mailbox of the contender.
 *
 * <pre>
 * state      event                                           next state
 * no node    the nodes are listed                            no node; removes own nodes of earlier
 *                                                            attempts, creates one
 * no node    the node is created                             waiting
 * waiting    the own node is the first one                   holds the latch
 * waiting or holds the latch
 *            the session is lost, or the own node is gone    no node
 * </pre>
 */
final class LatchElection implements NodeSession.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(LatchElection.class);

  /** The part of the session time-out after which the session is checked again. */
  private static final int CHECKS_PER_SESSION = 8;

  private static final Duration MIN_INTERVAL = Duration.ofMillis(20);

  private final Env env;
  private final NodeSession nodes;
  private final PeerConnections connections;
  private final Mailbox mailbox;
  private final Coordinator.Contender contender;
  private final String process;
  private final String address;
  private final LeadershipLease lease;
  private final PeerWatch peers;

  /** By node. Also used by the thread that closes this. */
  private final Map<String, PeerConnections.Connection> connected = new ConcurrentHashMap<>();

  private Optional<NodeSession.Joined> own = Optional.empty();

  /** The node that holds the latch. Also read by the thread that takes over. */
  private volatile Optional<String> latch = Optional.empty();

  private int attempt;

  /** Creating the node. */
  private boolean joining;

  /** Listing the nodes; once more if they change meanwhile. */
  private boolean listing;

  private boolean listAgain;
  private volatile boolean closed;

  LatchElection(
      Env env,
      NodeSession nodes,
      NodeCoordinator.Peers peers,
      String address,
      Mailbox mailbox,
      Coordinator.Contender contender) {
    this.env = env;
    this.nodes = nodes;
    this.connections = peers.connections();
    this.peers = new PeerWatch(peers.settings());
    this.mailbox = mailbox;
    this.contender = contender;
    this.address = address;
    this.process = Id128.random(env.random("contender")).toString();
    this.lease = new LeadershipLease();
  }

  void start() {
    nodes.listen(this);
    mailbox.post(this::check);
  }

  /** The node with which this process is elected, as far as it knows. For any thread. */
  Optional<String> latch() {
    return latch;
  }

  /** No call of the contender follows. The node vanishes with the session. */
  void close() {
    closed = true;
    connected.values().forEach(PeerConnections.Connection::close);
  }

  @Override
  public void connected() {
    mailbox.post(this::refresh);
  }

  @Override
  public void changed() {
    mailbox.post(this::refresh);
  }

  @Override
  public void lost() {
    mailbox.post(
        () -> {
          if (own.isPresent()) {
            LOG.warn("The session has ended");
            leave();
          }
        });
  }

  private void check() {
    if (closed) {
      return;
    }
    long now = env.nanos();
    apply(lease.tick(now));
    refresh();
    Duration interval = interval();
    Duration remaining = lease.remaining(now);
    mailbox.after(
        remaining.isZero() || remaining.compareTo(interval) > 0 ? interval : remaining,
        this::check);
  }

  private Duration interval() {
    Duration part = nodes.timeout().dividedBy(CHECKS_PER_SESSION);
    return part.compareTo(MIN_INTERVAL) > 0 ? part : MIN_INTERVAL;
  }

  /** Reads the own node and those of all contenders. */
  private void refresh() {
    if (closed) {
      return;
    }
    own.ifPresent(this::contact);
    if (listing) {
      listAgain = true;
      return;
    }
    listing = true;
    answer(
        nodes.contenders(),
        names -> {
          listing = false;
          listed(Contender.of(names));
          repeat();
        },
        failure -> {
          listing = false;
          LOG.debug("The contenders cannot be listed", failure);
          listAgain = false;
        });
  }

  private void repeat() {
    if (listAgain) {
      listAgain = false;
      refresh();
    }
  }

  private void listed(List<Contender> all) {
    if (own.isEmpty()) {
      all.stream().filter(this::isOwn).forEach(this::removeEarlier);
      join();
      return;
    }
    String node = own.get().node();
    all.stream().filter(one -> isOwn(one) && !one.node().equals(node)).forEach(this::removeEarlier);
    if (all.stream().noneMatch(one -> one.node().equals(node))) {
      removedByAnother(node);
      return;
    }
    act(peers.contenders(all, node));
    if (all.get(0).node().equals(node) && !lease.holdsLatch()) {
      LOG.info("The session holds the latch {}", node);
      latch = Optional.of(node);
      apply(lease.latchAcquired(env.nanos()));
      own.ifPresent(this::contact);
    }
  }

  private boolean isOwn(Contender one) {
    return one.process().equals(Optional.of(process));
  }

  /** Of an attempt whose answer was lost, or of an earlier session. */
  private void removeEarlier(Contender earlier) {
    answer(
        nodes.remove(earlier.node()),
        done -> {},
        failure -> LOG.debug("Cannot remove {}", earlier.node(), failure));
  }

  private void join() {
    if (joining) {
      return;
    }
    joining = true;
    attempt++;
    answer(
        nodes.join(Contender.name(process, attempt, address)),
        joined -> {
          joining = false;
          own = Optional.of(joined);
          refresh();
        },
        failure -> {
          joining = false;
          LOG.warn("Cannot contend for the leadership; tries again: {}", failure.toString());
        });
  }

  private void removedByAnother(String node) {
    LOG.warn("Another process has removed {}; this one contends again", node);
    leave();
    refresh();
  }

  private void leave() {
    own = Optional.empty();
    latch = Optional.empty();
    act(peers.clear());
    apply(lease.latchLost(env.nanos()));
  }

  /** Asks for the own node, and thereby keeps the session alive. */
  private void contact(NodeSession.Joined asked) {
    long sentAt = env.nanos();
    answer(
        nodes.owner(asked.node()),
        found -> {
          if (!own.equals(Optional.of(asked))) {
            return;
          }
          if (found.owner().isEmpty()) {
            removedByAnother(asked.node());
          } else if (found.session() != asked.session()) {
            // The node is left from a session that has ended or will end.
            leave();
            refresh();
          } else if (found.isOwn()) {
            apply(lease.contact(sentAt, nodes.timeout(), env.nanos()));
          }
        },
        failure -> LOG.debug("The session cannot be checked", failure));
  }

  private void act(List<PeerWatch.Action> actions) {
    for (PeerWatch.Action action : actions) {
      String node = action.peer().node();
      if (action instanceof PeerWatch.Connect connect) {
        if (connect.after().isZero()) {
          connect(connect.peer());
        } else {
          mailbox.after(connect.after(), () -> connect(connect.peer()));
        }
      } else if (action instanceof PeerWatch.Disconnect) {
        disconnect(node);
      } else if (action instanceof PeerWatch.Remove remove) {
        LOG.warn("The process of {} is dead: {}. Its node is removed.", node, remove.why());
        disconnect(node);
        answer(
            nodes.remove(node),
            done -> refresh(),
            failure -> {
              LOG.warn("Cannot remove {}", node, failure);
              act(peers.notRemoved(node));
            });
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
  }

  private void connect(Contender peer) {
    if (closed || !peers.watches(peer.node())) {
      return;
    }
    disconnect(peer.node());
    connected.put(
        peer.node(),
        connections.connect(
            peer.address().orElseThrow(),
            new PeerConnections.Listener() {
              @Override
              public void connected() {
                mailbox.post(() -> act(peers.connected(peer.node())));
              }

              @Override
              public void refused() {
                mailbox.post(() -> act(peers.refused(peer.node())));
              }

              @Override
              public void unanswered() {
                mailbox.post(() -> act(peers.unanswered(peer.node())));
              }

              @Override
              public void broken() {
                mailbox.post(() -> act(peers.broken(peer.node())));
              }
            }));
  }

  private void disconnect(String node) {
    PeerConnections.Connection open = connected.remove(node);
    if (open != null) {
      open.close();
    }
  }

  private void apply(LeadershipLease.Change change) {
    if (closed) {
      return;
    }
    switch (change) {
      case BEGIN -> contender.elected();
      case END -> contender.dismissed();
      case NONE -> {}
    }
  }

  private <T> void answer(
      CompletableFuture<T> answer, Consumer<T> then, Consumer<Throwable> otherwise) {
    answer.whenComplete(
        (value, failure) ->
            mailbox.post(
                () -> {
                  if (closed) {
                    return;
                  }
                  if (failure == null) {
                    then.accept(value);
                  } else {
                    otherwise.accept(failure);
                  }
                }));
  }
}

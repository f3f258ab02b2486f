package io.millrace.ha.zookeeper.nodes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Decides when a contender before this one is dead although its session has not ended: a connection
 * to it breaks, and then its port refuses several connections in a row. A host that does not answer
 * proves nothing; then its session decides. Plain values in, actions out.
 *
 * <pre>
 * state of a contender   event                            next state, action
 * new                                                     connecting, connect
 * connecting             connected                        connected
 * connecting             refused, unanswered              connecting, connect later
 * connected              broken                           suspected (0), connect
 * suspected (n)          refused, n + 1 &lt; refusals        suspected (n + 1), connect later
 * suspected (n)          refused, n + 1 = refusals        removed, remove its node
 * suspected              unanswered                       suspected (0), connect later
 * suspected              connected                        returned
 * returned               broken                           suspected (0), connect later
 * suspected or returned  a younger contender has its      removed, remove its node
 *                        address: its process has been
 *                        started again
 * removed                the removal failed               suspected (0), connect later
 * any                    its node is gone                 none, disconnect
 * </pre>
 *
 * <p>A process whose node was removed and that contends again has not been dead: connections to it
 * are refused for another reason. It is not watched any more.
 */
final class PeerWatch {
  /** The pause after an attempt that proves nothing. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final int REMEMBERED = 100;

  /** What has to be done about a contender. */
  sealed interface Action {
    Contender peer();
  }

  record Connect(Contender peer, Duration after) implements Action {
    Connect {
      Objects.requireNonNull(peer);
      Objects.requireNonNull(after);
    }
  }

  record Disconnect(Contender peer) implements Action {
    Disconnect {
      Objects.requireNonNull(peer);
    }
  }

  /** The process is dead: its node is in the way. */
  record Remove(Contender peer, String why) implements Action {
    Remove {
      Objects.requireNonNull(peer);
      Objects.requireNonNull(why);
    }
  }

  private enum State {
    CONNECTING,
    CONNECTED,
    SUSPECTED,
    RETURNED,
    REMOVED
  }

  private static final class Watched {
    private final Contender peer;
    private State state = State.CONNECTING;
    private int refusals;

    Watched(Contender peer) {
      this.peer = peer;
    }
  }

  private final PeerSettings settings;
  private final Map<String, Watched> watched = new LinkedHashMap<>();

  /** The processes whose nodes this one has removed, oldest first. */
  private final Set<String> removed = new LinkedHashSet<>();

  private List<Contender> contenders = List.of();

  PeerWatch(PeerSettings settings) {
    this.settings = settings;
  }

  /**
   * @param all in the order in which they lead
   * @param own the node of this process; those before it are watched
   */
  List<Action> contenders(List<Contender> all, String own) {
    contenders = all;
    List<Action> actions = new ArrayList<>();
    Map<String, Watched> gone = new LinkedHashMap<>(watched);
    for (Contender peer : all) {
      if (peer.node().equals(own)) {
        break;
      }
      gone.remove(peer.node());
      if (settings.enabled() && !watched.containsKey(peer.node()) && isWatchable(peer)) {
        watched.put(peer.node(), new Watched(peer));
        actions.add(new Connect(peer, Duration.ZERO));
      }
    }
    for (Watched one : gone.values()) {
      watched.remove(one.peer.node());
      actions.add(new Disconnect(one.peer));
    }
    for (Watched one : watched.values()) {
      if (one.state == State.SUSPECTED || one.state == State.RETURNED) {
        replaced(one).ifPresent(actions::add);
      }
    }
    return actions;
  }

  private boolean isWatchable(Contender peer) {
    return peer.address().isPresent() && peer.process().filter(removed::contains).isEmpty();
  }

  List<Action> connected(String node) {
    Watched one = watched.get(node);
    if (one == null || one.state == State.REMOVED) {
      return List.of();
    }
    if (one.state == State.CONNECTING) {
      one.state = State.CONNECTED;
      return List.of();
    }
    one.state = State.RETURNED;
    one.refusals = 0;
    return replaced(one).map(List::of).orElseGet(List::of);
  }

  List<Action> broken(String node) {
    Watched one = watched.get(node);
    if (one == null || (one.state != State.CONNECTED && one.state != State.RETURNED)) {
      return List.of();
    }
    // A REST server that closes connections at once must not be asked without a pause.
    Duration pause = one.state == State.RETURNED ? settings.interval() : Duration.ZERO;
    one.state = State.SUSPECTED;
    one.refusals = 0;
    return List.of(new Connect(one.peer, pause));
  }

  List<Action> refused(String node) {
    Watched one = watched.get(node);
    if (one == null || one.state == State.REMOVED) {
      return List.of();
    }
    if (one.state != State.SUSPECTED) {
      return List.of(new Connect(one.peer, RETRY));
    }
    one.refusals++;
    return List.of(
        one.refusals < settings.refusals()
            ? new Connect(one.peer, settings.interval())
            : remove(
                one,
                "the connection to it broke, and its port refused "
                    + one.refusals
                    + " connections"));
  }

  List<Action> unanswered(String node) {
    Watched one = watched.get(node);
    if (one == null || one.state == State.REMOVED) {
      return List.of();
    }
    one.refusals = 0;
    return List.of(new Connect(one.peer, RETRY));
  }

  /** The node could not be removed. */
  List<Action> notRemoved(String node) {
    Watched one = watched.get(node);
    if (one == null || one.state != State.REMOVED) {
      return List.of();
    }
    one.peer.process().ifPresent(removed::remove);
    one.state = State.SUSPECTED;
    one.refusals = 0;
    return List.of(new Connect(one.peer, RETRY));
  }

  /** Whether a connection to the process of this node is wanted. */
  boolean watches(String node) {
    Watched one = watched.get(node);
    return one != null && one.state != State.REMOVED;
  }

  /** This process does not contend at the moment. */
  List<Action> clear() {
    List<Action> actions = new ArrayList<>();
    watched.values().forEach(one -> actions.add(new Disconnect(one.peer)));
    watched.clear();
    return actions;
  }

  private Optional<Action> replaced(Watched one) {
    return contenders.stream()
        .filter(other -> other.number() > one.peer.number())
        .filter(other -> other.address().equals(one.peer.address()))
        .filter(other -> !other.process().equals(one.peer.process()))
        .findFirst()
        .map(
            successor ->
                remove(
                    one,
                    "the connection to it broke, and another process contends from its address"));
  }

  private Action remove(Watched one, String why) {
    one.state = State.REMOVED;
    one.peer.process().ifPresent(removed::add);
    if (removed.size() > REMEMBERED) {
      removed.remove(removed.iterator().next());
    }
    return new Remove(one.peer, why);
  }
}

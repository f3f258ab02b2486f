package io.millrace.ha.zookeeper.nodes;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * The nodes of one cluster, as one process sees them. When its session at the service ends, the
 * process gets another one. Requests of a session are processed in their order, and what a session
 * reads is never older than what it has read or written before; it may be older than what other
 * sessions have written. A simulation seam.
 *
 * <p>A request that fails, or whose future does so, may have been processed.
 */
public interface NodeSession extends AutoCloseable {
  /** The node with the addresses of the leader. */
  String LEADER = "leader";

  /** Hears of changes, in any thread. */
  interface Listener {
    /** The session has a connection, for the first time or again. */
    void connected();

    /** Nodes that were read with a watch have changed. */
    void changed();

    /** The session has ended. */
    void lost();
  }

  /** A node of a contender, created by the session of this process. */
  record Joined(String node, long session) {
    public Joined {
      Objects.requireNonNull(node);
    }
  }

  /**
   * The session that a node belongs to.
   *
   * @param owner empty if there is no such node
   * @param session that has asked
   */
  record Owner(Optional<Long> owner, long session) {
    public Owner {
      Objects.requireNonNull(owner);
    }

    boolean isOwn() {
      return owner.equals(Optional.of(session));
    }
  }

  /** The content of a node and how often it was changed. */
  record Content(Bytes value, int version) {
    public Content {
      Objects.requireNonNull(value);
    }
  }

  /** A change of one node. */
  sealed interface Change {}

  /**
   * @param ephemeral whether the node vanishes with the session
   */
  record Create(String node, Bytes value, boolean ephemeral) implements Change {
    public Create {
      Objects.requireNonNull(node);
      Objects.requireNonNull(value);
    }
  }

  record Replace(String node, Bytes value, int version) implements Change {
    public Replace {
      Objects.requireNonNull(node);
      Objects.requireNonNull(value);
    }
  }

  record Delete(String node, int version) implements Change {
    public Delete {
      Objects.requireNonNull(node);
    }
  }

  /** What became of changes. */
  enum Outcome {
    DONE,
    /** None of them was made, because the fence has another version. */
    FENCED_OFF,
    /** None of them was made, because a node exists, is missing, or has another version. */
    CONFLICT
  }

  /** Registers the listener, once, before the election begins. */
  void listen(Listener listener);

  /** How long the service keeps a session that it does not hear from. */
  Duration timeout();

  /** Creates a node of a contender, which vanishes with the session; a number is appended. */
  CompletableFuture<Joined> join(String name);

  /** The nodes of all contenders, with a watch for the next change. */
  CompletableFuture<List<String>> contenders();

  /** Asks for the node of a contender, with a watch for its end. */
  CompletableFuture<Owner> owner(String node);

  /** Removes the node of a contender, of whichever session. Nothing happens if there is none. */
  CompletableFuture<Void> remove(String node);

  /**
   * Increases the version of the fence and returns it. Blocks.
   *
   * @param contender the node of a contender, which has to exist at that moment
   * @return empty if it does not exist
   */
  OptionalInt raiseFence(Optional<String> contender);

  /** Blocks. */
  Optional<Content> read(String node);

  /** Reads several nodes; one answer per node, in their order. Blocks. */
  default List<Optional<Content>> readAll(List<String> all) {
    return all.stream().map(this::read).toList();
  }

  /** The names of the nodes of the store. Blocks. */
  List<String> list();

  /** Makes all changes, if the fence has this version, or none. Blocks. */
  Outcome change(int fence, List<Change> changes);

  /** The content of the node of the leader, as far as this process knows. Does not block. */
  Optional<Content> leader();

  /** Calls the listener after each change of the node of the leader, in any thread. */
  Subscription onLeaderChange(Runnable listener);

  /** Ends the session. Blocks. */
  @Override
  void close();

  /** The changes in a list of their own. */
  static List<Change> changes(Change... all) {
    return OrderedCopies.list(List.of(all));
  }
}

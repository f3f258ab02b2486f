package io.millrace.ha.zookeeper.nodes;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.HaStoreEntry;
import io.millrace.control.ha.KeyFileName;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * A store with one node per key: the id of the write, and the content that the files of other
 * stores have. A write also checks the version of the fence, which the next leader changes before
 * it reads: no write of a former leader succeeds after that.
 */
public final class NodeHaStore implements HaStore {
  /** ZooKeeper takes messages of 1 MiB by default. */
  public static final int MAX_BYTES = 512 * 1024;

  /** The directory of the nodes of the store. */
  public static final String DIRECTORY = "store";

  /** Before the first take-over. Not a version that a node can have. */
  private static final int NOT_TAKEN = -1;

  private final NodeSession nodes;
  private final RandomGenerator random;
  private volatile int fence = NOT_TAKEN;

  /** Nodes as they were last read or written, without their values: a write need not read first. */
  private final Map<String, Node> lastSeen = new ConcurrentHashMap<>();

  NodeHaStore(NodeSession nodes, RandomGenerator random) {
    this.nodes = nodes;
    this.random = random;
  }

  /**
   * A node and its version.
   *
   * @param writeId a number that no other write has, with which a writer finds out that a write
   *     succeeded whose answer was lost
   */
  private record Node(long writeId, HaStoreEntry entry, int version) {}

  /**
   * Fences off all former leaders. If the answer is lost, the fence is changed once more, which
   * does no harm: the last change counts.
   *
   * @param contender the node with which this process is elected, if it contends
   * @return false if that node does not exist any more
   */
  boolean takeOver(Optional<String> contender) {
    OptionalInt raised = nodes.raiseFence(contender);
    raised.ifPresent(version -> fence = version);
    lastSeen.clear();
    return raised.isPresent();
  }

  /** The version of the fence with which this process has taken over. */
  int fence() {
    int expected = fence;
    if (expected == NOT_TAKEN) {
      throw new StaleWriteException("This JobManager does not lead the cluster");
    }
    return expected;
  }

  @Override
  public Optional<Versioned> read(String key) {
    return load(key).map(NodeHaStore::versioned);
  }

  @Override
  public List<Optional<Versioned>> readAll(List<String> keys) {
    List<Optional<NodeSession.Content>> contents =
        nodes.readAll(keys.stream().map(NodeHaStore::node).toList());
    List<Optional<Versioned>> values = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      String key = keys.get(i);
      values.add(contents.get(i).map(content -> versioned(decoded(key, content))));
    }
    return values;
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    HaStoreEntry next = new HaStoreEntry(key, value, expectedVersion + 1, term);
    long writeId = random.nextLong();
    byte[] entry = next.encode().array();
    Bytes content =
        Bytes.wrap(
            ByteBuffer.allocate(Long.BYTES + entry.length).putLong(writeId).put(entry).array());
    if (content.length() > MAX_BYTES) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The value of '"
              + key
              + "' has "
              + value.length()
              + " bytes, more than fit into a node of ZooKeeper ("
              + MAX_BYTES
              + ").");
    }
    Optional<Node> before = lastSeen(key, expectedVersion, term).or(() -> load(key));
    while (before.filter(found -> found.writeId() == writeId).isEmpty()) {
      HaStoreEntry.checkWrite(before.map(Node::entry), key, expectedVersion, term);
      if (commit(key, change(node(key), content, before))) {
        see(new Node(writeId, next, before.map(found -> found.version() + 1).orElse(0)));
        return next.version();
      }
      before = load(key);
    }
    return next.version();
  }

  private static NodeSession.Change change(String node, Bytes content, Optional<Node> before) {
    return before.isPresent()
        ? new NodeSession.Replace(node, content, before.get().version())
        : new NodeSession.Create(node, content, false);
  }

  /**
   * The node, if a write is allowed by what was last seen of it. If it has changed since, the write
   * conflicts.
   */
  private Optional<Node> lastSeen(String key, long expectedVersion, long term) {
    return Optional.ofNullable(lastSeen.get(key))
        .filter(seen -> seen.entry().version() == expectedVersion && seen.entry().term() <= term);
  }

  private Node see(Node found) {
    HaStoreEntry entry = found.entry();
    lastSeen.put(
        entry.key(),
        new Node(
            found.writeId(),
            new HaStoreEntry(entry.key(), Bytes.EMPTY, entry.version(), entry.term()),
            found.version()));
    return found;
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    Optional<Node> before = load(key);
    while (before.isPresent()) {
      Node found = before.get();
      found.entry().check(expectedVersion, term);
      if (commit(key, new NodeSession.Delete(node(key), found.version()))) {
        lastSeen.remove(key);
        return;
      }
      before = load(key);
    }
  }

  @Override
  public List<String> list(String prefix) {
    List<String> keys = new ArrayList<>();
    for (String name : nodes.list()) {
      if (KeyFileName.isValue(name)) {
        // The name of a long key is only in the node.
        KeyFileName.key(name)
            .or(() -> readNode(DIRECTORY + "/" + name).map(found -> found.entry().key()))
            .filter(key -> key.startsWith(prefix))
            .ifPresent(keys::add);
      }
    }
    Collections.sort(keys);
    return keys;
  }

  @Override
  public String toString() {
    return nodes + "/" + DIRECTORY;
  }

  /** The node of a value. */
  public static String node(String key) {
    return DIRECTORY + "/" + KeyFileName.name(key);
  }

  private Optional<Node> load(String key) {
    return nodes.read(node(key)).map(content -> decoded(key, content));
  }

  private Node decoded(String key, NodeSession.Content content) {
    String node = shown(node(key));
    Node found = decode(node, content);
    found.entry().checkKey(node, key);
    return see(found);
  }

  private static Versioned versioned(Node found) {
    return new Versioned(found.entry().value(), found.entry().version());
  }

  private Optional<Node> readNode(String node) {
    return nodes.read(node).map(content -> decode(shown(node), content));
  }

  /** Where to look for a node, in an error. */
  private String shown(String node) {
    return nodes + "/" + node;
  }

  private static Node decode(String node, NodeSession.Content content) {
    byte[] bytes = content.value().toArray();
    int begin = Math.min(bytes.length, Long.BYTES);
    HaStoreEntry entry = HaStoreEntry.decode(node, Arrays.copyOfRange(bytes, begin, bytes.length));
    return new Node(ByteBuffer.wrap(bytes).getLong(), entry, content.version());
  }

  /** Changes a node; false if the node has been changed since it was read. */
  private boolean commit(String key, NodeSession.Change change) {
    NodeSession.Outcome outcome = nodes.change(fence(), NodeSession.changes(change));
    return switch (outcome) {
      case DONE -> true;
      case CONFLICT -> false;
      case FENCED_OFF ->
          throw StaleWriteException.ofLaterTerm(
              "'" + key + "' was not changed: another JobManager has taken over the cluster");
    };
  }
}

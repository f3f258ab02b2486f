package io.millrace.ha.zookeeper.nodes;

import io.millrace.core.Bytes;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Nodes in memory, with the session of one process. The test says how requests are answered. */
final class FakeNodes implements NodeSession {
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The requests of the election. */
  enum Request {
    JOIN,
    CONTENDERS,
    OWNER,
    REMOVE
  }

  /** What becomes of requests of one kind. */
  enum Answers {
    AT_ONCE,
    /** They are processed, and the connection breaks before the answer. */
    LOST,
    /** They do not reach the service. */
    UNREACHABLE,
    /** They are processed and answered by {@link #answerHeld}. */
    HELD
  }

  /** Happens instead of a change of nodes; it may make the change. */
  interface Interference {
    Outcome apply(Supplier<Outcome> change);
  }

  /** The nodes of contenders, with the sessions that they belong to. */
  final Map<String, Long> latch = new LinkedHashMap<>();

  /** For the next changes, one each. */
  final Deque<Interference> interferences = new ArrayDeque<>();

  final Map<Request, Integer> received = new EnumMap<>(Request.class);
  boolean closed;
  private final Map<Request, Answers> answers = new EnumMap<>(Request.class);
  private final List<Runnable> held = new ArrayList<>();
  private final Map<String, Content> nodes = new TreeMap<>();
  private Optional<Listener> listener = Optional.empty();
  private long session = 1;
  private int number;
  private int fence;

  void answer(Answers how, Request... requests) {
    for (Request request : requests) {
      answers.put(request, how);
    }
  }

  void answerHeld() {
    List<Runnable> now = List.copyOf(held);
    held.clear();
    now.forEach(Runnable::run);
  }

  /** Adds a node of another process, behind all others. */
  String other(String process, String address) {
    String node = numbered(Contender.name(process, 1, address));
    latch.put(node, -1L);
    return node;
  }

  private String numbered(String name) {
    return name + String.format(Locale.ROOT, "%010d", ++number);
  }

  /** The node of this process. Throws unless it has exactly one. */
  String own() {
    List<String> found =
        latch.entrySet().stream()
            .filter(node -> node.getValue() > 0)
            .map(Map.Entry::getKey)
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("Nodes of this process: " + found);
    }
    return found.get(0);
  }

  long session() {
    return session;
  }

  /** The process gets another session. The nodes of the former one stay until it ends. */
  void replaceSession() {
    session++;
  }

  /** The session ends with its nodes, and the process gets another one. */
  void expire() {
    latch.values().removeIf(owner -> owner == session);
    session++;
    listener().lost();
  }

  Listener listener() {
    return listener.orElseThrow();
  }

  /** Another process writes a node. */
  void put(String node, Bytes value) {
    nodes.merge(
        node, new Content(value, 0), (before, now) -> new Content(value, before.version() + 1));
  }

  void delete(String node) {
    nodes.remove(node);
  }

  private <T> CompletableFuture<T> send(Request request, Supplier<T> process) {
    received.merge(request, 1, Integer::sum);
    Answers how = answers.getOrDefault(request, Answers.AT_ONCE);
    if (how == Answers.UNREACHABLE) {
      return CompletableFuture.failedFuture(new IllegalStateException("unreachable"));
    }
    T value = process.get();
    if (how == Answers.LOST) {
      return CompletableFuture.failedFuture(new IllegalStateException("connection lost"));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (how == Answers.HELD) {
      held.add(() -> answer.complete(value));
    } else {
      answer.complete(value);
    }
    return answer;
  }

  @Override
  public void listen(Listener added) {
    listener = Optional.of(added);
  }

  @Override
  public Duration timeout() {
    return TIMEOUT;
  }

  @Override
  public CompletableFuture<Joined> join(String name) {
    return send(
        Request.JOIN,
        () -> {
          String node = numbered(name);
          latch.put(node, session);
          return new Joined(node, session);
        });
  }

  @Override
  public CompletableFuture<List<String>> contenders() {
    return send(Request.CONTENDERS, () -> List.copyOf(latch.keySet()));
  }

  @Override
  public CompletableFuture<Owner> owner(String node) {
    return send(Request.OWNER, () -> new Owner(Optional.ofNullable(latch.get(node)), session));
  }

  @Override
  public CompletableFuture<Void> remove(String node) {
    return send(
        Request.REMOVE,
        () -> {
          latch.remove(node);
          return null;
        });
  }

  @Override
  public OptionalInt raiseFence(Optional<String> contender) {
    if (contender.isPresent() && !latch.containsKey(contender.get())) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(++fence);
  }

  @Override
  public Optional<Content> read(String node) {
    return Optional.ofNullable(nodes.get(node));
  }

  @Override
  public List<String> list() {
    String directory = NodeHaStore.DIRECTORY + "/";
    return nodes.keySet().stream()
        .filter(node -> node.startsWith(directory))
        .map(node -> node.substring(directory.length()))
        .toList();
  }

  @Override
  public Outcome change(int expected, List<Change> changes) {
    Supplier<Outcome> change = () -> apply(expected, changes);
    return interferences.isEmpty() ? change.get() : interferences.remove().apply(change);
  }

  private Outcome apply(int expected, List<Change> changes) {
    if (expected != fence) {
      return Outcome.FENCED_OFF;
    }
    Map<String, Content> after = new TreeMap<>(nodes);
    for (Change change : changes) {
      if (change instanceof Create create) {
        if (after.putIfAbsent(create.node(), new Content(create.value(), 0)) != null) {
          return Outcome.CONFLICT;
        }
      } else if (change instanceof Replace replace) {
        if (!hasVersion(after, replace.node(), replace.version())) {
          return Outcome.CONFLICT;
        }
        after.put(replace.node(), new Content(replace.value(), replace.version() + 1));
      } else if (change instanceof Delete delete) {
        if (!hasVersion(after, delete.node(), delete.version())) {
          return Outcome.CONFLICT;
        }
        after.remove(delete.node());
      } else {
        throw new IllegalArgumentException("Unknown change " + change);
      }
    }
    nodes.clear();
    nodes.putAll(after);
    return Outcome.DONE;
  }

  private static boolean hasVersion(Map<String, Content> nodes, String node, int version) {
    return nodes.containsKey(node) && nodes.get(node).version() == version;
  }

  @Override
  public Optional<Content> leader() {
    return read(LEADER);
  }

  @Override
  public Subscription onLeaderChange(Runnable added) {
    return () -> {};
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "the nodes";
  }
}

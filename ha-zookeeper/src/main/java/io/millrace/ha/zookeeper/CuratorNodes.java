package io.millrace.ha.zookeeper;

import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a cluster at real servers. Curator replaces a session that has ended and repeats
 * blocking requests; the requests of the election belong to one session and are not repeated.
 */
final class CuratorNodes implements NodeSession {
  private static final Logger LOG = LoggerFactory.getLogger(CuratorNodes.class);

  /** Limits the memory for answers, of which each has at most {@link NodeHaStore#MAX_BYTES}. */
  private static final int READS_IN_FLIGHT = 100;

  private final CuratorFramework client;
  private final ZooKeeperPaths paths;
  private final List<ACL> acl;
  private final String name;
  private final CuratorCache leaderNode;
  private final List<Runnable> leaderListeners = new CopyOnWriteArrayList<>();
  private final Watcher watcher = this::seen;
  private volatile Optional<Listener> listener = Optional.empty();

  CuratorNodes(CuratorFramework client, ZooKeeperPaths paths, List<ACL> acl, String name) {
    this.client = client;
    this.paths = paths;
    this.acl = acl;
    this.name = name;
    this.leaderNode =
        CuratorCache.builder(client, paths.of(LEADER))
            .withOptions(CuratorCache.Options.SINGLE_NODE_CACHE)
            .withStorage(new LeaderNodeStorage())
            .build();
    leaderNode
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forAll((type, before, now) -> leaderListeners.forEach(Runnable::run))
                .build());
    leaderNode.start();
  }

  @Override
  public void listen(Listener added) {
    listener = Optional.of(added);
    client
        .getConnectionStateListenable()
        .addListener(
            (same, state) -> {
              if (state == ConnectionState.LOST) {
                added.lost();
              } else if (state.isConnected()) {
                added.connected();
              }
            });
  }

  private void seen(WatchedEvent event) {
    if (event.getType() != Watcher.Event.EventType.None) {
      listener.ifPresent(Listener::changed);
    }
  }

  /** As the servers have confirmed it. */
  @Override
  public Duration timeout() {
    return Duration.ofMillis(client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs());
  }

  private interface Request<T> {
    void send(ZooKeeper session, CompletableFuture<T> answer);
  }

  private <T> CompletableFuture<T> send(Request<T> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      request.send(client.getZookeeperClient().getZooKeeper(), answer);
    } catch (Exception e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private static KeeperException failure(int code, String path) {
    return KeeperException.create(KeeperException.Code.get(code), path);
  }

  private static boolean is(KeeperException.Code expected, int code) {
    return expected.intValue() == code;
  }

  @Override
  public CompletableFuture<Joined> join(String node) {
    return send(
        (session, answer) ->
            session.create(
                contender(node),
                new byte[0],
                acl,
                CreateMode.EPHEMERAL_SEQUENTIAL,
                (code, path, context, created) -> {
                  if (is(KeeperException.Code.OK, code)) {
                    answer.complete(
                        new Joined(
                            created.substring(created.lastIndexOf('/') + 1),
                            session.getSessionId()));
                  } else {
                    answer.completeExceptionally(failure(code, path));
                  }
                },
                null));
  }

  @Override
  public CompletableFuture<List<String>> contenders() {
    return send(
        (session, answer) ->
            session.getChildren(
                paths.latch(),
                watcher,
                (code, path, context, children) -> {
                  if (is(KeeperException.Code.OK, code)) {
                    answer.complete(children);
                  } else {
                    answer.completeExceptionally(failure(code, path));
                  }
                },
                null));
  }

  @Override
  public CompletableFuture<Owner> owner(String node) {
    return send(
        (session, answer) ->
            session.exists(
                contender(node),
                watcher,
                (code, path, context, stat) -> {
                  if (is(KeeperException.Code.OK, code)) {
                    answer.complete(
                        new Owner(Optional.of(stat.getEphemeralOwner()), session.getSessionId()));
                  } else if (is(KeeperException.Code.NONODE, code)) {
                    answer.complete(new Owner(Optional.empty(), session.getSessionId()));
                  } else {
                    answer.completeExceptionally(failure(code, path));
                  }
                },
                null));
  }

  /** The name is exact: neither its number nor the id in it is used again. */
  @Override
  public CompletableFuture<Void> remove(String node) {
    return send(
        (session, answer) ->
            session.delete(
                contender(node),
                0,
                (code, path, context) -> {
                  if (is(KeeperException.Code.OK, code) || is(KeeperException.Code.NONODE, code)) {
                    answer.complete(null);
                  } else {
                    answer.completeExceptionally(failure(code, path));
                  }
                },
                null));
  }

  private String contender(String node) {
    return paths.latch() + "/" + node;
  }

  @Override
  public OptionalInt raiseFence(Optional<String> contender) {
    return ZooKeeperErrors.call(
        "take over",
        () -> {
          List<CuratorOp> operations = new ArrayList<>();
          if (contender.isPresent()) {
            operations.add(client.transactionOp().check().forPath(contender(contender.get())));
          }
          operations.add(client.transactionOp().setData().forPath(paths.fence(), new byte[0]));
          try {
            List<CuratorTransactionResult> results = client.transaction().forOperations(operations);
            return OptionalInt.of(results.get(results.size() - 1).getResultStat().getVersion());
          } catch (KeeperException.NoNodeException e) {
            if (contender.isPresent() && isFencedOff(e)) {
              return OptionalInt.empty();
            }
            throw e;
          }
        });
  }

  @Override
  public Optional<Content> read(String node) {
    String path = paths.of(node);
    return ZooKeeperErrors.call(
        "read " + path,
        () -> {
          Stat stat = new Stat();
          try {
            byte[] content = client.getData().storingStatIn(stat).forPath(path);
            return Optional.of(new Content(ZooKeeperPaths.content(content), stat.getVersion()));
          } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
          }
        });
  }

  /** Sends requests without waiting for each answer, and repeats those that fail one by one. */
  @Override
  public List<Optional<Content>> readAll(List<String> all) {
    List<Optional<Content>> contents = new ArrayList<>();
    for (int begin = 0; begin < all.size(); begin += READS_IN_FLIGHT) {
      List<String> part = all.subList(begin, Math.min(all.size(), begin + READS_IN_FLIGHT));
      List<CompletableFuture<Optional<Content>>> answers =
          part.stream().map(this::request).toList();
      for (int i = 0; i < part.size(); i++) {
        contents.add(answer(part.get(i), answers.get(i)));
      }
    }
    return contents;
  }

  private Optional<Content> answer(String node, CompletableFuture<Optional<Content>> first) {
    try {
      return first.join();
    } catch (CompletionException e) {
      LOG.debug("{} is read again", node, e);
      return read(node);
    }
  }

  private CompletableFuture<Optional<Content>> request(String node) {
    return send(
        (session, answer) ->
            session.getData(
                paths.of(node),
                false,
                (code, path, context, content, stat) -> {
                  if (is(KeeperException.Code.OK, code)) {
                    answer.complete(
                        Optional.of(
                            new Content(ZooKeeperPaths.content(content), stat.getVersion())));
                  } else if (is(KeeperException.Code.NONODE, code)) {
                    answer.complete(Optional.empty());
                  } else {
                    answer.completeExceptionally(failure(code, path));
                  }
                },
                null));
  }

  @Override
  public List<String> list() {
    return ZooKeeperErrors.call(
        "list recovery data", () -> client.getChildren().forPath(paths.store()));
  }

  @Override
  public Outcome change(int fence, List<Change> changes) {
    return ZooKeeperErrors.call(
        "write",
        () -> {
          List<CuratorOp> operations = new ArrayList<>();
          operations.add(client.transactionOp().check().withVersion(fence).forPath(paths.fence()));
          for (Change change : changes) {
            operations.add(operation(change));
          }
          try {
            client.transaction().forOperations(operations);
            return Outcome.DONE;
          } catch (KeeperException e) {
            if (isFencedOff(e)) {
              return Outcome.FENCED_OFF;
            }
            return switch (e.code()) {
              case BADVERSION, NODEEXISTS, NONODE -> Outcome.CONFLICT;
              default -> throw e;
            };
          }
        });
  }

  private CuratorOp operation(Change change) throws Exception {
    if (change instanceof Create create) {
      return client
          .transactionOp()
          .create()
          .withMode(create.ephemeral() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT)
          .forPath(paths.of(create.node()), create.value().toArray());
    } else if (change instanceof Replace replace) {
      return client
          .transactionOp()
          .setData()
          .withVersion(replace.version())
          .forPath(paths.of(replace.node()), replace.value().toArray());
    } else if (change instanceof Delete delete) {
      return client
          .transactionOp()
          .delete()
          .withVersion(delete.version())
          .forPath(paths.of(delete.node()));
    } else {
      throw new IllegalArgumentException("Unknown change " + change);
    }
  }

  /** Whether the check of the fence, with which each transaction begins, has failed. */
  private static boolean isFencedOff(KeeperException failure) {
    List<OpResult> results = failure.getResults();
    return results != null
        && !results.isEmpty()
        && results.get(0) instanceof OpResult.ErrorResult first
        && first.getErr() != KeeperException.Code.OK.intValue()
        && first.getErr() != KeeperException.Code.RUNTIMEINCONSISTENCY.intValue();
  }

  @Override
  public Optional<Content> leader() {
    return leaderNode
        .get(paths.of(LEADER))
        .map(
            found ->
                new Content(ZooKeeperPaths.content(found.getData()), found.getStat().getVersion()));
  }

  @Override
  public Subscription onLeaderChange(Runnable added) {
    leaderListeners.add(added);
    return () -> leaderListeners.remove(added);
  }

  @Override
  public void close() {
    leaderNode.close();
    removeIfEnded();
    client.close();
    LOG.info("The session at {} is closed", this);
  }

  /**
   * A cluster that was shut down leaves no nodes: its last process removes them. Curator would
   * repeat requests for a long time while the servers cannot be reached, and the process shall end.
   */
  private void removeIfEnded() {
    if (!client.getZookeeperClient().isConnected()) {
      LOG.info("Nodes of the cluster stay in ZooKeeper, which cannot be reached");
      return;
    }
    try {
      ZooKeeper session = client.getZookeeperClient().getZooKeeper();
      Stat published = session.exists(paths.of(LEADER), false);
      if (published != null && published.getEphemeralOwner() == session.getSessionId()) {
        session.delete(paths.of(LEADER), published.getVersion());
      }
      paths.removeIfEmpty(session);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.info("Nodes of the cluster stay in ZooKeeper: {}", e.toString());
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

package io.millrace.sim.sabotage;

import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Delegates to another session at ZooKeeper. */
class DelegatingNodes implements NodeSession {
  private final NodeSession real;

  DelegatingNodes(NodeSession real) {
    this.real = real;
  }

  @Override
  public void listen(Listener listener) {
    real.listen(listener);
  }

  @Override
  public Duration timeout() {
    return real.timeout();
  }

  @Override
  public CompletableFuture<Joined> join(String name) {
    return real.join(name);
  }

  @Override
  public CompletableFuture<List<String>> contenders() {
    return real.contenders();
  }

  @Override
  public CompletableFuture<Owner> owner(String node) {
    return real.owner(node);
  }

  @Override
  public CompletableFuture<Void> remove(String node) {
    return real.remove(node);
  }

  @Override
  public OptionalInt raiseFence(Optional<String> contender) {
    return real.raiseFence(contender);
  }

  @Override
  public Optional<Content> read(String node) {
    return real.read(node);
  }

  @Override
  public List<String> list() {
    return real.list();
  }

  @Override
  public Outcome change(int fence, List<Change> changes) {
    return real.change(fence, changes);
  }

  @Override
  public Optional<Content> leader() {
    return real.leader();
  }

  @Override
  public Subscription onLeaderChange(Runnable listener) {
    return real.onLeaderChange(listener);
  }

  @Override
  public void close() {
    real.close();
  }

  @Override
  public String toString() {
    return real.toString();
  }
}

package io.millrace.ha.zookeeper;

import java.util.Optional;
import java.util.stream.Stream;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;

/**
 * Lets a cache report a node that was removed and created anew while its client was disconnected.
 * The cache compares versions only, and the node of each leader has version 0.
 */
final class LeaderNodeStorage implements CuratorCacheStorage {
  private final CuratorCacheStorage nodes = CuratorCacheStorage.standard();

  /** The content before; none if another node with this name was created since. */
  @Override
  public Optional<ChildData> put(ChildData data) {
    return nodes
        .put(data)
        .filter(before -> before.getStat().getCzxid() == data.getStat().getCzxid());
  }

  @Override
  public Optional<ChildData> remove(String path) {
    return nodes.remove(path);
  }

  @Override
  public Optional<ChildData> get(String path) {
    return nodes.get(path);
  }

  @Override
  public int size() {
    return nodes.size();
  }

  @Override
  public Stream<ChildData> stream() {
    return nodes.stream();
  }

  @Override
  public void clear() {
    nodes.clear();
  }
}

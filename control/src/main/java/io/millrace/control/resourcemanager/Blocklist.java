package io.millrace.control.resourcemanager;

import io.millrace.control.slotmanager.SlotEvent.WorkersBlocked;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.journal.ResourceManagerEvent.TargetBlocked;
import io.millrace.protocol.journal.ResourceManagerEvent.TargetUnblocked;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Workers and nodes that get nothing new for a while: the SlotManager hears which registered
 * workers these are, the driver on which nodes not to start any. Lives in the ResourceManager's
 * mailbox.
 */
final class Blocklist {
  private final ResourceManagerContext term;
  private final Supplier<Map<WorkerId, String>> nodes;
  private final Consumer<List<String>> driver;
  private final Map<String, Entry> entries = new TreeMap<>();
  private List<WorkerId> told = new ArrayList<>();

  private record Entry(Block block, long until, Mailbox.Timer expiry) {}

  /**
   * @param nodes the registered workers and the node each of them is on
   * @param driver told everything that is blocked, whenever that changes
   */
  Blocklist(
      ResourceManagerContext term,
      Supplier<Map<WorkerId, String>> nodes,
      Consumer<List<String>> driver) {
    this.term = term;
    this.nodes = nodes;
    this.driver = driver;
  }

  /** Blocks, or says anew for how long and why. */
  void add(Block block) {
    drop(block.target());
    Mailbox.Timer expiry = term.mailbox().after(block.time(), () -> remove(block.target(), true));
    entries.put(
        block.target(), new Entry(block, term.env().nanos() + block.time().toNanos(), expiry));
    term.record(new TargetBlocked(block.target(), block.time(), block.cause()));
    changed();
  }

  /**
   * @param expired whether its time is over; else the user unblocks it
   * @return whether it was blocked
   */
  boolean remove(String target, boolean expired) {
    if (!drop(target)) {
      return false;
    }
    term.record(new TargetUnblocked(target, expired));
    changed();
    return true;
  }

  /** Everything that is blocked, with what is left of its time. */
  List<Block> list() {
    List<Block> blocks = new ArrayList<>();
    for (Entry entry : entries.values()) {
      Duration left = Duration.ofNanos(Math.max(0, entry.until() - term.env().nanos()));
      blocks.add(new Block(entry.block().target(), left, entry.block().cause()));
    }
    return blocks;
  }

  /** A worker has registered: it may be on a blocked node. Mostly nobody is blocked. */
  void workerCame(WorkerId worker, String node) {
    if (isBlocked(worker, node) != told.contains(worker)) {
      workersChanged();
    }
  }

  private boolean isBlocked(WorkerId worker, String node) {
    return entries.containsKey(worker.value()) || entries.containsKey(node);
  }

  private void workersChanged() {
    List<WorkerId> blocked = new ArrayList<>();
    nodes
        .get()
        .forEach(
            (worker, node) -> {
              if (isBlocked(worker, node)) {
                blocked.add(worker);
              }
            });
    if (!blocked.equals(told)) {
      told = blocked;
      term.apply().accept(new WorkersBlocked(blocked));
    }
  }

  void close() {
    entries.values().forEach(entry -> entry.expiry().cancel());
  }

  private boolean drop(String target) {
    Entry entry = entries.remove(target);
    if (entry == null) {
      return false;
    }
    entry.expiry().cancel();
    return true;
  }

  private void changed() {
    driver.accept(new ArrayList<>(entries.keySet()));
    workersChanged();
  }
}

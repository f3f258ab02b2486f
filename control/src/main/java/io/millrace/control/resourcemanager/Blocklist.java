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
 * Blocked workers and nodes. The SlotManager gets the registered workers among them, and the driver
 * gets the nodes. Lives in the mailbox of the ResourceManager.
 */
final class Blocklist {
  private final ResourceManagerContext context;
  private final Supplier<Map<WorkerId, String>> nodes;
  private final Consumer<List<String>> driver;
  private final Map<String, Entry> entries = new TreeMap<>();
  private List<WorkerId> reported = new ArrayList<>();

  private record Entry(Block block, long until, Mailbox.Timer expiry) {}

  /**
   * @param nodes the registered workers with their nodes
   * @param driver called with all blocked targets after each change
   */
  Blocklist(
      ResourceManagerContext context,
      Supplier<Map<WorkerId, String>> nodes,
      Consumer<List<String>> driver) {
    this.context = context;
    this.nodes = nodes;
    this.driver = driver;
  }

  /** Blocks a target, or replaces its duration and cause. */
  void add(Block block) {
    drop(block.target());
    Mailbox.Timer expiry =
        context.mailbox().after(block.time(), () -> remove(block.target(), true));
    entries.put(
        block.target(), new Entry(block, context.env().nanos() + block.time().toNanos(), expiry));
    context.record(new TargetBlocked(block.target(), block.time(), block.cause()));
    changed();
  }

  /**
   * @param expired whether the block has expired; otherwise the user has removed it
   * @return whether the target was blocked
   */
  boolean remove(String target, boolean expired) {
    if (!drop(target)) {
      return false;
    }
    context.record(new TargetUnblocked(target, expired));
    changed();
    return true;
  }

  /** All blocks with their remaining time. */
  List<Block> list() {
    List<Block> blocks = new ArrayList<>();
    for (Entry entry : entries.values()) {
      Duration left = Duration.ofNanos(Math.max(0, entry.until() - context.env().nanos()));
      blocks.add(new Block(entry.block().target(), left, entry.block().cause()));
    }
    return blocks;
  }

  /** Updates the SlotManager if the registered worker is blocked. */
  void workerRegistered(WorkerId worker, String node) {
    if (isBlocked(worker, node) != reported.contains(worker)) {
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
    if (!blocked.equals(reported)) {
      reported = blocked;
      context.apply().accept(new WorkersBlocked(blocked));
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

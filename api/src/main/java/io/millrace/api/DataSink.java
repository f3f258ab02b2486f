package io.millrace.api;

import io.millrace.api.program.Chaining;
import io.millrace.api.resource.SlotSharingGroup;

/**
 * The sink of a stream; its methods set something for the sink and return this object.
 *
 * <pre>{@code
 * orders.print().name("shown").parallelism(1);
 * }</pre>
 */
public final class DataSink {
  private final PendingTransformation node;

  DataSink(PendingTransformation node) {
    this.node = node;
  }

  public DataSink name(String name) {
    node.rename(name);
    return this;
  }

  /** Describes the sink in plans, at greater length than its name. */
  public DataSink description(String description) {
    ArgumentChecks.text("description", description);
    node.change("description", settings -> settings.withDescription(description));
    return this;
  }

  /** Identifies the sink across versions of the program, for its state. */
  public DataSink uid(String uid) {
    ArgumentChecks.text("uid", uid);
    node.change("uid", settings -> settings.withUid(uid));
    return this;
  }

  public DataSink parallelism(int parallelism) {
    ArgumentChecks.parallelism("a sink", parallelism);
    node.change("parallelism", settings -> settings.withParallelism(parallelism));
    return this;
  }

  /** Runs the sink in its own task. */
  public DataSink disableChaining() {
    node.change("chaining", settings -> settings.withChaining(Chaining.NEVER));
    return this;
  }

  /** Sets the slot sharing group: only subtasks of the same group share slots. */
  public DataSink slotSharingGroup(String group) {
    return slotSharingGroup(SlotSharingGroup.named(group));
  }

  /**
   * Sets the slot sharing group and the resources of its slots. It is enough to declare them at one
   * operator of the group.
   */
  public DataSink slotSharingGroup(SlotSharingGroup group) {
    node.change("slot sharing group", settings -> settings.withSlotSharingGroup(group));
    return this;
  }
}

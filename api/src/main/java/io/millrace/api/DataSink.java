package io.millrace.api;

import io.millrace.api.program.Chaining;

/** The end of a stream; its methods set something for the sink and return the same handle. */
public final class DataSink {
  private final PendingTransformation node;

  DataSink(PendingTransformation node) {
    this.node = node;
  }

  public DataSink name(String name) {
    node.rename(name);
    return this;
  }

  /** Names the sink across versions of the program, so that its state finds it again. */
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

  /** Runs the sink in a task of its own. */
  public DataSink disableChaining() {
    node.change("chaining", settings -> settings.withChaining(Chaining.NEVER));
    return this;
  }

  /** Subtasks of operators of one group may share a slot; those of different groups never do. */
  public DataSink slotSharingGroup(String group) {
    return slotSharingGroup(SlotSharingGroup.named(group));
  }

  /**
   * The same with the resources that each slot of the group must have. It is enough to declare them
   * at one operator of the group.
   */
  public DataSink slotSharingGroup(SlotSharingGroup group) {
    node.change("slot sharing group", settings -> settings.withSlotSharingGroup(group));
    return this;
  }
}

package io.millrace.rest;

import io.millrace.protocol.ProcessGateway.SampledStack;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.task.TaskStack.Activity;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The sampled stacks of the tasks of a vertex.
 *
 * @param endedAt when the last sample was taken, in milliseconds since the epoch
 */
record FlameGraph(long endedAt, List<StackSamples> samples) {
  /** Instead of the time: all tasks have ended. */
  static final long TERMINATED = -1;

  /** Instead of the time: flame graphs are switched off. */
  static final long DISABLED = -2;

  /** Instead of the time: the first samples are being taken. */
  static final long WAITING = -3;

  /** What a graph shows. */
  enum Type {
    /** All samples. */
    FULL,
    /** Those of tasks that execute. */
    ON_CPU,
    /** Those of tasks that block or wait. */
    OFF_CPU;

    boolean shows(Activity activity) {
      return this == FULL || (this == ON_CPU) == (activity == Activity.ON_CPU);
    }
  }

  FlameGraph {
    samples = List.copyOf(samples);
  }

  /** A frame and those that it called, or the root. */
  private static final class Node {
    private final Map<String, Node> callees = new LinkedHashMap<>();
    private long count;

    JsonObject json(String name) {
      JsonArray children = new JsonArray();
      callees.forEach((frame, node) -> children.add(node.json(frame)));
      return new JsonObject().put("name", name).put("value", count).put("children", children);
    }
  }

  static JsonObject without(long reason) {
    return new JsonObject().put("endTimestamp", reason);
  }

  /**
   * @param selected the samples to show
   */
  JsonObject json(Type type, Predicate<SampledStack> selected) {
    Node root = new Node();
    for (StackSamples part : samples) {
      for (SampledStack stack : part.stacks()) {
        if (type.shows(stack.activity()) && selected.test(stack)) {
          add(root, frames(part, stack), stack.count());
        }
      }
    }
    return new JsonObject().put("endTimestamp", endedAt).put("data", root.json("root"));
  }

  private static void add(Node root, List<String> frames, int count) {
    Node node = root;
    node.count += count;
    for (String frame : frames) {
      node = node.callees.computeIfAbsent(frame, first -> new Node());
      node.count += count;
    }
  }

  private static List<String> frames(StackSamples part, SampledStack stack) {
    List<String> frames = new ArrayList<>();
    stack.frames().forEach(index -> frames.add(part.frames().get(index)));
    switch (stack.activity()) {
      case AWAITS_INPUT -> frames.add("(waits for input)");
      case AWAITS_ROOM -> frames.add("(waits for room in its output)");
      case AWAITS_CORE -> frames.add("(waits for a core)");
      case ON_CPU, OFF_CPU -> {
        // The stack says it.
      }
    }
    return frames;
  }
}

package io.millrace.cluster.inspect;

import io.millrace.protocol.ProcessGateway.SampledStack;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.task.TaskStack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts sampled stacks. Confined to the mailbox of its caller. */
final class StackSampling {
  /** A character has up to three bytes in a message, which has at most 1 MiB. */
  private static final int MAX_CHARACTERS = 200 * 1024;

  private static final int MAX_FRAME_INDEXES = 60_000;

  /** The room of a stack beside its frames, in units of an index. */
  private static final int ENTRY_INDEXES = 8;

  /** Bounds the memory of a sampling; tasks rarely have more than some hundred different stacks. */
  private static final int MAX_STACKS = 20_000;

  private final Map<TaskStack, Integer> counts = new LinkedHashMap<>();
  private int dropped;

  void add(List<TaskStack> sample) {
    for (TaskStack stack : sample) {
      if (counts.size() < MAX_STACKS || counts.containsKey(stack)) {
        counts.merge(stack, 1, Integer::sum);
      } else {
        dropped++;
      }
    }
  }

  StackSamples result() {
    return result(MAX_CHARACTERS, MAX_FRAME_INDEXES);
  }

  /** The most frequent stacks first; those that do not fit are counted as dropped. */
  StackSamples result(int characters, int indexes) {
    List<Map.Entry<TaskStack, Integer>> frequent = new ArrayList<>(counts.entrySet());
    frequent.sort(Map.Entry.<TaskStack, Integer>comparingByValue().reversed());
    Map<String, Integer> frames = new LinkedHashMap<>();
    List<SampledStack> stacks = new ArrayList<>();
    int left = characters;
    int indexesLeft = indexes;
    int leftOut = dropped;
    for (Map.Entry<TaskStack, Integer> each : frequent) {
      TaskStack stack = each.getKey();
      int needed =
          stack.frames().stream()
              .distinct()
              .filter(frame -> !frames.containsKey(frame))
              .mapToInt(String::length)
              .sum();
      // A stack without frames takes room, too.
      int neededIndexes = stack.frames().size() + ENTRY_INDEXES;
      if (needed > left || neededIndexes > indexesLeft) {
        leftOut += each.getValue();
        continue;
      }
      left -= needed;
      indexesLeft -= neededIndexes;
      List<Integer> numbers = new ArrayList<>();
      for (String frame : stack.frames()) {
        numbers.add(frames.computeIfAbsent(frame, unknown -> frames.size()));
      }
      stacks.add(new SampledStack(stack.task(), stack.activity(), numbers, each.getValue()));
    }
    return new StackSamples(new ArrayList<>(frames.keySet()), stacks, leftOut);
  }
}

package io.millrace.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ProcessGateway.SampledStack;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.task.TaskStack;
import io.millrace.task.TaskStack.Activity;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackSamplingTest {
  private static final ExecutionId TASK = new ExecutionId(new Id128(1, 2));

  private final StackSampling sampling = new StackSampling();

  private void add(int count, String... frames) {
    for (int i = 0; i < count; i++) {
      sampling.add(List.of(new TaskStack(TASK, Activity.ON_CPU, List.of(frames))));
    }
  }

  @Test
  void countsEqualStacksTogether() {
    add(2, "step", "map");
    add(3, "step", "filter");
    StackSamples result = sampling.result();
    assertThat(result.frames()).containsExactly("step", "filter", "map");
    assertThat(result.stacks())
        .containsExactly(
            new SampledStack(TASK, Activity.ON_CPU, List.of(0, 1), 3),
            new SampledStack(TASK, Activity.ON_CPU, List.of(0, 2), 2));
    assertThat(result.dropped()).isZero();
  }

  @Test
  void dropsTheRarestStacksThatDoNotFit() {
    add(5, "abcd");
    add(2, "efgh");
    assertThat(sampling.result(7, 100).stacks()).extracting(SampledStack::count).containsExactly(5);
    assertThat(sampling.result(7, 100).dropped()).isEqualTo(2);
    assertThat(sampling.result(100, 9).dropped()).isEqualTo(2);
  }

  /** Characters with three bytes each, and more stacks than fit. */
  @Test
  void resultFitsIntoAMessage() {
    for (int i = 0; i < 30_000; i++) {
      List<String> frames = new ArrayList<>();
      for (int depth = 0; depth < 20; depth++) {
        frames.add("\u4e16".repeat(40) + (i * 7 + depth) % 5000);
      }
      frames.add(String.valueOf(i));
      sampling.add(List.of(new TaskStack(TASK, Activity.OFF_CPU, frames)));
    }
    StackSamples result = sampling.result();
    assertThat(result.dropped()).isPositive();
    assertThat(result.stacks()).isNotEmpty();
    assertThat(Messages.codec().encode(result).length).isLessThan(1 << 20);
  }
}

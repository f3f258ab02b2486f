package io.millrace.control.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class WorkerSpecTest {
  @Test
  @Behaviour("D8: the process size of a worker follows from the profiles of its slots")
  void countsTheExternalResourcesOfAWorker() {
    WorkerSpec spec =
        WorkerSpec.of(
            DefaultProcessSizes.in(Configuration.EMPTY)
                .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
                .with("external-resources", "gpu;fpga")
                .with("external-resource.gpu.amount", "4")
                .with("external-resource.fpga.amount", "1"));
    assertThat(spec.total().count("gpu")).isEqualTo(4);
    assertThat(spec.slot().count("gpu")).isEqualTo(2);
    assertThat(spec.total().count("fpga")).isEqualTo(1);
    assertThat(spec.slot().count("fpga")).isZero();
  }

  @Test
  void doesNotChangeAConfigurationThatDescribesTheSpec() {
    Configuration sized =
        DefaultProcessSizes.in(Configuration.EMPTY.with(TaskManagerOptions.NUM_TASK_SLOTS, 2));
    assertThat(WorkerSpec.of(sized).in(sized)).isEqualTo(sized);
  }

  @Test
  @Behaviour("D8: the process size of a worker follows from the profiles of its slots")
  void processSizeFollowsFromTheResourcesOfTheSlots() {
    Configuration sized =
        DefaultProcessSizes.in(
            Configuration.EMPTY
                .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
                .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
                .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 1));
    WorkerSpec spec = WorkerSpec.of(sized);
    WorkerSpec doubled = new WorkerSpec(spec.total().times(2), 4);
    Configuration larger = doubled.in(sized);
    assertThat(WorkerSpec.of(larger)).isEqualTo(doubled);
    TaskManagerMemory memory = TaskManagerMemory.of(larger);
    assertThat(memory.frameworkHeap()).isEqualTo(TaskManagerMemory.of(sized).frameworkHeap());
    assertThat(memory.process())
        .isGreaterThan(TaskManagerMemory.of(sized).process())
        .isLessThan(2 * TaskManagerMemory.of(sized).process());
  }
}

package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainerSizeTest {
  private static final Configuration DEFAULT =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "2000000k")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 3);

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void memoryIsTheProcessSizeRoundedUpWithOneCorePerSlot() {
    assertThat(ContainerSize.of(WorkerSpec.of(DEFAULT), DEFAULT))
        .isEqualTo(new ContainerSize(1954, 3, Map.of()));
  }

  @Test
  void virtualCoresCanBeConfigured() {
    Configuration configuration = DEFAULT.with(YarnOptions.WORKER_VCORES, 5);
    assertThat(ContainerSize.of(WorkerSpec.of(configuration), configuration).vcores()).isEqualTo(5);
  }

  @Test
  void externalResourcesHaveTheNamesOfYarn() {
    Configuration configuration =
        DEFAULT
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu;disk")
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 2)
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("disk"), 1)
            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/gpu");
    ContainerSize size = ContainerSize.of(WorkerSpec.of(configuration), configuration);
    assertThat(size.others()).isEqualTo(Map.of("yarn.io/gpu", 2L));
    assertThat(size).hasToString("1954 mb and 3 vcores and 2 yarn.io/gpu");
  }

  @Test
  void largerWorkerHasTheResourcesOfItsSlot() {
    WorkerSpec spec =
        new WorkerSpec(
            new ResourceProfile(
                2.5,
                MemorySize.ofMebi(2000).bytes(),
                0,
                MemorySize.ofMebi(100).bytes(),
                MemorySize.ofMebi(64).bytes(),
                Map.of()),
            1);
    ContainerSize size = ContainerSize.of(spec, DEFAULT.with(YarnOptions.WORKER_VCORES, 7));
    assertThat(size.vcores()).isEqualTo(3);
    assertThat(MemorySize.ofMebi(size.memory()).bytes())
        .isGreaterThanOrEqualTo(TaskManagerMemory.of(spec.in(DEFAULT)).process());
  }

  @Test
  void holdsOnlySizesThatAreSmallerInEveryResource() {
    ContainerSize size = new ContainerSize(1000, 4, Map.of("gpu", 1L));
    assertThat(size.holds(size)).isTrue();
    assertThat(size.holds(new ContainerSize(1001, 1, Map.of()))).isFalse();
    assertThat(size.holds(new ContainerSize(1, 5, Map.of()))).isFalse();
    assertThat(size.holds(new ContainerSize(1, 1, Map.of("gpu", 2L)))).isFalse();
    assertThat(size.holds(new ContainerSize(1, 1, Map.of("fpga", 1L)))).isFalse();
  }
}

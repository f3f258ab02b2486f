package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.memory.TaskManagerMemory;
import org.junit.jupiter.api.Test;

class HostResourcesTest {
  private static final Configuration SHIPPED =
      DefaultProcessSizes.in(Configuration.EMPTY).with(TaskManagerOptions.NUM_TASK_SLOTS, 4);

  @Test
  void slotsShareTaskMemoryOfMemoryModel() {
    HostResources machine = HostResources.of(SHIPPED);
    assertThat(machine.total())
        .isEqualTo(new ResourceProfile(4, 402_653_174, 0, 536_870_920, 134_217_730));
    assertThat(machine.hardware().memory()).contains(TaskManagerMemory.of(SHIPPED));
    assertThat(machine.hardware().managed()).isEqualTo(536_870_920);
  }

  @Test
  void rejectsProcessWithoutSize() {
    assertThatThrownBy(() -> HostResources.of(Configuration.EMPTY))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("taskmanager.memory.process.size");
  }

  @Test
  void sharedProcessHasNoMemoryModel() {
    HostResources machine = HostResources.shared(Configuration.EMPTY);
    assertThat(machine.hardware().memory()).isEmpty();
    assertThat(machine.total().taskHeap()).isEqualTo(Runtime.getRuntime().maxMemory());
  }
}

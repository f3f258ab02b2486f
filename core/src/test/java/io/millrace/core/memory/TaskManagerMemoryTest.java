package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class TaskManagerMemoryTest {
  private static final Configuration SHIPPED =
      Configuration.EMPTY.with(
          MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, DefaultProcessSizes.TASK_MANAGER);

  @Test
  @Behaviour(
      "F1: each legal set of options gives Flink's sizes to the byte, and each set that Flink"
          + " refuses is refused")
  void processTotalIsDividedToTheByte() {
    TaskManagerMemory memory = TaskManagerMemory.of(SHIPPED);
    assertThat(memory.byName())
        .containsExactly(
            entry("process", 1811939328L),
            entry("flink", 1342177280L),
            entry("framework-heap", 134217728L),
            entry("framework-off-heap", 134217728L),
            entry("task-heap", 402653174L),
            entry("task-off-heap", 0L),
            // Fractions are floats: 0.1 is a little more than a tenth.
            entry("network", 134217730L),
            entry("managed", 536870920L),
            entry("jvm-metaspace", 268435456L),
            entry("jvm-overhead", 201326592L));
    assertThat(memory.jvmArguments())
        .containsExactly(
            "-Xmx536870902",
            "-Xms536870902",
            "-XX:MaxDirectMemorySize=268435458",
            "-XX:MaxMetaspaceSize=268435456");
  }

  @Test
  void totalsFollowFromTheParts() {
    TaskManagerMemory memory =
        TaskManagerMemory.of(
            Configuration.EMPTY
                .with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(400))
                .with(MemoryOptions.MANAGED_MEMORY, MemorySize.ofMebi(0)));
    assertThat(memory.network()).isEqualTo(76429540);
    assertThat(memory.flink()).isEqualTo(764295396);
    assertThat(memory.process()).isEqualTo(1234057444);
  }

  @Test
  void taskHeapInsideATotalDeterminesTheNetworkMemory() {
    TaskManagerMemory memory =
        TaskManagerMemory.of(
            Configuration.EMPTY
                .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(4096))
                .with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(1024)));
    assertThat(memory.network()).isEqualTo(1234803072);
    assertThat(memory.flink()).isEqualTo(4L << 30);
  }

  @Test
  void errorOfAMissingSizeNamesTheOptions() {
    assertThatThrownBy(() -> TaskManagerMemory.of(Configuration.EMPTY))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "The size of the TaskManager is not configured. Set taskmanager.memory.process.size,"
                + " taskmanager.memory.flink.size, or both taskmanager.memory.task.heap.size and"
                + " taskmanager.memory.managed.size.");
  }

  @Test
  @Behaviour("F1: contradictory sizes are refused with the options and the numbers")
  void totalThatIsTooSmallIsRejectedWithTheNumbers() {
    assertThatThrownBy(
            () ->
                TaskManagerMemory.of(
                    SHIPPED
                        .with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(100))
                        .with(MemoryOptions.MANAGED_MEMORY, MemorySize.ofMebi(2000))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("taskmanager.memory.process.size (1728mb) is too small for")
        .hasMessageContaining("the derived taskmanager.memory.flink.size (");
    assertThatThrownBy(
            () ->
                TaskManagerMemory.of(
                    Configuration.EMPTY.with(
                        MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(500))))
        .hasMessage(
            "taskmanager.memory.flink.size (500mb) is too small for"
                + " taskmanager.memory.framework.heap.size (128mb) +"
                + " taskmanager.memory.framework.off-heap.size (128mb) +"
                + " taskmanager.memory.task.off-heap.size (0b) + managed memory (209715203b)"
                + " + network memory (64mb), together 545259523b. Raise the first"
                + " by at least 20971523b or lower the others.");
  }

  @Test
  @Behaviour("F1: contradictory sizes are refused with the options and the numbers")
  void overheadOutOfBoundsIsRejectedWithTheBounds() {
    assertThatThrownBy(
            () ->
                TaskManagerMemory.of(
                    SHIPPED.with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(1400))))
        .hasMessage(
            "Of taskmanager.memory.process.size (1728mb), taskmanager.memory.flink.size"
                + " (1400mb) and taskmanager.memory.jvm-metaspace.size (256mb),"
                + " JVM overhead (72mb) is the rest, but it must be between"
                + " taskmanager.memory.jvm-overhead.min (192mb) and"
                + " taskmanager.memory.jvm-overhead.max (1gb).");
  }

  @Test
  void minimumAboveTheMaximumIsRejected() {
    assertThatThrownBy(
            () ->
                TaskManagerMemory.of(
                    SHIPPED
                        .with(MemoryOptions.NETWORK_MIN, MemorySize.ofMebi(2))
                        .with(MemoryOptions.NETWORK_MAX, MemorySize.ofMebi(1))))
        .hasMessage(
            "taskmanager.memory.network.min (2mb) is larger than"
                + " taskmanager.memory.network.max (1mb). Lower the first or raise"
                + " the second.");
  }

  @Test
  void fractionOutOfRangeIsRejected() {
    assertThatThrownBy(() -> TaskManagerMemory.of(SHIPPED.with(MemoryOptions.MANAGED_FRACTION, 1f)))
        .hasMessage(
            "Option 'taskmanager.memory.managed.fraction' is 1.0, but it takes at least 0 and less than 1.");
  }

  @Test
  void overflowingSumsAreRejected() {
    assertThatThrownBy(
            () ->
                TaskManagerMemory.of(
                    Configuration.EMPTY
                        .with(MemoryOptions.TASK_HEAP, new MemorySize(Long.MAX_VALUE))
                        .with(MemoryOptions.MANAGED_MEMORY, new MemorySize(1))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("taskmanager.memory.task.heap.size (9223372036854775807b)")
        .hasMessageContaining("too large for a process");
  }

  @Test
  void coresAreOnePerSlotByDefault() {
    assertThat(CpuCores.of(SHIPPED.with(TaskManagerOptions.NUM_TASK_SLOTS, 3))).isEqualTo(3);
    assertThat(
            CpuCores.of(
                SHIPPED
                    .with(TaskManagerOptions.NUM_TASK_SLOTS, 3)
                    .with(TaskManagerOptions.CPU_CORES, 1.5)))
        .isEqualTo(1.5);
    assertThatThrownBy(() -> CpuCores.of(SHIPPED.with(TaskManagerOptions.NUM_TASK_SLOTS, 0)))
        .hasMessageContaining("'taskmanager.numberOfTaskSlots' is 0, but it takes 1 to 32768");
  }
}

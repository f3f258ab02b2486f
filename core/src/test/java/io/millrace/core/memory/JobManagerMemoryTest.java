package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class JobManagerMemoryTest {
  private static final Configuration SHIPPED = DefaultProcessSizes.in(Configuration.EMPTY);

  @Test
  @Behaviour(
      "F1: each legal set of options gives Flink's sizes to the byte, and each set that Flink"
          + " refuses is refused")
  void processTotalIsDividedToTheByte() {
    JobManagerMemory memory = JobManagerMemory.of(SHIPPED);
    assertThat(memory.byName())
        .containsExactly(
            entry("process", 1677721600L),
            entry("flink", 1207959552L),
            entry("heap", 1073741824L),
            entry("off-heap", 134217728L),
            entry("jvm-metaspace", 268435456L),
            entry("jvm-overhead", 201326592L));
    assertThat(memory.jvmArguments())
        .containsExactly("-Xmx1073741824", "-Xms1073741824", "-XX:MaxMetaspaceSize=268435456");
  }

  @Test
  void directMemoryIsLimitedOnRequest() {
    assertThat(
            JobManagerMemory.of(SHIPPED.with(MemoryOptions.JOB_MANAGER_DIRECT_LIMIT, true))
                .jvmArguments())
        .contains("-XX:MaxDirectMemorySize=134217728");
  }

  @Test
  void offHeapIsTheRestOfTheTotalAfterTheHeap() {
    Configuration both =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_HEAP, MemorySize.ofMebi(1024))
            .with(MemoryOptions.JOB_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(2048));
    assertThat(JobManagerMemory.of(both).offHeap()).isEqualTo(1 << 30);
    assertThatThrownBy(
            () ->
                JobManagerMemory.of(
                    both.with(MemoryOptions.JOB_MANAGER_OFF_HEAP, MemorySize.ofMebi(128))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("jobmanager.memory.flink.size (2gb)")
        .hasMessageContaining("is not jobmanager.memory.off-heap.size (128mb)");
  }

  @Test
  @Behaviour("F1: contradictory sizes are refused with the options and the numbers")
  void totalWithoutHeapIsRejected() {
    assertThatThrownBy(
            () ->
                JobManagerMemory.of(
                    Configuration.EMPTY.with(
                        MemoryOptions.JOB_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(128))))
        .hasMessageContaining("leaves no heap");
  }

  @Test
  void errorOfAMissingSizeNamesTheOptions() {
    assertThatThrownBy(() -> JobManagerMemory.of(Configuration.EMPTY))
        .hasMessage(
            "The size of the JobManager is not configured. Set jobmanager.memory.process.size,"
                + " jobmanager.memory.flink.size or jobmanager.memory.heap.size.");
  }

  @Test
  void anyConfiguredSizeReplacesTheShippedSizes() {
    Configuration sized =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_HEAP, MemorySize.ofMebi(300))
            .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(900));
    assertThat(DefaultProcessSizes.in(sized)).isEqualTo(sized);
    Configuration half = Configuration.EMPTY.with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(300));
    assertThat(DefaultProcessSizes.in(half).get(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY))
        .isEqualTo(DefaultProcessSizes.TASK_MANAGER);
  }
}

package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds for every configuration of sizes, drawn from a seed. */
class MemorySumsTest {
  private static final int SEEDS = 3_000;

  private static final List<Option<MemorySize>> TASK_MANAGER_SIZES =
      List.of(
          MemoryOptions.TASK_MANAGER_PROCESS_MEMORY,
          MemoryOptions.TASK_MANAGER_FLINK_MEMORY,
          MemoryOptions.TASK_HEAP,
          MemoryOptions.TASK_OFF_HEAP,
          MemoryOptions.MANAGED_MEMORY,
          MemoryOptions.FRAMEWORK_HEAP,
          MemoryOptions.FRAMEWORK_OFF_HEAP,
          MemoryOptions.NETWORK_MIN,
          MemoryOptions.NETWORK_MAX,
          MemoryOptions.TASK_MANAGER_METASPACE,
          MemoryOptions.TASK_MANAGER_OVERHEAD_MIN,
          MemoryOptions.TASK_MANAGER_OVERHEAD_MAX);

  private static final List<Option<MemorySize>> JOB_MANAGER_SIZES =
      List.of(
          MemoryOptions.JOB_MANAGER_PROCESS_MEMORY,
          MemoryOptions.JOB_MANAGER_FLINK_MEMORY,
          MemoryOptions.JOB_MANAGER_HEAP,
          MemoryOptions.JOB_MANAGER_OFF_HEAP,
          MemoryOptions.JOB_MANAGER_METASPACE,
          MemoryOptions.JOB_MANAGER_OVERHEAD_MIN,
          MemoryOptions.JOB_MANAGER_OVERHEAD_MAX);

  @Test
  @Behaviour("F1: sizes that are set are kept to the byte, and the parts add up to the totals")
  void partsOfATaskManagerAddUpAndKeepWhatIsSet() {
    int legal = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Configuration configuration = taskManager(seed);
      TaskManagerMemory memory;
      try {
        memory = TaskManagerMemory.of(configuration);
      } catch (MillraceException contradiction) {
        assertNamesAnOption(contradiction, configuration, TASK_MANAGER_SIZES, seed);
        continue;
      }
      legal++;
      Map<String, Long> sizes = memory.byName();
      assertThat(sizes.values()).as("seed %d", seed).allMatch(size -> size >= 0);
      assertThat(
              sizes.get("framework-heap")
                  + sizes.get("framework-off-heap")
                  + sizes.get("task-heap")
                  + sizes.get("task-off-heap")
                  + sizes.get("network")
                  + sizes.get("managed"))
          .as("seed %d", seed)
          .isEqualTo(sizes.get("flink"));
      assertThat(sizes.get("flink") + sizes.get("jvm-metaspace") + sizes.get("jvm-overhead"))
          .as("seed %d", seed)
          .isEqualTo(sizes.get("process"));
      assertKept(configuration, MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, memory.process(), seed);
      assertKept(configuration, MemoryOptions.TASK_MANAGER_FLINK_MEMORY, memory.flink(), seed);
      assertKept(configuration, MemoryOptions.TASK_HEAP, memory.taskHeap(), seed);
      assertKept(configuration, MemoryOptions.TASK_OFF_HEAP, memory.taskOffHeap(), seed);
      assertKept(configuration, MemoryOptions.MANAGED_MEMORY, memory.managed(), seed);
      assertKept(configuration, MemoryOptions.FRAMEWORK_HEAP, memory.frameworkHeap(), seed);
      assertKept(configuration, MemoryOptions.FRAMEWORK_OFF_HEAP, memory.frameworkOffHeap(), seed);
      assertKept(configuration, MemoryOptions.TASK_MANAGER_METASPACE, memory.jvmMetaspace(), seed);
      assertThat(memory.network())
          .as("seed %d", seed)
          .isBetween(
              configuration.get(MemoryOptions.NETWORK_MIN).bytes(),
              configuration.get(MemoryOptions.NETWORK_MAX).bytes());
      assertThat(memory.jvmOverhead())
          .as("seed %d", seed)
          .isBetween(
              configuration.get(MemoryOptions.TASK_MANAGER_OVERHEAD_MIN).bytes(),
              configuration.get(MemoryOptions.TASK_MANAGER_OVERHEAD_MAX).bytes());
      assertThat(memory.jvmArguments())
          .as("seed %d", seed)
          .containsExactly(
              "-Xmx" + (memory.frameworkHeap() + memory.taskHeap()),
              "-Xms" + (memory.frameworkHeap() + memory.taskHeap()),
              "-XX:MaxDirectMemorySize="
                  + (memory.frameworkOffHeap() + memory.taskOffHeap() + memory.network()),
              "-XX:MaxMetaspaceSize=" + memory.jvmMetaspace());
    }
    assertThat(legal).isBetween(SEEDS / 10, SEEDS * 9 / 10);
  }

  @Test
  @Behaviour("F1: sizes that are set are kept to the byte, and the parts add up to the totals")
  void partsOfAJobManagerAddUpAndKeepWhatIsSet() {
    int legal = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Configuration configuration = jobManager(seed);
      JobManagerMemory memory;
      try {
        memory = JobManagerMemory.of(configuration);
      } catch (MillraceException contradiction) {
        assertNamesAnOption(contradiction, configuration, JOB_MANAGER_SIZES, seed);
        continue;
      }
      legal++;
      Map<String, Long> sizes = memory.byName();
      assertThat(sizes.values()).as("seed %d", seed).allMatch(size -> size >= 0);
      assertThat(sizes.get("heap") + sizes.get("off-heap"))
          .as("seed %d", seed)
          .isEqualTo(sizes.get("flink"));
      assertThat(sizes.get("flink") + sizes.get("jvm-metaspace") + sizes.get("jvm-overhead"))
          .as("seed %d", seed)
          .isEqualTo(sizes.get("process"));
      assertThat(memory.heap()).as("seed %d", seed).isPositive();
      assertKept(configuration, MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, memory.process(), seed);
      assertKept(configuration, MemoryOptions.JOB_MANAGER_FLINK_MEMORY, memory.flink(), seed);
      assertKept(configuration, MemoryOptions.JOB_MANAGER_HEAP, memory.heap(), seed);
      assertKept(configuration, MemoryOptions.JOB_MANAGER_OFF_HEAP, memory.offHeap(), seed);
      assertKept(configuration, MemoryOptions.JOB_MANAGER_METASPACE, memory.jvmMetaspace(), seed);
      assertThat(memory.jvmArguments())
          .as("seed %d", seed)
          .containsExactly(
              "-Xmx" + memory.heap(),
              "-Xms" + memory.heap(),
              "-XX:MaxMetaspaceSize=" + memory.jvmMetaspace());
    }
    assertThat(legal).isBetween(SEEDS / 10, SEEDS * 9 / 10);
  }

  /** A driver starts a process for slots of a size; the process must have exactly these. */
  @Test
  @Behaviour("D8: the process size of a worker follows from the size of its slots")
  void processForSlotsHasExactlyTheirParts() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      ResourceProfile slots =
          new ResourceProfile(
              1,
              random.nextLong(1, 1L << 33),
              random.nextLong(0, 1L << 30),
              random.nextLong(0, 1L << 33),
              random.nextLong(0, 1L << 30));
      Configuration configuration =
          Configuration.EMPTY
              .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MemorySize.ofMebi(1))
              .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(1));

      TaskManagerMemory memory =
          TaskManagerMemory.of(TaskManagerMemory.optionsFor(configuration, slots));

      assertThat(memory.taskHeap()).as("seed %d", seed).isEqualTo(slots.taskHeap());
      assertThat(memory.taskOffHeap()).as("seed %d", seed).isEqualTo(slots.taskOffHeap());
      assertThat(memory.managed()).as("seed %d", seed).isEqualTo(slots.managed());
      assertThat(memory.network()).as("seed %d", seed).isEqualTo(slots.network());
    }
  }

  @Test
  void networkMemoryOfSlotsIsTheFractionOfTheWholeProcess() {
    Configuration configuration =
        Configuration.EMPTY
            .with(MemoryOptions.FRAMEWORK_HEAP, MemorySize.ofMebi(0))
            .with(MemoryOptions.FRAMEWORK_OFF_HEAP, MemorySize.ofMebi(0))
            .with(MemoryOptions.NETWORK_FRACTION, 0.5f)
            .with(MemoryOptions.NETWORK_MIN, MemorySize.ofMebi(1))
            .with(MemoryOptions.NETWORK_MAX, MemorySize.ofMebi(1000));
    long mebi = 1 << 20;

    assertThat(
            TaskManagerMemory.networkFor(
                configuration, new ResourceProfile(1, 200 * mebi, 50 * mebi, 50 * mebi, 0)))
        .as("as much as the rest, which is half of the whole")
        .isEqualTo(300 * mebi);
    assertThat(
            TaskManagerMemory.networkFor(
                configuration, new ResourceProfile(1, 9000 * mebi, 0, 0, 0)))
        .as("at most the maximum")
        .isEqualTo(1000 * mebi);
    assertThat(TaskManagerMemory.networkFor(configuration, new ResourceProfile(1, mebi, 0, 0, 0)))
        .as("at least the minimum")
        .isEqualTo(mebi);
  }

  @Test
  void processWithoutAnySizeGetsTheShippedOne() {
    Configuration both = DefaultProcessSizes.in(Configuration.EMPTY);
    assertThat(TaskManagerMemory.of(both).process()).isEqualTo(1728L << 20);
    assertThat(JobManagerMemory.of(both).process()).isEqualTo(1600L << 20);

    Configuration sized =
        DefaultProcessSizes.in(
            Configuration.EMPTY
                .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(1024))
                .with(MemoryOptions.JOB_MANAGER_HEAP, MemorySize.ofMebi(512)));
    assertThat(TaskManagerMemory.of(sized).flink()).isEqualTo(1024L << 20);
    assertThat(JobManagerMemory.of(sized).heap()).isEqualTo(512L << 20);
    assertThat(sized.contains(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY)).isFalse();
    assertThat(sized.contains(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY)).isFalse();
  }

  /** Task heap alone is no size of a process: managed memory would be unknown. */
  @Test
  void taskHeapAloneDoesNotReplaceTheShippedSize() {
    Configuration heap =
        DefaultProcessSizes.in(
            Configuration.EMPTY.with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(450)));

    assertThat(heap.get(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY))
        .isEqualTo(MemorySize.ofMebi(1728));
  }

  /** What one byte more or less changes: a total is too small by exactly what the error says. */
  @Test
  void errorSaysHowMuchIsMissing() {
    Configuration parts =
        Configuration.EMPTY
            .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(400))
            .with(MemoryOptions.TASK_HEAP, MemorySize.ofMebi(200))
            .with(MemoryOptions.MANAGED_MEMORY, MemorySize.ofMebi(100));

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> TaskManagerMemory.of(parts))
        .withMessageStartingWith("taskmanager.memory.flink.size (400mb) is too small for")
        .withMessageContaining("taskmanager.memory.task.heap.size (200mb)")
        .withMessageContaining("taskmanager.memory.managed.size (100mb)")
        .withMessageEndingWith(
            "together 556mb. Raise the first by at least 156mb or lower the others.");
    TaskManagerMemory fits =
        TaskManagerMemory.of(
            parts
                .with(MemoryOptions.TASK_MANAGER_FLINK_MEMORY, MemorySize.ofMebi(556))
                .with(MemoryOptions.NETWORK_MIN, MemorySize.ofMebi(0)));
    assertThat(fits.network()).isZero();
  }

  private static Configuration taskManager(int seed) {
    Random random = new Random(seed);
    Configuration configuration = Configuration.EMPTY;
    for (Option<MemorySize> option : TASK_MANAGER_SIZES) {
      boolean total =
          option == MemoryOptions.TASK_MANAGER_PROCESS_MEMORY
              || option == MemoryOptions.TASK_MANAGER_FLINK_MEMORY;
      if (random.nextInt(4) == 0) {
        configuration =
            configuration.with(
                option,
                new MemorySize(
                    total ? random.nextLong(1L << 29, 1L << 32) : random.nextLong(1L << 28)));
      }
    }
    return configuration;
  }

  private static Configuration jobManager(int seed) {
    Random random = new Random(seed);
    Configuration configuration = Configuration.EMPTY;
    for (Option<MemorySize> option : JOB_MANAGER_SIZES) {
      boolean total =
          option == MemoryOptions.JOB_MANAGER_PROCESS_MEMORY
              || option == MemoryOptions.JOB_MANAGER_FLINK_MEMORY;
      if (random.nextInt(3) == 0) {
        configuration =
            configuration.with(
                option,
                new MemorySize(
                    total ? random.nextLong(1L << 29, 1L << 32) : random.nextLong(1, 1L << 28)));
      }
    }
    return configuration;
  }

  private static void assertKept(
      Configuration configuration, Option<MemorySize> option, long derived, int seed) {
    if (configuration.contains(option)) {
      assertThat(derived)
          .as("seed %d, %s", seed, option)
          .isEqualTo(configuration.get(option).bytes());
    }
  }

  /** An error is of use only if it says what to change. */
  private static void assertNamesAnOption(
      MillraceException contradiction,
      Configuration configuration,
      List<Option<MemorySize>> options,
      int seed) {
    assertThat(contradiction.kind()).as("seed %d", seed).isEqualTo(ErrorKind.USER);
    List<String> named = new ArrayList<>();
    for (Option<MemorySize> option : options) {
      if (contradiction.getMessage().contains(option.key())) {
        named.add(option.key());
      }
    }
    assertThat(named).as("seed %d: %s", seed, contradiction.getMessage()).isNotEmpty();
    if (!contradiction.getMessage().contains("is not configured")) {
      assertThat(named)
          .as("seed %d: %s", seed, contradiction.getMessage())
          .anyMatch(configuration.entries()::containsKey);
    }
  }
}

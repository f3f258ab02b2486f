package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessSpec;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;
import org.junit.jupiter.api.Test;

/** Compares the derivation of sizes with Flink's for thousands of random configurations. */
class FlinkMemoryComparisonTest {
  private static final int CONFIGURATIONS = 20_000;

  /** The visible result of a derivation. */
  private record Outcome(Map<String, Long> sizes, List<String> arguments, double cpuCores) {}

  @Test
  @Behaviour(
      "F1: each legal set of options gives Flink's sizes to the byte, and each set that Flink"
          + " refuses is refused")
  void sizesOfTaskManagersEqualThoseOfFlink() {
    compare(
        FlinkMemoryComparisonTest::taskManager,
        configuration -> {
          TaskManagerMemory memory = TaskManagerMemory.of(configuration);
          return new Outcome(memory.byName(), memory.jvmArguments(), CpuCores.of(configuration));
        },
        FlinkMemoryComparisonTest::flinkTaskManager);
  }

  @Test
  @Behaviour("D8: the process size of a worker follows from the profiles of its slots")
  void sizesOfTaskManagersForGivenSlotsEqualThoseOfFlink() {
    int legal = 0;
    for (long seed = 0; seed < CONFIGURATIONS / 4; seed++) {
      Map<String, String> entries =
          new RandomSizes(seed)
              .size(0.2, MemoryOptions.FRAMEWORK_HEAP, 0, 200)
              .size(0.2, MemoryOptions.FRAMEWORK_OFF_HEAP, 0, 200)
              .size(0.2, MemoryOptions.TASK_MANAGER_METASPACE, 10, 400)
              .size(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_MIN, 0, 190)
              .size(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_MAX, 200, 2000)
              .fraction(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_FRACTION, 0.4)
              .entries();
      Random random = new Random(seed);
      ResourceProfile slots =
          new ResourceProfile(
              1,
              random.nextLong(1L << 33),
              random.nextLong(1L << 30),
              random.nextLong(1L << 34),
              random.nextLong(1L << 31));
      Optional<Outcome> expected =
          inFlink(entries, configuration -> outcome(madeFor(configuration, slots)));
      assertThat(madeFor(new Configuration(entries), slots))
          .as("seed %d: %s for %s", seed, entries, slots)
          .isEqualTo(expected);
      legal += expected.isPresent() ? 1 : 0;
    }
    assertThat(legal).isGreaterThan(CONFIGURATIONS / 8);
  }

  private static Optional<Outcome> madeFor(Configuration configuration, ResourceProfile slots) {
    try {
      TaskManagerMemory memory =
          TaskManagerMemory.of(
              TaskManagerMemory.optionsFor(
                  // The totals of the configuration do not apply to these.
                  configuration.with(
                      MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MemorySize.ofMebi(1728)),
                  slots));
      return Optional.of(new Outcome(memory.byName(), memory.jvmArguments(), slots.cpuCores()));
    } catch (MillraceException e) {
      return Optional.empty();
    }
  }

  private static TaskExecutorProcessSpec madeFor(
      org.apache.flink.configuration.Configuration configuration, ResourceProfile slots) {
    return TaskExecutorProcessUtils.processSpecFromWorkerResourceSpec(
        configuration,
        WorkerResourceSpec.fromTotalResourceProfile(
            org.apache.flink.runtime.clusterframework.types.ResourceProfile.newBuilder()
                .setCpuCores(slots.cpuCores())
                .setTaskHeapMemory(flinkSize(slots.taskHeap()))
                .setTaskOffHeapMemory(flinkSize(slots.taskOffHeap()))
                .setNetworkMemory(flinkSize(slots.network()))
                .setManagedMemory(flinkSize(slots.managed()))
                .build(),
            1));
  }

  private static org.apache.flink.configuration.MemorySize flinkSize(long bytes) {
    return new org.apache.flink.configuration.MemorySize(bytes);
  }

  @Test
  @Behaviour(
      "F1: each legal set of options gives Flink's sizes to the byte, and each set that Flink"
          + " refuses is refused")
  void sizesOfJobManagersEqualThoseOfFlink() {
    compare(
        FlinkMemoryComparisonTest::jobManager,
        configuration -> {
          JobManagerMemory memory = JobManagerMemory.of(configuration);
          return new Outcome(memory.byName(), memory.jvmArguments(), 0);
        },
        FlinkMemoryComparisonTest::flinkJobManager);
  }

  private static void compare(
      LongFunction<Map<String, String>> generator,
      Function<Configuration, Outcome> ours,
      Function<org.apache.flink.configuration.Configuration, Outcome> theirs) {
    int legal = 0;
    for (long seed = 0; seed < CONFIGURATIONS; seed++) {
      Map<String, String> entries = generator.apply(seed);
      Optional<Outcome> expected = inFlink(entries, theirs);
      legal += expected.isPresent() ? 1 : 0;
      try {
        Outcome actual = ours.apply(new Configuration(entries));
        assertThat(Optional.of(actual)).as("seed %d: %s", seed, entries).isEqualTo(expected);
      } catch (MillraceException e) {
        assertThat(expected).as("seed %d: %s: %s", seed, entries, e).isEmpty();
        assertThat(e.kind()).isEqualTo(ErrorKind.USER);
        assertThat(e).hasMessageMatching("(?s).*(task|job)manager\\.\\S+.*");
      }
    }
    // Both legal and illegal configurations must occur.
    assertThat(legal).isBetween(CONFIGURATIONS / 4, CONFIGURATIONS * 3 / 4);
  }

  private static Optional<Outcome> inFlink(
      Map<String, String> entries,
      Function<org.apache.flink.configuration.Configuration, Outcome> derive) {
    var configuration = new org.apache.flink.configuration.Configuration();
    entries.forEach(configuration::setString);
    try {
      return Optional.of(derive.apply(configuration));
    } catch (IllegalArgumentException
        | ArithmeticException
        | org.apache.flink.configuration.IllegalConfigurationException e) {
      return Optional.empty();
    }
  }

  private static Outcome flinkTaskManager(
      org.apache.flink.configuration.Configuration configuration) {
    return outcome(TaskExecutorProcessUtils.processSpecFromConfig(configuration));
  }

  private static Outcome outcome(TaskExecutorProcessSpec spec) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    sizes.put("process", spec.getTotalProcessMemorySize().getBytes());
    sizes.put("flink", spec.getTotalFlinkMemorySize().getBytes());
    sizes.put("framework-heap", spec.getFlinkMemory().getFrameworkHeap().getBytes());
    sizes.put("framework-off-heap", spec.getFlinkMemory().getFrameworkOffHeap().getBytes());
    sizes.put("task-heap", spec.getTaskHeapSize().getBytes());
    sizes.put("task-off-heap", spec.getTaskOffHeapSize().getBytes());
    sizes.put("network", spec.getNetworkMemSize().getBytes());
    sizes.put("managed", spec.getManagedMemorySize().getBytes());
    sizes.put("jvm-metaspace", spec.getJvmMetaspaceSize().getBytes());
    sizes.put("jvm-overhead", spec.getJvmOverheadSize().getBytes());
    return new Outcome(
        sizes,
        List.of(ProcessMemoryUtils.generateJvmParametersStr(spec).split(" ", -1)),
        spec.getCpuCores().getValue().doubleValue());
  }

  private static Outcome flinkJobManager(
      org.apache.flink.configuration.Configuration configuration) {
    JobManagerProcessSpec spec = JobManagerProcessUtils.processSpecFromConfig(configuration);
    Map<String, Long> sizes = new LinkedHashMap<>();
    sizes.put("process", spec.getTotalProcessMemorySize().getBytes());
    sizes.put("flink", spec.getTotalFlinkMemorySize().getBytes());
    sizes.put("heap", spec.getJvmHeapMemorySize().getBytes());
    sizes.put("off-heap", spec.getJvmDirectMemorySize().getBytes());
    sizes.put("jvm-metaspace", spec.getJvmMetaspaceSize().getBytes());
    sizes.put("jvm-overhead", spec.getJvmOverheadSize().getBytes());
    return new Outcome(
        sizes,
        List.of(
            JobManagerProcessUtils.generateJvmParametersStr(spec, configuration).split(" ", -1)),
        0);
  }

  private static Map<String, String> taskManager(long seed) {
    RandomSizes sizes =
        new RandomSizes(seed)
            .size(0.2, MemoryOptions.FRAMEWORK_HEAP, 0, 200)
            .size(0.2, MemoryOptions.FRAMEWORK_OFF_HEAP, 0, 200)
            .size(0.25, MemoryOptions.TASK_OFF_HEAP, 0, 300)
            .size(0.25, MemoryOptions.NETWORK_MIN, 0, 200)
            .size(0.25, MemoryOptions.NETWORK_MAX, 100, 1000)
            .fraction(0.25, MemoryOptions.NETWORK_FRACTION, 0.5)
            .fraction(0.25, MemoryOptions.MANAGED_FRACTION, 0.8)
            .size(0.2, MemoryOptions.TASK_MANAGER_METASPACE, 10, 400)
            .size(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_MIN, 0, 300)
            .size(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_MAX, 200, 2000)
            .fraction(0.25, MemoryOptions.TASK_MANAGER_OVERHEAD_FRACTION, 0.4)
            .text(
                0.05,
                TaskManagerOptions.CPU_CORES,
                List.of("1", "0.5", "7.25", "0", "-2", "NaN", "many"))
            .text(0.05, TaskManagerOptions.NUM_TASK_SLOTS, List.of("1", "3", "16", "0", "-1"));
    if (sizes.happens(0.06)) {
      return withoutSlack(sizes, seed);
    }
    if (sizes.happens(0.35)) {
      // Close to each other, so that the rest for network memory and overhead may be within its
      // limits.
      sizes
          .size(1, MemoryOptions.TASK_HEAP, 0, 900)
          .size(0.9, MemoryOptions.MANAGED_MEMORY, 0, 900);
      sizes.size(0.3, MemoryOptions.TASK_MANAGER_FLINK_MEMORY, 600, 2300);
      sizes.size(0.3, MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, 1000, 3500);
    } else {
      sizes
          .size(0.15, MemoryOptions.TASK_HEAP, 0, 700)
          .size(0.15, MemoryOptions.MANAGED_MEMORY, 0, 900);
      boolean flink = sizes.happens(0.5);
      sizes.size(flink ? 1 : 0.02, MemoryOptions.TASK_MANAGER_FLINK_MEMORY, 300, 4000);
      sizes.size(flink ? 0.3 : 0.97, MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, 500, 6000);
    }
    return sizes.entries();
  }

  /** Every part is set, so that one byte decides whether the totals match. */
  private static Map<String, String> withoutSlack(RandomSizes sizes, long seed) {
    long network = 100_000_000 + seed;
    long flink = (256L << 20) + 300_000_000 + 400_000_000 + network;
    sizes.entries().clear();
    sizes
        .exactly(1, MemoryOptions.TASK_HEAP, 300_000_000)
        .exactly(0.8, MemoryOptions.MANAGED_MEMORY, 400_000_000)
        .exactly(1, MemoryOptions.NETWORK_MIN, network)
        .exactly(1, MemoryOptions.NETWORK_MAX, network + (seed % 2))
        .exactly(0.8, MemoryOptions.TASK_MANAGER_FLINK_MEMORY, flink + (seed % 5) - 1)
        .exactly(1, MemoryOptions.TASK_MANAGER_OVERHEAD_MIN, 200_000_000)
        .exactly(1, MemoryOptions.TASK_MANAGER_OVERHEAD_MAX, 200_000_000 + (seed % 3))
        .exactly(
            0.8,
            MemoryOptions.TASK_MANAGER_PROCESS_MEMORY,
            flink + (256L << 20) + 200_000_000 + (seed % 7) - 1);
    return sizes.entries();
  }

  private static Map<String, String> jobManager(long seed) {
    RandomSizes sizes =
        new RandomSizes(seed)
            .size(0.4, MemoryOptions.JOB_MANAGER_OFF_HEAP, 0, 600)
            .size(0.3, MemoryOptions.JOB_MANAGER_METASPACE, 10, 400)
            .size(0.3, MemoryOptions.JOB_MANAGER_OVERHEAD_MIN, 0, 300)
            .size(0.3, MemoryOptions.JOB_MANAGER_OVERHEAD_MAX, 200, 2000)
            .fraction(0.3, MemoryOptions.JOB_MANAGER_OVERHEAD_FRACTION, 0.5)
            .text(0.3, MemoryOptions.JOB_MANAGER_DIRECT_LIMIT, List.of("true", "false", "maybe"))
            .size(0.35, MemoryOptions.JOB_MANAGER_HEAP, 0, 1500)
            .size(0.4, MemoryOptions.JOB_MANAGER_FLINK_MEMORY, 0, 2000)
            .size(0.5, MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, 400, 3500);
    if (sizes.happens(0.1)) {
      // The heap and the rest of the total, exact and off by one byte.
      long heap = 500_000_000;
      sizes.entries().remove(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY.key());
      sizes
          .exactly(0.8, MemoryOptions.JOB_MANAGER_HEAP, heap)
          .exactly(0.8, MemoryOptions.JOB_MANAGER_OFF_HEAP, 100_000_000 + seed)
          .exactly(
              0.9,
              MemoryOptions.JOB_MANAGER_FLINK_MEMORY,
              heap + 100_000_000 + seed + (seed % 3) - 1);
    }
    return sizes.entries();
  }
}

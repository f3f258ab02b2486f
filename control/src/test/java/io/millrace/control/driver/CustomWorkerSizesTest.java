package io.millrace.control.driver;

import static io.millrace.control.Reasons.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.testing.Behaviour;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CustomWorkerSizesTest {
  private static final Configuration DEFAULT =
      DefaultProcessSizes.in(
          Configuration.EMPTY
              .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
              .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
              .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 2));
  private static final CustomWorkerSizes SIZES =
      new CustomWorkerSizes(DEFAULT, 4, 8L << 30, "this machine");

  @Test
  @Behaviour(
      "D8: a declared profile that does not fit a default worker gets a worker of the exact size")
  void createsTheSmallestWorkerForOneSlot() {
    ResourceProfile slot =
        new ResourceProfile(0.5, 300 << 20, 1 << 20, 2L << 30, 0, Map.of("gpu", 1L));
    WorkerSpec spec = SIZES.forSlot(slot).orElseThrow();
    assertThat(spec.slots()).isEqualTo(1);
    long network = spec.total().network();
    assertThat(spec.total())
        .isEqualTo(
            new ResourceProfile(0.5, 300 << 20, 1 << 20, 2L << 30, network, slot.external()));
    // Network memory has the configured fraction, as in every TaskManager.
    TaskManagerMemory memory = TaskManagerMemory.of(spec.in(DEFAULT));
    assertThat((double) network / memory.flink()).isBetween(0.0999, 0.1001);
  }

  @Test
  void derivedConfigurationDescribesTheRequestedWorker() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      ResourceProfile slot =
          new ResourceProfile(
              random.nextInt(1, 4_000_000) / 1e6,
              random.nextLong(1L << 32),
              random.nextLong(1L << 29),
              random.nextLong(1L << 31),
              0,
              random.nextBoolean() ? Map.of() : Map.of("gpu", 1L + random.nextInt(2)));
      Optional<WorkerSpec> spec = SIZES.forSlot(slot);
      spec.ifPresent(
          known -> {
            assertThat(WorkerSpec.of(known.in(DEFAULT))).isEqualTo(known);
            assertThat(known.total().fits(slot)).isTrue();
            assertThat(TaskManagerMemory.of(known.in(DEFAULT)).process())
                .isLessThanOrEqualTo(8L << 30);
          });
    }
  }

  @Test
  @Behaviour(
      "D8: a worker larger than the driver can start is refused with the numbers instead of being"
          + " requested")
  void refusesAWorkerAboveTheMaximumWithTheNumbers() {
    ResourceProfile heap = new ResourceProfile(1, 9L << 30, 0, 0, 0);
    assertThat(SIZES.forSlot(heap)).isEmpty();
    assertThat(text(SIZES.refusal(heap)))
        .isEqualTo(
            "A TaskManager for one would take 1.0 cpu and 11.53 gb of memory; this machine has"
                + " 4.0 cpu and 8.00 gb. Lower the resources the job declares.");
    ResourceProfile cpu = new ResourceProfile(5, 1 << 20, 0, 0, 0);
    assertThat(SIZES.forSlot(cpu)).isEmpty();
    assertThat(text(SIZES.refusal(cpu))).contains("5.0 cpu", "this machine has 4.0 cpu");
    ResourceProfile beyond = new ResourceProfile(1, Long.MAX_VALUE, 0, 0, 0);
    assertThat(SIZES.forSlot(beyond)).isEmpty();
    assertThat(text(SIZES.refusal(beyond)))
        .startsWith("No process can be that large; this machine");
  }

  @Test
  void refusesMoreExternalResourcesThanConfigured() {
    ResourceProfile three = new ResourceProfile(1, 1 << 20, 0, 0, 0, Map.of("gpu", 3L));
    assertThat(SIZES.forSlot(three)).isEmpty();
    assertThat(text(SIZES.refusal(three)))
        .isEqualTo(
            "A TaskManager that is started here has 2 gpu of external resources. Lower the resources"
                + " the job declares.");
  }
}

package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.client.ApplicationRequirements.Container;
import io.millrace.yarn.client.ApplicationRequirements.External;
import org.junit.jupiter.api.Test;

class ApplicationRequirementsTest {
  private static final Configuration SIZES =
      Configuration.EMPTY
          .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1600m")
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m");

  @Test
  void containersHaveTheProcessSizes() {
    ApplicationRequirements requirements = ApplicationRequirements.of(SIZES);
    assertThat(requirements.master()).isEqualTo(new Container(1600, 1));
    assertThat(requirements.worker()).isEqualTo(new Container(1728, 1));
  }

  @Test
  void processSizesAreRoundedUpToMegabytes() {
    assertThat(
            ApplicationRequirements.of(
                    SIZES.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1769473k"))
                .worker()
                .megabytes())
        .isEqualTo(1729);
  }

  @Test
  void workerHasOneVirtualCorePerSlotUnlessConfigured() {
    Configuration slots = SIZES.with(TaskManagerOptions.NUM_TASK_SLOTS, 4);
    assertThat(ApplicationRequirements.of(slots).worker().vcores()).isEqualTo(4);
    assertThat(
            ApplicationRequirements.of(slots.with(YarnOptions.WORKER_VCORES, 2)).worker().vcores())
        .isEqualTo(2);
    assertThat(
            ApplicationRequirements.of(slots.with(YarnOptions.MASTER_VCORES, 3)).master().vcores())
        .isEqualTo(3);
  }

  @Test
  void sizeIsReadable() {
    assertThat(new Container(1600, 1)).hasToString("1600 MB and 1 vcore");
    assertThat(new Container(1600, 2)).hasToString("1600 MB and 2 vcores");
  }

  @Test
  void externalResourcesWithoutANameInYarnAreNotRequired() {
    Configuration configuration =
        SIZES
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu;disk")
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 2)
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("disk"), 5)
            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/gpu");
    assertThat(ApplicationRequirements.of(configuration).externals())
        .containsExactly(new External("gpu", "yarn.io/gpu", 2));
    assertThat(ApplicationRequirements.of(SIZES).externals()).isEmpty();
  }

  @Test
  void labelsAreNamedByTheirOptions() {
    assertThat(ApplicationRequirements.of(SIZES).labels()).isEmpty();
    assertThat(
            ApplicationRequirements.of(
                    SIZES
                        .with(YarnOptions.NODE_LABEL, "fast")
                        .with(YarnOptions.TASK_MANAGER_NODE_LABEL, "gpu"))
                .labels())
        .containsEntry("yarn.application.node-label", "fast")
        .containsEntry("yarn.taskmanager.node-label", "gpu")
        .hasSize(2);
  }

  @Test
  void blankValuesSetNothing() {
    ApplicationRequirements requirements =
        ApplicationRequirements.of(
            SIZES.with(YarnOptions.QUEUE, "  ").with(YarnOptions.NODE_LABEL, ""));
    assertThat(requirements.queue()).isEmpty();
    assertThat(requirements.labels()).isEmpty();
    assertThat(ApplicationRequirements.of(SIZES.with(YarnOptions.QUEUE, " small ")).queue())
        .contains("small");
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void tagsKeepTheLimitsOfYarn() {
    Configuration nineteen = SIZES.with(YarnOptions.TAGS, "t;".repeat(18) + "t");
    assertThat(ApplicationRequirements.of(nineteen)).isNotNull();
    assertThat(ApplicationRequirements.of(SIZES.with(YarnOptions.TAGS, "x".repeat(100))))
        .isNotNull();
    for (String tags : new String[] {"t;".repeat(19) + "t", "x".repeat(101), "Mühle"}) {
      assertThatThrownBy(() -> ApplicationRequirements.of(SIZES.with(YarnOptions.TAGS, tags)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("yarn.tags takes fewer than 20 tags of at most 100 ASCII")
          .matches(e -> ((MillraceException) e).kind() == ErrorKind.USER);
    }
  }

  @Test
  void attemptsAreOneWithoutHighAvailability() {
    assertThat(ApplicationRequirements.of(SIZES).attempts()).contains(1);
    assertThat(
            ApplicationRequirements.of(SIZES.with(HighAvailabilityOptions.HA_MODE, "file"))
                .attempts())
        .isEmpty();
    assertThat(
            ApplicationRequirements.of(
                    SIZES
                        .with(HighAvailabilityOptions.HA_MODE, "file")
                        .with(YarnOptions.ATTEMPTS, 7))
                .attempts())
        .contains(7);
  }
}

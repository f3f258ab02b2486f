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
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class YarnClusterLimitsTest {
  private static final YarnClusterLimits LIMITS =
      new YarnClusterLimits(
          new ApplicationRequirements.Container(4096, 4),
          Map.of("yarn.io/gpu", 2L),
          1024,
          List.of(
              queue("parent", false, true, true),
              queue("default", true, true, true),
              queue("stopped", true, false, true),
              queue("theirs", true, true, false)),
          List.of("gpu"),
          2,
          new QueueCreation(QueueCreation.Verdict.IMPOSSIBLE, "it creates no queues by itself"));

  private static final Configuration SMALL =
      Configuration.EMPTY
          .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1200m")
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "2 gb");

  private static YarnClusterLimits.Queue queue(
      String name, boolean leaf, boolean running, boolean open) {
    return new YarnClusterLimits.Queue(
        name, "root." + name, running, leaf, open, 1, 0, 1, List.of("gpu"));
  }

  @Test
  void requirementsWithinTheLimitsCauseNoWarning() {
    assertThat(LIMITS.check(ApplicationRequirements.of(SMALL))).isEmpty();
    assertThat(
            LIMITS.check(ApplicationRequirements.of(SMALL.with(YarnOptions.QUEUE, "root.default"))))
        .isEmpty();
  }

  @Test
  void unknownQueueIsRefusedWithTheExistingOnes() {
    refused(SMALL.with(YarnOptions.QUEUE, "nope"))
        .hasMessageContaining("no queue 'nope'")
        .hasMessageContaining("Choose one of: default (");
  }

  @Test
  @Behaviour("A8: a queue that YARN may create by itself is left to YARN, with a warning")
  void missingQueueIsLeftToYarnIfItMayCreateIt() {
    ApplicationRequirements wanted =
        ApplicationRequirements.of(SMALL.with(YarnOptions.QUEUE, "root.users.miller"));
    for (QueueCreation creation :
        List.of(
            QueueCreation.FAIR_SCHEDULER,
            QueueCreation.unknown(new IOException("Connection refused")))) {
      YarnClusterLimits limits =
          new YarnClusterLimits(
              LIMITS.largest(), Map.of(), 1024, LIMITS.queues(), List.of(), 2, creation);
      assertThat(limits.check(wanted))
          .containsExactly(
              "YARN has no queue 'root.users.miller'; "
                  + creation.reason()
                  + ". YARN decides when the application is submitted.");
    }
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void queueThatTakesNothingIsRefused() {
    refused(SMALL.with(YarnOptions.QUEUE, "stopped")).hasMessageContaining("is stopped");
    refused(SMALL.with(YarnOptions.QUEUE, "parent"))
        .hasMessageContaining("'parent' is a parent queue");
    refused(SMALL.with(YarnOptions.QUEUE, "theirs")).hasMessageContaining("may not submit");
  }

  @Test
  void rootIsAParentQueueAlthoughYarnDoesNotListIt() {
    refused(SMALL.with(YarnOptions.QUEUE, "root"))
        .hasMessageContaining("'root' is a parent queue")
        .hasMessageContaining("Choose one of: default (");
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void tooMuchMemoryIsRefusedWithTheOptionAndTheNumber() {
    refused(SMALL.with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "5000m"))
        .hasMessageContaining("JobManager needs a container of 5000 MB")
        .hasMessageContaining("has 4096 MB")
        .hasMessageContaining("jobmanager.memory.process.size");
    refused(SMALL.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "5000m"))
        .hasMessageContaining("TaskManager needs a container of 5000 MB")
        .hasMessageContaining("taskmanager.memory.process.size");
  }

  @Test
  void tooManyVcoresAreRefused() {
    refused(SMALL.with(TaskManagerOptions.NUM_TASK_SLOTS, 5))
        .hasMessageContaining("5 vcores")
        .hasMessageContaining("taskmanager.numberOfTaskSlots");
    assertThat(
            LIMITS.check(
                ApplicationRequirements.of(
                    SMALL
                        .with(TaskManagerOptions.NUM_TASK_SLOTS, 5)
                        .with(YarnOptions.WORKER_VCORES, 1))))
        .isEmpty();
    refused(SMALL.with(YarnOptions.MASTER_VCORES, 9)).hasMessageContaining("yarn.appmaster.vcores");
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void unknownLabelIsRefused() {
    refused(SMALL.with(YarnOptions.NODE_LABEL, "fast"))
        .hasMessageContaining("label 'fast'")
        .hasMessageContaining("There are: gpu");
    refused(SMALL.with(YarnOptions.TASK_MANAGER_NODE_LABEL, "fast"))
        .hasMessageContaining("yarn.taskmanager.node-label");
    assertThat(LIMITS.check(ApplicationRequirements.of(SMALL.with(YarnOptions.NODE_LABEL, "gpu"))))
        .isEmpty();
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void externalResourcesAreCheckedAgainstTheLargestContainer() {
    Configuration gpus =
        SMALL
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 2)
            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/gpu");
    assertThat(LIMITS.check(ApplicationRequirements.of(gpus))).isEmpty();
    refused(gpus.with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 3))
        .hasMessageContaining("3 yarn.io/gpu")
        .hasMessageContaining("has 2.")
        .hasMessageContaining("external-resource.gpu.amount");
    refused(gpus.with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/fpga"))
        .hasMessageContaining("no resource 'yarn.io/fpga'")
        .hasMessageContaining("There are: yarn.io/gpu");
  }

  @Test
  void tagsThatYarnWouldRefuseAreRefused() {
    refused(SMALL.with(YarnOptions.TAGS, "x".repeat(101))).hasMessageContaining("yarn.tags");
    refused(SMALL.with(YarnOptions.TAGS, "mühle")).hasMessageContaining("ASCII");
    refused(SMALL.with(YarnOptions.TAGS, "a;".repeat(20))).hasMessageContaining("fewer than 20");
  }

  @Test
  void containerSmallerThanTheMinimumCausesAWarning() {
    assertThat(
            LIMITS.check(
                ApplicationRequirements.of(
                    SMALL.with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1000m"))))
        .singleElement()
        .asString()
        .contains("needs 1000 MB", "gets a container of 1024 MB");
  }

  @Test
  void moreAttemptsThanTheMaximumCauseAWarning() {
    assertThat(LIMITS.check(ApplicationRequirements.of(SMALL.with(YarnOptions.ATTEMPTS, 5))))
        .singleElement()
        .asString()
        .contains("at most 2 times");
  }

  @Test
  void attemptsFollowFromHighAvailability() {
    assertThat(ApplicationRequirements.of(SMALL).attempts()).contains(1);
    assertThat(
            ApplicationRequirements.of(SMALL.with(HighAvailabilityOptions.HA_MODE, "file"))
                .attempts())
        .isEmpty();
    assertThat(ApplicationRequirements.of(SMALL.with(YarnOptions.ATTEMPTS, 3)).attempts())
        .contains(3);
  }

  @Test
  void labelMustBeAccessibleFromTheQueue() {
    YarnClusterLimits limits =
        new YarnClusterLimits(
            LIMITS.largest(),
            Map.of(),
            1024,
            List.of(
                labelled("none", List.of()),
                labelled("some", List.of("gpu")),
                labelled("all", List.of("*"))),
            List.of("gpu", "fast"),
            2,
            QueueCreation.NOT_NEEDED);
    Configuration gpu = SMALL.with(YarnOptions.NODE_LABEL, "gpu");
    for (String queue : List.of("some", "all", "root.all")) {
      assertThat(limits.check(ApplicationRequirements.of(gpu.with(YarnOptions.QUEUE, queue))))
          .isEmpty();
    }
    assertThatThrownBy(
            () ->
                limits.check(ApplicationRequirements.of(gpu.with(YarnOptions.QUEUE, "root.none"))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("queue 'none' may not be on nodes with the label 'gpu'")
        .hasMessageContaining("yarn.application.node-label")
        .hasMessageContaining("accessible-node-labels");
    // Without a queue YARN chooses it, so only the existence of the label can be checked.
    assertThat(limits.check(ApplicationRequirements.of(gpu))).isEmpty();
  }

  @Test
  void clusterWithoutLabelsAndResourcesSaysSo() {
    YarnClusterLimits plain =
        new YarnClusterLimits(
            LIMITS.largest(), Map.of(), 1, List.of(), List.of(), 1, QueueCreation.NOT_NEEDED);
    assertThatThrownBy(
            () -> plain.check(ApplicationRequirements.of(SMALL.with(YarnOptions.NODE_LABEL, "x"))))
        .hasMessageContaining("YARN has no labels.");
    assertThatThrownBy(
            () ->
                plain.check(
                    ApplicationRequirements.of(
                        SMALL
                            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
                            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 1)
                            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/gpu"))))
        .hasMessageContaining("It has memory and vcores only.");
  }

  @Test
  void missingPermissionNamesOpenQueues() {
    refused(SMALL.with(YarnOptions.QUEUE, "theirs"))
        .hasMessageContaining("Ask an administrator of the cluster")
        .hasMessageContaining("Choose one of: default (with yarn.application.queue or -yqu)");
  }

  @Test
  void limitsOfSizeAreResourceErrorsAndOthersAreOfTheUser() {
    assertThat(kind(SMALL.with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "5000m")))
        .isEqualTo(ErrorKind.RESOURCE);
    assertThat(kind(SMALL.with(YarnOptions.MASTER_VCORES, 9))).isEqualTo(ErrorKind.RESOURCE);
    assertThat(kind(SMALL.with(YarnOptions.QUEUE, "nope"))).isEqualTo(ErrorKind.USER);
    assertThat(kind(SMALL.with(YarnOptions.NODE_LABEL, "nope"))).isEqualTo(ErrorKind.USER);
  }

  @Test
  void everyWarningIsReported() {
    assertThat(
            LIMITS.check(
                ApplicationRequirements.of(
                    SMALL
                        .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1000m")
                        .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1000m")
                        .with(YarnOptions.ATTEMPTS, 5))))
        .hasSize(3);
    assertThat(
            LIMITS.check(
                ApplicationRequirements.of(
                    SMALL
                        .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1024m")
                        .with(YarnOptions.ATTEMPTS, 2))))
        .isEmpty();
  }

  private static ErrorKind kind(Configuration configuration) {
    try {
      LIMITS.check(ApplicationRequirements.of(configuration));
      throw new AssertionError("not refused");
    } catch (MillraceException e) {
      return e.kind();
    }
  }

  private static YarnClusterLimits.Queue labelled(String name, List<String> labels) {
    return new YarnClusterLimits.Queue(name, "root." + name, true, true, true, 1, 0, 1, labels);
  }

  @Test
  void emptyQueueIsNone() {
    assertThat(ApplicationRequirements.of(SMALL.with(YarnOptions.QUEUE, " ")).queue())
        .isEqualTo(Optional.empty());
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ?> refused(
      Configuration configuration) {
    return assertThatThrownBy(() -> LIMITS.check(ApplicationRequirements.of(configuration)))
        .isInstanceOf(MillraceException.class)
        .matches(e -> ((MillraceException) e).kind() != ErrorKind.BUG);
  }
}

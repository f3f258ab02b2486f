package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.junit.jupiter.api.Test;

class YarnDriverSettingsTest {
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 2);
  private static final ContainerSize LARGEST = new ContainerSize(4096, 4, Map.of());

  @Test
  void requestHasSizePriorityAndNumber() {
    ContainerRequest request = request(CONFIGURATION);
    assertThat(request.getCapability().getMemorySize()).isEqualTo(1728);
    assertThat(request.getCapability().getVirtualCores()).isEqualTo(2);
    assertThat(request.getPriority().getPriority()).isEqualTo(3);
    assertThat(request.getAllocationRequestId()).isEqualTo(42);
    assertThat(request.getNodeLabelExpression()).isNull();
  }

  @Test
  void labelOfTaskManagersGoesBeforeThatOfTheApplication() {
    Configuration labelled = CONFIGURATION.with(YarnOptions.NODE_LABEL, "slow");
    assertThat(request(labelled).getNodeLabelExpression()).isEqualTo("slow");
    assertThat(
            request(labelled.with(YarnOptions.TASK_MANAGER_NODE_LABEL, "fast"))
                .getNodeLabelExpression())
        .isEqualTo("fast");
  }

  @Test
  void startableWorkersAreUnlimitedUnlessConfigured() {
    Startable startable = settings(CONFIGURATION).startable(LARGEST);
    assertThat(startable.spec()).isEqualTo(WorkerSpec.of(CONFIGURATION));
    assertThat(startable.most()).isEqualTo(Integer.MAX_VALUE);
    assertThat(startable.larger()).isPresent();
    assertThat(settings(CONFIGURATION.with(YarnOptions.MAX_WORKERS, 5)).startable(LARGEST).most())
        .isEqualTo(5);
  }

  @Test
  @Behaviour(
      "D9: a worker larger than YARN's largest container is refused with both numbers, and the"
          + " application fails")
  void refusalNamesBothSizesAndTheOptions() {
    YarnDriverSettings settings = settings(CONFIGURATION);
    assertThat(settings.refusal(settings.defaultSpec(), LARGEST)).isEmpty();
    ContainerSize small = new ContainerSize(1727, 4, Map.of());
    assertThat(ReasonText.of(settings.refusal(settings.defaultSpec(), small).orElseThrow()))
        .contains("1728 mb and 2 vcores", "1727 mb and 4 vcores")
        .contains("taskmanager.memory.process.size", "taskmanager.numberOfTaskSlots")
        .contains("yarn.containers.vcores");
    assertThat(settings.refusal(settings.defaultSpec(), new ContainerSize(4096, 1, Map.of())))
        .isPresent();
  }

  @Test
  void refusalNamesTheAmountOfAnExternalResource() {
    YarnDriverSettings settings =
        settings(
            CONFIGURATION
                .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "gpu")
                .with(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("gpu"), 2)
                .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("gpu"), "yarn.io/gpu"));
    ContainerSize one = new ContainerSize(4096, 4, Map.of("yarn.io/gpu", 1L));
    assertThat(ReasonText.of(settings.refusal(settings.defaultSpec(), one).orElseThrow()))
        .contains("2 yarn.io/gpu", "1 yarn.io/gpu", "external-resource.gpu.amount");
    ContainerSize two = new ContainerSize(4096, 4, Map.of("yarn.io/gpu", 2L));
    assertThat(settings.refusal(settings.defaultSpec(), two)).isEmpty();
  }

  @Test
  void defaultWorkerThatIsTooLargeIsTheFaultOfTheUser() {
    YarnDriverSettings settings = settings(CONFIGURATION);
    assertThatCode(() -> settings.check(LARGEST)).doesNotThrowAnyException();
    assertThatThrownBy(() -> settings.check(new ContainerSize(1000, 1, Map.of())))
        .isInstanceOf(MillraceException.class)
        .matches(e -> ((MillraceException) e).kind() == ErrorKind.USER);
  }

  @Test
  void heartbeatsHaveTheConfiguredIntervals() {
    assertThat(settings(CONFIGURATION).heartbeat()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings(CONFIGURATION).requestHeartbeat()).isEqualTo(Duration.ofMillis(250));
    YarnDriverSettings other =
        settings(
            CONFIGURATION
                .with(YarnOptions.HEARTBEAT, "1 min")
                .with(YarnOptions.REQUEST_HEARTBEAT, "1 s"));
    assertThat(other.heartbeat()).isEqualTo(Duration.ofMinutes(1));
    assertThat(other.requestHeartbeat()).isEqualTo(Duration.ofSeconds(1));
  }

  private static ContainerRequest request(Configuration configuration) {
    YarnDriverSettings settings = settings(configuration);
    WorkerSpec spec = settings.defaultSpec();
    return settings.request(new PendingRequest(42, 42, spec, settings.size(spec), 3, 0, 0));
  }

  private static YarnDriverSettings settings(Configuration configuration) {
    return new YarnDriverSettings(
        "application_1_1", configuration, new ApplicationMasterAddress("host", 1, "http://host"));
  }
}

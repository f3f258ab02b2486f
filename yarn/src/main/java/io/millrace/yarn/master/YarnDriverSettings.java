package io.millrace.yarn.master;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.YarnOptions;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;

/**
 * What a {@link YarnDriver} asks of YARN, by the options.
 *
 * @param configuration that of the usual workers
 * @param address where this JobManager is
 */
record YarnDriverSettings(Configuration configuration, ApplicationMasterAddress address) {
  YarnDriverSettings {
    Objects.requireNonNull(configuration);
    Objects.requireNonNull(address);
  }

  WorkerSpec usual() {
    return WorkerSpec.of(configuration);
  }

  ContainerSize size(WorkerSpec spec) {
    return ContainerSize.of(spec, configuration);
  }

  AmRmClient.HeartbeatIntervals intervals() {
    return new AmRmClient.HeartbeatIntervals(
        configuration.get(YarnOptions.REQUEST_HEARTBEAT), configuration.get(YarnOptions.HEARTBEAT));
  }

  ContainerRequest request(ContainerRequests.PendingRequest asked) {
    Resource resource = asked.size().resource();
    return ContainerRequest.newBuilder()
        .capability(resource)
        .priority(Priority.newInstance(asked.priority()))
        // Else YARN counts requests of a priority together, and gives one more whenever its count
        // and ours cross on their way.
        .allocationRequestId(asked.request())
        .nodeLabelsExpression(
            configuration
                .find(YarnOptions.TASK_MANAGER_NODE_LABEL)
                .or(() -> configuration.find(YarnOptions.NODE_LABEL))
                .orElse(null))
        .build();
  }

  /**
   * The workers that YARN can give.
   *
   * @param largest container that it gives
   */
  Startable startable(ContainerSize largest) {
    int most = configuration.get(YarnOptions.MAX_WORKERS);
    return new Startable(
        usual(),
        most >= 0 ? most : Integer.MAX_VALUE,
        YarnOptions.MAX_WORKERS.key(),
        Optional.of(
            new CustomWorkerSizes(
                configuration,
                largest.vcores(),
                MemorySize.ofMebi(largest.memory()).bytes(),
                "the largest container that YARN gives")));
  }

  /** Why YARN can never start such a worker; nothing where it can. */
  Optional<DriverReason> refusal(WorkerSpec spec, ContainerSize largest) {
    ContainerSize size = size(spec);
    return largest.holds(size)
        ? Optional.empty()
        : Optional.of(
            new DriverReason(
                "yarn.container-too-large",
                "A TaskManager takes a container of "
                    + size
                    + ", but the largest one that YARN gives has "
                    + largest
                    + ". Lower "
                    + MemoryOptions.TASK_MANAGER_PROCESS_MEMORY.key()
                    + ", "
                    + TaskManagerOptions.NUM_TASK_SLOTS.key()
                    + (size.others().isEmpty() ? " or " : ", ")
                    + YarnOptions.WORKER_VCORES.key()
                    + spec.total().external().keySet().stream()
                        .map(
                            name ->
                                " or "
                                    + ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT
                                        .named(name)
                                        .key())
                        .collect(Collectors.joining())
                    + ", or have yarn.scheduler.maximum-allocation-mb and -vcores raised."));
  }

  void check(ContainerSize largest) {
    refusal(usual(), largest)
        .ifPresent(
            why -> {
              throw new MillraceException(ErrorKind.USER, ReasonText.of(why));
            });
  }
}

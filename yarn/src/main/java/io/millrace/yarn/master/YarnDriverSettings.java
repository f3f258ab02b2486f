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
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;

/**
 * What a {@link YarnDriver} asks YARN for, from the options.
 *
 * @param application its id
 * @param configuration of default workers
 * @param address of this JobManager
 */
record YarnDriverSettings(
    String application, Configuration configuration, ApplicationMasterAddress address) {
  YarnDriverSettings {
    Objects.requireNonNull(application);
    Objects.requireNonNull(configuration);
    Objects.requireNonNull(address);
  }

  WorkerSpec defaultSpec() {
    return WorkerSpec.of(configuration);
  }

  ContainerSize size(WorkerSpec spec) {
    return ContainerSize.of(spec, configuration);
  }

  /** The time between heartbeats while containers are pending, starting or ending. */
  Duration requestHeartbeat() {
    return configuration.get(YarnOptions.REQUEST_HEARTBEAT);
  }

  /** The time between heartbeats otherwise. */
  Duration heartbeat() {
    return configuration.get(YarnOptions.HEARTBEAT);
  }

  ContainerRequest request(PendingRequest pending) {
    Resource resource = pending.size().resource();
    return ContainerRequest.newBuilder()
        .capability(resource)
        .priority(Priority.newInstance(pending.priority()))
        // Without a number YARN counts all requests of a priority, and allocates one too many when
        // its count and ours cross on the way.
        .allocationRequestId(pending.batch())
        .nodeLabelsExpression(label(configuration).orElse(null))
        .build();
  }

  /** The label of the nodes for TaskManagers. */
  static Optional<String> label(Configuration configuration) {
    return configuration
        .find(YarnOptions.TASK_MANAGER_NODE_LABEL)
        .or(() -> configuration.find(YarnOptions.NODE_LABEL));
  }

  /**
   * The workers that can start.
   *
   * @param largest the largest container that YARN allocates
   */
  Startable startable(ContainerSize largest) {
    int most = configuration.get(YarnOptions.MAX_WORKERS);
    return new Startable(
        defaultSpec(),
        most >= 0 ? most : Integer.MAX_VALUE,
        YarnOptions.MAX_WORKERS.key(),
        Optional.of(
            new CustomWorkerSizes(
                configuration,
                largest.vcores(),
                MemorySize.ofMebi(largest.memory()).bytes(),
                "the largest container that YARN gives")));
  }

  /** Why YARN can never start such a worker; empty if it can. */
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
    refusal(defaultSpec(), largest)
        .ifPresent(
            why -> {
              throw new MillraceException(ErrorKind.USER, ReasonText.of(why));
            });
  }
}

package io.millrace.cluster;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.protocol.WorkerInfo.Hardware;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The resources of this process and its host.
 *
 * @param total the resources of all slots of this process
 * @param external the external resources among them, by name
 */
record HostResources(
    ResourceProfile total, Map<String, List<ExternalResourceInfo>> external, Hardware hardware) {
  HostResources {
    Objects.requireNonNull(total);
    external = OrderedCopies.map(external);
    Objects.requireNonNull(hardware);
  }

  /** Of a process whose JVM options match the configured memory; discovers external resources. */
  static HostResources of(Configuration configuration) {
    TaskManagerMemory memory = TaskManagerMemory.of(configuration);
    return new HostResources(
        // The same as the driver that has started this process assumes.
        WorkerSpec.of(configuration).total(),
        ExternalResourceDiscovery.in(configuration),
        new Hardware(
            Runtime.getRuntime().availableProcessors(),
            physicalMemory(),
            Runtime.getRuntime().maxMemory(),
            memory.managed(),
            Optional.of(memory)));
  }

  /** Of a process whose memory is set by other means, for example an IDE. */
  static HostResources shared(Configuration configuration) {
    int processors = Runtime.getRuntime().availableProcessors();
    long heap = Runtime.getRuntime().maxMemory();
    return new HostResources(
        new ResourceProfile(processors, heap, 0, 0, 0, ExternalResources.amounts(configuration)),
        ExternalResourceDiscovery.in(configuration),
        new Hardware(processors, physicalMemory(), heap, 0));
  }

  /** These resources plus further ones. */
  HostResources with(ResourceProfile more) {
    return new HostResources(total.plus(more), external, hardware);
  }

  /** The memory of the host or of the container of this process; 0 if unknown. */
  static long physicalMemory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 0;
  }
}

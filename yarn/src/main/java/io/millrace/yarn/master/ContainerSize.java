package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.yarn.YarnOptions;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.exceptions.ResourceNotFoundException;

/**
 * The size of a container.
 *
 * @param memory in mebibytes
 * @param others further resources such as {@code yarn.io/gpu}, by YARN's names
 */
record ContainerSize(long memory, int vcores, Map<String, Long> others) {
  static final ContainerSize NONE = new ContainerSize(0, 0, Map.of());

  private static final long MEBI = 1 << 20;

  ContainerSize {
    others = OrderedCopies.map(others);
  }

  /**
   * The container that the process of a worker needs, by the memory model.
   *
   * @param configuration of default workers
   */
  static ContainerSize of(WorkerSpec spec, Configuration configuration) {
    long process = TaskManagerMemory.of(spec.in(configuration)).process();
    Map<String, Long> others = new TreeMap<>();
    spec.total()
        .external()
        .forEach(
            (name, amount) ->
                configuration
                    .find(YarnOptions.EXTERNAL_RESOURCE_KEY.named(name))
                    .ifPresent(key -> others.merge(key, amount, Long::sum)));
    return new ContainerSize((process + MEBI - 1) / MEBI, vcores(spec, configuration), others);
  }

  private static int vcores(WorkerSpec spec, Configuration configuration) {
    int configured = configuration.get(YarnOptions.WORKER_VCORES);
    if (spec.equals(WorkerSpec.of(configuration))) {
      return configured > 0 ? configured : spec.slots();
    }
    return (int) Math.max(1, Math.ceil(spec.total().cpuCores()));
  }

  static ContainerSize of(Resource resource) {
    Map<String, Long> others = new TreeMap<>();
    for (ResourceInformation other : resource.getResources()) {
      if (!other.getName().equals(ResourceInformation.MEMORY_URI)
          && !other.getName().equals(ResourceInformation.VCORES_URI)) {
        others.put(other.getName(), other.getValue());
      }
    }
    return new ContainerSize(resource.getMemorySize(), resource.getVirtualCores(), others);
  }

  Resource resource() {
    Resource resource = Resource.newInstance(memory, vcores);
    others.forEach(
        (name, amount) -> {
          try {
            resource.setResourceValue(name, amount);
          } catch (ResourceNotFoundException e) {
            throw new MillraceException(
                ErrorKind.USER,
                "YARN has no resource '"
                    + name
                    + "' ("
                    + YarnOptions.EXTERNAL_RESOURCE_KEY.key()
                    + "). Declare it in yarn.resource-types of the cluster.",
                e);
          }
        });
    return resource;
  }

  /** Whether it has at least these resources. */
  boolean holds(ContainerSize other) {
    return memory >= other.memory
        && vcores >= other.vcores
        && other.others.entrySet().stream()
            .allMatch(entry -> others.getOrDefault(entry.getKey(), 0L) >= entry.getValue());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(memory)
        .append(" mb and ")
        .append(vcores)
        .append(vcores == 1 ? " vcore" : " vcores");
    others.forEach(
        (name, amount) -> {
          if (amount > 0) {
            text.append(" and ").append(amount).append(' ').append(name);
          }
        });
    return text.toString();
  }
}

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
 * How large a container is.
 *
 * @param memory in mebibytes
 * @param others such as {@code yarn.io/gpu}, by YARN's names
 */
record ContainerSize(long memory, int vcores, Map<String, Long> others) {
  private static final long MEBI = 1 << 20;

  ContainerSize {
    others = OrderedCopies.map(others);
  }

  /**
   * The container that a worker's process needs, by the memory model.
   *
   * @param configuration that of the usual workers
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
    for (ResourceInformation one : resource.getResources()) {
      if (!one.getName().equals(ResourceInformation.MEMORY_URI)
          && !one.getName().equals(ResourceInformation.VCORES_URI)) {
        others.put(one.getName(), one.getValue());
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
                    + "). It is to be declared in yarn.resource-types of the cluster.",
                e);
          }
        });
    return resource;
  }

  /** Whether it is as large as that one in every respect. */
  boolean holds(ContainerSize asked) {
    return memory >= asked.memory
        && vcores >= asked.vcores
        && asked.others.entrySet().stream()
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

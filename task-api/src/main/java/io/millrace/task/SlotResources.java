package io.millrace.task;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.OrderedCopies;
import io.millrace.core.memory.ManagedMemory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The resources of one slot, which only its tasks use.
 *
 * @param external external resources by name
 */
public record SlotResources(
    ManagedMemory managed, Map<String, List<ExternalResourceInfo>> external) {
  public static final SlotResources NONE =
      new SlotResources(ManagedMemory.NONE, new LinkedHashMap<>());

  public SlotResources {
    Objects.requireNonNull(managed);
    Map<String, List<ExternalResourceInfo>> copy = new LinkedHashMap<>();
    external.forEach((name, infos) -> copy.put(name, OrderedCopies.list(infos)));
    external = OrderedCopies.map(copy);
  }
}

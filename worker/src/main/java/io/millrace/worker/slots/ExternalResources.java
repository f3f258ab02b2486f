package io.millrace.worker.slots;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.ResourceProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which external resources no slot has. Lives in the TaskManager's mailbox. */
final class ExternalResources {
  private final Map<String, ArrayDeque<ExternalResourceInfo>> free = new LinkedHashMap<>();

  ExternalResources(Map<String, List<ExternalResourceInfo>> all) {
    all.forEach((name, infos) -> free.put(name, new ArrayDeque<>(infos)));
  }

  /** As many as the slot counts, of those that anything is known of. */
  Map<String, List<ExternalResourceInfo>> take(ResourceProfile slot) {
    Map<String, List<ExternalResourceInfo>> taken = new LinkedHashMap<>();
    slot.external()
        .forEach(
            (name, count) -> {
              ArrayDeque<ExternalResourceInfo> from = free.get(name);
              List<ExternalResourceInfo> infos = new ArrayList<>();
              while (from != null && !from.isEmpty() && infos.size() < count) {
                infos.add(from.removeFirst());
              }
              taken.put(name, infos);
            });
    return taken;
  }

  void giveBack(Map<String, List<ExternalResourceInfo>> taken) {
    taken.forEach(
        (name, infos) -> {
          // To the front in their old order, so that the next slot of this size gets the same.
          for (int i = infos.size() - 1; i >= 0; i--) {
            free.get(name).addFirst(infos.get(i));
          }
        });
  }
}

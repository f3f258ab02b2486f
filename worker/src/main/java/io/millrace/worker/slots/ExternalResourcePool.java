package io.millrace.worker.slots;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The external resources that no slot has. Confined to the mailbox of the TaskManager. */
final class ExternalResourcePool {
  private final Map<String, List<ExternalResourceInfo>> all;
  private final Map<String, List<ExternalResourceInfo>> free = new LinkedHashMap<>();

  ExternalResourcePool(Map<String, List<ExternalResourceInfo>> all) {
    this.all = all;
    all.forEach((name, infos) -> free.put(name, new ArrayList<>(infos)));
  }

  /** Takes as many resources as the profile counts, in order. Fewer if fewer are known. */
  Map<String, List<ExternalResourceInfo>> take(ResourceProfile slot) {
    Map<String, List<ExternalResourceInfo>> taken = new LinkedHashMap<>();
    slot.external()
        .forEach(
            (name, count) -> {
              List<ExternalResourceInfo> from = free.getOrDefault(name, new ArrayList<>());
              List<ExternalResourceInfo> first =
                  from.subList(0, (int) Math.min(count, from.size()));
              taken.put(name, new ArrayList<>(first));
              first.clear();
            });
    return taken;
  }

  void giveBack(Map<String, List<ExternalResourceInfo>> taken) {
    taken.forEach(
        (name, infos) -> {
          if (!infos.isEmpty()) {
            free.get(name).addAll(infos);
            free.get(name).sort(Comparator.comparingInt(all.get(name)::indexOf));
          }
        });
  }
}

package io.millrace.yarn.launch;

import java.util.List;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** The kinds of resources besides memory and vcores, such as {@code yarn.io/gpu}. */
public final class ResourceTypes {
  private ResourceTypes() {}

  /**
   * Hadoop's library drops what this process's files do not declare. What a cluster has only the
   * cluster knows for sure.
   */
  public static void learn(List<ResourceTypeInfo> types) {
    boolean unknown =
        types.stream()
            .anyMatch(type -> !ResourceUtils.getResourceTypes().containsKey(type.getName()));
    if (unknown) {
      ResourceUtils.reinitializeResources(types);
    }
  }
}

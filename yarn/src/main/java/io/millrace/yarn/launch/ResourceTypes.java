package io.millrace.yarn.launch;

import java.util.List;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** Resource types besides memory and vcores, such as {@code yarn.io/gpu}. */
public final class ResourceTypes {
  private ResourceTypes() {}

  /**
   * Declares the resource types of the cluster. Hadoop's library drops resources that the
   * configuration files of this process do not declare.
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

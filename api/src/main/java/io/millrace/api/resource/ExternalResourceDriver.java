package io.millrace.api.resource;

import java.util.List;
import java.util.Map;

/**
 * Finds one kind of external resource on a machine: a plug point. A TaskManager makes the class
 * that {@code external-resource.<name>.driver-factory.class} names, which must be on its class path
 * and have a public constructor without parameters, and asks it once, at its start.
 *
 * <pre>{@code
 * // Finds the cameras of a machine by their device files.
 * class Cameras implements ExternalResourceDriver {
 *   public List<ExternalResourceInfo> retrieveResourceInfo(
 *       long amount, Map<String, String> parameters) {
 *     String[] devices = new File("/dev").list((directory, name) -> name.startsWith("video"));
 *     return Arrays.stream(devices).limit(amount).map(ExternalResourceInfo::ofIndex).toList();
 *   }
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ExternalResourceDriver {
  /**
   * Finds the resources that the slots of this TaskManager are to share.
   *
   * @param amount the required number; with fewer the TaskManager does not start
   * @param parameters the options {@code external-resource.<name>.param.*} by what stands for *
   */
  List<ExternalResourceInfo> retrieveResourceInfo(long amount, Map<String, String> parameters)
      throws Exception;
}

package io.millrace.api.resource;

import java.util.List;
import java.util.Map;

/**
 * Finds one kind of external resource on a machine: a plug point. A TaskManager makes the class
 * that {@code external-resource.<name>.driver-factory.class} names, which must be on its class path
 * and have a public constructor without parameters, and asks it once, at its start.
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

package io.millrace.core.config;

import java.util.List;

/** Options of external resources, such as GPUs. */
public final class ExternalResourceOptions {
  public static final Option<List<String>> EXTERNAL_RESOURCE_LIST =
      Option.list(
          "external-resources",
          "",
          "Names of the external resources, such as gpu, that each TaskManager has.");
  public static final Option<Integer> EXTERNAL_RESOURCE_AMOUNT =
      Option.integer(
              "external-resource.<name>.amount", "How many of the resource each TaskManager has.")
          .atLeast(1);
  public static final Option<String> EXTERNAL_RESOURCE_DRIVER_FACTORY_CLASS =
      Option.text(
          "external-resource.<name>.driver-factory.class",
          "Class that finds the resource on a machine; where unset, the discovery script does.");
  public static final Option<String> EXTERNAL_RESOURCE_PARAMETER =
      Option.text(
          "external-resource.<name>.param.<parameter>",
          "Parameter of the driver; for the discovery script: discovery-script.path and"
              + " discovery-script.args.");

  private ExternalResourceOptions() {}
}

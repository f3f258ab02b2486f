package io.millrace.core.config;

import java.util.List;

/** Options of external resources, such as GPUs. */
public final class ExternalResourceOptions {
  public static final Option<List<String>> EXTERNAL_RESOURCE_LIST =
      Option.list(
          "external-resources",
          "",
          "Names of the external resources of each TaskManager, such as gpu.");
  public static final Option<Integer> EXTERNAL_RESOURCE_AMOUNT =
      Option.integer(
              "external-resource.<name>.amount", "Amount of the resource on each TaskManager.")
          .atLeast(1);
  public static final Option<String> EXTERNAL_RESOURCE_DRIVER_FACTORY_CLASS =
      Option.text(
          "external-resource.<name>.driver-factory.class",
          "Class of the driver that discovers the resource; the discovery script by" + " default.");
  public static final Option<String> EXTERNAL_RESOURCE_PARAMETER =
      Option.text(
          "external-resource.<name>.param.<parameter>",
          "Parameter of the driver. The discovery script has discovery-script.path"
              + " and discovery-script.args.");

  private ExternalResourceOptions() {}
}

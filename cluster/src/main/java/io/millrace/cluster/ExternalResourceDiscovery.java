package io.millrace.cluster;

import io.millrace.api.resource.ExternalResourceDriver;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the external resources of this machine that the configuration gives to a TaskManager. */
final class ExternalResourceDiscovery {
  private static final Logger LOG = LoggerFactory.getLogger(ExternalResourceDiscovery.class);

  private ExternalResourceDiscovery() {}

  /** The configured amount of each resource; nothing for a resource without a driver or script. */
  static Map<String, List<ExternalResourceInfo>> in(Configuration configuration) {
    Map<String, List<ExternalResourceInfo>> found = new LinkedHashMap<>();
    ExternalResources.amounts(configuration)
        .forEach(
            (name, amount) -> {
              Map<String, String> parameters = ExternalResources.parameters(configuration, name);
              Optional<ExternalResourceDriver> driver = driver(configuration, name, parameters);
              if (driver.isPresent()) {
                found.put(name, retrieve(driver.get(), name, amount, parameters));
              } else {
                LOG.info("External resource {}: {}, counted but not discovered", name, amount);
              }
            });
    return found;
  }

  private static Optional<ExternalResourceDriver> driver(
      Configuration configuration, String name, Map<String, String> parameters) {
    Optional<String> type =
        configuration.find(
            ExternalResourceOptions.EXTERNAL_RESOURCE_DRIVER_FACTORY_CLASS.named(name));
    if (type.isEmpty()) {
      return parameters.containsKey(DiscoveryScript.PATH)
          ? Optional.of(new DiscoveryScript())
          : Optional.empty();
    }
    try {
      return Optional.of(
          Class.forName(type.get())
              .asSubclass(ExternalResourceDriver.class)
              .getDeclaredConstructor()
              .newInstance());
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The driver "
              + type.get()
              + " of external resource '"
              + name
              + "' ("
              + ExternalResourceOptions.EXTERNAL_RESOURCE_DRIVER_FACTORY_CLASS.named(name).key()
              + ") cannot be created: "
              + Failure.sentence(e)
              + ". It must be on the class path, implement "
              + ExternalResourceDriver.class.getName()
              + " and have a public constructor without parameters.",
          e);
    }
  }

  private static List<ExternalResourceInfo> retrieve(
      ExternalResourceDriver driver, String name, long amount, Map<String, String> parameters) {
    List<ExternalResourceInfo> infos;
    try {
      infos = driver.retrieveResourceInfo(amount, parameters);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Interrupted during the discovery of external resource '" + name + "'",
          e);
    } catch (Exception e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The discovery of external resource '" + name + "' failed: " + Failure.sentence(e),
          e);
    }
    if (infos.size() < amount) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "This machine has "
              + infos.size()
              + " of external resource '"
              + name
              + "', but "
              + ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(name).key()
              + " says "
              + amount
              + ". Lower it, or start fewer TaskManagers here.");
    }
    LOG.info("External resource {}: {}", name, infos);
    return infos.subList(0, (int) amount);
  }
}

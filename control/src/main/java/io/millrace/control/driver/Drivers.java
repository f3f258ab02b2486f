package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.rpc.Env;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Finds drivers on the class path and in plugins. */
public final class Drivers {
  private final List<DriverProvider> providers;

  Drivers(List<DriverProvider> providers) {
    this.providers = providers.stream().sorted(Comparator.comparing(DriverProvider::name)).toList();
  }

  public static Drivers of(Plugins plugins) {
    List<DriverProvider> found = new ArrayList<>();
    ServiceLoader.load(DriverProvider.class, Drivers.class.getClassLoader()).forEach(found::add);
    plugins.services(DriverProvider.class).forEach(service -> found.add(service.instance()));
    return new Drivers(found);
  }

  /** Creates the driver that {@code resourcemanager.driver} names. */
  public WorkerDriver chosen(Configuration configuration, Env env) {
    String name = configuration.get(ResourceManagerOptions.DRIVER);
    return providers.stream()
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "There is no driver '"
                        + name
                        + "' ("
                        + ResourceManagerOptions.DRIVER.key()
                        + "). Choose one of: "
                        + providers.stream()
                            .map(DriverProvider::name)
                            .collect(Collectors.joining(", "))
                        + "."))
        .driver(configuration, env);
  }
}

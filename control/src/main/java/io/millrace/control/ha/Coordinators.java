package io.millrace.control.ha;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.rpc.Env;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds coordination services on the class path and in plugins. */
public final class Coordinators {
  private final List<CoordinatorProvider> providers;

  Coordinators(List<CoordinatorProvider> providers) {
    this.providers =
        providers.stream().sorted(Comparator.comparing(CoordinatorProvider::name)).toList();
  }

  public static Coordinators of(Plugins plugins) {
    List<CoordinatorProvider> found = new ArrayList<>();
    ServiceLoader.load(CoordinatorProvider.class, Coordinators.class.getClassLoader())
        .forEach(found::add);
    plugins.services(CoordinatorProvider.class).forEach(service -> found.add(service.instance()));
    return new Coordinators(found);
  }

  /** Whether the configuration names a coordination service. */
  public static boolean isConfigured(Configuration configuration) {
    String type = HighAvailabilityOptions.type(configuration);
    return !type.equals(HighAvailabilityOptions.NONE) && !type.equals(HighAvailabilityOptions.FILE);
  }

  /** Connects to the service that {@code high-availability.type} names. Blocks. */
  public Coordinator connect(Configuration configuration, Env env) {
    return provider(configuration).connect(configuration, env);
  }

  /** The clusters of the service that {@code high-availability.type} names. Blocks. */
  public ClusterRegistry registry(Configuration configuration) {
    return provider(configuration).registry(configuration);
  }

  private CoordinatorProvider provider(Configuration configuration) {
    String type = HighAvailabilityOptions.type(configuration);
    return providers.stream()
        .filter(provider -> provider.name().equals(type))
        .findFirst()
        .orElseThrow(() -> unknown(type));
  }

  private MillraceException unknown(String type) {
    String known =
        Stream.concat(
                Stream.of(HighAvailabilityOptions.NONE, HighAvailabilityOptions.FILE),
                providers.stream().map(CoordinatorProvider::name))
            .collect(Collectors.joining(", "));
    return new MillraceException(
        ErrorKind.USER,
        "There is no type '"
            + type
            + "' of high availability ("
            + HighAvailabilityOptions.HA_MODE.key()
            + "). Choose one of: "
            + known
            + ".");
  }
}

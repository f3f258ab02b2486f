package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.plugin.ClassPathServices;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Services of the class path and of the plugins of this process. Each plugins directory is loaded
 * once and never closed: classes of two class loaders are not compatible, and threads that a
 * service has started need its classes until the end of the process.
 */
public final class PluginServices {
  private static final Map<List<Object>, Plugins> LOADED = new LinkedHashMap<>();

  private PluginServices() {}

  /** The plugins of the distribution of a process. */
  public static synchronized Plugins plugins(
      ProcessEnvironment environment, Configuration configuration) {
    return Plugins.directory(environment.variables(), environment.home())
        .map(
            directory ->
                LOADED.computeIfAbsent(
                    List.of(
                        directory,
                        configuration.get(CoreOptions.PLUGIN_PARENT_FIRST_PATTERNS),
                        configuration.get(CoreOptions.PLUGIN_PARENT_FIRST_PATTERNS_ADDITIONAL)),
                    key -> Plugins.load(directory, configuration)))
        .orElse(Plugins.NONE);
  }

  /** All services of a type: those of the class path first. */
  public static <S> List<S> all(Class<S> type, Plugins plugins) {
    List<S> found = new ArrayList<>();
    ClassPathServices.services(type).forEach(service -> found.add(service.instance()));
    plugins.services(type).forEach(service -> found.add(service.instance()));
    return found;
  }
}

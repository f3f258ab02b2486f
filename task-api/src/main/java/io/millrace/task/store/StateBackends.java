package io.millrace.task.store;

import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.ClassPathServices;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The state backends of a process: that on the heap, which is part of the data plane, those of
 * plugins and those of the class path. They are searched when a job first asks for one.
 */
public final class StateBackends {
  private final Plugins plugins;

  private StateBackends(Plugins plugins) {
    this.plugins = plugins;
  }

  public static StateBackends withoutPlugins() {
    return new StateBackends(Plugins.NONE);
  }

  public static StateBackends of(Plugins plugins) {
    return new StateBackends(plugins);
  }

  /** The backend with a name; empty for that on the heap. An unknown name is an error. */
  public Optional<StateBackend> find(String name) {
    if (name.equals(StateBackendOptions.HASHMAP)) {
      return Optional.empty();
    }
    List<DiscoveredService<StateBackend>> all =
        new ArrayList<>(plugins.services(StateBackend.class));
    all.addAll(ClassPathServices.services(StateBackend.class));
    TreeSet<String> known = new TreeSet<>();
    known.add(StateBackendOptions.HASHMAP);
    for (DiscoveredService<StateBackend> service : all) {
      if (service.instance().name().equals(name)) {
        return Optional.of(service.instance());
      }
      known.add(service.instance().name());
    }
    throw new MillraceException(
        ErrorKind.USER,
        "No state backend '"
            + name
            + "' ("
            + StateBackendOptions.TYPE.key()
            + "); known are "
            + String.join(", ", known)
            + ". "
            + plugins.howToAdd("it"));
  }
}

package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The targets on the class path, and those of plugins. */
public final class Targets {
  private final Supplier<Plugins> plugins;

  /**
   * @param plugins asked only where the class path has not what is wanted, and never closed: what a
   *     target started needs its classes to the end of the process
   */
  public Targets(Supplier<Plugins> plugins) {
    this.plugins = plugins;
  }

  /** With the plugins of the distribution that this process was started from. */
  public static Targets of(Configuration configuration) {
    return new Targets(
        () ->
            Plugins.directory(System.getenv(), ConfigurationFile.home())
                .map(directory -> Plugins.load(directory, configuration))
                .orElse(Plugins.NONE));
  }

  public Target named(String name) {
    List<Target> known = new ArrayList<>();
    ServiceLoader.load(Target.class, Targets.class.getClassLoader()).forEach(known::add);
    Optional<Target> found = named(name, known);
    if (found.isEmpty()) {
      plugins.get().services(Target.class).forEach(service -> known.add(service.instance()));
      found = named(name, known);
    }
    return found.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.USER,
                "There is no target '"
                    + name
                    + "'. Choose one of: "
                    + known.stream().map(Target::name).sorted().collect(Collectors.joining(", "))
                    + "."));
  }

  private static Optional<Target> named(String name, List<Target> targets) {
    return targets.stream().filter(target -> target.name().equals(name)).findFirst();
  }
}

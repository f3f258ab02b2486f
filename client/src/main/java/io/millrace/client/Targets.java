package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The targets on the class path, and those of plugins. */
public final class Targets {
  private final Supplier<Plugins> plugins;

  /** Loaded once, because classes of two class loaders are not compatible. */
  private Plugins loaded;

  /**
   * @param plugins called only if the class path does not have the target, and never closed:
   *     threads of a target need its classes until the end of the process
   */
  public Targets(Supplier<Plugins> plugins) {
    this.plugins = plugins;
  }

  /** With the plugins of the distribution of this process. */
  public static Targets of(Configuration configuration) {
    return new Targets(() -> PluginServices.plugins(ProcessEnvironment.current(), configuration));
  }

  public Target named(String name) {
    return target(name).orElseThrow(() -> unknown(name));
  }

  /** The target of this name that accepts jobs. */
  private Optional<Target> target(String name) {
    return first(onClassPath(Target.class), Target::name, name)
        .or(() -> first(inPlugins(Target.class), Target::name, name));
  }

  /**
   * The target of this name that runs whole programs; empty if a target of this name accepts jobs.
   */
  public Optional<ProgramTarget> ofPrograms(String name) {
    return first(onClassPath(Target.class), Target::name, name).isPresent()
        ? Optional.empty()
        : first(all(ProgramTarget.class), ProgramTarget::name, name);
  }

  /** The target with sessions, if exactly one is installed. */
  public SessionTarget ofSessions() {
    List<SessionTarget> known = all(SessionTarget.class);
    if (known.size() == 1) {
      return known.get(0);
    }
    throw new MillraceException(
        ErrorKind.USER,
        known.isEmpty()
            ? "No installed plugin has a target with sessions. Install a plugin that has one."
            : "Several targets have sessions. Name one of them with -t: "
                + names(known, SessionTarget::name)
                + ".");
  }

  /** The target of this name that has sessions. */
  public SessionTarget ofSessions(String name) {
    List<SessionTarget> known = all(SessionTarget.class);
    return first(known, SessionTarget::name, name)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "There are no sessions on target '"
                        + name
                        + "'. "
                        + (known.isEmpty()
                            ? "No installed plugin has a target with sessions."
                            : "Choose one of: " + names(known, SessionTarget::name) + ".")));
  }

  private MillraceException unknown(String name) {
    List<String> known = new ArrayList<>();
    all(Target.class).forEach(target -> known.add(target.name()));
    all(ProgramTarget.class).forEach(target -> known.add(target.name()));
    return new MillraceException(
        ErrorKind.USER,
        "There is no target '"
            + name
            + "'. Choose one of: "
            + names(known, Function.identity())
            + ".");
  }

  private <T> List<T> all(Class<T> type) {
    List<T> all = onClassPath(type);
    all.addAll(inPlugins(type));
    return all;
  }

  private static <T> List<T> onClassPath(Class<T> type) {
    List<T> found = new ArrayList<>();
    ServiceLoader.load(type, Targets.class.getClassLoader()).forEach(found::add);
    return found;
  }

  private <T> List<T> inPlugins(Class<T> type) {
    if (loaded == null) {
      loaded = plugins.get();
    }
    List<T> found = new ArrayList<>();
    loaded.services(type).forEach(service -> found.add(service.instance()));
    return found;
  }

  private static <T> Optional<T> first(List<T> targets, Function<T, String> names, String name) {
    return targets.stream().filter(target -> names.apply(target).equals(name)).findFirst();
  }

  private static <T> String names(List<T> targets, Function<T, String> names) {
    return targets.stream().map(names).sorted().collect(Collectors.joining(", "));
  }
}

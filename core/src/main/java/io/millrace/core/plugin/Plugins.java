package io.millrace.core.plugin;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plugins of a process: each subdirectory of the plugins directory is one, with its jars. Close
 * it when no code uses the plugins any more.
 */
public final class Plugins implements AutoCloseable {
  /** The environment variable that names the plugins directory. */
  public static final String DIRECTORY_VARIABLE = "MILLRACE_PLUGINS_DIR";

  public static final Plugins NONE = new Plugins(Optional.empty(), List.of(), List.of());

  private final Optional<Path> directory;
  private final List<Plugin> plugins;
  private final List<Path> withoutJars;

  private Plugins(Optional<Path> directory, List<Plugin> plugins, List<Path> withoutJars) {
    this.directory = directory;
    this.plugins = OrderedCopies.list(plugins);
    this.withoutJars = OrderedCopies.list(withoutJars);
  }

  /** The plugins directory: from the environment, else {@code plugins} in the distribution. */
  public static Optional<Path> directory(Map<String, String> environment, Optional<Path> home) {
    String named = environment.getOrDefault(DIRECTORY_VARIABLE, "");
    if (named.isEmpty()) {
      return home.map(root -> root.resolve("plugins"));
    }
    Path directory = Path.of(named).toAbsolutePath();
    if (!Files.isDirectory(directory)) {
      throw new MillraceException(
          ErrorKind.USER,
          DIRECTORY_VARIABLE + " names " + directory + ", but there is no such directory.");
    }
    return Optional.of(directory);
  }

  /** Loads plugins with the parent-first prefixes of the configuration. */
  public static Plugins load(Path directory, Configuration configuration) {
    List<String> shared =
        new ArrayList<>(configuration.get(CoreOptions.PLUGIN_PARENT_FIRST_PATTERNS));
    shared.addAll(configuration.get(CoreOptions.PLUGIN_PARENT_FIRST_PATTERNS_ADDITIONAL));
    return load(directory, shared);
  }

  /**
   * Loads all plugins, in the order of their names. A missing directory has none. A plugin whose
   * jars are on the class path is skipped, because its classes are already loaded.
   *
   * @param fromEngine prefixes of the classes that plugins share with the engine
   */
  public static Plugins load(Path directory, List<String> fromEngine) {
    List<Plugin> loaded = new ArrayList<>();
    List<Path> withoutJars = new ArrayList<>();
    try {
      for (Path own : directoriesIn(directory)) {
        List<Path> jars = Plugin.jarsIn(own);
        if (jars.isEmpty()) {
          withoutJars.add(own);
        } else if (!ClassPathServices.contains(jars)) {
          loaded.add(Plugin.load(own, jars, fromEngine));
        }
      }
      return new Plugins(Optional.of(directory), loaded, withoutJars);
    } catch (MillraceException e) {
      closeAll(loaded).ifPresent(e::addSuppressed);
      throw e;
    }
  }

  /** Without streams, which would take longer than the listing itself at every start. */
  private static List<Path> directoriesIn(Path directory) {
    String[] names = directory.toFile().list();
    if (names == null && Files.isDirectory(directory)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The plugins directory "
              + directory
              + " cannot be read. Change its permissions or set another one in "
              + DIRECTORY_VARIABLE
              + ".");
    }
    List<Path> directories = new ArrayList<>();
    if (names != null) {
      Arrays.sort(names);
      for (String name : names) {
        Path entry = directory.resolve(name);
        if (!name.startsWith(".") && Files.isDirectory(entry)) {
          directories.add(entry);
        }
      }
    }
    return directories;
  }

  public List<String> names() {
    List<String> names = new ArrayList<>();
    for (Plugin plugin : plugins) {
      names.add(plugin.name());
    }
    return names;
  }

  /** Plugin directories without a jar, which are probably a mistake. */
  public List<Path> withoutJars() {
    return withoutJars;
  }

  /** The plugins directory; empty if the process has none. */
  public Optional<Path> directory() {
    return directory;
  }

  /**
   * The services of a type of all plugins, in the order of plugin names. Calls run with the
   * plugin's class loader as the context class loader.
   *
   * @param type a public interface of the engine
   */
  public <S> List<DiscoveredService<S>> services(Class<S> type) {
    List<DiscoveredService<S>> services = new ArrayList<>();
    for (Plugin plugin : plugins) {
      services.addAll(plugin.services(type));
    }
    return services;
  }

  /** The end of an error message that suggests to add a plugin. */
  public String howToAdd(String what) {
    return directory
        .map(
            known ->
                "Put a plugin that provides "
                    + what
                    + " into its own directory under "
                    + known
                    + " on every machine and restart the processes.")
        .orElse(
            "Add a jar that provides "
                + what
                + " to the class path, or set the plugins directory in "
                + DIRECTORY_VARIABLE
                + ".");
  }

  @Override
  public void close() throws IOException {
    Optional<IOException> failure = closeAll(plugins);
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private static Optional<IOException> closeAll(List<Plugin> plugins) {
    IOException first = null;
    for (int i = plugins.size() - 1; i >= 0; i--) {
      try {
        plugins.get(i).close();
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    return Optional.ofNullable(first);
  }
}

package io.millrace.core.plugin;

import io.millrace.core.OrderedCopies;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads a plugin's classes from its own jars and the JDK. Of the engine it sees only what both must
 * mean the same by: classes under the given prefixes. The engine's libraries stay invisible, so
 * that they may change without breaking a plugin, and the other way round.
 */
final class PluginClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** Whatever is configured: a second copy of these could not talk to the engine. */
  private static final List<String> ALWAYS_FROM_ENGINE = List.of("java.", "io.millrace.");

  private static final String SERVICES_OF_THE_ENGINE = "META-INF/services/io.millrace.";

  /** Finds services without opening the libraries. */
  private final URLClassLoader offering;

  private final ClassLoader engine;
  private final List<String> fromEngine;

  PluginClassLoader(
      String name,
      List<URL> offering,
      List<URL> libraries,
      ClassLoader engine,
      List<String> fromEngine) {
    super(name, together(offering, libraries), ClassLoader.getPlatformClassLoader());
    this.offering = new URLClassLoader(offering.toArray(new URL[0]), null);
    this.engine = engine;
    List<String> prefixes = new ArrayList<>(ALWAYS_FROM_ENGINE);
    prefixes.addAll(fromEngine);
    this.fromEngine = OrderedCopies.list(prefixes);
  }

  private static URL[] together(List<URL> offering, List<URL> libraries) {
    List<URL> all = new ArrayList<>(offering);
    all.addAll(libraries);
    return all.toArray(new URL[0]);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (isFromEngine(name)) {
      try {
        return engine.loadClass(name);
      } catch (ClassNotFoundException notThere) {
        // A plugin may have packages of its own under the prefix.
        return super.loadClass(name, resolve);
      }
    }
    return super.loadClass(name, resolve);
  }

  @Override
  public URL getResource(String name) {
    URL shared = isFromEngine(name.replace('/', '.')) ? engine.getResource(name) : null;
    return shared != null ? shared : super.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    if (name.startsWith(SERVICES_OF_THE_ENGINE)) {
      return offering.findResources(name);
    }
    List<URL> found = new ArrayList<>();
    if (isFromEngine(name.replace('/', '.'))) {
      found.addAll(Collections.list(engine.getResources(name)));
    }
    found.addAll(Collections.list(super.getResources(name)));
    return Collections.enumeration(found);
  }

  private boolean isFromEngine(String name) {
    for (String prefix : fromEngine) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    try (offering) {
      super.close();
    }
  }
}

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
 * Loads the classes of a plugin from its own jars and the JDK. Of the engine only classes with the
 * given prefixes are visible. The engine's libraries are hidden, so that engine and plugins can use
 * different versions.
 */
final class PluginClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /**
   * Always from the engine, whatever is configured: a second copy would be incompatible with the
   * engine.
   */
  private static final List<String> ALWAYS_FROM_ENGINE = List.of("java.", "io.millrace.");

  private static final String SERVICES_OF_THE_ENGINE = "META-INF/services/io.millrace.";

  /** Finds services without opening the libraries. */
  private final URLClassLoader serviceJars;

  private final ClassLoader engine;
  private final List<String> fromEngine;

  PluginClassLoader(
      String name,
      List<URL> serviceJars,
      List<URL> libraries,
      ClassLoader engine,
      List<String> fromEngine) {
    super(name, together(serviceJars, libraries), ClassLoader.getPlatformClassLoader());
    this.serviceJars = new URLClassLoader(serviceJars.toArray(new URL[0]), null);
    this.engine = engine;
    List<String> prefixes = new ArrayList<>(ALWAYS_FROM_ENGINE);
    prefixes.addAll(fromEngine);
    this.fromEngine = OrderedCopies.list(prefixes);
  }

  private static URL[] together(List<URL> serviceJars, List<URL> libraries) {
    List<URL> all = new ArrayList<>(serviceJars);
    all.addAll(libraries);
    return all.toArray(new URL[0]);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (isFromEngine(name)) {
      try {
        return engine.loadClass(name);
      } catch (ClassNotFoundException notThere) {
        // A plugin may have its own packages with the prefix.
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
      return serviceJars.findResources(name);
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
    try (serviceJars) {
      super.close();
    }
  }
}

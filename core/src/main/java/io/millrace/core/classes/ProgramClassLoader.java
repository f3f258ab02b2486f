package io.millrace.core.classes;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads the classes of a program child-first: from the program's jars before the engine's class
 * path, so that a program can use other versions of libraries than the engine. Classes with one of
 * the parent-first prefixes come from the engine if it has them, because program and engine must
 * share them. Libraries that only the engine uses are hidden, because a program that used them
 * would break with the next release.
 *
 * <p>A program without jars, as in an IDE, has all its classes and libraries on the engine's class
 * path. Nothing is hidden from it.
 */
public final class ProgramClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /**
   * Always parent-first, whatever is configured: a second copy would be incompatible with the
   * engine. Fory is included because the serializers that it generates are defined in the program's
   * class loader.
   */
  private static final List<String> ALWAYS_PARENT_FIRST =
      List.of("java.", "io.millrace.", "org.apache.fory.");

  /** The libraries of the engine. A test compares them with the distribution. */
  private static final List<String> ENGINE_LIBRARIES =
      List.of(
          "com.fasterxml.jackson.",
          "com.google.common.",
          "com.google.gson.",
          "com.google.thirdparty.",
          "io.grpc.",
          "io.netty.",
          "io.perfmark.",
          "io.vertx.",
          "org.codehaus.commons.",
          "org.codehaus.janino.",
          "org.jctools.",
          "org.yaml.snakeyaml.",
          "picocli.");

  private static final String SERVICES = "META-INF/services/";

  private final List<String> parentFirst;
  private final boolean hasJars;

  /**
   * @param parentFirst prefixes of class names, as in {@code
   *     classloader.parent-first-patterns.default} and {@code .additional}
   */
  public ProgramClassLoader(
      String name, List<URL> jars, ClassLoader parent, List<String> parentFirst) {
    super(name, jars.toArray(new URL[0]), parent);
    List<String> prefixes = new ArrayList<>(ALWAYS_PARENT_FIRST);
    prefixes.addAll(parentFirst);
    this.parentFirst = OrderedCopies.list(prefixes);
    this.hasJars = !jars.isEmpty();
  }

  /** The configured parent-first prefixes. */
  public static List<String> parentFirst(Configuration configuration) {
    List<String> prefixes = new ArrayList<>(configuration.get(CoreOptions.PARENT_FIRST_PATTERNS));
    prefixes.addAll(configuration.get(CoreOptions.PARENT_FIRST_PATTERNS_ADDITIONAL));
    return OrderedCopies.list(prefixes);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (comesFromParent(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        try {
          loaded = findClass(name);
        } catch (ClassNotFoundException notOurs) {
          if (isHidden(name)) {
            throw new ClassNotFoundException(
                name
                    + " is not in the program's jars. Millrace uses this library itself and hides"
                    + " its own copy; add the library to the jar.",
                notOurs);
          }
          return super.loadClass(name, resolve);
        }
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  @Override
  public URL getResource(String name) {
    String className = name.replace('/', '.');
    URL own = comesFromParent(className) ? null : findResource(name);
    if (own != null || isHidden(className)) {
      return own;
    }
    if (name.startsWith(SERVICES) && hasJars) {
      try {
        return inherited(name).stream().findFirst().orElse(null);
      } catch (IOException unreadable) {
        // A class loader treats an unreadable resource as missing.
        return null;
      }
    }
    return super.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> found = new ArrayList<>(Collections.list(findResources(name)));
    List<URL> inherited = inherited(name);
    if (comesFromParent(name.replace('/', '.'))) {
      found.addAll(0, inherited);
    } else {
      found.addAll(inherited);
    }
    return Collections.enumeration(found);
  }

  /** The resources of the parent, without those of hidden libraries. */
  private List<URL> inherited(String name) throws IOException {
    if (isHidden(name.replace('/', '.'))) {
      return List.of();
    }
    List<URL> inherited = Collections.list(getParent().getResources(name));
    if (!name.startsWith(SERVICES) || !hasJars) {
      return inherited;
    }
    List<URL> visible = new ArrayList<>();
    for (URL services : inherited) {
      if (!namesHidden(services)) {
        visible.add(services);
      }
    }
    return visible;
  }

  /** Whether a service file names classes that the program cannot load. */
  private boolean namesHidden(URL services) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(services.openStream(), StandardCharsets.UTF_8))) {
      return lines.lines().anyMatch(line -> isHidden(line.strip()));
    }
  }

  private boolean isHidden(String name) {
    if (!hasJars || comesFromParent(name)) {
      return false;
    }
    for (String prefix : ENGINE_LIBRARIES) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private boolean comesFromParent(String name) {
    for (String prefix : parentFirst) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}

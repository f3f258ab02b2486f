package io.millrace.core.classes;

import io.millrace.core.Ordered;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads a program's classes from its own jars before it asks the engine's class path, so that a
 * program may bring other versions of libraries than the engine uses. Classes whose names start
 * with one of the given prefixes come from the engine where it has them: both sides must mean the
 * same class by them.
 */
public final class ProgramClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** Whatever is configured: a second copy of these could not talk to the engine. */
  private static final List<String> ALWAYS_PARENT_FIRST = List.of("java.", "io.millrace.");

  private final List<String> parentFirst;

  /**
   * @param parentFirst prefixes of class names, as in {@code
   *     classloader.parent-first-patterns.default}
   */
  public ProgramClassLoader(
      String name, List<URL> jars, ClassLoader parent, List<String> parentFirst) {
    super(name, jars.toArray(new URL[0]), parent);
    List<String> prefixes = new ArrayList<>(ALWAYS_PARENT_FIRST);
    prefixes.addAll(parentFirst);
    this.parentFirst = Ordered.list(prefixes);
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
    URL own = comesFromParent(name.replace('/', '.')) ? null : findResource(name);
    return own != null ? own : super.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> found = new ArrayList<>(Collections.list(findResources(name)));
    List<URL> inherited = Collections.list(getParent().getResources(name));
    if (comesFromParent(name.replace('/', '.'))) {
      found.addAll(0, inherited);
    } else {
      found.addAll(inherited);
    }
    return Collections.enumeration(found);
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

package io.millrace.worker.task;

import io.millrace.core.Ordered;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads the classes of one job from its own jars first, so that a program may bring another version
 * of a library than the engine has. Classes that both sides must share come from the engine.
 */
public final class UserClassLoader extends URLClassLoader {
  static {
    ClassLoader.registerAsParallelCapable();
  }

  /** Whatever is configured: a second copy of these could not talk to the engine. */
  private static final List<String> ALWAYS_PARENT_FIRST = List.of("java.", "io.millrace.");

  private final ClassLoader parent;
  private final List<String> parentFirst;

  /**
   * @param parentFirst prefixes of the names of classes that come from the parent where it has them
   */
  public UserClassLoader(
      String name, List<URL> jars, ClassLoader parent, List<String> parentFirst) {
    super(name, jars.toArray(URL[]::new), parent);
    this.parent = parent;
    List<String> prefixes = new ArrayList<>(ALWAYS_PARENT_FIRST);
    prefixes.addAll(parentFirst);
    this.parentFirst = Ordered.list(prefixes);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (isParentFirst(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        try {
          loaded = findClass(name);
        } catch (ClassNotFoundException notMine) {
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
    URL mine = findResource(name);
    return mine != null ? mine : parent.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
    all.addAll(Collections.list(parent.getResources(name)));
    return Collections.enumeration(all);
  }

  private boolean isParentFirst(String name) {
    for (String prefix : parentFirst) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}

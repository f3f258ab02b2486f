package io.millrace.sim.cluster;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Counts the objects that are reachable from a root, by class, including captures of lambdas and
 * dependents of futures; classes themselves do not count.
 */
final class Reachable {
  private final Predicate<Class<?>> excluded;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> open = new ArrayDeque<>();
  private final Map<Class<?>, List<Field>> fields = new HashMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();

  private Reachable(Predicate<Class<?>> excluded) {
    this.excluded = excluded;
  }

  /**
   * @param excluded the classes whose objects are not followed
   */
  static Map<String, Integer> from(Object root, Predicate<Class<?>> excluded) {
    Reachable walk = new Reachable(excluded);
    walk.found(root);
    while (!walk.open.isEmpty()) {
      walk.into(walk.open.pop());
    }
    return walk.counts;
  }

  private void found(Object object) {
    if (object != null
        && !(object instanceof Class)
        && !(object instanceof ClassLoader)
        && !(object instanceof Thread)
        && !excluded.test(object.getClass())
        && seen.add(object)) {
      open.push(object);
      counts.merge(name(object.getClass()), 1, Integer::sum);
    }
  }

  /** Each lambda has a class of its own, by a number that differs from run to run. */
  private static String name(Class<?> type) {
    return type.getName().replaceAll("/0x[0-9a-f]+$", "");
  }

  private void into(Object object) {
    if (object instanceof Object[] array) {
      for (int i = 0; i < Array.getLength(array); i++) {
        found(array[i]);
      }
      return;
    }
    for (Field field : fields.computeIfAbsent(object.getClass(), Reachable::fieldsOf)) {
      try {
        found(field.get(object));
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static List<Field> fieldsOf(Class<?> type) {
    List<Field> all = new ArrayList<>();
    for (Class<?> part = type; part != null; part = part.getSuperclass()) {
      for (Field field : part.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          try {
            field.setAccessible(true);
            all.add(field);
          } catch (InaccessibleObjectException e) {
            // Only the collections and futures of the JDK are open to reflection; they hold our
            // objects.
            if (part.getPackageName().startsWith("java.util")
                && !part.getPackageName().startsWith("java.util.r")) {
              throw e;
            }
          }
        }
      }
    }
    return all;
  }
}

package io.millrace.dataplane.records;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The classes that a serialised record may contain: classes that the job's class loader loads,
 * classes with a serializer of the program, classes of the API, and a list of values, enums and
 * collections of the JDK. Classes of the engine and the rest of the JDK are refused.
 */
final class ClassAllowList {
  private static final List<String> JDK_PACKAGES = List.of("java.time.", "java.math.");
  private static final List<String> JDK_CLASSES =
      List.of(
          "java.lang.Object",
          "java.lang.String",
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Short",
          "java.lang.Character",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Float",
          "java.lang.Double",
          "java.lang.Number",
          "java.lang.Enum",
          "java.lang.Record",
          "java.lang.StringBuilder",
          "java.lang.StringBuffer",
          "java.lang.Void",
          "java.lang.Throwable",
          "java.lang.Exception",
          "java.lang.RuntimeException",
          "java.lang.IllegalArgumentException",
          "java.lang.IllegalStateException",
          "java.lang.IndexOutOfBoundsException",
          "java.lang.ArrayIndexOutOfBoundsException",
          "java.lang.NullPointerException",
          "java.lang.StackTraceElement",
          "java.io.IOException",
          "java.nio.HeapByteBuffer",
          "java.util.regex.Pattern",
          "java.lang.Comparable",
          "java.lang.CharSequence",
          "java.lang.Iterable",
          "java.io.Serializable",
          "java.net.URI",
          "java.net.URL",
          "java.sql.Timestamp",
          "java.sql.Date",
          "java.sql.Time",
          "java.util.concurrent.ConcurrentHashMap",
          "java.util.concurrent.ConcurrentHashMap$KeySetView",
          "java.util.concurrent.ArrayBlockingQueue",
          "java.util.concurrent.LinkedBlockingQueue",
          "java.util.concurrent.ConcurrentSkipListMap",
          "java.util.concurrent.ConcurrentSkipListSet",
          "java.util.concurrent.CopyOnWriteArrayList",
          "java.util.concurrent.CopyOnWriteArraySet",
          "java.util.concurrent.ConcurrentLinkedQueue",
          "java.util.concurrent.ConcurrentLinkedDeque",
          "java.util.concurrent.atomic.AtomicBoolean",
          "java.util.concurrent.atomic.AtomicInteger",
          "java.util.concurrent.atomic.AtomicLong",
          "java.util.concurrent.atomic.AtomicReference");

  /** Packages on the engine's class path, which a program may use but whose classes are refused. */
  private static final List<String> ENGINE =
      List.of(
          "io.millrace.cli.",
          "io.millrace.client.",
          "io.millrace.cluster.",
          "io.millrace.control.",
          "io.millrace.core.",
          "io.millrace.dataplane.",
          "io.millrace.fs.",
          "io.millrace.graph.",
          "io.millrace.protocol.",
          "io.millrace.rest.",
          "io.millrace.rpc.",
          "io.millrace.task.",
          "io.millrace.worker.",
          "io.millrace.yarn.",
          "org.apache.fory.",
          "org.slf4j.",
          "ch.qos.logback.");

  /** Types of Fory, and the stubs that it writes in place of values. */
  private static final List<String> STAND_INS =
      List.of(
          "org.apache.fory.type.",
          "org.apache.fory.collection.",
          "org.apache.fory.serializer.ReplaceResolveSerializer$ReplaceStub",
          "org.apache.fory.serializer.collection.SubListSerializers$SubAbstractListStub",
          "org.apache.fory.serializer.collection.SubListSerializers$SubAbstractListRandomAccessStub");

  private final ClassLoader job;

  private final Set<String> registered;

  /**
   * @param job the class loader of the program
   * @param registered the classes with a serializer of the program
   */
  ClassAllowList(ClassLoader job, Set<Class<?>> registered) {
    this.job = job;
    this.registered = registered.stream().map(Class::getName).collect(Collectors.toSet());
  }

  boolean test(String className) {
    String name = elementOf(className);
    if (name.length() == 1 || PRIMITIVES.contains(name) || registered.contains(name)) {
      return true;
    }
    if (name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.")) {
      return JDK_CLASSES.contains(name)
          || JDK_PACKAGES.stream().anyMatch(name::startsWith)
          || isCollection(name)
          || isEnumOfJdk(name);
    }
    if (name.startsWith("io.millrace.api.")) {
      return true;
    }
    if (STAND_INS.stream().anyMatch(name::startsWith)) {
      return true;
    }
    Class<?> found;
    try {
      found = Class.forName(name, false, job);
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
    ClassLoader owner = found.getClassLoader();
    return owner == job || isAbove(owner, job) && ENGINE.stream().noneMatch(name::startsWith);
  }

  /** Whether a loader is a parent of the job's class loader, those of the JDK excluded. */
  private static boolean isAbove(ClassLoader loader, ClassLoader job) {
    ClassLoader end = ClassLoader.getPlatformClassLoader();
    for (ClassLoader at = job; at != null && at != end; at = at.getParent()) {
      if (at == loader) {
        return true;
      }
    }
    return false;
  }

  private static final List<String> PRIMITIVES =
      List.of("boolean", "byte", "short", "char", "int", "long", "float", "double");

  /** Whether a class is directly in {@code java.util}: collections, Optional, UUID, Date. */
  private static boolean isCollection(String name) {
    return name.startsWith("java.util.") && name.indexOf('.', "java.util.".length()) < 0;
  }

  /** Constants are read by their names, so nothing but a constant comes out of the bytes. */
  private static boolean isEnumOfJdk(String name) {
    try {
      Class<?> found = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
      // A constant with a body has a class of its own.
      return found.isEnum() || (found.getSuperclass() != null && found.getSuperclass().isEnum());
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static String elementOf(String className) {
    String name = className;
    while (name.startsWith("[")) {
      name = name.substring(1);
    }
    boolean array = name.length() != className.length();
    if (array && name.startsWith("L") && name.endsWith(";")) {
      return name.substring(1, name.length() - 1);
    }
    while (name.endsWith("[]")) {
      name = name.substring(0, name.length() - 2);
    }
    return name;
  }
}

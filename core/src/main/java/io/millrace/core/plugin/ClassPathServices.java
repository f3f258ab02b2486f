package io.millrace.core.plugin;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.File;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.Set;

/** Finds services on the engine's class path. */
public final class ClassPathServices {
  private ClassPathServices() {}

  /** All services of a type, sorted by class name. */
  public static <S> List<DiscoveredService<S>> services(Class<S> type) {
    try {
      return ServiceProviders.of(type, ClassPathServices.class.getClassLoader()).stream()
          .map(provider -> new DiscoveredService<>("the class path", type.cast(provider.get())))
          .toList();
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A "
              + type.getSimpleName()
              + " on the class path cannot be used: "
              + ServiceProviders.reason(e)
              + ". Repair or remove its jar.",
          e);
    }
  }

  /** Whether all these jars are on the class path, after normalization of paths. */
  static boolean contains(List<Path> jars) {
    Set<Path> entries = new HashSet<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      entries.add(Path.of(entry).toAbsolutePath().normalize());
    }
    return jars.stream().map(jar -> jar.toAbsolutePath().normalize()).allMatch(entries::contains);
  }
}

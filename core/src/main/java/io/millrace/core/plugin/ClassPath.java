package io.millrace.core.plugin;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.ServiceConfigurationError;

/** The services on the engine's own class path. */
public final class ClassPath {
  private ClassPath() {}

  /** All of a type, sorted by class name. */
  public static <S> List<Service<S>> services(Class<S> type) {
    try {
      return Providers.of(type, ClassPath.class.getClassLoader()).stream()
          .map(provider -> new Service<>("the class path", type.cast(provider.get())))
          .toList();
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A "
              + type.getSimpleName()
              + " on the class path cannot be used: "
              + Providers.reason(e)
              + ". Repair or remove its jar.",
          e);
    }
  }
}

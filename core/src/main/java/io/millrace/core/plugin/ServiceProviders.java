package io.millrace.core.plugin;

import io.millrace.core.error.Failure;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The providers that {@link ServiceLoader} finds, in an order that does not depend on the file
 * system.
 */
final class ServiceProviders {
  private ServiceProviders() {}

  static <S> List<ServiceLoader.Provider<S>> of(Class<S> type, ClassLoader loader) {
    return ServiceLoader.load(type, loader).stream()
        .sorted(Comparator.comparing(provider -> provider.type().getName()))
        .toList();
  }

  /** The message of the loader names the class, its cause names the reason. */
  static String reason(Throwable thrown) {
    return thrown.getCause() == null
        ? Failure.sentence(thrown)
        : thrown.getMessage() + " (" + Failure.sentence(thrown.getCause()) + ")";
  }
}

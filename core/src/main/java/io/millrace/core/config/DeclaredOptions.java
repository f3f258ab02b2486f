package io.millrace.core.config;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * All declared options, for the reference page and for the check of configurations: those of the
 * engine and those that an {@link OptionProvider} of a plugin adds.
 */
public final class DeclaredOptions {
  /** The classes that declare options, in the order of the reference page. */
  private static final List<Class<?>> CLASSES =
      List.of(
          DeploymentOptions.class,
          CoreOptions.class,
          ExecutionOptions.class,
          PipelineOptions.class,
          RestOptions.class,
          JobManagerOptions.class,
          TaskManagerOptions.class,
          ResourceManagerOptions.class,
          ProcessOptions.class,
          ExternalResourceOptions.class,
          ClusterOptions.class,
          RpcOptions.class,
          HeartbeatManagerOptions.class,
          ClientOptions.class,
          CheckpointingOptions.class,
          StateBackendOptions.class,
          StateRecoveryOptions.class,
          RestartStrategyOptions.class,
          HighAvailabilityOptions.class,
          BlobServerOptions.class,
          HistoryOptions.class,
          MemoryOptions.class,
          MetricOptions.class,
          SecurityOptions.class,
          TlsOptions.class,
          RestTlsOptions.class);

  private DeclaredOptions() {}

  /** The options of the engine itself, in the order of declaration. */
  public static List<Option<?>> builtIn() {
    List<Option<?>> options = new ArrayList<>();
    CLASSES.forEach(declaring -> options.addAll(in(declaring)));
    return options;
  }

  /** The options of the engine, then those of the providers on the class path. */
  public static List<Option<?>> all() {
    List<Option<?>> options = builtIn();
    onClassPath().forEach(provider -> options.addAll(provider.options()));
    return options;
  }

  /** The providers on the class path, by the names of their classes. */
  public static List<OptionProvider> onClassPath() {
    return ServiceLoader.load(OptionProvider.class, DeclaredOptions.class.getClassLoader()).stream()
        .sorted(Comparator.comparing(provider -> provider.type().getName()))
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /** The options in the public constants of a class, in the order of declaration. */
  public static List<Option<?>> in(Class<?> declaring) {
    List<Option<?>> options = new ArrayList<>();
    for (Field field : declaring.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers()) && field.getType() == Option.class) {
        try {
          options.add((Option<?>) field.get(null));
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("The option field is not accessible", e);
        }
      }
    }
    return options;
  }
}

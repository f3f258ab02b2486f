package io.millrace.core.config;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** All declared options, for the reference page and for the check of configurations. */
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
          RestartStrategyOptions.class,
          HighAvailabilityOptions.class,
          BlobServerOptions.class,
          HistoryOptions.class,
          MemoryOptions.class,
          SecurityOptions.class,
          TlsOptions.class,
          RestTlsOptions.class,
          YarnOptions.class);

  private DeclaredOptions() {}

  /** All options, in the order of declaration. */
  public static List<Option<?>> all() {
    List<Option<?>> options = new ArrayList<>();
    CLASSES.forEach(declaring -> options.addAll(in(declaring)));
    return options;
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

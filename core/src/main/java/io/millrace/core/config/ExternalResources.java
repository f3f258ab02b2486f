package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.TreeMap;

/** Reads the configured external resources. */
public final class ExternalResources {
  private ExternalResources() {}

  /** The amounts per TaskManager, sorted by name. */
  public static Map<String, Long> amounts(Configuration configuration) {
    Map<String, Long> amounts = new TreeMap<>();
    for (String name : configuration.get(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST)) {
      if (name.indexOf('.') >= 0) {
        throw new MillraceException(
            ErrorKind.USER,
            "External resource '"
                + name
                + "' must not have a dot in its name ("
                + ExternalResourceOptions.EXTERNAL_RESOURCE_LIST.key()
                + "), because dots separate the parts of option keys.");
      }
      int amount = configuration.get(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(name));
      amounts.put(name, (long) amount);
    }
    return amounts;
  }

  /** The parameters of a resource's driver, without the common key prefix. */
  public static Map<String, String> parameters(Configuration configuration, String name) {
    String prefix = ExternalResourceOptions.EXTERNAL_RESOURCE_PARAMETER.named(name, "").key();
    Map<String, String> parameters = new TreeMap<>();
    configuration
        .entries()
        .forEach(
            (key, value) -> {
              if (key.startsWith(prefix)) {
                parameters.put(key.substring(prefix.length()), value);
              }
            });
    return parameters;
  }
}

package io.millrace.core.config;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.TreeMap;

/** What a configuration says about external resources. */
public final class ExternalResources {
  private ExternalResources() {}

  /** How many of each a TaskManager has, by name and in the order of names. */
  public static Map<String, Long> amounts(Configuration configuration) {
    Map<String, Long> amounts = new TreeMap<>();
    for (String name : configuration.get(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST)) {
      if (name.indexOf('.') >= 0) {
        throw new MillraceException(
            ErrorKind.USER,
            "External resource '"
                + name
                + "' has a dot in its name ("
                + ExternalResourceOptions.EXTERNAL_RESOURCE_LIST.key()
                + "), which separates the parts of option keys. Choose another name.");
      }
      int amount = configuration.get(ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(name));
      amounts.put(name, (long) amount);
    }
    return amounts;
  }

  /** The parameters of a resource's driver, by the names they have behind the common part. */
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

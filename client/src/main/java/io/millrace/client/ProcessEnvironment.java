package io.millrace.client;

import io.millrace.core.OrderedCopies;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The environment of a process, from which its configuration and plugins are found.
 *
 * @param variables the environment variables
 * @param home the root of the distribution, if the process was started from one
 */
public record ProcessEnvironment(Map<String, String> variables, Optional<Path> home) {
  public ProcessEnvironment {
    variables = OrderedCopies.map(variables);
    Objects.requireNonNull(home);
  }

  /** The environment of this process. */
  public static ProcessEnvironment current() {
    return new ProcessEnvironment(System.getenv(), ConfigurationFile.home());
  }
}

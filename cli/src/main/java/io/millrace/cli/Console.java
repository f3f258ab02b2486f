package io.millrace.cli;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.Ordered;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a command sees of the world it was called in.
 *
 * @param out results
 * @param err progress and errors
 * @param home the root of the distribution, if this runs from one
 */
record Console(
    PrintStream out, PrintStream err, Map<String, String> environment, Optional<Path> home) {
  Console {
    Objects.requireNonNull(out);
    Objects.requireNonNull(err);
    environment = Ordered.map(environment);
    Objects.requireNonNull(home);
  }

  static Console ofProcess() {
    return new Console(System.out, System.err, System.getenv(), ConfigurationFile.home());
  }
}

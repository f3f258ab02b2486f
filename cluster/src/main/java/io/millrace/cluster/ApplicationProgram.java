package io.millrace.cluster;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.SensitiveValues;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The program of an application, as given on the command line.
 *
 * @param mainClass empty if the manifest of the jar names it
 */
public record ApplicationProgram(Path jar, Optional<String> mainClass, List<String> arguments) {
  public ApplicationProgram {
    Objects.requireNonNull(jar);
    Objects.requireNonNull(mainClass);
    arguments = OrderedCopies.list(arguments);
  }

  /** For the log, without secrets. */
  @Override
  public String toString() {
    return jar
        + mainClass.map(name -> ", class " + name).orElse("")
        + ", arguments "
        + SensitiveValues.shown(arguments);
  }
}

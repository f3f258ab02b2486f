package io.millrace.cluster;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.SensitiveValues;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The program of an application, as whoever starts the process names it.
 *
 * @param mainClass where it starts; the jar's manifest says so where this is empty
 */
public record ApplicationProgram(Path jar, Optional<String> mainClass, List<String> arguments) {
  public ApplicationProgram {
    Objects.requireNonNull(jar);
    Objects.requireNonNull(mainClass);
    arguments = OrderedCopies.list(arguments);
  }

  /** For the log: without secrets. */
  @Override
  public String toString() {
    return jar
        + mainClass.map(name -> ", class " + name).orElse("")
        + ", arguments "
        + SensitiveValues.shown(arguments);
  }
}

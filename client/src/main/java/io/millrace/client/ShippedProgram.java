package io.millrace.client;

import io.millrace.core.OrderedCopies;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A program that runs somewhere else.
 *
 * @param jar a file here, or one of a file system that the other place reaches
 * @param mainClass where it starts; the jar's manifest says so where this is empty
 */
public record ShippedProgram(URI jar, Optional<String> mainClass, List<String> arguments) {
  public ShippedProgram {
    Objects.requireNonNull(jar);
    Objects.requireNonNull(mainClass);
    arguments = OrderedCopies.list(arguments);
  }
}

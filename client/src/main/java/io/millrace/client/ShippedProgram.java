package io.millrace.client;

import io.millrace.core.OrderedCopies;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A program whose {@code main} runs in a cluster.
 *
 * @param jar a local file, or a file of a file system that the cluster can read
 * @param mainClass the class with {@code main}; if empty, the manifest of the jar names it
 */
public record ShippedProgram(URI jar, Optional<String> mainClass, List<String> arguments) {
  public ShippedProgram {
    Objects.requireNonNull(jar);
    Objects.requireNonNull(mainClass);
    arguments = OrderedCopies.list(arguments);
  }
}

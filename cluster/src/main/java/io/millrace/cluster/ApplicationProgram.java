package io.millrace.cluster;

import io.millrace.core.Ordered;
import java.nio.file.Path;
import java.util.ArrayList;
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
    arguments = Ordered.list(arguments);
  }

  /** For the log: without what follows a word such as {@code --password}. */
  @Override
  public String toString() {
    List<String> shown = new ArrayList<>();
    boolean hide = false;
    for (String argument : arguments) {
      int value = argument.indexOf('=') + 1;
      boolean secret = Secrets.hides(argument.substring(0, value == 0 ? argument.length() : value));
      shown.add(hide || (secret && value > 0) ? "(hidden)" : argument);
      hide = secret && value == 0;
    }
    return jar + mainClass.map(name -> ", class " + name).orElse("") + ", arguments " + shown;
  }
}

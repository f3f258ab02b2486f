package io.millrace.cli.common;

import io.millrace.client.PackagedProgram;
import io.millrace.client.ProgramJars;
import io.millrace.client.ShippedProgram;
import io.millrace.cluster.ApplicationProgram;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of commands that run the {@code main} of a program. */
public final class ProgramMixin {
  @Option(
      names = {"-c", "--class"},
      paramLabel = "CLASS",
      description = "Class with the program's main. Default: the one that the manifest names.")
  private Optional<String> mainClass = Optional.empty();

  @Option(
      names = {"-p", "--parallelism"},
      paramLabel = "N",
      description = "Parallelism of operators for which the program sets none.")
  private Optional<Integer> parallelism = Optional.empty();

  @Parameters(
      index = "0",
      paramLabel = "JAR",
      description =
          "The jar of the program; a relative path is also looked up in the distribution.")
  private String jar;

  @Parameters(
      index = "1..*",
      paramLabel = "ARGUMENT",
      description = "Everything after the jar belongs to the program.")
  private List<String> arguments = new ArrayList<>();

  public List<String> arguments() {
    return OrderedCopies.list(arguments);
  }

  public Configuration in(Configuration configuration) {
    return UsageException.reading(this::parallelism)
        .map(given -> configuration.with(CoreOptions.DEFAULT_PARALLELISM, given))
        .orElse(configuration);
  }

  private Optional<Integer> parallelism() {
    return parallelism.map(given -> CoreOptions.DEFAULT_PARALLELISM.parse(String.valueOf(given)));
  }

  /** The {@code key=value} pairs of {@code -D} that these options are equivalent to. */
  public List<String> overrides() {
    return parallelism().map(given -> CoreOptions.DEFAULT_PARALLELISM.key() + "=" + given).stream()
        .toList();
  }

  public ApplicationProgram application(Console console) {
    return new ApplicationProgram(jar(console), mainClass, arguments());
  }

  /**
   * The program for a target that runs its main in a cluster. A local jar is checked before it is
   * uploaded.
   */
  public ShippedProgram shipped(Console console, Configuration configuration) {
    if (jar.matches("[a-z][a-z0-9+.-]+:/.*")) {
      return new ShippedProgram(uri(), mainClass, arguments());
    }
    open(console, configuration).close();
    return new ShippedProgram(jar(console).toUri(), mainClass, arguments());
  }

  private URI uri() {
    try {
      return URI.create(jar);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "'" + jar + "' is not a URI. Write a blank as %20, and other special characters alike.",
          e);
    }
  }

  public PackagedProgram open(Console console, Configuration configuration) {
    Path file = jar(console);
    return mainClass
        .map(name -> PackagedProgram.open(file, name, configuration))
        .orElseGet(() -> PackagedProgram.open(file, configuration));
  }

  private Path jar(Console console) {
    return console
        .home()
        .map(home -> ProgramJars.find(jar, home))
        .orElseGet(() -> ProgramJars.find(jar));
  }
}

package io.millrace.cli.common;

import io.millrace.client.PackagedProgram;
import io.millrace.client.ProgramJars;
import io.millrace.client.ShippedProgram;
import io.millrace.cluster.ApplicationProgram;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Mixed into the commands that run a program's {@code main}. */
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
      description = "The program; a relative path may also start in the distribution.")
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

  /** What these options override, as {@code -D} would. */
  public List<String> overrides() {
    return parallelism().map(given -> CoreOptions.DEFAULT_PARALLELISM.key() + "=" + given).stream()
        .toList();
  }

  public ApplicationProgram application(Console console) {
    return new ApplicationProgram(ProgramJars.find(jar, console.home()), mainClass, arguments());
  }

  /** For a place that runs its main itself. What is here is looked at before it travels. */
  public ShippedProgram shipped(Console console, Configuration configuration) {
    if (jar.matches("[a-z][a-z0-9+.-]+:/.*")) {
      return new ShippedProgram(URI.create(jar), mainClass, arguments());
    }
    open(console, configuration).close();
    return new ShippedProgram(
        ProgramJars.find(jar, console.home()).toUri(), mainClass, arguments());
  }

  public PackagedProgram open(Console console, Configuration configuration) {
    return PackagedProgram.open(ProgramJars.find(jar, console.home()), mainClass, configuration);
  }
}

package io.millrace.cli.session;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.SessionTarget;
import io.millrace.client.StyleRequest;
import io.millrace.client.Targets;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mixed into every command about sessions. */
final class SessionMixin {
  @Option(
      names = {"-t", "--target", "-e"},
      paramLabel = "TARGET",
      description =
          "Where sessions are. Default: execution.target, else the only target of an installed"
              + " plugin that has sessions.")
  private Optional<String> target = Optional.empty();

  @Mixin private ConfigurationMixin settings;

  /** The configuration, with what the options of styles stand for. */
  Configuration load(Console console) {
    List<String> overrides = new ArrayList<>();
    for (StyleRequest one : console.styles().requests(console.environment())) {
      one.style().warnings(one.arguments()).forEach(console.err()::println);
      overrides.addAll(one.style().overrides(one.arguments()));
    }
    return settings.load(console, overrides);
  }

  /** The configuration that means a session by its id, where one is given. */
  Configuration load(Console console, Optional<String> id) {
    Configuration configuration = load(console);
    return id.map(
            given ->
                UsageException.reading(() -> target(configuration).naming(configuration, given)))
        .orElse(configuration);
  }

  SessionTarget target(Configuration configuration) {
    Optional<String> name =
        target.or(
            () ->
                configuration.contains(DeploymentOptions.TARGET)
                    ? Optional.of(configuration.get(DeploymentOptions.TARGET))
                    : Optional.empty());
    Targets targets = Targets.of(configuration);
    return UsageException.reading(
        () -> name.map(targets::ofSessions).orElseGet(targets::ofSessions));
  }
}

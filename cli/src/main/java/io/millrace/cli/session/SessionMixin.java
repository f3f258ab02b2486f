package io.millrace.cli.session;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.SessionTarget;
import io.millrace.client.Targets;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.YarnOptions;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mixed into every command about sessions. */
final class SessionMixin {
  private static final String USUAL = "yarn-session";

  @Option(
      names = {"-t", "--target", "-e"},
      paramLabel = "TARGET",
      description = "Where sessions are: yarn-session. Default: execution.target, else that one.")
  private Optional<String> target = Optional.empty();

  @Mixin private ConfigurationMixin settings;

  Configuration load(Console console, List<String> before) {
    return settings.load(console, before);
  }

  /** The configuration that means a session by its id, where one is given. */
  Configuration load(Console console, Optional<String> id) {
    Configuration configuration = load(console, List.of());
    id.ifPresent(given -> UsageException.reading(() -> YarnOptions.APPLICATION_ID.parse(given)));
    return id.map(given -> configuration.with(YarnOptions.APPLICATION_ID, given))
        .orElse(configuration);
  }

  SessionTarget target(Configuration configuration) {
    String name =
        target.orElseGet(
            () ->
                configuration.contains(DeploymentOptions.TARGET)
                    ? configuration.get(DeploymentOptions.TARGET)
                    : USUAL);
    return UsageException.reading(() -> Targets.of(configuration).ofSessions(name));
  }
}

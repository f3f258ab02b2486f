package io.millrace.cli.session;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.SessionTarget;
import io.millrace.client.StyleRequest;
import io.millrace.client.TargetRequest;
import io.millrace.client.Targets;
import io.millrace.core.config.Configuration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of all session commands. */
final class SessionMixin {
  @Option(
      names = {"-t", "--target", "-e"},
      paramLabel = "TARGET",
      description =
          "The target with the sessions. Default: execution.target, else the only installed target"
              + " that has sessions.")
  private Optional<String> target = Optional.empty();

  @Mixin private ConfigurationMixin settings;

  /** The configuration, overridden by the options of styles. */
  Configuration load(Console console) {
    List<String> overrides = new ArrayList<>();
    for (StyleRequest one : console.styles().requests(console.environment())) {
      one.style().warnings(one.arguments()).forEach(console.err()::println);
      overrides.addAll(one.style().overrides(one.arguments()));
    }
    return settings.load(console, overrides);
  }

  SessionTarget target(Configuration configuration) {
    Optional<String> name = target.or(() -> TargetRequest.configuredTarget(configuration));
    Targets targets = Targets.of(configuration);
    return UsageException.reading(
        () -> name.map(targets::ofSessions).orElseGet(targets::ofSessions));
  }
}

package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A command-line style whose answers are set by a test. Its targets begin with its name. */
final class FakeStyle implements CommandLineStyle {
  private final String name;
  private boolean active;
  private Optional<String> missing = Optional.empty();
  private Optional<String> session = Optional.empty();
  private Optional<String> current = Optional.empty();

  FakeStyle(String name) {
    this.name = name;
  }

  FakeStyle active() {
    active = true;
    return this;
  }

  FakeStyle missing(String library) {
    missing = Optional.of(library);
    return this;
  }

  /** Sets the session that an option names. */
  FakeStyle session(String id) {
    session = Optional.of(id);
    return this;
  }

  FakeStyle currentSession(String id) {
    current = Optional.of(id);
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String heading() {
    return name;
  }

  @Override
  public List<StyleOption> options(Use use) {
    return List.of();
  }

  @Override
  public List<String> examples(Use use) {
    return List.of();
  }

  @Override
  public boolean isAddress(String word) {
    return word.equals(name + "-cluster");
  }

  @Override
  public boolean ownsTarget(String target) {
    return target.startsWith(name + "-");
  }

  @Override
  public Optional<String> missingLibraries() {
    return missing;
  }

  @Override
  public List<String> overrides(StyleArguments arguments) {
    return List.of();
  }

  @Override
  public List<String> warnings(StyleArguments arguments) {
    return List.of();
  }

  @Override
  public boolean isActive(StyleArguments arguments, Configuration configuration) {
    return active;
  }

  @Override
  public Configuration decide(
      StyleArguments arguments, Configuration configuration, Consumer<String> warnings) {
    return configuration.with(DeploymentOptions.TARGET, name + "-per-job");
  }

  @Override
  public List<String> ignored(String target, StyleArguments arguments) {
    return active && !ownsTarget(target) ? List.of("options of " + name) : List.of();
  }

  @Override
  public Configuration configure(
      String target, StyleArguments arguments, Configuration configuration) {
    return ownsTarget(target) ? configuration.with(name + ".configured", target) : configuration;
  }

  @Override
  public Optional<String> session(StyleArguments arguments) {
    return session;
  }

  @Override
  public Optional<RunningCluster> cluster(StyleArguments arguments, Configuration configuration) {
    return session
        .or(() -> current)
        .map(id -> new RunningCluster(name + "-session", configuration));
  }
}

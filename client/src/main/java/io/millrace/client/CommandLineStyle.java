package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A set of command-line options that choose a deployment target, for example the options of a
 * resource manager's own scripts. {@link java.util.ServiceLoader} finds it. A command evaluates the
 * generic style ({@code -t}), then these in the order of their names, then the default style
 * ({@code -m}); the first active one decides. A provider has a public constructor without arguments
 * that loads no library of the plugin, because each command that may need a style creates it.
 */
public interface CommandLineStyle {
  /** The commands that a style adds options to. */
  enum Use {
    /** {@code run}, which may start a cluster. */
    RUN,
    /** {@code session start}. */
    START_SESSION,
    /** A command about one session. */
    SESSION,
    /** A command that talks to a running cluster. */
    CLUSTER
  }

  /** A short name, also of the file that names its current session ({@link SessionFiles}). */
  String name();

  /** The heading of its options in the help. */
  String heading();

  /** The options that it adds to a command. */
  List<StyleOption> options(Use use);

  /** Command lines for the help of a command. */
  List<String> examples(Use use);

  /** Whether this value of {@code -m}, which is not a host and port, belongs to the style. */
  boolean isAddress(String word);

  /** Whether the options of this style apply to the target of this name. */
  boolean ownsTarget(String target);

  /** The missing libraries of its targets; empty if none is missing. */
  Optional<String> missingLibraries();

  /** The {@code key=value} pairs of {@code -D} that its options are equivalent to. */
  List<String> overrides(StyleArguments arguments);

  /** A warning for each option that has no effect. */
  List<String> warnings(StyleArguments arguments);

  /** Whether the user chose this style: by an option, an address or a current session. */
  boolean isActive(StyleArguments arguments, Configuration configuration);

  /**
   * The configuration with the target and the options that the target needs.
   *
   * @param warnings receives a line about each option that has no effect
   */
  Configuration decide(
      StyleArguments arguments, Configuration configuration, Consumer<String> warnings);

  /**
   * Why this style does not decide although the user may expect it, for a job that runs in the
   * process of the command; empty if there is no sign of that.
   */
  default Optional<String> inactiveNotice(StyleArguments arguments, Configuration configuration) {
    return Optional.empty();
  }

  /** The arguments that have no effect because {@code -t} names this target. */
  List<String> ignored(String target, StyleArguments arguments);

  /** The configuration of the target that {@code -t} names, completed with the arguments. */
  Configuration configure(String target, StyleArguments arguments, Configuration configuration);

  /** The id of a session that the arguments name. */
  Optional<String> session(StyleArguments arguments);

  /** The running cluster that the arguments or the current session select. */
  Optional<RunningCluster> cluster(StyleArguments arguments, Configuration configuration);

  /**
   * A running cluster.
   *
   * @param target the {@link SessionTarget} that finds it
   * @param configuration selects the session
   */
  record RunningCluster(String target, Configuration configuration) {}
}

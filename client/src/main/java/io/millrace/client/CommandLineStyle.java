package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A way to choose a deployment target on the command line, such as options of the scripts of a
 * resource manager. {@link java.util.ServiceLoader} finds it. A command asks the generic style
 * ({@code -t}), then these in the order of their names, then the default one ({@code -m}); the
 * first active one decides. A provider has a public constructor without arguments that loads no
 * library of the plugin: every command that may need a style loads it.
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

  /** What stands over its options in the help. */
  String heading();

  /** The options that it adds to a command. */
  List<StyleOption> options(Use use);

  /** Command lines for the help of a command. */
  List<String> examples(Use use);

  /** Whether {@code -m} with this word belongs to the style, although it is no host and port. */
  boolean isAddress(String word);

  /** Whether a target of this name is one of the style's, so that its options are about it. */
  boolean ownsTarget(String target);

  /** What is missing where the libraries of its targets are; nothing where they are there. */
  Optional<String> missingLibraries();

  /** What its options stand for, as {@code key=value} pairs of {@code -D}. */
  List<String> overrides(StyleArguments arguments);

  /** One line for each option that has no effect. */
  List<String> warnings(StyleArguments arguments);

  /** Whether the user chose this style: by an option, an address or a current session. */
  boolean isActive(StyleArguments arguments, Configuration configuration);

  /**
   * The configuration with the target, and what it needs, filled in.
   *
   * @param warnings hears of what an earlier style of the command line leaves without effect
   */
  Configuration decide(
      StyleArguments arguments, Configuration configuration, Consumer<String> warnings);

  /** What of the arguments has no effect because {@code -t} names this target. */
  List<String> ignored(String target, StyleArguments arguments);

  /** The configuration of a target that {@code -t} names, with what the arguments add to it. */
  Configuration configure(String target, StyleArguments arguments, Configuration configuration);

  /** The id of a session that the arguments name. */
  Optional<String> session(StyleArguments arguments);

  /** The running cluster that the arguments or a current session mean. */
  Optional<RunningCluster> cluster(StyleArguments arguments, Configuration configuration);

  /**
   * A cluster that runs already.
   *
   * @param target the {@link SessionTarget} that finds it
   * @param configuration names it
   */
  record RunningCluster(String target, Configuration configuration) {}
}

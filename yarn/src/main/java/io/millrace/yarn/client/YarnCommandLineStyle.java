package io.millrace.yarn.client;

import io.millrace.client.CommandLineStyle;
import io.millrace.client.StyleArguments;
import io.millrace.client.StyleOption;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.yarn.YarnOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The command-line style of YARN: {@code -m yarn-cluster}, {@code -yid} and the other options that
 * begin with y, or the session file of the user. Loads no class of Hadoop.
 */
public final class YarnCommandLineStyle implements CommandLineStyle {
  static final String NAME = "yarn";

  /** Requests a cluster on YARN in place of an address. */
  private static final String CLUSTER = "yarn-cluster";

  private static final String TARGET_PREFIX = "yarn-";
  private static final String YARN_CLIENT = "org.apache.hadoop.yarn.client.api.YarnClient";
  private static final String APPLICATION = "-yid";

  private static final StyleOption APPLICATION_OPTION =
      StyleOption.value(
          APPLICATION,
          "--yarnapplicationId",
          "APPLICATION",
          "The application on YARN whose cluster is meant.");

  private static final StyleOption SETTING =
      new StyleOption(List.of("-yD"), "KEY=VALUE", "The same as -D.", true, true);

  /** The options that set one configuration option each. */
  private static final Map<String, Option<?>> OVERRIDES = new LinkedHashMap<>();

  static {
    OVERRIDES.put("-yjm", MemoryOptions.JOB_MANAGER_PROCESS_MEMORY);
    OVERRIDES.put("-ytm", MemoryOptions.TASK_MANAGER_PROCESS_MEMORY);
    OVERRIDES.put("-ys", TaskManagerOptions.NUM_TASK_SLOTS);
    OVERRIDES.put("-yqu", YarnOptions.QUEUE);
    OVERRIDES.put("-ynm", YarnOptions.APPLICATION_NAME);
    OVERRIDES.put("-yat", YarnOptions.APPLICATION_TYPE);
    OVERRIDES.put("-ynl", YarnOptions.NODE_LABEL);
    OVERRIDES.put("-yt", YarnOptions.SHIP_FILES);
    OVERRIDES.put("-yz", HighAvailabilityOptions.HA_CLUSTER_ID);
    OVERRIDES.put("-yd", DeploymentOptions.ATTACHED);
  }

  private static final List<StyleOption> DEPLOYMENT =
      List.of(
          StyleOption.value(
              "-yjm",
              "--yarnjobManagerMemory",
              "SIZE",
              "Memory of the JobManager; MB where no unit is given."),
          StyleOption.value(
              "-ytm",
              "--yarntaskManagerMemory",
              "SIZE",
              "Memory of a TaskManager; MB where no unit is given."),
          StyleOption.value("-ys", "--yarnslots", "N", "Slots of a TaskManager."),
          StyleOption.value("-yqu", "--yarnqueue", "QUEUE", "Queue of the application."),
          StyleOption.value("-ynm", "--yarnname", "NAME", "Name of the application."),
          StyleOption.value("-yat", "--yarnapplicationType", "TYPE", "Type of the application."),
          StyleOption.value(
              "-ynl", "--yarnnodeLabel", "LABEL", "Label of the nodes that it runs on."),
          StyleOption.list(
              "-yt",
              "--yarnship",
              "FILE",
              "File or directory that every container gets; may be repeated."),
          StyleOption.value(
              "-yz",
              "--yarnzookeeperNamespace",
              "ID",
              "The cluster's own directory for what it recovers from."),
          SETTING,
          StyleOption.flag("-yd", "--yarndetached", "The same as -d."),
          StyleOption.value(
              "-yn",
              "--yarncontainer",
              "N",
              "Ignored: TaskManagers are started as they are needed."));

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String heading() {
    return "For clusters on YARN, as older scripts have it (or use -t and -D):";
  }

  @Override
  public List<StyleOption> options(Use use) {
    List<StyleOption> options = new ArrayList<>();
    if (use != Use.START_SESSION) {
      options.add(APPLICATION_OPTION);
    }
    if (use == Use.RUN || use == Use.START_SESSION) {
      options.addAll(DEPLOYMENT);
    }
    return options;
  }

  @Override
  public List<String> examples(Use use) {
    return switch (use) {
      case RUN ->
          List.of(
              "millrace run -t yarn-per-job -p 4 examples/word-count.jar --input hdfs:///book --output"
                  + " hdfs:///counts",
              "millrace run -t yarn-application -d hdfs:///programs/word-count.jar",
              "millrace run -m yarn-cluster -yjm 1600 -ytm 2048 -ys 2 examples/word-count.jar");
      case START_SESSION ->
          List.of(
              "millrace session start -t yarn-session -d",
              "millrace session start -t yarn-session -d -yjm 1600 -ytm 4096 -ys 4 -yqu analytics");
      case SESSION, CLUSTER -> List.of();
    };
  }

  @Override
  public boolean isAddress(String word) {
    return word.equals(CLUSTER);
  }

  @Override
  public boolean ownsTarget(String target) {
    return target.startsWith(TARGET_PREFIX);
  }

  @Override
  public Optional<String> missingLibraries() {
    try {
      Class.forName(YARN_CLIENT, false, YarnCommandLineStyle.class.getClassLoader());
      return Optional.empty();
    } catch (ClassNotFoundException e) {
      return Optional.of("Hadoop's client, which plugins/hadoop/lib of the distribution has");
    }
  }

  @Override
  public List<String> overrides(StyleArguments arguments) {
    List<String> overrides = new ArrayList<>();
    OVERRIDES.forEach(
        (name, option) -> {
          if (!arguments.values(name).isEmpty()) {
            overrides.add(option.key() + "=" + value(name, arguments));
          }
        });
    overrides.addAll(arguments.values("-yD"));
    return overrides;
  }

  private static String value(String name, StyleArguments arguments) {
    String value = arguments.value(name).orElseThrow();
    return switch (name) {
      case "-yjm", "-ytm" -> value.matches("\\d+") ? value + "m" : value;
      case "-yt" -> String.join(";", arguments.values(name));
      case "-yd" -> "false";
      default -> value;
    };
  }

  @Override
  public List<String> warnings(StyleArguments arguments) {
    return arguments.value("-yn").isPresent()
        ? List.of("-yn is ignored: TaskManagers are started as the jobs need them.")
        : List.of();
  }

  @Override
  public boolean isActive(StyleArguments arguments, Configuration configuration) {
    return !arguments.isEmpty()
        || (!arguments.hasHostPort() && current(arguments, configuration).isPresent());
  }

  @Override
  public Optional<String> inactiveNotice(StyleArguments arguments, Configuration configuration) {
    Optional<String> sign =
        configuration.entries().keySet().stream()
            .filter(key -> key.startsWith("yarn."))
            .filter(key -> !key.equals(YarnOptions.PROPERTIES_FILE_DIR.key()))
            .sorted()
            .findFirst()
            .map(key -> key + " is set")
            .or(
                () ->
                    Optional.ofNullable(arguments.environment().get("HADOOP_CONF_DIR"))
                        .map(directory -> "HADOOP_CONF_DIR is set"));
    return sign.map(
        what ->
            what
                + ", but there is no session on YARN and no target is given: the job runs in this"
                + " process. Choose with -t yarn-per-job or -t local, or start a session with"
                + " `millrace session start -t yarn-session -d`.");
  }

  private static Optional<String> current(StyleArguments arguments, Configuration configuration) {
    return YarnSessionFile.of(configuration, arguments.environment()).application();
  }

  @Override
  public Configuration decide(
      StyleArguments arguments, Configuration configuration, Consumer<String> warnings) {
    if (arguments.hasHostPort()) {
      warnings.accept("-m with an address is ignored: options that begin with -y ask for YARN.");
    }
    Optional<String> application = session(arguments);
    if (application.isPresent()) {
      return session(configuration, application.get());
    }
    return arguments.isEmpty()
        ? session(configuration, current(arguments, configuration).orElseThrow())
        : configuration.with(DeploymentOptions.TARGET, DeploymentMode.PER_JOB.target());
  }

  private static Configuration session(Configuration configuration, String application) {
    return configuration
        .with(DeploymentOptions.TARGET, DeploymentMode.SESSION.target())
        .with(YarnOptions.APPLICATION_ID, application);
  }

  @Override
  public List<String> ignored(String target, StyleArguments arguments) {
    List<String> ignored = new ArrayList<>();
    if (arguments.address().isPresent() && !target.equals(DeploymentMode.PER_JOB.target())) {
      ignored.add("-m " + CLUSTER);
    }
    if (!target.equals(DeploymentMode.SESSION.target())) {
      session(arguments).ifPresent(id -> ignored.add(APPLICATION + " " + id));
    }
    boolean others =
        arguments.options().keySet().stream().anyMatch(name -> !name.equals(APPLICATION));
    if (others && !ownsTarget(target)) {
      ignored.add("the other options that begin with -y");
    }
    return ignored;
  }

  @Override
  public Configuration configure(
      String target, StyleArguments arguments, Configuration configuration) {
    return session(arguments)
        .filter(id -> target.equals(DeploymentMode.SESSION.target()))
        .map(id -> configuration.with(YarnOptions.APPLICATION_ID, id))
        .orElse(configuration);
  }

  @Override
  public Optional<String> session(StyleArguments arguments) {
    return arguments.value(APPLICATION).map(YarnOptions.APPLICATION_ID::parse);
  }

  @Override
  public Optional<RunningCluster> cluster(StyleArguments arguments, Configuration configuration) {
    return session(arguments)
        .or(() -> current(arguments, configuration))
        .map(
            id ->
                new RunningCluster(
                    DeploymentMode.SESSION.target(),
                    configuration.with(YarnOptions.APPLICATION_ID, id)));
  }
}

package io.millrace.cli.target;

import io.millrace.cli.common.Console;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.YarnOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;

/** Options about a cluster on YARN, as older scripts have them. Each stands for an option of -D. */
public final class YarnStyleOptions {
  private static final String SETTING = "-yD";

  @ArgGroup(
      validate = false,
      heading = "%nFor clusters on YARN, as older scripts have it (or use -t and -D):%n")
  private Group group = new Group();

  /** Apart, so that the help shows them together. */
  static final class Group {
    @picocli.CommandLine.Option(
        names = {"-yjm", "--yarnjobManagerMemory"},
        paramLabel = "SIZE",
        description = "Memory of the JobManager; MB where no unit is given.")
    private Optional<String> jobManagerMemory = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-ytm", "--yarntaskManagerMemory"},
        paramLabel = "SIZE",
        description = "Memory of a TaskManager; MB where no unit is given.")
    private Optional<String> taskManagerMemory = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-ys", "--yarnslots"},
        paramLabel = "N",
        description = "Slots of a TaskManager.")
    private Optional<Integer> slots = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-yqu", "--yarnqueue"},
        paramLabel = "QUEUE",
        description = "Queue of the application.")
    private Optional<String> queue = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-ynm", "--yarnname"},
        paramLabel = "NAME",
        description = "Name of the application.")
    private Optional<String> name = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-yat", "--yarnapplicationType"},
        paramLabel = "TYPE",
        description = "Type of the application.")
    private Optional<String> type = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-ynl", "--yarnnodeLabel"},
        paramLabel = "LABEL",
        description = "Label of the nodes that it runs on.")
    private Optional<String> label = Optional.empty();

    @picocli.CommandLine.Option(
        names = {"-yt", "--yarnship"},
        paramLabel = "FILE",
        description = "File or directory that every container gets; may be repeated.")
    private List<String> ship = new ArrayList<>();

    @picocli.CommandLine.Option(
        names = {"-yz", "--yarnzookeeperNamespace"},
        paramLabel = "ID",
        description = "The cluster's own directory for what it recovers from.")
    private Optional<String> clusterId = Optional.empty();

    @picocli.CommandLine.Option(
        names = SETTING,
        paramLabel = "KEY=VALUE",
        description = "The same as -D.")
    private List<String> settings = new ArrayList<>();

    @picocli.CommandLine.Option(
        names = {"-yd", "--yarndetached"},
        description = "The same as -d.")
    private boolean detached;

    @picocli.CommandLine.Option(
        names = {"-yn", "--yarncontainer"},
        paramLabel = "N",
        description = "Ignored: TaskManagers are started as they are needed.")
    private Optional<String> containers = Optional.empty();
  }

  /**
   * Old scripts may write {@code -yDkey=value} in one word. What comes after a jar is the program's
   * and is left alone.
   */
  public static String[] apart(String... arguments) {
    List<String> apart = new ArrayList<>();
    boolean programs = false;
    for (String argument : arguments) {
      programs |= argument.endsWith(".jar");
      if (!programs && argument.matches("-yD[^=]+=.*")) {
        apart.add(SETTING);
        apart.add(argument.substring(SETTING.length()));
      } else {
        apart.add(argument);
      }
    }
    return apart.toArray(new String[0]);
  }

  /** Whether one of them was given. */
  public boolean areGiven() {
    return !overrides().isEmpty() || group.containers.isPresent();
  }

  /** What they override, as {@code -D} would. */
  public List<String> overrides() {
    List<String> overrides = new ArrayList<>();
    size(overrides, MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, group.jobManagerMemory);
    size(overrides, MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, group.taskManagerMemory);
    add(overrides, TaskManagerOptions.NUM_TASK_SLOTS, group.slots.map(String::valueOf));
    add(overrides, YarnOptions.QUEUE, group.queue);
    add(overrides, YarnOptions.APPLICATION_NAME, group.name);
    add(overrides, YarnOptions.APPLICATION_TYPE, group.type);
    add(overrides, YarnOptions.NODE_LABEL, group.label);
    if (!group.ship.isEmpty()) {
      add(overrides, YarnOptions.SHIP_FILES, Optional.of(String.join(";", group.ship)));
    }
    add(overrides, HighAvailabilityOptions.HA_CLUSTER_ID, group.clusterId);
    if (group.detached) {
      add(overrides, DeploymentOptions.ATTACHED, Optional.of("false"));
    }
    overrides.addAll(group.settings);
    return overrides;
  }

  private static void size(List<String> overrides, Option<?> option, Optional<String> given) {
    add(overrides, option, given.map(size -> size.matches("\\d+") ? size + "m" : size));
  }

  private static void add(List<String> overrides, Option<?> option, Optional<String> given) {
    given.ifPresent(value -> overrides.add(option.key() + "=" + value));
  }

  /** Tells of what has no meaning any more. */
  public void warn(Console console) {
    group.containers.ifPresent(
        given ->
            console
                .err()
                .println("-yn is ignored: TaskManagers are started as the jobs need them."));
  }
}

package io.millrace.yarn.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.yarn.YarnOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a cluster asks of YARN.
 *
 * @param externals what each TaskManager's container has besides
 * @param labels of nodes, by the option that asks for them
 * @param attempts how often its JobManager may be started; nothing leaves it to YARN
 */
record ApplicationRequirements(
    Container master,
    Container worker,
    List<External> externals,
    Optional<String> queue,
    Map<String, String> labels,
    Optional<Integer> attempts) {
  private static final long MEBI = 1024L * 1024;

  /** One is ours. */
  private static final int MOST_TAGS = 20;

  private static final int LONGEST_TAG = 100;

  ApplicationRequirements {
    Objects.requireNonNull(master);
    Objects.requireNonNull(worker);
    externals = OrderedCopies.list(externals);
    Objects.requireNonNull(queue);
    labels = OrderedCopies.map(labels);
    Objects.requireNonNull(attempts);
  }

  /** A container's size. */
  record Container(long megabytes, int vcores) {
    @Override
    public String toString() {
      return megabytes + " MB and " + vcores + (vcores == 1 ? " vcore" : " vcores");
    }
  }

  /**
   * An external resource of a TaskManager.
   *
   * @param type what YARN calls it
   */
  record External(String name, String type, long amount) {
    External {
      Objects.requireNonNull(name);
      Objects.requireNonNull(type);
    }
  }

  static ApplicationRequirements of(Configuration configuration) {
    checkTags(configuration.get(YarnOptions.TAGS));
    int vcores = configuration.get(YarnOptions.WORKER_VCORES);
    return new ApplicationRequirements(
        new Container(
            megabytes(JobManagerMemory.of(configuration).process()),
            configuration.get(YarnOptions.MASTER_VCORES)),
        new Container(
            megabytes(TaskManagerMemory.of(configuration).process()),
            vcores > 0 ? vcores : configuration.get(TaskManagerOptions.NUM_TASK_SLOTS)),
        externals(configuration),
        text(configuration, YarnOptions.QUEUE),
        labels(configuration),
        configuration
            .find(YarnOptions.ATTEMPTS)
            .or(
                () ->
                    configuration.get(HighAvailabilityOptions.HA_MODE) == HighAvailability.NONE
                        ? Optional.of(1)
                        : Optional.empty()));
  }

  /** One that has no name at YARN is not asked of it: whoever runs the nodes sees to it. */
  private static List<External> externals(Configuration configuration) {
    List<External> externals = new ArrayList<>();
    ExternalResources.amounts(configuration)
        .forEach(
            (name, amount) ->
                text(configuration, YarnOptions.EXTERNAL_RESOURCE_KEY.named(name))
                    .ifPresent(type -> externals.add(new External(name, type, amount))));
    return externals;
  }

  private static Map<String, String> labels(Configuration configuration) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (Option<String> option :
        List.of(YarnOptions.NODE_LABEL, YarnOptions.TASK_MANAGER_NODE_LABEL)) {
      text(configuration, option).ifPresent(label -> labels.put(option.key(), label));
    }
    return labels;
  }

  /** YARN's own limits, which it would tell of only after everything is uploaded. */
  private static void checkTags(List<String> tags) {
    boolean fit =
        tags.size() < MOST_TAGS
            && tags.stream()
                .allMatch(
                    tag ->
                        tag.length() <= LONGEST_TAG
                            && tag.chars().allMatch(character -> character < 128));
    if (!fit) {
      throw new MillraceException(
          ErrorKind.USER,
          YarnOptions.TAGS.key()
              + " wants fewer than "
              + MOST_TAGS
              + " tags of at most "
              + LONGEST_TAG
              + " ASCII characters each, not "
              + tags
              + ".");
    }
  }

  private static long megabytes(long bytes) {
    return (bytes + MEBI - 1) / MEBI;
  }

  /** A key without a value, as the configuration file may have it, sets nothing. */
  static Optional<String> text(Configuration configuration, Option<String> option) {
    return configuration.find(option).map(String::strip).filter(value -> !value.isEmpty());
  }
}

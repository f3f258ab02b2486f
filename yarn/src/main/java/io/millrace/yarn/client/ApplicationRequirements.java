package io.millrace.yarn.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResources;
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
 * The requirements of a cluster on YARN.
 *
 * @param externals external resources of each TaskManager's container
 * @param labels of nodes, by the option that requires them
 * @param attempts how often YARN may start the JobManager; absent for the maximum of YARN
 */
record ApplicationRequirements(
    Container master,
    Container worker,
    List<External> externals,
    Optional<String> queue,
    Map<String, String> labels,
    Optional<Integer> attempts) {
  private static final long MEBI = 1024L * 1024;

  /** The limit of YARN. The engine adds one tag. */
  private static final int MAX_TAGS = 20;

  private static final int MAX_TAG_LENGTH = 100;

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
   * @param type its name in YARN
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
                    HighAvailabilityOptions.type(configuration).equals(HighAvailabilityOptions.NONE)
                        ? Optional.of(1)
                        : Optional.empty()));
  }

  /** Resources with a name in YARN. The nodes provide the others by themselves. */
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

  /** Checks the limits of YARN before the upload of files. */
  private static void checkTags(List<String> tags) {
    boolean valid =
        tags.size() < MAX_TAGS
            && tags.stream()
                .allMatch(
                    tag ->
                        tag.length() <= MAX_TAG_LENGTH
                            && tag.chars().allMatch(character -> character < 128));
    if (!valid) {
      throw new MillraceException(
          ErrorKind.USER,
          YarnOptions.TAGS.key()
              + " takes fewer than "
              + MAX_TAGS
              + " tags of at most "
              + MAX_TAG_LENGTH
              + " ASCII characters each, not "
              + tags
              + ".");
    }
  }

  private static long megabytes(long bytes) {
    return (bytes + MEBI - 1) / MEBI;
  }

  /** The value of an option; absent if it is blank, as a key without a value in a file. */
  static Optional<String> text(Configuration configuration, Option<String> option) {
    return configuration.find(option).map(String::strip).filter(value -> !value.isEmpty());
  }
}

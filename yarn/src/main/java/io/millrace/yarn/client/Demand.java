package io.millrace.yarn.client;

import io.millrace.core.Ordered;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.Option;
import io.millrace.core.config.Options;
import io.millrace.core.config.YarnOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a cluster asks of YARN.
 *
 * @param attempts how often its JobManager may be started; nothing leaves it to YARN
 */
record Demand(
    Container master,
    Container worker,
    Optional<String> queue,
    List<String> labels,
    Optional<Integer> attempts) {
  private static final long MEBI = 1024L * 1024;

  /** One is ours. */
  private static final int MOST_TAGS = 20;

  private static final int LONGEST_TAG = 100;

  Demand {
    Objects.requireNonNull(master);
    Objects.requireNonNull(worker);
    Objects.requireNonNull(queue);
    labels = Ordered.list(labels);
    Objects.requireNonNull(attempts);
  }

  /** A container's size. */
  record Container(long megabytes, int vcores) {
    @Override
    public String toString() {
      return megabytes + " MB and " + vcores + (vcores == 1 ? " vcore" : " vcores");
    }
  }

  static Demand of(Configuration configuration) {
    checkTags(configuration.get(YarnOptions.TAGS));
    int vcores = configuration.get(YarnOptions.WORKER_VCORES);
    return new Demand(
        new Container(
            megabytes(JobManagerMemory.of(configuration).process()),
            configuration.get(YarnOptions.MASTER_VCORES)),
        new Container(
            megabytes(TaskManagerMemory.of(configuration).process()),
            vcores > 0 ? vcores : configuration.get(Options.SLOTS)),
        text(configuration, YarnOptions.QUEUE),
        Ordered.list(
            Stream.of(
                    text(configuration, YarnOptions.NODE_LABEL),
                    text(configuration, YarnOptions.TASK_MANAGER_NODE_LABEL))
                .flatMap(Optional::stream)
                .toList()),
        configuration
            .find(YarnOptions.ATTEMPTS)
            .or(
                () ->
                    configuration.get(Options.HA_TYPE) == HighAvailability.NONE
                        ? Optional.of(1)
                        : Optional.empty()));
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

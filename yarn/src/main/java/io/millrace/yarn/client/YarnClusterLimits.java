package io.millrace.yarn.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The limits of a YARN cluster.
 *
 * @param largest the largest container
 * @param resources the amounts of further resources in the largest container
 * @param minimumMegabytes the smallest container, by the configuration files of the client
 * @param labels of nodes
 * @param maxAttempts the maximum number of attempts of an application
 * @param creation whether YARN creates the queue of the application, if it is none of these
 */
record YarnClusterLimits(
    ApplicationRequirements.Container largest,
    Map<String, Long> resources,
    long minimumMegabytes,
    List<Queue> queues,
    List<String> labels,
    int maxAttempts,
    QueueCreation creation) {
  YarnClusterLimits {
    Objects.requireNonNull(largest);
    resources = OrderedCopies.map(resources);
    queues = OrderedCopies.list(queues);
    labels = OrderedCopies.list(labels);
    Objects.requireNonNull(creation);
  }

  /**
   * @param leaf whether it takes applications itself and is not a parent of queues
   * @param open whether this user may submit to it
   * @param used share of its capacity that is in use; above 1 if it uses that of other queues
   * @param maximum share of the cluster that it may use
   * @param labels of nodes that its applications may use; {@code *} for all
   */
  record Queue(
      String name,
      String path,
      boolean running,
      boolean leaf,
      boolean open,
      double capacity,
      double used,
      double maximum,
      List<String> labels) {
    Queue {
      labels = OrderedCopies.list(labels);
    }

    boolean hasName(String other) {
      return other.equals(name) || other.equals(path);
    }
  }

  /** Rejects requirements that can never be met. Returns warnings about the others. */
  List<String> check(ApplicationRequirements requirements) {
    List<String> warnings = new ArrayList<>();
    requirements.queue().flatMap(this::checkQueue).ifPresent(warnings::add);
    checkSize(
        "JobManager",
        requirements.master(),
        MemoryOptions.JOB_MANAGER_PROCESS_MEMORY,
        YarnOptions.MASTER_VCORES);
    checkSize(
        "TaskManager",
        requirements.worker(),
        MemoryOptions.TASK_MANAGER_PROCESS_MEMORY,
        YarnOptions.WORKER_VCORES);
    requirements.externals().forEach(this::checkExternal);
    requirements.labels().forEach((option, label) -> checkLabel(option, label, requirements));
    warnIfRoundedUp("JobManager", requirements.master(), warnings);
    warnIfRoundedUp("TaskManager", requirements.worker(), warnings);
    requirements
        .attempts()
        .filter(wanted -> wanted > maxAttempts)
        .ifPresent(
            wanted ->
                warnings.add(
                    "YARN starts a JobManager at most "
                        + maxAttempts
                        + " times (yarn.resourcemanager.am.max-attempts), although "
                        + YarnOptions.ATTEMPTS.key()
                        + " is "
                        + wanted
                        + "."));
    return warnings;
  }

  /** A warning, if YARN may create the queue. */
  private Optional<String> checkQueue(String wanted) {
    Optional<Queue> found = find(queues, wanted);
    String choice =
        " Choose one of: "
            + queues.stream()
                .filter(queue -> queue.leaf() && queue.running() && queue.open())
                .map(Queue::name)
                .sorted()
                .collect(Collectors.joining(", "))
            + " (with "
            + YarnOptions.QUEUE.key()
            + " or -yqu).";
    if (isParent(wanted) || found.filter(queue -> !queue.leaf()).isPresent()) {
      throw user(
          "Queue '"
              + wanted
              + "' is a parent queue: it has queues below it and takes no applications itself."
              + choice);
    }
    if (found.isEmpty()) {
      String missing = "YARN has no queue '" + wanted + "'; " + creation.reason() + ".";
      if (creation.verdict() == QueueCreation.Verdict.IMPOSSIBLE) {
        throw user(missing + choice);
      }
      return Optional.of(missing + " YARN decides when the application is submitted.");
    }
    Queue queue = found.get();
    if (!queue.running()) {
      throw user("Queue '" + wanted + "' is stopped and takes no applications." + choice);
    }
    if (!queue.open()) {
      throw user(
          "This user may not submit applications to queue '"
              + wanted
              + "'. Ask an administrator of the cluster for the permission, or choose another queue."
              + choice);
    }
    return Optional.empty();
  }

  static Optional<Queue> find(List<Queue> queues, String wanted) {
    return queues.stream().filter(queue -> queue.hasName(wanted)).findFirst();
  }

  /** YARN lists all queues but the root. */
  private boolean isParent(String wanted) {
    return queues.stream().anyMatch(queue -> queue.path().startsWith(wanted + "."));
  }

  private void checkSize(
      String process,
      ApplicationRequirements.Container required,
      Option<?> memory,
      Option<?> vcores) {
    if (required.megabytes() > largest.megabytes()) {
      throw resource(
          "A "
              + process
              + " needs a container of "
              + required.megabytes()
              + " MB, but the largest that YARN hands out has "
              + largest.megabytes()
              + " MB. Lower "
              + memory.key()
              + ", or have yarn.scheduler.maximum-allocation-mb raised.");
    }
    if (required.vcores() > largest.vcores()) {
      throw resource(
          "A "
              + process
              + " needs a container of "
              + required.vcores()
              + " vcores, but the largest that YARN hands out has "
              + largest.vcores()
              + ". Lower "
              + vcores.key()
              + (process.equals("TaskManager")
                  ? " or " + TaskManagerOptions.NUM_TASK_SLOTS.key()
                  : "")
              + ", or have yarn.scheduler.maximum-allocation-vcores raised.");
    }
  }

  private void checkExternal(ApplicationRequirements.External required) {
    Long available = resources.get(required.type());
    if (available == null) {
      throw user(
          "YARN has no resource '"
              + required.type()
              + "' ("
              + YarnOptions.EXTERNAL_RESOURCE_KEY.named(required.name()).key()
              + "). "
              + (resources.isEmpty()
                  ? "It has memory and vcores only."
                  : "There are: " + String.join(", ", resources.keySet()) + "."));
    }
    if (required.amount() > available) {
      throw resource(
          "A TaskManager needs a container with "
              + required.amount()
              + " "
              + required.type()
              + ", but the largest that YARN hands out has "
              + available
              + ". Lower "
              + ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(required.name()).key()
              + ".");
    }
  }

  private void checkLabel(String option, String label, ApplicationRequirements requirements) {
    if (!labels.contains(label)) {
      throw user(
          "No node has the label '"
              + label
              + "' ("
              + option
              + "). "
              + (labels.isEmpty()
                  ? "YARN has no labels."
                  : "There are: " + String.join(", ", labels) + "."));
    }
    queues.stream()
        .filter(queue -> requirements.queue().filter(queue::hasName).isPresent())
        .filter(queue -> !queue.labels().contains(label) && !queue.labels().contains("*"))
        .findFirst()
        .ifPresent(
            queue -> {
              throw user(
                  "Applications in queue '"
                      + queue.name()
                      + "' may not be on nodes with the label '"
                      + label
                      + "' ("
                      + option
                      + "). Choose another queue with "
                      + YarnOptions.QUEUE.key()
                      + ", or have the label added to the queue's accessible-node-labels.");
            });
  }

  private void warnIfRoundedUp(
      String process, ApplicationRequirements.Container required, List<String> warnings) {
    if (required.megabytes() < minimumMegabytes) {
      warnings.add(
          "A "
              + process
              + " needs "
              + required.megabytes()
              + " MB and gets a container of "
              + minimumMegabytes
              + " MB, the smallest that YARN hands out (yarn.scheduler.minimum-allocation-mb).");
    }
  }

  private static MillraceException user(String message) {
    return new MillraceException(ErrorKind.USER, message);
  }

  private static MillraceException resource(String message) {
    return new MillraceException(ErrorKind.RESOURCE, message);
  }
}

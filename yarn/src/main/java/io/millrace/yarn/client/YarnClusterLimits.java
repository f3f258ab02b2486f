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
 * What YARN can give.
 *
 * @param largest the largest container it hands out
 * @param resources how much such a container has of what is neither memory nor vcores
 * @param minimumMegabytes it hands out multiples of this, as far as the client's files say
 * @param labels of nodes
 * @param mostAttempts how often it starts an ApplicationMaster at most
 */
record YarnClusterLimits(
    ApplicationRequirements.Container largest,
    Map<String, Long> resources,
    long minimumMegabytes,
    List<Queue> queues,
    List<String> labels,
    int mostAttempts) {
  YarnClusterLimits {
    Objects.requireNonNull(largest);
    resources = OrderedCopies.map(resources);
    queues = OrderedCopies.list(queues);
    labels = OrderedCopies.list(labels);
  }

  /**
   * @param leaf whether applications may be in it, and not only in queues below
   * @param open whether this user may submit to it
   * @param used share of its capacity that is in use; 1.2 where it has more than its own
   * @param maximum share of the cluster that it may have at most
   * @param labels of nodes that its applications may be on; {@code *} for all there are
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

    boolean isCalled(String wanted) {
      return wanted.equals(name) || wanted.equals(path);
    }
  }

  /** Refuses what can never be given. Returns what is worth telling about what can. */
  List<String> check(ApplicationRequirements requirements) {
    requirements.queue().ifPresent(this::checkQueue);
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
    requirements
        .labels()
        .forEach((option, label) -> checkLabel(option, label, requirements.queue()));
    List<String> warnings = new ArrayList<>();
    roundedUp("JobManager", requirements.master(), warnings);
    roundedUp("TaskManager", requirements.worker(), warnings);
    requirements
        .attempts()
        .filter(wanted -> wanted > mostAttempts)
        .ifPresent(
            wanted ->
                warnings.add(
                    "YARN starts a JobManager at most "
                        + mostAttempts
                        + " times (yarn.resourcemanager.am.max-attempts), although "
                        + YarnOptions.ATTEMPTS.key()
                        + " is "
                        + wanted
                        + "."));
    return warnings;
  }

  private void checkQueue(String wanted) {
    Optional<Queue> found = queues.stream().filter(queue -> queue.isCalled(wanted)).findFirst();
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
    Queue queue = found.orElseThrow(() -> user("YARN has no queue '" + wanted + "'." + choice));
    if (!queue.running()) {
      throw user("Queue '" + wanted + "' is stopped and takes no applications." + choice);
    }
    if (!queue.open()) {
      throw user(
          "This user may not submit applications to queue '"
              + wanted
              + "'. Ask whoever runs the cluster, or choose another."
              + choice);
    }
  }

  /** YARN lists all queues but the root. */
  private boolean isParent(String wanted) {
    return queues.stream().anyMatch(queue -> queue.path().startsWith(wanted + "."));
  }

  private void checkSize(
      String process, ApplicationRequirements.Container asked, Option<?> memory, Option<?> vcores) {
    if (asked.megabytes() > largest.megabytes()) {
      throw resource(
          "A "
              + process
              + " needs a container of "
              + asked.megabytes()
              + " MB, but the largest that YARN hands out has "
              + largest.megabytes()
              + " MB. Lower "
              + memory.key()
              + ", or have yarn.scheduler.maximum-allocation-mb raised.");
    }
    if (asked.vcores() > largest.vcores()) {
      throw resource(
          "A "
              + process
              + " needs a container of "
              + asked.vcores()
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

  private void checkExternal(ApplicationRequirements.External asked) {
    Long most = resources.get(asked.type());
    if (most == null) {
      throw user(
          "YARN has no resource '"
              + asked.type()
              + "' ("
              + YarnOptions.EXTERNAL_RESOURCE_KEY.named(asked.name()).key()
              + "). "
              + (resources.isEmpty()
                  ? "It knows of memory and vcores only."
                  : "There are: " + String.join(", ", resources.keySet()) + "."));
    }
    if (asked.amount() > most) {
      throw resource(
          "A TaskManager needs a container with "
              + asked.amount()
              + " "
              + asked.type()
              + ", but the largest that YARN hands out has "
              + most
              + ". Lower "
              + ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(asked.name()).key()
              + ".");
    }
  }

  private void checkLabel(String option, String label, Optional<String> queue) {
    if (!labels.contains(label)) {
      throw user(
          "No node has the label '"
              + label
              + "' ("
              + option
              + "). "
              + (labels.isEmpty()
                  ? "YARN knows no labels."
                  : "There are: " + String.join(", ", labels) + "."));
    }
    queues.stream()
        .filter(one -> queue.filter(one::isCalled).isPresent())
        .filter(one -> !one.labels().contains(label) && !one.labels().contains("*"))
        .findFirst()
        .ifPresent(
            one -> {
              throw user(
                  "Applications in queue '"
                      + one.name()
                      + "' may not be on nodes with the label '"
                      + label
                      + "' ("
                      + option
                      + "). Choose another queue with "
                      + YarnOptions.QUEUE.key()
                      + ", or have the label added to the queue's accessible-node-labels.");
            });
  }

  private void roundedUp(
      String process, ApplicationRequirements.Container asked, List<String> warnings) {
    if (asked.megabytes() < minimumMegabytes) {
      warnings.add(
          "A "
              + process
              + " needs "
              + asked.megabytes()
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

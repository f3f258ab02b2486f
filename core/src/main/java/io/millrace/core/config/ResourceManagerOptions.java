package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;

/** Options of the ResourceManager and its SlotManager. */
public final class ResourceManagerOptions {
  public static final Option<String> DRIVER =
      Option.text(
          "resourcemanager.driver",
          "standalone",
          "Where TaskManagers come from: standalone, where somebody else starts them, or process, which"
              + " starts them on this machine as jobs need them. A JobManager on YARN takes yarn by"
              + " itself.");
  public static final Option<Duration> STANDALONE_START_UP_TIME =
      Option.duration(
              "resourcemanager.standalone.start-up-time",
              "0 ms",
              "Time after start in which a request no worker could ever fit is not yet refused; 0 takes"
                  + " slot.request.timeout.")
          .atLeast("0 ms");
  public static final Option<Duration> JOB_TIMEOUT =
      Option.duration(
              "resourcemanager.job.timeout",
              "5 min",
              "Time without a leader after which the ResourceManager forgets a job.")
          .atLeast("1 ms");
  public static final Option<Duration> TASK_MANAGER_REGISTRATION_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-registration.timeout",
              "5 min",
              "Time after which a worker that was started and has not registered is replaced.")
          .atLeast("1 ms");
  public static final Option<Duration> PREVIOUS_WORKER_RECOVERY_TIMEOUT =
      Option.duration(
              "resourcemanager.previous-worker.recovery.timeout",
              "30 s",
              "Time living workers have to register again, with a restarted ResourceManager or after they have given it up, before they are replaced.")
          .atLeast("0 ms");
  public static final Option<Duration> TASK_MANAGER_RELEASE_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-release.timeout",
              "2 min",
              "Time after which a worker that was told to end counts as gone although its driver has not said so.")
          .atLeast("1 ms");
  public static final Option<Duration> START_WORKER_RETRY_INTERVAL =
      Option.duration(
              "resourcemanager.start-worker.retry-interval",
              "3 s",
              "Pause after a worker could not be started or ended before it registered.")
          .atLeast("0 ms");
  public static final Option<Double> START_WORKER_MAX_FAILURE_RATE =
      Option.decimal(
              "resourcemanager.start-worker.max-failure-rate",
              10.0,
              "Failed starts a minute above which no worker is started until fewer are left of the last minute.")
          .moreThan(0);
  public static final Option<Duration> TASK_MANAGER_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-timeout",
              "30 s",
              "Time after which a started worker that nobody uses is given back.")
          .atLeast("0 ms");
  public static final Option<Integer> REDUNDANT_TASK_MANAGER_NUM =
      Option.integer(
              "slotmanager.redundant-taskmanager-num",
              0,
              "Workers kept free beyond those in use, so that one that is lost is replaced at once.")
          .atLeast(0);
  public static final Option<Integer> MIN_SLOT_NUM =
      Option.integer(
              "slotmanager.number-of-slots.min",
              0,
              "Slots for which workers are started and kept although nobody needs them.")
          .atLeast(0);
  public static final Option<Integer> MAX_SLOT_NUM =
      Option.integer(
              "slotmanager.number-of-slots.max",
              Integer.MAX_VALUE,
              "Most slots that started workers may have together.")
          .atLeast(1);
  public static final Option<Double> MIN_TOTAL_CPU =
      Option.decimal(
              "slotmanager.min-total-resource.cpu",
              0,
              "Processor cores for which workers are started and kept although nobody needs them.")
          .atLeast(0);
  public static final Option<Double> MAX_TOTAL_CPU =
      Option.decimal(
              "slotmanager.max-total-resource.cpu",
              Double.MAX_VALUE,
              "Most processor cores that started workers may have together.")
          .moreThan(0);
  public static final Option<MemorySize> MIN_TOTAL_MEMORY =
      Option.memory(
              "slotmanager.min-total-resource.memory",
              "0b",
              "Memory of slots for which workers are started and kept although nobody needs it.")
          .atLeast("0b");
  public static final Option<MemorySize> MAX_TOTAL_MEMORY =
      Option.memory(
              "slotmanager.max-total-resource.memory",
              "9223372036854775807b",
              "Most memory of slots that started workers may have together.")
          .atLeast("1b");

  private ResourceManagerOptions() {}
}

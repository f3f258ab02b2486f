package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;

/** Options of the ResourceManager and its SlotManager. */
public final class ResourceManagerOptions {
  public static final Option<String> DRIVER =
      Option.text(
          "resourcemanager.driver",
          "standalone",
          "How TaskManagers are started: standalone (externally) or process (by the"
              + " ResourceManager, on this machine, on demand). A plugin may add others; a"
              + " JobManager that a plugin starts sets its own.");
  public static final Option<Duration> STANDALONE_START_UP_TIME =
      Option.duration(
              "resourcemanager.standalone.start-up-time",
              "0 ms",
              "Time after the start in which a request that fits no worker is not"
                  + " refused; 0 is slot.request.timeout.")
          .atLeast("0 ms");
  public static final Option<Duration> JOB_TIMEOUT =
      Option.duration(
              "resourcemanager.job.timeout",
              "5 min",
              "Time without a leader after which the ResourceManager removes a job.")
          .atLeast("1 ms");
  public static final Option<Duration> TASK_MANAGER_REGISTRATION_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-registration.timeout",
              "5 min",
              "Time after which a started worker that has not registered is replaced.")
          .atLeast("1 ms");
  public static final Option<Duration> PREVIOUS_WORKER_RECOVERY_TIMEOUT =
      Option.duration(
              "resourcemanager.previous-worker.recovery.timeout",
              "30 s",
              "Time in which workers must register again with a restarted"
                  + " ResourceManager, or after they have lost it, before they are replaced.")
          .atLeast("0 ms");
  public static final Option<Duration> TASK_MANAGER_RELEASE_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-release.timeout",
              "2 min",
              "Time after which a released worker counts as ended if its driver has"
                  + " not reported its end.")
          .atLeast("1 ms");
  public static final Option<Duration> START_WORKER_RETRY_INTERVAL =
      Option.duration(
              "resourcemanager.start-worker.retry-interval",
              "3 s",
              "Delay of the next start after a worker could not be started or ended"
                  + " before it registered.")
          .atLeast("0 ms");
  public static final Option<Double> START_WORKER_MAX_FAILURE_RATE =
      Option.decimal(
              "resourcemanager.start-worker.max-failure-rate",
              10.0,
              "Maximum number of failed starts per minute; above it no worker is"
                  + " started until the number of the last minute is lower.")
          .moreThan(0);
  public static final Option<Duration> TASK_MANAGER_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-timeout",
              "30 s",
              "Time after which an idle worker is released.")
          .atLeast("0 ms");
  public static final Option<Integer> REDUNDANT_TASK_MANAGER_NUM =
      Option.integer(
              "slotmanager.redundant-taskmanager-num",
              0,
              "Number of workers that are kept free, so that a lost worker can be"
                  + " replaced at once.")
          .atLeast(0);
  public static final Option<Integer> MIN_SLOT_NUM =
      Option.integer(
              "slotmanager.number-of-slots.min",
              0,
              "Number of slots for which workers are started and kept without demand.")
          .atLeast(0);
  public static final Option<Integer> MAX_SLOT_NUM =
      Option.integer(
              "slotmanager.number-of-slots.max",
              Integer.MAX_VALUE,
              "Maximum number of slots of all started workers.")
          .atLeast(1);
  public static final Option<Double> MIN_TOTAL_CPU =
      Option.decimal(
              "slotmanager.min-total-resource.cpu",
              0,
              "CPU cores for which workers are started and kept without demand.")
          .atLeast(0);
  public static final Option<Double> MAX_TOTAL_CPU =
      Option.decimal(
              "slotmanager.max-total-resource.cpu",
              Double.MAX_VALUE,
              "Maximum number of CPU cores of all started workers.")
          .moreThan(0);
  public static final Option<MemorySize> MIN_TOTAL_MEMORY =
      Option.memory(
              "slotmanager.min-total-resource.memory",
              "0b",
              "Slot memory for which workers are started and kept without demand.")
          .atLeast("0b");
  public static final Option<MemorySize> MAX_TOTAL_MEMORY =
      Option.memory(
              "slotmanager.max-total-resource.memory",
              "9223372036854775807b",
              "Maximum slot memory of all started workers.")
          .atLeast("1b");

  private ResourceManagerOptions() {}
}

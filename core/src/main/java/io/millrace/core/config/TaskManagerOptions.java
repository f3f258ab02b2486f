package io.millrace.core.config;

import java.time.Duration;

/** Options of TaskManagers: addresses, slots, threads and the cancellation of tasks. */
public final class TaskManagerOptions {
  public static final Option<String> HOST =
      Option.text("taskmanager.host", "127.0.0.1", "Host at which others reach this TaskManager.");
  public static final Option<String> BIND_HOST =
      Option.text(
          "taskmanager.bind-host", "127.0.0.1", "Address a TaskManager binds its ports to.");
  public static final Option<Integer> RPC_PORT =
      Option.integer("taskmanager.rpc.port", 0, "RPC port of a TaskManager; 0 takes a free one.")
          .between(0, 65535);
  public static final Option<Integer> DATA_PORT =
      Option.integer(
              "taskmanager.data.port",
              0,
              "Port for records between TaskManagers; 0 takes a free one.")
          .between(0, 65535);
  public static final Option<Integer> NUM_TASK_SLOTS =
      Option.integer("taskmanager.numberOfTaskSlots", 1, "Slots a TaskManager offers.")
          .between(1, 32768);
  public static final Option<String> RESOURCE_ID =
      Option.text(
          "taskmanager.resource-id", "Name of a TaskManager; a random one is drawn where unset.");
  public static final Option<Duration> REGISTRATION_TIMEOUT =
      Option.duration(
              "taskmanager.registration.timeout",
              "5 min",
              "Time without a ResourceManager after which a TaskManager ends.")
          .atLeast("1 ms");
  public static final Option<Duration> SLOT_TIMEOUT =
      Option.duration(
              "taskmanager.slot.timeout",
              "10 s",
              "Time after which a slot that its job does not take is freed.")
          .atLeast("1 ms");
  public static final Option<Integer> CORE_THREADS =
      Option.integer(
              "taskmanager.cores", -1, "Core threads that run tasks; -1 takes one per processor.")
          .between(1, 4096)
          .or(-1);
  public static final Option<Double> CPU_CORES =
      Option.decimal(
              "taskmanager.cpu.cores",
              "Processor cores the slots of a TaskManager share on paper; as many as slots where unset.")
          .moreThan(0);
  public static final Option<Integer> MAX_OWN_THREADS =
      Option.integer(
              "taskmanager.own-threads.max",
              256,
              "Tasks that may have a thread of their own at a time because they hold core threads for"
                  + " long; more of them share the core threads.")
          .between(0, 65536);
  public static final Option<Duration> TASK_CANCELLATION_INTERVAL =
      Option.duration(
              "task.cancellation.interval",
              "30 s",
              "Time between interrupts of a task that ignores its cancellation, after some quick ones in"
                  + " the first second. A job may set its own.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> TASK_CANCELLATION_TIMEOUT =
      Option.duration(
              "task.cancellation.timeout",
              "180 s",
              "Time after which a task that does not end ends the TaskManager, counted from its"
                  + " cancellation or failure; 0 never. A job may set its own.")
          .atLeast("0 ms")
          .perJob();

  private TaskManagerOptions() {}
}

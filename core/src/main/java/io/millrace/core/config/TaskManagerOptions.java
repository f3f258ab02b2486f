package io.millrace.core.config;

import java.time.Duration;

/** Options of TaskManagers: addresses, slots, threads and the cancellation of tasks. */
public final class TaskManagerOptions {
  public static final Option<String> HOST =
      Option.text(
          "taskmanager.host",
          "127.0.0.1",
          "Host under which other processes reach the TaskManager.");
  public static final Option<String> BIND_HOST =
      Option.text(
          "taskmanager.bind-host", "127.0.0.1", "Address to which a TaskManager binds its ports.");
  public static final Option<PortRange> RPC_PORT =
      Option.ports(
          "taskmanager.rpc.port",
          "0",
          "RPC port of a TaskManager; a range such as 50100-50200 binds a free port of it, 0 any"
              + " free port.");
  public static final Option<PortRange> RPC_BIND_PORT =
      Option.ports(
          "taskmanager.rpc.bind-port",
          "Ports to bind for RPC, if others reach the TaskManager at another one; like"
              + " taskmanager.rpc.port by default.");
  public static final Option<PortRange> DATA_PORT =
      Option.ports(
          "taskmanager.data.port",
          "0",
          "Port for the exchange of records between TaskManagers; a range such as 50100-50200"
              + " binds a free port of it, 0 any free port.");
  public static final Option<PortRange> DATA_BIND_PORT =
      Option.ports(
          "taskmanager.data.bind-port",
          "Ports to bind for the exchange of records, if others reach the TaskManager at another"
              + " one; like taskmanager.data.port by default.");
  public static final Option<Integer> NUM_TASK_SLOTS =
      Option.integer("taskmanager.numberOfTaskSlots", 1, "Number of slots of a TaskManager.")
          .between(1, 32768);
  public static final Option<String> RESOURCE_ID =
      Option.text("taskmanager.resource-id", "Id of a TaskManager; random by default.");
  public static final Option<Duration> REGISTRATION_TIMEOUT =
      Option.duration(
              "taskmanager.registration.timeout",
              "5 min",
              "Time without a ResourceManager after which a TaskManager exits.")
          .atLeast("1 ms");
  public static final Option<Duration> SLOT_TIMEOUT =
      Option.duration(
              "taskmanager.slot.timeout",
              "10 s",
              "Time after which an allocated slot that its job does not accept is" + " freed.")
          .atLeast("1 ms");
  public static final Option<Integer> CORE_THREADS =
      Option.integer(
              "taskmanager.cores",
              -1,
              "Number of core threads that run tasks; -1 is one per processor.")
          .between(1, 4096)
          .or(-1);
  public static final Option<Double> CPU_CORES =
      Option.decimal(
              "taskmanager.cpu.cores",
              "CPU cores that the slots of a TaskManager share in resource profiles;"
                  + " one per slot by default.")
          .moreThan(0);
  public static final Option<Integer> MAX_OWN_THREADS =
      Option.integer(
              "taskmanager.own-threads.max",
              256,
              "Maximum number of tasks with a dedicated thread because they occupy"
                  + " core threads for long; further ones share the core threads.")
          .between(0, 65536);
  public static final Option<Duration> TASK_CANCELLATION_INTERVAL =
      Option.duration(
              "task.cancellation.interval",
              "30 s",
              "Interval of interrupts of a task that does not react to its"
                  + " cancellation, after some faster ones in the first second. A job can"
                  + " override it.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> TASK_CANCELLATION_TIMEOUT =
      Option.duration(
              "task.cancellation.timeout",
              "180 s",
              "Time after its cancellation or failure in which a task must end, or the TaskManager"
                  + " exits; 0 is no limit. A job can override it.")
          .atLeast("0 ms")
          .perJob();

  private TaskManagerOptions() {}
}

package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;

/** Options of JobManagers: addresses, the store of ended jobs, and slot requests of jobs. */
public final class JobManagerOptions {
  public static final Option<String> ADDRESS =
      Option.text(
          "jobmanager.rpc.address",
          "127.0.0.1",
          "Host under which TaskManagers reach the JobManager.");
  public static final Option<PortRange> PORT =
      Option.ports(
          "jobmanager.rpc.port",
          "6123",
          "RPC port of the JobManager; a range such as 50100-50200 binds a free port of it, 0 any"
              + " free port.");
  public static final Option<PortRange> BIND_PORT =
      Option.ports(
          "jobmanager.rpc.bind-port",
          "Ports to bind for RPC, if TaskManagers reach the JobManager at another one; like"
              + " jobmanager.rpc.port by default.");
  public static final Option<String> BIND_HOST =
      Option.text(
          "jobmanager.bind-host",
          "127.0.0.1",
          "Address to which the JobManager binds its RPC port.");
  public static final Option<JobStoreType> JOB_STORE_TYPE =
      Option.choice(
          "jobstore.type",
          JobStoreType.class,
          JobStoreType.FILE,
          "Where the JobManager stores the details of ended jobs: file or memory."
              + " With high-availability.type file, files survive a restart.");
  public static final Option<MemorySize> JOB_STORE_CACHE_SIZE =
      Option.memory(
              "jobstore.cache-size",
              "50mb",
              "Maximum size of details of ended jobs that are cached in memory,"
                  + " measured by their file size.")
          .atLeast("0b");
  public static final Option<Integer> JOB_STORE_MAX_CAPACITY =
      Option.integer(
              "jobstore.max-capacity",
              1000,
              "Maximum number of ended jobs that the JobManager stores.")
          .atLeast(1);
  public static final Option<Duration> JOB_STORE_EXPIRATION_TIME =
      Option.duration(
              "jobstore.expiration-time",
              "1 h",
              "Time for which the JobManager stores an ended job.")
          .atLeast("0 ms");
  public static final Option<Duration> SLOT_REQUEST_TIMEOUT =
      Option.duration(
              "slot.request.timeout",
              "5 min",
              "Time that a job waits for missing slots before it fails; restarts when"
                  + " a slot arrives.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> SLOT_IDLE_TIMEOUT =
      Option.duration("slot.idle.timeout", "50 s", "Time after which a job returns an unused slot.")
          .atLeast("0 ms")
          .perJob();

  private JobManagerOptions() {}
}

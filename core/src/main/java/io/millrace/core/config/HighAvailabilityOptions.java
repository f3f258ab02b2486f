package io.millrace.core.config;

import java.util.Locale;

/** Options about what a JobManager recovers from. */
public final class HighAvailabilityOptions {
  /** A value of {@link #HA_MODE}: jobs end with the JobManager. */
  public static final String NONE = "none";

  /** A value of {@link #HA_MODE}: a restarted JobManager recovers from a directory. */
  public static final String FILE = "file";

  public static final Option<String> HA_MODE =
      Option.text(
              "high-availability.type",
              NONE,
              "Where a JobManager stores jobs, results and jars for its recovery: none, file, or"
                  + " the name of a coordination service of a plugin, such as zookeeper, which also"
                  + " elects one of several JobManagers. Commands find the leading one there.")
          .perCommand();
  public static final Option<String> HA_STORAGE_PATH =
      Option.text(
          "high-availability.storageDir",
          "Directory for the recovery of JobManagers: a local one, or one in HDFS if"
              + " the JobManager may restart on another machine. TaskManagers with the same"
              + " directory find the JobManager there.");
  public static final Option<String> HA_CLUSTER_ID =
      Option.text(
              "high-availability.cluster-id",
              "/default",
              "Directory of the cluster in high-availability.storageDir, unique per"
                  + " cluster. The job ids of an application are derived from it, so it must be"
                  + " the same in each attempt.")
          .perCommand();

  public static final Option<PortRange> HA_JOB_MANAGER_PORT =
      Option.ports(
          "high-availability.jobmanager.port",
          "RPC ports of JobManagers with high availability; like jobmanager.rpc.port by default."
              + " jobmanager.rpc.bind-port overrides it.");

  private HighAvailabilityOptions() {}

  /** The type of high availability, in lower case. */
  public static String type(Configuration configuration) {
    return configuration.get(HA_MODE).toLowerCase(Locale.ROOT);
  }
}

package io.millrace.core.config;

/** Options about what a JobManager recovers from. */
public final class HighAvailabilityOptions {
  public static final Option<HighAvailability> HA_MODE =
      Option.choice(
          "high-availability.type",
          HighAvailability.class,
          HighAvailability.NONE,
          "Where a JobManager stores jobs, results and jars for its recovery:"
              + " nowhere, or in files.");
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
              + " the same in each attempt.");

  private HighAvailabilityOptions() {}
}

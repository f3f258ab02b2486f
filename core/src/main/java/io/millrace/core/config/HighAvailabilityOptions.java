package io.millrace.core.config;

/** Options about what a JobManager recovers from. */
public final class HighAvailabilityOptions {
  public static final Option<HighAvailability> HA_MODE =
      Option.choice(
          "high-availability.type",
          HighAvailability.class,
          HighAvailability.NONE,
          "Where a JobManager keeps jobs, results and jars for the next one: nowhere, or in files.");
  public static final Option<String> HA_STORAGE_PATH =
      Option.text(
          "high-availability.storageDir",
          "Directory for what a JobManager recovers from: a local one, or one in HDFS for a JobManager that may be started again on another machine. TaskManagers with the same directory find the JobManager there.");
  public static final Option<String> HA_CLUSTER_ID =
      Option.text(
          "high-availability.cluster-id",
          "/default",
          "The cluster's own directory in high-availability.storageDir, and what an application's job"
              + " ids are derived from: the same in each attempt to run it, and no other cluster's.");

  private HighAvailabilityOptions() {}
}

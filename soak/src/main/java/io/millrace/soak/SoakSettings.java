package io.millrace.soak;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * What to run.
 *
 * @param jobManagers with more than one, the cluster uses ZooKeeper, and faults disturb leaders
 * @param rate generated records per second
 * @param home the distribution
 * @param directory everything the run writes; exists and is empty
 * @param options options of the cluster and of the job, in addition to those of the run
 * @param environment variables of all processes, in addition to those of this one
 */
public record SoakSettings(
    FaultBudget budget,
    int jobManagers,
    int rate,
    Path home,
    Path directory,
    Map<String, String> options,
    Map<String, String> environment) {
  public SoakSettings {
    Objects.requireNonNull(budget);
    Objects.requireNonNull(home);
    Objects.requireNonNull(directory);
    options = Map.copyOf(options);
    environment = Map.copyOf(environment);
  }

  boolean hasStandbys() {
    return jobManagers > 1;
  }
}

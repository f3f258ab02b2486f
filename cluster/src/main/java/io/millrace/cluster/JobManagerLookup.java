package io.millrace.cluster;

import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.io.IOException;
import java.util.Optional;

/**
 * How a TaskManager finds its JobManager: where the recovery data says that it is, so that one that
 * is started again on another machine is followed; without recovery data, where the configuration
 * says.
 */
final class JobManagerLookup implements DirectoryLeaderRetrieval.Lookup {
  private final FileSystem system;
  private final FilePath store;
  private final Optional<String> otherwise;

  /**
   * @param otherwise where it is as long as nothing is recorded
   */
  private JobManagerLookup(FileSystem system, FilePath store, Optional<String> otherwise) {
    this.system = system;
    this.store = store;
    this.otherwise = otherwise;
  }

  static LeaderRetrieval of(Configuration configuration, FileSystems files, Rpc rpc) {
    String configured =
        configuration.get(JobManagerOptions.ADDRESS)
            + ":"
            + configuration.get(JobManagerOptions.PORT);
    if (configuration.get(HighAvailabilityOptions.HA_MODE) == HighAvailability.NONE
        || configuration.find(HighAvailabilityOptions.HA_STORAGE_PATH).isEmpty()) {
      return new DirectoryLeaderRetrieval(rpc, configured);
    }
    FilePath store = HighAvailabilityServices.store(configuration);
    // A TaskManager on another machine does not see the disk of its JobManager, and a JobManager
    // that moves between machines is nowhere until it says so.
    boolean isLocal = store.scheme().equals(FilePath.LOCAL);
    return new DirectoryLeaderRetrieval(
        rpc,
        new JobManagerLookup(
            files.of(store), store, isLocal ? Optional.of(configured) : Optional.empty()));
  }

  @Override
  public Optional<String> process() throws IOException {
    return LeaderRecord.read(system, store).map(LeaderRecord::rpc).or(() -> otherwise);
  }

  @Override
  public String toString() {
    return store.toString();
  }
}

package io.millrace.cluster;

import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds the JobManager for a TaskManager. With recovery data, the address is in its leader record,
 * so that a TaskManager follows a JobManager that restarts on another machine. Without recovery
 * data, the address is in the configuration.
 */
final class JobManagerLookup implements DirectoryLeaderRetrieval.Lookup {
  private final FileSystem system;
  private final FilePath store;
  private final Optional<String> fallback;

  private JobManagerLookup(FileSystem system, FilePath store) {
    this.system = system;
    this.store = store;
    this.fallback = Optional.empty();
  }

  /**
   * @param fallback the address while there is no leader record
   */
  private JobManagerLookup(FileSystem system, FilePath store, String fallback) {
    this.system = system;
    this.store = store;
    this.fallback = Optional.of(fallback);
  }

  static LeaderRetrieval of(Configuration configuration, FileSystems files, Rpc rpc) {
    if (HighAvailabilityOptions.type(configuration).equals(HighAvailabilityOptions.NONE)
        || configuration.find(HighAvailabilityOptions.HA_STORAGE_PATH).isEmpty()) {
      return new DirectoryLeaderRetrieval(rpc, configured(configuration));
    }
    FilePath store = HighAvailabilityServices.store(configuration);
    // A TaskManager on another machine cannot read a local disk and needs the configured address. A
    // JobManager that moves between machines has no address before it has published one.
    FileSystem system = files.of(store);
    boolean isLocal =
        store.scheme().equals(FilePath.LOCAL)
            && configuration.get(JobManagerOptions.PORT).single().isPresent();
    return new DirectoryLeaderRetrieval(
        rpc,
        isLocal
            ? new JobManagerLookup(system, store, configured(configuration))
            : new JobManagerLookup(system, store));
  }

  private static String configured(Configuration configuration) {
    PortRange ports = configuration.get(JobManagerOptions.PORT);
    int port =
        ports
            .single()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        JobManagerOptions.PORT.key()
                            + " is "
                            + ports
                            + ", so this configuration does not name the port of the JobManager. Set"
                            + " it to the port in the log of the JobManager, or let the JobManager"
                            + " publish its address with high-availability.type."));
    return configuration.get(JobManagerOptions.ADDRESS) + ":" + port;
  }

  @Override
  public Optional<String> process() throws IOException {
    return LeaderRecord.read(system, store).map(LeaderRecord::rpc).or(() -> fallback);
  }

  @Override
  public String toString() {
    return store.toString();
  }
}

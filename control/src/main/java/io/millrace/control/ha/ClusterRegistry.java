package io.millrace.control.ha;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * All clusters that a coordination service has data of, below the configured root. For tools that
 * look for clusters that have ended; a plug point. All methods block; a failure of the service is a
 * {@link io.millrace.core.error.MillraceException} of kind EXTERNAL.
 */
public interface ClusterRegistry extends AutoCloseable {
  /** The clusters, sorted by their ids. */
  List<Cluster> clusters();

  /**
   * The published leader of a cluster.
   *
   * @param id the value of {@code high-availability.cluster-id}
   */
  Optional<LeaderRecord> leader(String id);

  /** The recovery data of a cluster. Only reads are possible. */
  HaStore store(Cluster cluster);

  /**
   * Removes all data of a cluster in one step, unless one of its JobManagers contends for the
   * leadership by then.
   *
   * @return whether it was removed
   */
  boolean remove(Cluster cluster);

  @Override
  void close();

  /**
   * A cluster.
   *
   * @param id the value of {@code high-availability.cluster-id} without the slash
   * @param place where the service has its data, for people
   * @param contenders how many JobManagers contend for the leadership; a session of a dead one
   *     counts until it ends
   * @param leader the published leader
   * @param storage the directory with the files of the cluster, if it is known
   * @param lastChange the last change of its recovery data
   */
  record Cluster(
      String id,
      String place,
      int contenders,
      Optional<LeaderRecord> leader,
      Optional<String> storage,
      Instant lastChange) {
    public Cluster {
      Objects.requireNonNull(id);
      Objects.requireNonNull(place);
      Objects.requireNonNull(leader);
      Objects.requireNonNull(storage);
      Objects.requireNonNull(lastChange);
    }
  }
}

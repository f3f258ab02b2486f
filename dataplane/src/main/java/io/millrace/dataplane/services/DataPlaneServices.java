package io.millrace.dataplane.services;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.cores.CoreScheduler;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.dataplane.partition.PartitionStore;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.store.LocalStores;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.task.ClusterPartition;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * The services that all tasks of a process share.
 *
 * @param clock processing time in milliseconds since the epoch
 * @param ticker nanoseconds since any time, for intervals that programs set
 * @param configuration of the process; an option that the job sets takes precedence
 * @param checkpoints the checkpoints that tasks of this process write now
 * @param stores the state backends outside the heap
 * @param transport the connection to other processes, empty for a process that runs alone
 */
public record DataPlaneServices(
    LongSupplier clock,
    LongSupplier ticker,
    CoreScheduler cores,
    Configuration configuration,
    FileSystems files,
    PartitionStore partitions,
    HostCheckpoints checkpoints,
    LocalStores stores,
    Optional<DataTransport> transport) {
  private static final String IN_PROCESS = "in-process";
  private static final int LOCAL_CHUNK_BYTES = 256 << 10;

  // The transport is used in plain statements only: a method reference to it loads Netty.

  /** The address at which other processes reach this one. */
  public String dataAddress() {
    return transport.isPresent() ? transport.get().address() : IN_PROCESS;
  }

  /** Whether no other process takes part, so that records are never serialised. */
  public boolean isAlone() {
    return transport.isEmpty();
  }

  public Optional<NetworkBufferPool> networkBufferPool() {
    return transport.isPresent() ? Optional.of(transport.get().pool()) : Optional.empty();
  }

  /** The transport to a peer; a process without a data port has none. */
  public DataTransport transportTo(String peer) {
    return transport.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.BUG, "A process without a data port cannot send records to " + peer));
  }

  /**
   * Reads a chunk of a cluster partition.
   *
   * @param location data address of the process that stores the partition
   */
  public CompletableFuture<PartitionChunk> readPartition(
      ClusterPartition partition, String location, long offset) {
    if (!location.equals(dataAddress())) {
      return transportTo(location).fetch(location, partition, offset);
    }
    try {
      return CompletableFuture.completedFuture(
          partitions.read(partition, offset, LOCAL_CHUNK_BYTES));
    } catch (UncheckedIOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

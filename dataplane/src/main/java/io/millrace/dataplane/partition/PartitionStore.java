package io.millrace.dataplane.partition;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.ClusterPartition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions on this host.
 *
 * <table>
 * <caption>Transitions of a partition</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>none</td><td>{@link #begin}</td><td>being written</td></tr>
 * <tr><td>being written</td><td>the writer finishes</td><td>finished</td></tr>
 * <tr><td>being written</td><td>the writer closes</td><td>deleted</td></tr>
 * <tr><td>finished</td><td>{@link #promote}: the job has finished</td><td>cluster
 * partition</td></tr>
 * <tr><td>finished</td><td>{@link #discard}, {@link #release}, or a later attempt
 * finishes</td><td>deleted</td></tr>
 * <tr><td>cluster partition</td><td>{@link #drop}</td><td>deleted</td></tr>
 * </table>
 *
 * <p>Only cluster partitions can be read. Any thread may call the store. It reads files for other
 * hosts and deletes files on its own thread, which exists while there is work.
 */
public final class PartitionStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionStore.class);

  private final Optional<Path> home;
  private Optional<Path> directory = Optional.empty();
  private final Map<ExecutionId, Map<ClusterPartition, Path>> waiting = new LinkedHashMap<>();
  private final Map<ClusterPartition, Path> clusterPartitions = new LinkedHashMap<>();
  private final ThreadPoolExecutor files;
  private long nextFile;

  /**
   * @param home the directory of the files; empty for a new temporary directory
   */
  public PartitionStore(Optional<Path> home) {
    this.home = home;
    files =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            run -> {
              Thread thread = new Thread(run, "millrace-partitions");
              thread.setDaemon(true);
              return thread;
            });
    files.allowCoreThreadTimeOut(true);
  }

  /** Starts to write the partition of an execution. */
  public PartitionWriter begin(ClusterPartition partition, ExecutionId execution)
      throws IOException {
    Path file;
    synchronized (this) {
      if (directory.isEmpty()) {
        directory =
            Optional.of(
                home.isPresent()
                    ? Files.createDirectories(home.get())
                    : Files.createTempDirectory("millrace-partitions-"));
      }
      file = directory.get().resolve(partition.dataSet() + "-" + ++nextFile);
    }
    return new PartitionWriter(this, partition, execution, file);
  }

  synchronized void finished(ClusterPartition partition, ExecutionId execution, Path file) {
    // The partition replaces that of an earlier attempt.
    List<ExecutionId> earlier = new ArrayList<>();
    waiting.forEach(
        (other, partitions) -> {
          if (!other.equals(execution) && partitions.containsKey(partition)) {
            earlier.add(other);
          }
        });
    earlier.forEach(this::discard);
    waiting.computeIfAbsent(execution, x -> new LinkedHashMap<>()).put(partition, file);
  }

  /** Deletes the partitions of an execution that did not finish. */
  public synchronized void discard(ExecutionId execution) {
    Map<ClusterPartition, Path> partitions = waiting.remove(execution);
    if (partitions != null) {
      partitions.values().forEach(this::delete);
    }
  }

  /** Whether a job has partitions that are neither promoted nor deleted. */
  public synchronized boolean hasResultsOf(JobId job) {
    return waiting.values().stream().anyMatch(of(job));
  }

  private static Predicate<Map<ClusterPartition, Path>> of(JobId job) {
    return partitions -> partitions.keySet().iterator().next().producer().equals(job);
  }

  /** Makes the partitions of these executions readable, because their job has finished. */
  public synchronized void promote(long term, List<ExecutionId> executions) {
    for (ExecutionId execution : executions) {
      Map<ClusterPartition, Path> partitions = waiting.remove(execution);
      if (partitions != null) {
        partitions.forEach(
            (partition, file) -> clusterPartitions.put(partition.finishedIn(term), file));
      }
    }
  }

  public synchronized List<ClusterPartition> clusterPartitions() {
    return new ArrayList<>(clusterPartitions.keySet());
  }

  public synchronized void drop(List<ClusterPartition> partitions) {
    for (ClusterPartition partition : partitions) {
      Path file = clusterPartitions.remove(partition);
      if (file != null) {
        delete(file);
      }
    }
  }

  /** Deletes the partitions of a job that were not promoted. */
  public synchronized void release(JobId job) {
    Predicate<Map<ClusterPartition, Path>> ofJob = of(job);
    waiting
        .values()
        .removeIf(
            partitions -> {
              boolean goes = ofJob.test(partitions);
              if (goes) {
                partitions.values().forEach(this::delete);
              }
              return goes;
            });
  }

  /** Reads a chunk of a cluster partition on the thread of the store. */
  public CompletableFuture<PartitionChunk> readAsync(
      ClusterPartition partition, long offset, int most) {
    return CompletableFuture.supplyAsync(() -> read(partition, offset, most), files);
  }

  /** Reads a chunk of a cluster partition; throws if it is not stored here. */
  public PartitionChunk read(ClusterPartition partition, long offset, int most) {
    Optional<Path> file;
    synchronized (this) {
      file = Optional.ofNullable(clusterPartitions.get(partition));
    }
    if (file.isEmpty()) {
      throw missing(new NoSuchFileException("the TaskManager does not store it"));
    }
    try (SeekableByteChannel channel = Files.newByteChannel(file.get())) {
      long left = channel.size() - offset;
      if (offset < 0 || left < 0 || most < 1) {
        throw new IOException("its file has no offset " + offset);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(left, most));
      channel.position(offset);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // reads until the buffer is full
      }
      if (bytes.hasRemaining()) {
        throw new IOException("its file is truncated");
      }
      return new PartitionChunk(bytes.array(), bytes.capacity() == left);
    } catch (IOException e) {
      throw missing(e);
    }
  }

  private static UncheckedIOException missing(IOException why) {
    return new UncheckedIOException(why.getMessage(), why);
  }

  private void delete(Path file) {
    files.execute(
        () -> {
          try {
            Files.deleteIfExists(file);
          } catch (IOException e) {
            LOG.warn(
                "The partition {} cannot be deleted; it stays until this process ends", file, e);
          }
        });
  }

  /** Deletes all partitions. */
  @Override
  public void close() {
    files.shutdown();
    try {
      if (!files.awaitTermination(1, TimeUnit.SECONDS)) {
        LOG.warn("Partitions are still read or deleted while the data plane closes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Optional<Path> made;
    synchronized (this) {
      made = directory;
      waiting.clear();
      clusterPartitions.clear();
    }
    made.ifPresent(PartitionStore::deleteAll);
  }

  private static void deleteAll(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      LOG.warn("Partitions in {} cannot be deleted", directory, e);
    }
  }
}

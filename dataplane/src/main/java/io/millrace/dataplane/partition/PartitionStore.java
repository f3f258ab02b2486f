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
 * The partitions on this host. A task writes one; when it has finished, the partition waits for the
 * end of its job, which either keeps it or has it deleted. A kept one can be read, any number of
 * times, until it is dropped.
 *
 * <p>May be called from any thread. Files are read for others and deleted on a thread of its own,
 * which is there only while it has something to do.
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
   * @param home where the files go; a new temporary directory if nothing is said
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

  /** Begins to write what an execution leaves. */
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
    // What an earlier attempt has left is of no use any more.
    List<ExecutionId> earlier = new ArrayList<>();
    waiting.forEach(
        (other, left) -> {
          if (!other.equals(execution) && left.containsKey(partition)) {
            earlier.add(other);
          }
        });
    earlier.forEach(this::discard);
    waiting.computeIfAbsent(execution, x -> new LinkedHashMap<>()).put(partition, file);
  }

  /** The execution has not finished after all. */
  public synchronized void discard(ExecutionId execution) {
    Map<ClusterPartition, Path> left = waiting.remove(execution);
    if (left != null) {
      left.values().forEach(this::delete);
    }
  }

  /** Whether something of a job waits for the job's end. */
  public synchronized boolean hasResultsOf(JobId job) {
    return waiting.values().stream().anyMatch(of(job));
  }

  private static Predicate<Map<ClusterPartition, Path>> of(JobId job) {
    return left -> left.keySet().iterator().next().producer().equals(job);
  }

  /** The job of these executions has finished: what they left can be read from now on. */
  public synchronized void promote(long term, List<ExecutionId> executions) {
    for (ExecutionId execution : executions) {
      Map<ClusterPartition, Path> left = waiting.remove(execution);
      if (left != null) {
        left.forEach((partition, file) -> clusterPartitions.put(partition.finishedIn(term), file));
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

  /** Deletes what a job has left and nobody has kept. */
  public synchronized void release(JobId job) {
    Predicate<Map<ClusterPartition, Path>> ofJob = of(job);
    waiting
        .values()
        .removeIf(
            left -> {
              boolean goes = ofJob.test(left);
              if (goes) {
                left.values().forEach(this::delete);
              }
              return goes;
            });
  }

  /** Reads a piece of a kept partition on this store's own thread. */
  public CompletableFuture<PartitionChunk> readAsync(
      ClusterPartition partition, long offset, int most) {
    return CompletableFuture.supplyAsync(() -> read(partition, offset, most), files);
  }

  /** Reads a piece of a kept partition; one that is not here is an error. */
  public PartitionChunk read(ClusterPartition partition, long offset, int most) {
    Optional<Path> file;
    synchronized (this) {
      file = Optional.ofNullable(clusterPartitions.get(partition));
    }
    if (file.isEmpty()) {
      throw missing(new NoSuchFileException("it does not have it"));
    }
    try (SeekableByteChannel channel = Files.newByteChannel(file.get())) {
      long left = channel.size() - offset;
      if (offset < 0 || left < 0 || most < 1) {
        throw new IOException("there is nothing at " + offset + " in it");
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(left, most));
      channel.position(offset);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // until there is no more
      }
      if (bytes.hasRemaining()) {
        throw new IOException("its file is cut short");
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
                "The partition {} cannot be deleted, and stays until this process ends", file, e);
          }
        });
  }

  /** Deletes everything. */
  @Override
  public void close() {
    files.shutdown();
    try {
      if (!files.awaitTermination(1, TimeUnit.SECONDS)) {
        LOG.warn("Partitions are still being read or deleted while the host closes");
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

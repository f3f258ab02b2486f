package io.millrace.dataplane.partition;

import io.millrace.core.id.ExecutionId;
import io.millrace.task.ClusterPartition;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes a partition: batches, each after its length, then {@link #END} and the number of records.
 * Belongs to its task's step.
 */
public final class PartitionWriter implements AutoCloseable {
  /** Follows the last batch in place of a length. */
  public static final int END = -1;

  private final PartitionStore store;
  private final ClusterPartition partition;
  private final ExecutionId execution;
  private final Path file;
  private final DataOutputStream out;
  private long records;
  private boolean finished;

  PartitionWriter(
      PartitionStore store, ClusterPartition partition, ExecutionId execution, Path file)
      throws IOException {
    this.store = store;
    this.partition = partition;
    this.execution = execution;
    this.file = file;
    this.out =
        new DataOutputStream(
            new BufferedOutputStream(
                Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), 64 << 10));
  }

  public void write(byte[] batch, int length, int count) throws IOException {
    out.writeInt(length);
    out.write(batch, 0, length);
    records += count;
  }

  /** Completes the partition. */
  public void finish() throws IOException {
    out.writeInt(END);
    out.writeLong(records);
    out.close();
    finished = true;
    store.finished(partition, execution, file);
  }

  /** Deletes the file unless the partition is complete. */
  @Override
  public void close() throws IOException {
    if (!finished) {
      try {
        out.close();
      } finally {
        Files.deleteIfExists(file);
      }
    }
  }
}

package io.millrace.protocol;

import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.Objects;

/**
 * A checkpoint that is stored, as the recovery store knows it.
 *
 * @param timestamp when it was triggered, in milliseconds since the epoch
 * @param directory the directory with its metadata
 * @param bytes the size of its state
 */
public record CompletedCheckpoint(
    long number, long timestamp, CheckpointRequest.Type type, String directory, long bytes) {
  public CompletedCheckpoint {
    Objects.requireNonNull(type);
    Objects.requireNonNull(directory);
  }
}

package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.CheckpointRetention;
import java.util.List;
import java.util.Objects;

/**
 * What the recovery store has of a job's checkpoints.
 *
 * @param lastNumber the highest number that was reserved; 0 for none
 * @param directory the directory of all checkpoints of the job; empty if it has none
 * @param retention what happens to the checkpoints when the job ends
 * @param completed the completed checkpoints that are kept, in order of their numbers
 * @param abandoned checkpoints that completed and cannot be used, so that tasks went back to an
 *     earlier one; their files stay as long as those of the others
 */
public record StoredCheckpoints(
    long lastNumber,
    String directory,
    CheckpointRetention retention,
    List<CompletedCheckpoint> completed,
    List<CompletedCheckpoint> abandoned) {
  public static final StoredCheckpoints NONE =
      new StoredCheckpoints(
          0, "", CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS, List.of(), List.of());

  public StoredCheckpoints {
    Objects.requireNonNull(directory);
    Objects.requireNonNull(retention);
    completed = OrderedCopies.list(completed);
    abandoned = OrderedCopies.list(abandoned);
    if (lastNumber < 0) {
      throw new IllegalArgumentException("lastNumber must be >= 0, not " + lastNumber);
    }
  }
}

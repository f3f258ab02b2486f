package io.millrace.control.checkpoint;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.NoReadableCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.StateDoesNotFit;
import io.millrace.protocol.text.ReasonException;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.StateAssignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state with which a job starts under a new leader: that of its last completed checkpoint that
 * can be read, else that of the savepoint it was submitted with, else none.
 *
 * @param completed the readable checkpoints of the recovery store, in order of their numbers
 * @param lastNumber the highest number of a checkpoint so far
 * @param restore the savepoint that the job was submitted with, if it has no checkpoint yet
 */
public record CheckpointRecovery(
    List<CompletedCheckpoint> completed, long lastNumber, Optional<RestoredCheckpoint> restore) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointRecovery.class);

  public static final CheckpointRecovery NONE =
      new CheckpointRecovery(List.of(), 0, Optional.empty());

  public CheckpointRecovery {
    completed = List.copyOf(completed);
    Objects.requireNonNull(restore);
  }

  /**
   * Begins a term of the leader, reads and checks the state. Blocks.
   *
   * @param configuration the job's own, over the cluster's
   * @throws MillraceException of kind USER if the job cannot start with its state; of another kind
   *     if the storage fails
   */
  public static CheckpointRecovery read(
      JobGraph job, Configuration configuration, CheckpointServices services, long term) {
    boolean periodic = CheckpointSettings.of(configuration).isPeriodic();
    if (periodic) {
      CheckpointLocations.of(job.id(), configuration).shared(); // throws if there is no directory
    }
    StoredCheckpoints stored = services.store().begin(job.id(), periodic, term);
    if (!stored.completed().isEmpty()) {
      return new CheckpointRecovery(
          readable(stored.completed(), services), stored.lastNumber(), Optional.empty());
    }
    Optional<String> path = configuration.find(StateRecoveryOptions.PATH);
    if (path.isEmpty()) {
      return new CheckpointRecovery(List.of(), stored.lastNumber(), Optional.empty());
    }
    StoredMetadata found = services.storage().readMetadata(path.get());
    RestoredCheckpoint restore =
        new RestoredCheckpoint(
            found.metadata().checkpoint(),
            found.directory(),
            found.metadata().type().isSavepoint()
                ? found.directory()
                : FilePath.parse(found.directory()).parent().child("shared").toString());
    List<StateAssignment.Misfit> misfits =
        new StateAssignment(found.metadata(), restore.directory(), restore.sharedDirectory())
            .check(job, configuration.get(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE));
    if (!misfits.isEmpty()) {
      throw new ReasonException(ErrorKind.USER, new StateDoesNotFit(path.get(), misfits));
    }
    return new CheckpointRecovery(
        List.of(), Math.max(stored.lastNumber(), restore.number()), Optional.of(restore));
  }

  /** Leaves out checkpoints whose metadata is damaged or gone, as long as one is left. */
  private static List<CompletedCheckpoint> readable(
      List<CompletedCheckpoint> completed, CheckpointServices services) {
    List<CompletedCheckpoint> readable = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    for (CompletedCheckpoint checkpoint : completed) {
      try {
        services.storage().readMetadata(checkpoint.directory());
        readable.add(checkpoint);
      } catch (MillraceException e) {
        if (e.kind() != ErrorKind.USER) {
          throw e;
        }
        LOG.warn("Checkpoint {} cannot be used: {}", checkpoint.number(), e.getMessage());
        errors.add(e.getMessage());
      }
    }
    if (readable.isEmpty()) {
      throw new ReasonException(ErrorKind.USER, new NoReadableCheckpoint(errors));
    }
    return readable;
  }
}

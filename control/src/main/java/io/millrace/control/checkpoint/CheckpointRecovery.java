package io.millrace.control.checkpoint;

import io.millrace.core.config.ClaimMode;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state with which a job starts under a new leader: that of its last completed checkpoint that
 * can be read, else that of the savepoint it was submitted with, else none.
 *
 * @param completed the readable checkpoints of the recovery store, in order of their numbers
 * @param lastNumber the highest number of a checkpoint so far
 * @param directory the directory of all checkpoints of the job; empty if it has none yet
 * @param restore the savepoint that the job was submitted with, if it has no checkpoint yet
 * @param sharedFiles the shared files that each readable checkpoint needs, by its number
 * @param isComplete whether these are all shared files that are needed
 * @param claimed the savepoint or checkpoint that the job was submitted with, if it belongs to the
 *     job, which deletes it after its first checkpoint
 * @param abandoned what is wrong with checkpoints of the recovery store that cannot be read
 * @param unusable all checkpoints of the job that completed and cannot be used
 */
public record CheckpointRecovery(
    List<CompletedCheckpoint> completed,
    long lastNumber,
    String directory,
    Optional<RestoredCheckpoint> restore,
    Map<Long, Set<String>> sharedFiles,
    boolean isComplete,
    Optional<RestoredCheckpoint> claimed,
    List<CheckpointProgress.Abandoned> abandoned,
    List<CompletedCheckpoint> unusable) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointRecovery.class);

  public static final CheckpointRecovery NONE =
      new CheckpointRecovery(List.of(), 0, "", Optional.empty(), new TreeMap<>(), true);

  public CheckpointRecovery {
    completed = List.copyOf(completed);
    Objects.requireNonNull(directory);
    Objects.requireNonNull(restore);
    Objects.requireNonNull(claimed);
    abandoned = List.copyOf(abandoned);
    unusable = List.copyOf(unusable);
    sharedFiles = Collections.unmodifiableMap(new TreeMap<>(sharedFiles));
  }

  /** Nothing is claimed, and all checkpoints can be read. */
  public CheckpointRecovery(
      List<CompletedCheckpoint> completed,
      long lastNumber,
      String directory,
      Optional<RestoredCheckpoint> restore,
      Map<Long, Set<String>> sharedFiles,
      boolean isComplete) {
    this(
        completed,
        lastNumber,
        directory,
        restore,
        sharedFiles,
        isComplete,
        Optional.empty(),
        List.of(),
        List.of());
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
      return readable(stored, configuration, services);
    }
    Optional<String> path = configuration.find(StateRecoveryOptions.PATH);
    if (path.isEmpty()) {
      return new CheckpointRecovery(
          List.of(),
          stored.lastNumber(),
          stored.directory(),
          Optional.empty(),
          new TreeMap<>(),
          true);
    }
    StoredMetadata found = services.storage().readMetadata(path.get());
    RestoredCheckpoint restore = restored(found);
    List<StateAssignment.Misfit> misfits =
        new StateAssignment(found.metadata(), restore.directory(), restore.sharedDirectory())
            .check(job, configuration.get(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE));
    if (!misfits.isEmpty()) {
      throw new ReasonException(ErrorKind.USER, new StateDoesNotFit(path.get(), misfits));
    }
    return new CheckpointRecovery(
        List.of(),
        Math.max(stored.lastNumber(), restore.number()),
        stored.directory(),
        Optional.of(restore),
        new TreeMap<>(),
        true,
        isClaimed(configuration) ? Optional.of(restore) : Optional.empty(),
        List.of(),
        List.of());
  }

  private static RestoredCheckpoint restored(StoredMetadata found) {
    return new RestoredCheckpoint(
        found.metadata().checkpoint(),
        found.directory(),
        found.metadata().type().isSavepoint()
            ? found.directory()
            : CheckpointServices.shared(FilePath.parse(found.directory())).toString());
  }

  private static boolean isClaimed(Configuration configuration) {
    return configuration.get(StateRecoveryOptions.CLAIM_MODE) == ClaimMode.CLAIM;
  }

  /** What an earlier leader was to delete and may not have deleted. */
  private static Optional<RestoredCheckpoint> claimed(
      Configuration configuration, CheckpointServices services) {
    if (!isClaimed(configuration) || !configuration.contains(StateRecoveryOptions.PATH)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          restored(services.storage().readMetadata(configuration.get(StateRecoveryOptions.PATH))));
    } catch (MillraceException e) {
      LOG.debug("The claimed checkpoint is deleted, or cannot be read", e);
      return Optional.empty();
    }
  }

  /** Leaves out checkpoints whose metadata is damaged or gone, as long as one is left. */
  private static CheckpointRecovery readable(
      StoredCheckpoints stored, Configuration configuration, CheckpointServices services) {
    List<CompletedCheckpoint> readable = new ArrayList<>();
    Map<Long, Set<String>> sharedFiles = new TreeMap<>();
    List<String> errors = new ArrayList<>();
    List<CompletedCheckpoint> unreadable = new ArrayList<>();
    for (CompletedCheckpoint checkpoint : stored.completed()) {
      try {
        StoredMetadata found = services.storage().readMetadata(checkpoint.directory());
        sharedFiles.put(checkpoint.number(), found.metadata().sharedFiles());
        readable.add(checkpoint);
      } catch (MillraceException e) {
        if (e.kind() != ErrorKind.USER) {
          throw e;
        }
        LOG.warn("Checkpoint {} cannot be used: {}", checkpoint.number(), e.getMessage());
        errors.add(e.getMessage());
        unreadable.add(checkpoint);
      }
    }
    if (readable.isEmpty()) {
      throw new ReasonException(ErrorKind.USER, new NoReadableCheckpoint(errors));
    }
    long latest = readable.get(readable.size() - 1).number();
    List<CheckpointProgress.Abandoned> abandoned = new ArrayList<>();
    for (int i = 0; i < unreadable.size(); i++) {
      if (unreadable.get(i).number() > latest) {
        abandoned.add(new CheckpointProgress.Abandoned(unreadable.get(i), latest, errors.get(i)));
      }
    }
    boolean isComplete = errors.isEmpty();
    for (CompletedCheckpoint earlier : stored.abandoned()) {
      isComplete &= addSharedFiles(earlier, services, sharedFiles);
    }
    unreadable.addAll(0, stored.abandoned());
    return new CheckpointRecovery(
        readable,
        stored.lastNumber(),
        stored.directory(),
        Optional.empty(),
        sharedFiles,
        isComplete,
        claimed(configuration, services),
        abandoned,
        unreadable);
  }

  /** Returns whether the shared files of an abandoned checkpoint are known. */
  private static boolean addSharedFiles(
      CompletedCheckpoint abandoned,
      CheckpointServices services,
      Map<Long, Set<String>> sharedFiles) {
    try {
      StoredMetadata found = services.storage().readMetadata(abandoned.directory());
      sharedFiles.put(abandoned.number(), found.metadata().sharedFiles());
      return true;
    } catch (MillraceException e) {
      if (e.kind() != ErrorKind.USER) {
        throw e;
      }
      LOG.debug("The metadata of abandoned checkpoint {} is damaged", abandoned.number(), e);
      return false;
    }
  }
}

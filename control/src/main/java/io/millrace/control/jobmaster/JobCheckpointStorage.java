package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointAction.Prepare;
import io.millrace.control.checkpoint.CheckpointAction.Retain;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointEvent;
import io.millrace.control.checkpoint.CheckpointEvent.Prepared;
import io.millrace.control.checkpoint.CheckpointEvent.StorageFailed;
import io.millrace.control.checkpoint.CheckpointEvent.Stored;
import io.millrace.control.checkpoint.CheckpointLocations;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.checkpoint.CheckpointSettings;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.AsyncSequence;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.SharedFileName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and deletes the checkpoints of one job under one leader: their files, and the job's entry
 * in the recovery store. Lives in the mailbox of the JobMaster; blocking work runs outside of it.
 */
final class JobCheckpointStorage {
  private static final Logger LOG = LoggerFactory.getLogger(JobCheckpointStorage.class);

  private final Env env;
  private final Mailbox mailbox;
  private final Entry entry;
  private final JobId job;
  private final CheckpointServices services;
  private final CheckpointSettings settings;
  private final RandomGenerator random;

  /** Two writes of this leader to its entry in the recovery store must not contend. */
  private final AsyncSequence writes = new AsyncSequence();

  private CheckpointLocations locations;

  /** Whether the directory of the job's checkpoints is known. It never changes from then on. */
  private boolean hasDirectory;

  /**
   * The job's entry in the recovery store, as its leader found it.
   *
   * @param term of the leader
   * @param directory the directory of all checkpoints of the job; empty if it has none yet
   */
  record Entry(JobId job, long term, String directory) {}

  /**
   * @param configuration the job's own, over the cluster's
   */
  JobCheckpointStorage(
      Env env,
      Mailbox mailbox,
      Entry entry,
      CheckpointServices services,
      Configuration configuration) {
    this.env = env;
    this.mailbox = mailbox;
    this.entry = entry;
    this.job = entry.job();
    this.services = services;
    this.settings = CheckpointSettings.of(configuration);
    this.random = env.random("checkpoints-" + job + "-" + entry.term());
    this.hasDirectory = !entry.directory().isEmpty();
    CheckpointLocations configured = CheckpointLocations.of(job, configuration);
    this.locations = hasDirectory ? configured.withDirectory(entry.directory()) : configured;
  }

  /** Where tasks find the state of a checkpoint. */
  RestoredCheckpoint restored(CompletedCheckpoint completed) {
    return new RestoredCheckpoint(
        completed.number(),
        completed.directory(),
        completed.type().isSavepoint()
            ? completed.directory()
            : CheckpointServices.shared(FilePath.parse(completed.directory())).toString());
  }

  /** A savepoint is self-contained: it has no directory of shared files. */
  static boolean isSavepoint(RestoredCheckpoint restored) {
    return restored.directory().equals(restored.sharedDirectory());
  }

  /**
   * Reserves the number of a checkpoint and creates its directories.
   *
   * @param outcome gets {@link Prepared} or {@link StorageFailed}
   */
  void prepare(Prepare prepare, Consumer<CheckpointEvent> outcome) {
    writes
        .run(() -> findDirectory(prepare.type()).thenCompose(found -> reserve(prepare)))
        .whenComplete(
            (prepared, failure) ->
                outcome.accept(
                    failure == null
                        ? prepared
                        : new StorageFailed(prepare.checkpoint(), storageFailed(failure), false)));
  }

  /** A savepoint has a directory of its own, and may be elsewhere. */
  private CompletableFuture<Boolean> findDirectory(CheckpointRequest.Type type) {
    if (type.isSavepoint() || hasDirectory) {
      return CompletableFuture.completedFuture(true);
    }
    CheckpointLocations configured = locations;
    return env.io()
        .call(mailbox, () -> configured.withoutEarlierRuns(services.storage()))
        .thenApply(
            found -> {
              locations = found;
              hasDirectory = true;
              return true;
            });
  }

  private CompletableFuture<Prepared> reserve(Prepare prepare) {
    long number = prepare.checkpoint();
    String ofJob = hasDirectory ? locations.ofJob().orElseThrow() : "";
    String directory = locations.directory(number, prepare.type(), prepare.directory(), random);
    String shared = prepare.type().isSavepoint() ? directory : locations.shared();
    return env.io()
        .call(
            mailbox,
            () -> {
              if (!settings.isPeriodic()) {
                // Otherwise the job has an entry in the recovery store from its start on.
                services.store().begin(job, true, entry.term());
              }
              services.store().reserve(job, number, ofJob, settings.retention(), entry.term());
              services.storage().createDirectory(directory);
              services.storage().createDirectory(shared);
              return true;
            })
        .thenApply(done -> new Prepared(number, directory, shared, env.wallMillis()));
  }

  private CompletableFuture<Boolean> write(Callable<Boolean> work) {
    return writes.run(() -> env.io().call(mailbox, work));
  }

  private static Reason storageFailed(Throwable failure) {
    return new CheckpointStorageFailed(Failure.sentence(Failure.unwrap(failure)));
  }

  /**
   * Writes the metadata, which is complete before the recovery store refers to it, and then the
   * record of the recovery store.
   *
   * @param outcome gets {@link Stored} or {@link StorageFailed}
   */
  void store(Store store, Consumer<CheckpointEvent> outcome) {
    CompletedCheckpoint completed = store.checkpoint();
    env.io()
        .call(
            mailbox,
            () -> {
              services.storage().writeMetadata(completed.directory(), store.metadata());
              return true;
            })
        .whenComplete(
            (written, failure) -> {
              if (failure == null) {
                record(store, outcome);
              } else {
                outcome.accept(
                    new StorageFailed(completed.number(), storageFailed(failure), false));
              }
            });
  }

  private void record(Store store, Consumer<CheckpointEvent> outcome) {
    CompletedCheckpoint completed = store.checkpoint();
    write(() -> complete(store.retained(), store.abandoned()))
        .whenComplete(
            (done, failure) ->
                outcome.accept(
                    failure == null
                        ? new Stored(completed)
                        : new StorageFailed(completed.number(), storageFailed(failure), true)));
  }

  private boolean complete(
      List<CompletedCheckpoint> retained, List<CompletedCheckpoint> abandoned) {
    services.store().complete(job, retained, abandoned, entry.term());
    return true;
  }

  /** A leader that does not see this write finds out itself that the checkpoint is unusable. */
  void retain(Retain retain) {
    write(() -> complete(retain.retained(), retain.abandoned()))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Job {}: the recovery store still has an unusable checkpoint: {}",
                    job,
                    Failure.sentence(Failure.unwrap(failure)));
              }
            });
  }

  // --- deletions, in the background

  void delete(String directory) {
    background("directory " + directory, () -> services.storage().delete(directory));
  }

  void deleteShared(List<String> files) {
    String shared = locations.shared();
    background("shared files", () -> services.storage().deleteFiles(shared, files));
  }

  /** Deletes what the job was started with, unless another job still goes back to it. */
  void deleteClaimed(RestoredCheckpoint claimed) {
    background(
        "the claimed " + claimed.directory(),
        () -> {
          StoredMetadata found = services.storage().readMetadata(claimed.directory());
          JobId other = found.metadata().job();
          if (services.store().read(other).completed().stream()
              .anyMatch(checkpoint -> checkpoint.directory().equals(found.directory()))) {
            LOG.warn(
                "Job {} does not delete {}, which it has claimed: job {} has not ended",
                job,
                found.directory(),
                other);
            return;
          }
          LOG.info(
              "Job {} deletes {}, which it has claimed and does not need any more",
              job,
              found.directory());
          services.dispose(found);
        });
  }

  /** Deletes the shared files that are not needed, as far as the job has such files. */
  void sweep(SweepShared sweep) {
    if (hasDirectory) {
      String shared = locations.shared();
      background("shared files", () -> sweep(sweep, shared));
    }
  }

  private void sweep(SweepShared sweep, String shared) {
    Set<String> needed = new LinkedHashSet<>(sweep.needed());
    List<String> unneeded = new ArrayList<>();
    for (String file : services.storage().files(shared)) {
      OptionalLong of = SharedFileName.checkpointOf(file);
      if (of.isPresent()
          && of.getAsLong() >= sweep.from()
          && of.getAsLong() <= sweep.to()
          && !needed.contains(file)) {
        unneeded.add(file);
      }
    }
    if (!unneeded.isEmpty()) {
      services.storage().deleteFiles(shared, unneeded);
    }
  }

  /** Deletes something; a failure is logged, because the job does not need it any more. */
  private void background(String what, Runnable deletion) {
    env.io()
        .call(
            mailbox,
            () -> {
              deletion.run();
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Job {}: {} could not be deleted: {}",
                    job,
                    what,
                    Failure.sentence(Failure.unwrap(failure)));
              }
            });
  }
}

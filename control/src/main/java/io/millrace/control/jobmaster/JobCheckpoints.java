package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointAction;
import io.millrace.control.checkpoint.CheckpointAction.Answer;
import io.millrace.control.checkpoint.CheckpointAction.Discard;
import io.millrace.control.checkpoint.CheckpointAction.DiscardClaimed;
import io.millrace.control.checkpoint.CheckpointAction.DiscardShared;
import io.millrace.control.checkpoint.CheckpointAction.FailJob;
import io.millrace.control.checkpoint.CheckpointAction.Note;
import io.millrace.control.checkpoint.CheckpointAction.NotifyAborted;
import io.millrace.control.checkpoint.CheckpointAction.NotifyCompleted;
import io.millrace.control.checkpoint.CheckpointAction.Prepare;
import io.millrace.control.checkpoint.CheckpointAction.Retain;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointAction.Trigger;
import io.millrace.control.checkpoint.CheckpointCoordinator;
import io.millrace.control.checkpoint.CheckpointEvent;
import io.millrace.control.checkpoint.CheckpointEvent.Acknowledged;
import io.millrace.control.checkpoint.CheckpointEvent.BacklogChanged;
import io.millrace.control.checkpoint.CheckpointEvent.Declined;
import io.millrace.control.checkpoint.CheckpointEvent.JobEnded;
import io.millrace.control.checkpoint.CheckpointEvent.Prepared;
import io.millrace.control.checkpoint.CheckpointEvent.Requested;
import io.millrace.control.checkpoint.CheckpointEvent.Restoring;
import io.millrace.control.checkpoint.CheckpointEvent.StateUnusable;
import io.millrace.control.checkpoint.CheckpointEvent.StorageFailed;
import io.millrace.control.checkpoint.CheckpointEvent.Stored;
import io.millrace.control.checkpoint.CheckpointEvent.TaskEnding;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.control.checkpoint.CheckpointHistory;
import io.millrace.control.checkpoint.CheckpointLocations;
import io.millrace.control.checkpoint.CheckpointOperations;
import io.millrace.control.checkpoint.CheckpointProgress;
import io.millrace.control.checkpoint.CheckpointRecovery;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.checkpoint.CheckpointSettings;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.BacklogNotice;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.StartCheckpoint;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.SavepointUnusable;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.AsyncSequence;
import io.millrace.rpc.Env;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.SharedFileName;
import io.millrace.task.checkpoint.TaskEndingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what the {@link CheckpointCoordinator} of a job decides: messages to TaskManagers,
 * writes to storage and answers to users. Lives in the mailbox of the JobMaster.
 */
final class JobCheckpoints {
  private static final Logger LOG = LoggerFactory.getLogger(JobCheckpoints.class);

  /**
   * The JobMaster as its checkpoints see it.
   *
   * @param taskManager the gateway of a registered TaskManager
   * @param failJob restarts the job from its last checkpoint, as far as its strategy allows
   * @param progress gets each step, for the journal
   */
  record Owner(
      JobId job,
      LeaderToken leader,
      Function<WorkerId, Optional<TaskManagerGateway>> taskManager,
      Consumer<Reason> failJob,
      Consumer<CheckpointProgress> progress) {}

  private final Env env;
  private final Mailbox mailbox;
  private final Owner owner;
  private final CheckpointServices services;
  private final CheckpointLocations locations;
  private final CheckpointCoordinator coordinator;
  private final DeciderRunner<CheckpointEvent, CheckpointAction> runner;
  private final RandomGenerator random;
  private final CheckpointRetention retention;

  /** Whether the job has an entry in the recovery store from its start on. */
  private final boolean periodic;

  private final Optional<RestoredCheckpoint> initial;
  private final Map<Long, Id128> requests = new HashMap<>();
  private final CheckpointHistory history;
  private final CheckpointOperations operations = new CheckpointOperations();
  private long lastRequest;

  /** Two writes of this leader to its entry in the recovery store must not contend. */
  private final AsyncSequence writes = new AsyncSequence();

  /**
   * @param recovered what the job starts with under this leader
   */
  JobCheckpoints(
      Env env,
      Mailbox mailbox,
      Owner owner,
      CheckpointServices services,
      CheckpointSettings settings,
      CheckpointLocations locations,
      CheckpointRecovery recovered,
      CheckpointCoordinator coordinator) {
    this.env = env;
    this.mailbox = mailbox;
    this.owner = owner;
    this.services = services;
    this.locations = locations;
    this.coordinator = coordinator;
    this.initial = recovered.restore();
    this.retention = settings.retention();
    this.history = new CheckpointHistory(settings.history());
    this.periodic = settings.isPeriodic();
    this.random = env.random("checkpoints-" + owner.job() + "-" + owner.leader().term());
    this.runner =
        new DeciderRunner<>(env, mailbox, coordinator, new Tick(), this::perform, () -> {});
  }

  /** The checkpoint whose state tasks start with that are deployed now. */
  Optional<RestoredCheckpoint> restore() {
    Optional<RestoredCheckpoint> latest =
        coordinator
            .latest()
            .map(
                completed ->
                    new RestoredCheckpoint(
                        completed.number(), completed.directory(), sharedDirectory(completed)))
            .or(() -> initial);
    latest.ifPresent(
        restored -> {
          runner.apply(new Restoring(restored.number()));
          history.restored(
              new RestoredState(
                  restored.number(),
                  env.wallMillis(),
                  isSavepoint(restored),
                  restored.directory()));
        });
    return latest;
  }

  /** A savepoint is self-contained: it has no directory of shared files. */
  private static boolean isSavepoint(RestoredCheckpoint restored) {
    return restored.directory().equals(restored.sharedDirectory());
  }

  /** The checkpoints of the job with their subtasks, and the requests of users. */
  CheckpointStatistics statistics() {
    return history.statistics().with(operations.all());
  }

  private String sharedDirectory(CompletedCheckpoint completed) {
    return completed.type().isSavepoint() ? completed.directory() : locations.shared();
  }

  /** All tasks run or have finished. */
  void tasksRunning() {
    runner.apply(new TasksRunning());
  }

  /**
   * Tasks could not use the state that they were deployed with. They go back to an earlier
   * checkpoint if there is one.
   *
   * @return why a restart cannot help: there is nothing but the savepoint that the job was started
   *     with; empty if it may
   */
  Optional<Reason> stateUnusable(String message) {
    if (coordinator.latest().isEmpty()) {
      return initial.map(from -> new SavepointUnusable(from.directory(), message));
    }
    runner.apply(new StateUnusable(message));
    return Optional.empty();
  }

  /** Tasks failed, or are being cancelled. */
  void tasksStopping() {
    operations.tasksFailed();
    runner.apply(new TasksStopping());
  }

  void acknowledged(AcknowledgeCheckpoint snapshots) {
    history.acknowledged(snapshots.checkpoint(), snapshots.snapshots(), env.wallMillis());
    runner.apply(
        new Acknowledged(snapshots.worker(), snapshots.checkpoint(), snapshots.snapshots()));
  }

  void declined(DeclineCheckpoint notice) {
    runner.apply(
        TaskEndingException.caused(notice.failure())
            ? new TaskEnding(notice.execution(), notice.checkpoint())
            : new Declined(notice.execution(), notice.checkpoint(), notice.failure().message()));
  }

  void backlogChanged(BacklogNotice notice) {
    runner.apply(new BacklogChanged(notice.execution(), notice.backlog()));
  }

  /**
   * Takes a checkpoint or savepoint for a user. The outcome is in {@link #statistics}. A repeated
   * request has no effect.
   */
  void start(StartCheckpoint start) {
    if (operations.start(start.operation(), start.type())) {
      long request = ++lastRequest;
      requests.put(request, start.operation());
      runner.apply(new Requested(request, start.type(), start.directory()));
    }
  }

  /** All tasks have finished. */
  void finished() {
    operations.jobFinished();
  }

  /**
   * The job has ended, or this leader gives it up: nothing is triggered from now on. Completed
   * checkpoints stay until the result of the job is stored; {@link CheckpointServices#cleanUp}
   * deletes them.
   */
  void end() {
    operations.tasksFailed();
    runner.apply(new JobEnded());
    runner.stop();
  }

  private void perform(List<CheckpointAction> actions) {
    for (CheckpointAction action : actions) {
      if (action instanceof Prepare prepare) {
        prepare(prepare);
      } else if (action instanceof Trigger trigger) {
        trigger(trigger);
      } else if (action instanceof Store store) {
        store(store);
      } else if (action instanceof NotifyCompleted notice) {
        tell(
            notice.workers(),
            gateway ->
                gateway.checkpointCompleted(
                    new CheckpointCompleted(owner.job(), owner.leader(), notice.checkpoint())));
      } else if (action instanceof NotifyAborted notice) {
        tell(
            notice.workers(),
            gateway ->
                gateway.checkpointAborted(
                    new CheckpointAborted(owner.job(), owner.leader(), notice.checkpoint())));
      } else if (action instanceof Discard discard) {
        history.discarded(discard.directory());
        delete(discard.directory());
      } else if (action instanceof Retain retain) {
        retain(retain);
      } else if (action instanceof DiscardClaimed discard) {
        discardClaimed(discard.claimed());
      } else if (action instanceof DiscardShared discard) {
        background(
            "shared files",
            () -> services.storage().deleteFiles(locations.shared(), discard.files()));
      } else if (action instanceof SweepShared sweep) {
        if (locations.ofJob().isPresent()) {
          background("shared files", () -> sweep(sweep));
        }
      } else if (action instanceof Answer answer) {
        answer(answer);
      } else if (action instanceof FailJob fail) {
        owner.failJob().accept(fail.reason());
      } else if (action instanceof Note note) {
        log(note.progress());
        history.progress(note.progress(), env.wallMillis());
        owner.progress().accept(note.progress());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
  }

  private void prepare(Prepare prepare) {
    long number = prepare.checkpoint();
    String directory;
    String shared;
    try {
      directory = locations.directory(number, prepare.type(), prepare.directory(), random);
      shared = prepare.type().isSavepoint() ? directory : locations.shared();
    } catch (MillraceException e) {
      runner.apply(new StorageFailed(number, storageFailed(e), false));
      return;
    }
    write(
            () -> {
              if (!periodic) {
                services.store().begin(owner.job(), true, owner.leader().term());
              }
              services
                  .store()
                  .reserve(
                      owner.job(),
                      number,
                      locations.ofJob().orElse(""),
                      retention,
                      owner.leader().term());
              services.storage().createDirectory(directory);
              services.storage().createDirectory(shared);
              return true;
            })
        .whenComplete(
            (done, failure) ->
                runner.apply(
                    failure == null
                        ? new Prepared(number, directory, shared, env.wallMillis())
                        : new StorageFailed(number, storageFailed(failure), false)));
  }

  private CompletableFuture<Boolean> write(Callable<Boolean> work) {
    return writes.run(() -> env.io().call(mailbox, work));
  }

  private static Reason storageFailed(Throwable failure) {
    return new CheckpointStorageFailed(Failure.sentence(Failure.unwrap(failure)));
  }

  private void trigger(Trigger trigger) {
    Optional<TaskManagerGateway> gateway = owner.taskManager().apply(trigger.worker());
    if (gateway.isEmpty()) {
      return; // It is lost, which ends the checkpoint.
    }
    long number = trigger.request().checkpoint();
    gateway
        .get()
        .triggerCheckpoint(
            new TriggerCheckpoint(
                owner.job(), owner.leader(), trigger.request(), trigger.tasks(), trigger.sources()))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                runner.apply(
                    new Declined(
                        trigger.tasks().get(0), number, Failure.sentence(Failure.unwrap(failure))));
              }
            });
  }

  /** The metadata is complete before the recovery store refers to it. */
  private void store(Store store) {
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
                record(store);
              } else {
                runner.apply(new StorageFailed(completed.number(), storageFailed(failure), false));
              }
            });
  }

  private void record(Store store) {
    CompletedCheckpoint completed = store.checkpoint();
    write(
            () -> {
              services.store().complete(owner.job(), store.retained(), owner.leader().term());
              return true;
            })
        .whenComplete(
            (done, failure) ->
                runner.apply(
                    failure == null
                        ? new Stored(completed)
                        : new StorageFailed(completed.number(), storageFailed(failure), true)));
  }

  /** A leader that does not see this write finds out itself that the checkpoint is unusable. */
  private void retain(Retain retain) {
    write(
            () -> {
              services.store().complete(owner.job(), retain.retained(), owner.leader().term());
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Job {}: the recovery store still has an unusable checkpoint: {}",
                    owner.job(),
                    Failure.sentence(Failure.unwrap(failure)));
              }
            });
  }

  /** Deletes what the job was started with, unless another job still goes back to it. */
  private void discardClaimed(RestoredCheckpoint claimed) {
    background(
        "the claimed " + claimed.directory(),
        () -> {
          StoredMetadata found = services.storage().readMetadata(claimed.directory());
          JobId other = found.metadata().job();
          if (services.store().read(other).completed().stream()
              .anyMatch(checkpoint -> checkpoint.directory().equals(found.directory()))) {
            LOG.warn(
                "Job {} does not delete {}, which it has claimed: job {} has not ended",
                owner.job(),
                found.directory(),
                other);
            return;
          }
          LOG.info(
              "Job {} deletes {}, which it has claimed and does not need any more",
              owner.job(),
              found.directory());
          services.dispose(found);
        });
  }

  private void tell(List<WorkerId> workers, Consumer<TaskManagerGateway> message) {
    workers.forEach(worker -> owner.taskManager().apply(worker).ifPresent(message));
  }

  private void delete(String directory) {
    background("directory " + directory, () -> services.storage().delete(directory));
  }

  private void sweep(SweepShared sweep) {
    Set<String> needed = new LinkedHashSet<>(sweep.needed());
    List<String> unneeded = new ArrayList<>();
    for (String file : services.storage().files(locations.shared())) {
      OptionalLong of = SharedFileName.checkpointOf(file);
      if (of.isPresent()
          && of.getAsLong() >= sweep.from()
          && of.getAsLong() <= sweep.to()
          && !needed.contains(file)) {
        unneeded.add(file);
      }
    }
    if (!unneeded.isEmpty()) {
      services.storage().deleteFiles(locations.shared(), unneeded);
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
                    owner.job(),
                    what,
                    Failure.sentence(Failure.unwrap(failure)));
              }
            });
  }

  private void answer(Answer answer) {
    Id128 operation = requests.remove(answer.request());
    answer.completed().ifPresent(completed -> operations.stored(operation, completed));
    answer
        .failed()
        .ifPresent(
            reason ->
                operations.failed(
                    operation, Failure.of(ErrorKind.EXTERNAL, ReasonText.of(reason))));
  }

  private void log(CheckpointProgress progress) {
    if (progress instanceof CheckpointProgress.Triggered triggered) {
      LOG.info(
          "Job {}: {} {} triggered for {} tasks",
          owner.job(),
          triggered.type(),
          triggered.checkpoint(),
          triggered.tasks().size());
    } else if (progress instanceof CheckpointProgress.Completed done) {
      LOG.info(
          "Job {}: {} {} completed after {} ms with {} bytes in {}",
          owner.job(),
          done.completed().type(),
          done.checkpoint(),
          done.durationNanos() / 1_000_000,
          done.completed().bytes(),
          done.completed().directory());
    } else if (progress instanceof CheckpointProgress.Aborted aborted) {
      LOG.info(
          "Job {}: checkpoint {} aborted: {}",
          owner.job(),
          aborted.checkpoint(),
          ReasonText.of(aborted.reason()));
    } else if (progress instanceof CheckpointProgress.Abandoned abandoned) {
      LOG.warn(
          "Job {}: checkpoint {} in {} cannot be used, tasks go back to checkpoint {}: {}",
          owner.job(),
          abandoned.checkpoint(),
          abandoned.abandoned().directory(),
          abandoned.fallback(),
          abandoned.message());
    } else {
      throw new IllegalArgumentException("Unknown progress " + progress);
    }
  }
}

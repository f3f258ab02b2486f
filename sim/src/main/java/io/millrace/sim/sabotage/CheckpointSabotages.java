package io.millrace.sim.sabotage;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.SharedFileName;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Sabotages of storing and restoring state. */
final class CheckpointSabotages {
  static final List<Sabotage> ALL =
      List.of(
          Sabotage.of(
              "snapshot-acknowledged-unstored",
              "A task reports its snapshot as stored before it is.",
              () -> new Flawed(SimDataflow.Flaw.ACKNOWLEDGED_UNSTORED),
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "barrier-not-aligned",
              "A task takes its snapshot at the first barrier, before all inputs are aligned.",
              () -> new Flawed(SimDataflow.Flaw.BARRIER_NOT_ALIGNED),
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "committed-early",
              "Sinks commit at the barrier, before the checkpoint has completed.",
              () -> new Flawed(SimDataflow.Flaw.COMMITTED_EARLY),
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "checkpoint-deleted-early",
              "A checkpoint is deleted before the next one is in the recovery store.",
              CheckpointDeletedEarly::new,
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "shared-files-uncounted",
              "A shared file is deleted with the checkpoint that has written it.",
              SharedFilesUncounted::new,
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "unconfirmed-files-shared",
              "A checkpoint refers to shared files of one that is not known to be complete.",
              () -> new Flawed(SimDataflow.Flaw.UNCONFIRMED_FILES_SHARED),
              "CheckpointFailureHasCause",
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "superseded-files-deleted-early",
              "Files of a superseded checkpoint are deleted beside one that may refer to them.",
              SupersededFilesDeletedEarly::new,
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "wrong-key-groups",
              "Tasks restore key groups of their neighbours.",
              () -> new Flawed(SimDataflow.Flaw.WRONG_KEY_GROUPS),
              "RestoredStateIsConsistent"),
          Sabotage.of(
              "stale-restore",
              "A new leader restores a checkpoint that is not the latest.",
              StaleRestore::new,
              "LatestCheckpointIsRestored",
              "StoredCheckpointsNeverRegress",
              "NeededCheckpointsAreNotDeleted",
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "aborted-checkpoint-committed",
              "Sinks commit the output of an aborted checkpoint.",
              () -> new Flawed(SimDataflow.Flaw.ABORTED_CHECKPOINT_COMMITTED),
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "finished-tasks-restarted",
              "A finished task starts again when its vertex is restored.",
              () -> new Flawed(SimDataflow.Flaw.FINISHED_TASKS_RESTARTED),
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "ending-tasks-not-declined",
              "A TaskManager does not decline a checkpoint whose tasks end.",
              EndingTasksNotDeclined::new,
              "EndedTasksDeclineCheckpoints"),
          Sabotage.of(
              "earlier-runs-overlooked",
              "A job does not see what an earlier run of its application has left.",
              EarlierRunsOverlooked::new,
              "EarlierRunsAreLeftAlone",
              "CheckpointsOfEndedJobsAreDeleted"),
          Sabotage.of(
              "checkpoint-directories-kept",
              "Directories of checkpoints are not deleted.",
              DirectoriesKept::new,
              "CheckpointsOfEndedJobsAreDeleted"),
          Sabotage.of(
              "newest-checkpoint-skipped",
              "A new leader takes the newest checkpoint for damaged, although it is not.",
              NewestCheckpointSkipped::new,
              "LatestCheckpointIsRestored",
              "StoredCheckpointsNeverRegress",
              "JobFailureHasCause"),
          Sabotage.of(
              "savepoint-subsumed",
              "A savepoint is deleted when a later checkpoint completes.",
              SavepointsSubsumed::new,
              "SavepointsAreKept",
              "NeededCheckpointsAreNotDeleted",
              "JobFailureHasCause"),
          Sabotage.of(
              "checkpoint-completions-lost",
              "TaskManagers never hear that a checkpoint is complete.",
              CompletionsLost::new,
              "CheckpointOutcomesArrive",
              "JobsSettle"),
          Sabotage.of(
              "checkpoint-aborts-lost",
              "TaskManagers never hear that a checkpoint was given up.",
              AbortsLost::new,
              "CheckpointOutcomesArrive",
              "JobsSettle"),
          Sabotage.of(
              "submitted-state-ignored",
              "A job that is submitted with a checkpoint starts without its state.",
              StoreSabotages.SubmittedStateIgnored::new,
              "SubmittedStateIsRestored"),
          Sabotage.of(
              "lists-not-split",
              "With another parallelism each subtask gets whole pieces of list state.",
              () -> new Flawed(SimDataflow.Flaw.LISTS_NOT_SPLIT),
              "SubmittedStateIsRestored",
              "RestoredStateIsConsistent"),
          Sabotage.of(
              "failed-checkpoints-tolerated",
              "A job does not restart after too many failed checkpoints.",
              StoreSabotages.FailedCheckpointsTolerated::new,
              "FailedCheckpointsRestartJob"),
          Sabotage.of(
              "awaited-checkpoint-not-reported",
              "Tasks do not report that they have ended their input and await a checkpoint.",
              AwaitingNotReported::new,
              "JobsSettle"),
          Sabotage.of(
              "ending-task-declines-as-failed",
              "A task that ends declines a checkpoint as if its snapshot had failed.",
              EndingReportedAsFailure::new,
              "CheckpointFailureHasCause"),
          Sabotage.of(
              "stop-ignored-by-sources",
              "Sources emit records after the savepoint that stops the job, and sinks commit them"
                  + " when they end.",
              () -> new Flawed(SimDataflow.Flaw.STOP_IGNORED),
              "StoppedJobsEndAtTheirSavepoint",
              "RecordsAreCommittedOnce"),
          Sabotage.of(
              "claimed-state-deleted-early",
              "A claimed checkpoint is deleted before the first one of the job is complete.",
              ClaimedStateDeletedEarly::new,
              "ClaimedStateIsDeletedInTime",
              "SavepointsAreKept",
              "NeededCheckpointsAreNotDeleted"),
          Sabotage.of(
              "claimed-savepoint-kept",
              "A savepoint that a job has claimed is not deleted.",
              ClaimedSavepointKept::new,
              "ClaimedStateIsDeletedInTime"));

  private CheckpointSabotages() {}

  /** Tasks with a bug. */
  static final class Flawed extends SimWiring {
    private final SimDataflow.Flaw flaw;

    Flawed(SimDataflow.Flaw flaw) {
      this.flaw = flaw;
    }

    @Override
    public SimDataflow.Flaw flaw(SimProcess process) {
      return flaw;
    }
  }

  /** Deletes the previous checkpoint when the metadata of the next one is written. */
  static final class CheckpointDeletedEarly extends SimWiring {
    private final Map<String, String> last = new LinkedHashMap<>();

    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void writeMetadata(String directory, CheckpointMetadata metadata) {
          super.writeMetadata(directory, metadata);
          String before = last.put(metadata.job().toString(), directory);
          if (before != null) {
            super.delete(before);
          }
        }
      };
    }
  }

  /** A process that has just started cannot read the newest checkpoint of a job. */
  static final class NewestCheckpointSkipped extends SimWiring {
    private final Map<String, String> newest = new LinkedHashMap<>();

    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        private final Map<String, Boolean> read = new LinkedHashMap<>();

        @Override
        public void writeMetadata(String directory, CheckpointMetadata metadata) {
          super.writeMetadata(directory, metadata);
          newest.put(metadata.job().toString(), directory);
        }

        @Override
        public StoredMetadata readMetadata(String path) {
          StoredMetadata found = super.readMetadata(path);
          if (newest.containsValue(path) && read.putIfAbsent(path, true) == null) {
            throw new UnusableStateException(ErrorKind.USER, path + " is taken for damaged.");
          }
          return found;
        }
      };
    }
  }

  /** Deletes the last savepoint of a job when a later checkpoint is written. */
  static final class SavepointsSubsumed extends SimWiring {
    private final Map<String, String> last = new LinkedHashMap<>();

    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void writeMetadata(String directory, CheckpointMetadata metadata) {
          super.writeMetadata(directory, metadata);
          String job = metadata.job().toString();
          if (metadata.type().isSavepoint()) {
            last.put(job, directory);
          } else if (last.containsKey(job)) {
            super.delete(last.remove(job));
          }
        }
      };
    }
  }

  /** Deletes all shared files of a checkpoint with it. */
  static final class SharedFilesUncounted extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void delete(String directory) {
          super.delete(directory);
          int name = directory.lastIndexOf("/chk-");
          if (name >= 0) {
            String shared = directory.substring(0, name) + "/shared";
            OptionalLong number =
                OptionalLong.of(Long.parseLong(directory.substring(name + "/chk-".length())));
            deleteFiles(
                shared,
                files(shared).stream()
                    .filter(file -> SharedFileName.checkpointOf(file).equals(number))
                    .toList());
          }
        }
      };
    }
  }

  /** Deletes the shared files of a checkpoint with it, except for those of other checkpoints. */
  static final class SupersededFilesDeletedEarly extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      Map<String, CheckpointMetadata> known = new LinkedHashMap<>();
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void writeMetadata(String directory, CheckpointMetadata metadata) {
          super.writeMetadata(directory, metadata);
          known.put(directory, metadata);
        }

        @Override
        public void delete(String directory) {
          super.delete(directory);
          CheckpointMetadata deleted = known.remove(directory);
          if (deleted != null && !deleted.type().isSavepoint()) {
            Set<String> unneeded = new LinkedHashSet<>(deleted.sharedFiles());
            known.values().forEach(other -> unneeded.removeAll(other.sharedFiles()));
            String shared = directory.substring(0, directory.lastIndexOf('/')) + "/shared";
            deleteFiles(shared, List.copyOf(unneeded));
          }
        }
      };
    }
  }

  /** Deletes the state that a job was started with when its first metadata is written. */
  static final class ClaimedStateDeletedEarly extends SimWiring {
    private final Map<String, CheckpointMetadata> read = new LinkedHashMap<>();

    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public StoredMetadata readMetadata(String path) {
          StoredMetadata found = super.readMetadata(path);
          read.put(path, found.metadata());
          return found;
        }

        @Override
        public void writeMetadata(String directory, CheckpointMetadata metadata) {
          super.writeMetadata(directory, metadata);
          List<String> before =
              read.entrySet().stream()
                  .filter(known -> isOfEarlierJob(known.getValue(), metadata))
                  .map(Map.Entry::getKey)
                  .toList();
          before.forEach(read::remove);
          before.forEach(super::delete);
        }
      };
    }

    private static boolean isOfEarlierJob(CheckpointMetadata known, CheckpointMetadata now) {
      return !known.job().equals(now.job())
          && known.vertices().get(0).vertex().equals(now.vertices().get(0).vertex());
    }
  }

  /** Reports the deletion of a savepoint as done and keeps it. */
  static final class ClaimedSavepointKept extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void delete(String directory) {
          if (!directory.startsWith("/savepoints/")) {
            super.delete(directory);
          }
        }
      };
    }
  }

  /** Drops the notices of completed checkpoints. */
  static final class CompletionsLost extends MessageForger {
    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      return call.message() instanceof CheckpointCompleted ? Optional.empty() : Optional.of(call);
    }
  }

  /** Drops the notices of aborted checkpoints. */
  static final class AbortsLost extends MessageForger {
    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      return call.message() instanceof CheckpointAborted ? Optional.empty() : Optional.of(call);
    }
  }

  /** Removes the notices of tasks that await a checkpoint. */
  static final class AwaitingNotReported extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof TaskUpdates updates
          ? new TaskUpdates(
              updates.worker(),
              updates.updates().stream().filter(update -> !update.awaitsCheckpoint()).toList())
          : message;
    }
  }

  /** Replaces the cause of a checkpoint that a task declines because it ends. */
  static final class EndingReportedAsFailure extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof DeclineCheckpoint decline
              && decline.cause() instanceof DeclineCause.TaskIsEnding ending
          ? new DeclineCheckpoint(
              decline.worker(),
              decline.checkpoint(),
              decline.execution(),
              new DeclineCause.SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, ending.message())))
          : message;
    }
  }

  /** Reports the deletion of a directory as done and keeps it. */
  static final class DirectoriesKept extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void delete(String directory) {}
      };
    }
  }

  /** The directories of checkpoints look empty. */
  static final class EarlierRunsOverlooked extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public List<String> directories(String directory) {
          return List.of();
        }
      };
    }
  }

  /** A JobManager that has just started reads the checkpoints before the last write. */
  static final class StaleRestore extends SimWiring {
    private static final String CHECKPOINTS = "checkpoints/";

    private final Map<String, Bytes> newest = new LinkedHashMap<>();
    private final Map<String, Bytes> older = new LinkedHashMap<>();

    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        private final Map<String, Boolean> seen = new LinkedHashMap<>();

        @Override
        public Optional<Versioned> read(String key) {
          Optional<Versioned> found = super.read(key);
          boolean first = key.startsWith(CHECKPOINTS) && seen.putIfAbsent(key, true) == null;
          return first && older.containsKey(key)
              ? found.map(value -> new Versioned(older.get(key), value.version()))
              : found;
        }

        @Override
        public long write(String key, Bytes value, long expectedVersion, long term) {
          if (value.equals(older.get(key))) {
            // The store itself is unchanged.
            return super.write(key, newest.get(key), expectedVersion, term);
          }
          long version = super.write(key, value, expectedVersion, term);
          if (key.startsWith(CHECKPOINTS)) {
            Bytes before = newest.put(key, value);
            if (before != null && !before.equals(value)) {
              older.put(key, before);
            }
          }
          return version;
        }
      };
    }
  }

  /** The message does not leave its process. */
  private static final class EndingTasksNotDeclined extends SimWiring {
    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        public void send(String peer, Envelope.Call call) {
          if (!(call.message() instanceof DeclineCheckpoint decline
              && decline.cause() instanceof DeclineCause.TaskIsEnding)) {
            super.send(peer, call);
          }
        }
      };
    }
  }
}

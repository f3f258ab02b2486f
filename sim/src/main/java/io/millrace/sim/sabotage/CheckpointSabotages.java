package io.millrace.sim.sabotage;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.SharedFileName;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Sabotages of storing and restoring state. */
final class CheckpointSabotages {
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

  /** Delegates to another checkpoint storage. */
  private static class DelegatingCheckpointStorage implements CheckpointStorage {
    private final CheckpointStorage real;

    DelegatingCheckpointStorage(CheckpointStorage real) {
      this.real = real;
    }

    @Override
    public void createDirectory(String directory) {
      real.createDirectory(directory);
    }

    @Override
    public void writeMetadata(String directory, CheckpointMetadata metadata) {
      real.writeMetadata(directory, metadata);
    }

    @Override
    public StoredMetadata readMetadata(String path) {
      return real.readMetadata(path);
    }

    @Override
    public void delete(String directory) {
      real.delete(directory);
    }

    @Override
    public List<String> files(String directory) {
      return real.files(directory);
    }

    @Override
    public List<String> directories(String directory) {
      return real.directories(directory);
    }

    @Override
    public void deleteFiles(String directory, List<String> names) {
      real.deleteFiles(directory, names);
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Rules broken where state is stored and restored. */
final class CheckpointSabotages {
  private CheckpointSabotages() {}

  /** Tasks have a bug. */
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

  /** The checkpoint before is deleted when the metadata of another one is written. */
  static final class SubsumedEarly extends SimWiring {
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

  /** Deletions of directories are reported and not done. */
  static final class DirectoriesKept extends SimWiring {
    @Override
    public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
      return new DelegatingCheckpointStorage(real) {
        @Override
        public void delete(String directory) {}
      };
    }
  }

  /** A JobManager that has just started reads the checkpoints as they were one write ago. */
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
            // The store itself does not go back.
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

  /** A checkpoint storage in front of another one. */
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
  }
}

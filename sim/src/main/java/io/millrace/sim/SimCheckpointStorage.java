package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.sim.SimStore.FailureMode;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The directories of checkpoints, which outlive the processes of a cluster. Each process uses them
 * through a view, into which faults can be injected.
 */
public final class SimCheckpointStorage {
  /** The configured directory of all jobs. */
  public static final String ROOT = "/checkpoints";

  private final TreeSet<String> directories = new TreeSet<>();
  private final TreeMap<String, CheckpointMetadata> metadata = new TreeMap<>();

  /** Files of state by their paths. */
  private final TreeMap<String, String> files = new TreeMap<>();

  /** Directories with damaged metadata, and paths of damaged files. */
  private final TreeSet<String> damaged = new TreeSet<>();

  /** The metadata of damaged checkpoints by their directories, also after their deletion. */
  private final TreeMap<String, CheckpointMetadata> damagedCheckpoints = new TreeMap<>();

  /** What earlier runs of applications have left, by its paths. */
  private final TreeSet<String> ofEarlierRuns = new TreeSet<>();

  private Consumer<String> deletions = directory -> {};

  /** Registers the listener of deletions, which gets a directory or a file before it is deleted. */
  public void onDeletion(Consumer<String> listener) {
    deletions = listener;
  }

  /** The checkpoints with metadata, by directory. */
  public Map<String, CheckpointMetadata> stored() {
    return metadata;
  }

  /** Whether a file of state exists. */
  public boolean hasFile(String directory, String name) {
    return files.containsKey(directory + "/" + name);
  }

  /** Damages the metadata of a checkpoint, or one of its own files if it has any. */
  public void damage(String directory, boolean file) {
    damagedCheckpoints.put(directory, metadata.get(directory));
    damaged.add(
        files.keySet().stream()
            .filter(path -> file && isUnder(path, directory))
            .findFirst()
            .orElse(directory));
  }

  /** The checkpoints that were damaged, by directory, also if they are deleted. */
  public Map<String, CheckpointMetadata> damaged() {
    return damagedCheckpoints;
  }

  /** Whether metadata or a file of a checkpoint is damaged. */
  public boolean isDamaged(String directory) {
    return damaged.stream().anyMatch(path -> isUnder(path, directory));
  }

  /** The paths of all directories, metadata and files under a directory, including itself. */
  public List<String> under(String directory) {
    List<String> found = new ArrayList<>();
    directories.stream().filter(path -> isUnder(path, directory)).forEach(found::add);
    files.keySet().stream().filter(path -> isUnder(path, directory)).forEach(found::add);
    return found;
  }

  /** An earlier run of an application has left a checkpoint of a job with this id. */
  public void leaveEarlierRun(JobId job) {
    String ofJob = ROOT + "/" + job;
    String shared = ofJob + "/shared";
    List<String> created = List.of(ofJob, shared, ofJob + "/chk-3");
    directories.addAll(created);
    files.put(shared + "/earlier", "");
    ofEarlierRuns.addAll(created);
    ofEarlierRuns.add(shared + "/earlier");
  }

  /** The paths that earlier runs of applications have left, also if they were deleted. */
  public Set<String> ofEarlierRuns() {
    return ofEarlierRuns;
  }

  private static boolean isUnder(String path, String directory) {
    return directory.equals("/") || (path + "/").startsWith(directory + "/");
  }

  /** The storage as seen by one process. */
  public View of(SimProcess process) {
    return new View(process);
  }

  /** The storage with injected faults. */
  public final class View implements CheckpointStorage {
    private final SimProcess process;
    private FailureMode failureMode = FailureMode.NONE;
    private boolean killAtChange;
    private boolean killBefore;

    private View(SimProcess process) {
      this.process = process;
    }

    public void failureMode(FailureMode now) {
      failureMode = now;
    }

    /** Kills the process before or after its next change. */
    public void killAtChange(boolean before) {
      killAtChange = true;
      killBefore = before;
    }

    /** Cancels {@link #killAtChange}. */
    public void cancelKill() {
      killAtChange = false;
    }

    @Override
    public void createDirectory(String directory) {
      write(() -> directories.add(directory));
    }

    @Override
    public void writeMetadata(String directory, CheckpointMetadata written) {
      write(
          () -> {
            existing(directory);
            if (metadata.putIfAbsent(directory, written) != null) {
              throw new MillraceException(ErrorKind.EXTERNAL, directory + " has metadata already.");
            }
          });
    }

    private void existing(String directory) {
      if (!directories.contains(directory)) {
        throw new MillraceException(ErrorKind.EXTERNAL, directory + " does not exist.");
      }
    }

    @Override
    public StoredMetadata readMetadata(String path) {
      reach();
      CheckpointMetadata found = metadata.get(path);
      if (found == null) {
        throw new MillraceException(ErrorKind.USER, path + " has no metadata.");
      }
      failIfDamaged(path);
      return new StoredMetadata(path, found);
    }

    /** Writes a file of state into a directory that exists. */
    public void writeFile(String directory, String name, String content) {
      write(
          () -> {
            existing(directory);
            files.put(directory + "/" + name, content);
          });
    }

    public String readFile(String directory, String name) {
      reach();
      String content = files.get(directory + "/" + name);
      if (content == null) {
        throw new MillraceException(
            ErrorKind.USER, "File " + name + " of " + directory + " does not exist.");
      }
      failIfDamaged(directory + "/" + name);
      return content;
    }

    private void failIfDamaged(String path) {
      if (damaged.contains(path)) {
        throw new UnusableStateException(ErrorKind.USER, path + " is damaged.");
      }
    }

    @Override
    public void delete(String directory) {
      change(
          () -> {
            deletions.accept(directory);
            directories.removeIf(path -> isUnder(path, directory));
            metadata.keySet().removeIf(path -> isUnder(path, directory));
            files.keySet().removeIf(path -> isUnder(path, directory));
          });
    }

    @Override
    public List<String> files(String directory) {
      reach();
      return SimCheckpointStorage.this.files.keySet().stream()
          .filter(path -> isUnder(path, directory))
          .map(path -> path.substring(directory.length() + 1))
          .toList();
    }

    @Override
    public List<String> directories(String directory) {
      reach();
      return SimCheckpointStorage.this.directories.stream()
          .filter(path -> isUnder(path, directory) && !path.equals(directory))
          .map(path -> path.substring(directory.length() + 1).replaceFirst("/.*", ""))
          .distinct()
          .toList();
    }

    @Override
    public void deleteFiles(String directory, List<String> names) {
      for (String name : names) {
        change(
            () -> {
              deletions.accept(directory + "/" + name);
              files.remove(directory + "/" + name);
            });
      }
    }

    private void write(Runnable change) {
      if (failureMode == FailureMode.FULL) {
        throw SimStore.failure("is full");
      }
      change(change);
    }

    private void change(Runnable change) {
      reach();
      if (killAtChange && killBefore) {
        kill();
      }
      change.run();
      if (killAtChange) {
        kill();
      }
      if (failureMode == FailureMode.OUTCOME_UNKNOWN) {
        throw SimStore.failure("did not answer");
      }
    }

    private void kill() {
      process.kill();
      throw new SimProcess.Killed();
    }

    private void reach() {
      if (failureMode == FailureMode.UNAVAILABLE) {
        throw SimStore.failure("cannot be reached");
      }
    }
  }
}

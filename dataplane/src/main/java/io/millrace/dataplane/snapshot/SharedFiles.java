package io.millrace.dataplane.snapshot;

import io.millrace.task.checkpoint.StateHandle;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files of a task's store that checkpoints have stored, by their local names. A checkpoint
 * refers only to files of the last one that is known to be complete: the files of others may be
 * deleted. Thread-safe.
 */
public final class SharedFiles {
  private final TreeMap<Long, Map<String, StateHandle.FileSegment>> pending = new TreeMap<>();
  private Map<String, StateHandle.FileSegment> confirmed = Map.of();
  private String directory = "";

  /** Starts with the files of a checkpoint of the same job. */
  public synchronized void restored(
      String sharedDirectory, Map<String, StateHandle.FileSegment> files) {
    directory = sharedDirectory;
    confirmed = files;
  }

  /** A file that a checkpoint can refer to. */
  synchronized Optional<StateHandle.FileSegment> find(String sharedDirectory, String file) {
    return directory.equals(sharedDirectory)
        ? Optional.ofNullable(confirmed.get(file))
        : Optional.empty();
  }

  /** A checkpoint is stored, but not yet complete. */
  synchronized void stored(
      long checkpoint, String sharedDirectory, Map<String, StateHandle.FileSegment> files) {
    if (!directory.equals(sharedDirectory)) {
      directory = sharedDirectory;
      confirmed = Map.of();
      pending.clear();
    }
    pending.put(checkpoint, files);
  }

  public synchronized void completed(long checkpoint) {
    Map<String, StateHandle.FileSegment> files = pending.remove(checkpoint);
    if (files != null) {
      confirmed = files;
      pending.headMap(checkpoint).clear();
    }
  }

  public synchronized void aborted(long checkpoint) {
    pending.remove(checkpoint);
  }
}

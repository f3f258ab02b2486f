package io.millrace.sim;

import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.SharedFileName;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The shared files of a simulated task whose checkpoints are incremental: a checkpoint writes one
 * file and refers to those of the last checkpoint that is known to be complete, except for some
 * that are not needed any more.
 */
final class SimSharedFiles {
  private final RandomGenerator random;

  /** Whether files count as stored before their checkpoint is complete: a deliberate bug. */
  private final boolean unconfirmed;

  private final Map<Long, List<String>> pending = new LinkedHashMap<>();
  private final Set<String> dropped = new LinkedHashSet<>();
  private List<String> confirmed = new ArrayList<>();

  /** The directory of the files that are known. */
  private String directory = "";

  SimSharedFiles(RandomGenerator random, boolean unconfirmed) {
    this.random = random;
    this.unconfirmed = unconfirmed;
  }

  /** Reads all files of a piece, which must exist. */
  void restore(TaskRestore from, OperatorSnapshot.Keyed piece, SimCheckpointStorage.View storage) {
    for (StateHandle.FileSegment file : piece.files()) {
      storage.readFile(from.sharedDirectory(), file.file());
      confirmed.add(file.file());
    }
    directory = from.sharedDirectory();
  }

  /** Writes a file; returns all that the checkpoint needs. */
  List<StateHandle.FileSegment> write(
      CheckpointRequest request, String content, SimCheckpointStorage.View storage) {
    if (!directory.equals(request.sharedDirectory())) {
      confirmed = new ArrayList<>();
      directory = request.sharedDirectory();
    }
    // The content of a store is fixed at the barrier: a file that a later checkpoint needs is also
    // needed by an earlier one that is stored after it.
    boolean isLatest = pending.keySet().stream().allMatch(later -> later < request.checkpoint());
    for (String file : confirmed) {
      if (isLatest && random.nextInt(4) == 0) {
        dropped.add(file);
      }
    }
    List<String> files = new ArrayList<>(confirmed);
    files.removeAll(dropped);
    String written = SharedFileName.of(request.checkpoint(), random.nextLong());
    storage.writeFile(directory, written, content);
    files.add(written);
    pending.put(request.checkpoint(), files);
    if (unconfirmed) {
      confirmed = files;
    }
    return files.stream()
        .map(
            name ->
                new StateHandle.FileSegment(
                    StateHandle.Directory.SHARED, name, 0, content.length(), 0))
        .toList();
  }

  void completed(long checkpoint) {
    List<String> files = pending.remove(checkpoint);
    if (files != null) {
      confirmed = files;
      pending.keySet().removeIf(number -> number < checkpoint);
    }
  }

  void aborted(long checkpoint) {
    pending.remove(checkpoint);
  }
}

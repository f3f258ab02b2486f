package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.Map;
import java.util.TreeMap;

/** The directories of checkpoints, shared by all processes of a simulated cluster. */
public final class SimCheckpointStorage implements CheckpointStorage {
  private final Map<String, CheckpointMetadata> metadata = new TreeMap<>();

  @Override
  public void createDirectory(String directory) {
    // A directory without metadata has no content here.
  }

  @Override
  public void writeMetadata(String directory, CheckpointMetadata written) {
    if (metadata.putIfAbsent(directory, written) != null) {
      throw new MillraceException(ErrorKind.EXTERNAL, directory + " has metadata already.");
    }
  }

  @Override
  public StoredMetadata readMetadata(String path) {
    CheckpointMetadata found = metadata.get(path);
    if (found == null) {
      throw new MillraceException(ErrorKind.USER, path + " has no metadata.");
    }
    return new StoredMetadata(path, found);
  }

  @Override
  public void delete(String directory) {
    metadata.keySet().removeIf(known -> (known + "/").startsWith(directory + "/"));
  }

  /** The checkpoints that are stored, by directory. */
  public Map<String, CheckpointMetadata> stored() {
    return metadata;
  }
}

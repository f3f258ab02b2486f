package io.millrace.sim.sabotage;

import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.List;

/** Delegates to another checkpoint storage. */
class DelegatingCheckpointStorage implements CheckpointStorage {
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

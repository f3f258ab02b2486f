package io.millrace.dataplane;

import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.task.store.StateBackends;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a {@link DataPlane}.
 *
 * @param cores the number of threads that run tasks
 * @param port the data port; empty for a process that runs alone, which opens no port and loads no
 *     network library
 * @param files the file systems of sources and sinks
 * @param partitionDirectory the directory of cluster partitions; empty for a temporary one
 * @param configuration of the process, for options that the job does not set
 * @param backends the state backends of the process
 * @param stateDirectory the directory of their local files; empty for a temporary one
 * @param commonMemory the managed memory that slots without any of their own share for state
 */
public record DataPlaneSettings(
    int cores,
    Optional<DataPort> port,
    FileSystems files,
    Optional<Path> partitionDirectory,
    Configuration configuration,
    StateBackends backends,
    Optional<Path> stateDirectory,
    ManagedMemory commonMemory) {
  public DataPlaneSettings {
    if (cores < 1) {
      throw new IllegalArgumentException("cores must be >= 1, not " + cores);
    }
    Objects.requireNonNull(port);
    Objects.requireNonNull(files);
    Objects.requireNonNull(partitionDirectory);
    Objects.requireNonNull(configuration);
    Objects.requireNonNull(backends);
    Objects.requireNonNull(stateDirectory);
    Objects.requireNonNull(commonMemory);
  }

  /** Settings of a process that runs alone. */
  public static DataPlaneSettings inProcess(int cores) {
    return new DataPlaneSettings(
        cores,
        Optional.empty(),
        FileSystems.withoutPlugins(),
        Optional.empty(),
        Configuration.EMPTY,
        StateBackends.withoutPlugins(),
        Optional.empty(),
        ManagedMemory.NONE);
  }

  /** Settings of a process that exchanges records with others. */
  public static DataPlaneSettings listening(int cores, DataPort port) {
    return new DataPlaneSettings(
        cores,
        Optional.of(port),
        FileSystems.withoutPlugins(),
        Optional.empty(),
        Configuration.EMPTY,
        StateBackends.withoutPlugins(),
        Optional.empty(),
        ManagedMemory.NONE);
  }

  /** The same settings with other file systems. */
  public DataPlaneSettings with(FileSystems available) {
    return new DataPlaneSettings(
        cores,
        port,
        available,
        partitionDirectory,
        configuration,
        backends,
        stateDirectory,
        commonMemory);
  }

  /** The same settings with a directory for cluster partitions. */
  public DataPlaneSettings keepingIn(Path directory) {
    return new DataPlaneSettings(
        cores,
        port,
        files,
        Optional.of(directory),
        configuration,
        backends,
        stateDirectory,
        commonMemory);
  }

  /** The same settings with the configuration of the process. */
  public DataPlaneSettings with(Configuration process) {
    return new DataPlaneSettings(
        cores, port, files, partitionDirectory, process, backends, stateDirectory, commonMemory);
  }

  /** The same settings with state backends and the directory of their local files. */
  public DataPlaneSettings with(StateBackends available, Path directory) {
    return new DataPlaneSettings(
        cores,
        port,
        files,
        partitionDirectory,
        configuration,
        available,
        Optional.of(directory),
        commonMemory);
  }

  /** The same settings with managed memory for slots that have none of their own. */
  public DataPlaneSettings with(ManagedMemory common) {
    return new DataPlaneSettings(
        cores, port, files, partitionDirectory, configuration, backends, stateDirectory, common);
  }
}

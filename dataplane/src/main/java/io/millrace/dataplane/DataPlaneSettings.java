package io.millrace.dataplane;

import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.wire.DataPort;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * How a host is set up.
 *
 * @param cores how many threads run tasks
 * @param port where other hosts send their records; empty for a host that works alone, which opens
 *     no port and loads no network library
 * @param files what sources and sinks read from and write to
 * @param kept the directory for results that later jobs read; a temporary one if nothing is said
 * @param configuration of the process, for what tasks do where their job has no wish
 */
public record DataPlaneSettings(
    int cores,
    Optional<DataPort> port,
    FileSystems files,
    Optional<Path> kept,
    Configuration configuration) {
  public DataPlaneSettings {
    if (cores < 1) {
      throw new IllegalArgumentException("A host has at least one core, not " + cores);
    }
    Objects.requireNonNull(port);
    Objects.requireNonNull(files);
    Objects.requireNonNull(kept);
    Objects.requireNonNull(configuration);
  }

  /** A host without a network. */
  public static DataPlaneSettings inProcess(int cores) {
    return new DataPlaneSettings(
        cores,
        Optional.empty(),
        FileSystems.withoutPlugins(),
        Optional.empty(),
        Configuration.EMPTY);
  }

  /** A host that exchanges records with others. */
  public static DataPlaneSettings listening(int cores, DataPort port) {
    return new DataPlaneSettings(
        cores,
        Optional.of(port),
        FileSystems.withoutPlugins(),
        Optional.empty(),
        Configuration.EMPTY);
  }

  /** The same host with the file systems of its process. */
  public DataPlaneSettings with(FileSystems available) {
    return new DataPlaneSettings(cores, port, available, kept, configuration);
  }

  /** The same host with a directory for results that later jobs read. */
  public DataPlaneSettings keepingIn(Path directory) {
    return new DataPlaneSettings(cores, port, files, Optional.of(directory), configuration);
  }

  /** The same host with the configuration of its process. */
  public DataPlaneSettings with(Configuration process) {
    return new DataPlaneSettings(cores, port, files, kept, process);
  }
}

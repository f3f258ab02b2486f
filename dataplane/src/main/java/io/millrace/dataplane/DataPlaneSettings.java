package io.millrace.dataplane;

import io.millrace.dataplane.wire.DataPort;
import java.util.Objects;
import java.util.Optional;

/**
 * How a host is set up.
 *
 * @param cores how many threads run tasks
 * @param port where other hosts send their records; empty for a host that works alone, which opens
 *     no port and loads no network library
 */
public record DataPlaneSettings(int cores, Optional<DataPort> port) {
  public DataPlaneSettings {
    if (cores < 1) {
      throw new IllegalArgumentException("A host has at least one core, not " + cores);
    }
    Objects.requireNonNull(port);
  }

  /** A host without a network. */
  public static DataPlaneSettings inProcess(int cores) {
    return new DataPlaneSettings(cores, Optional.empty());
  }

  /** A host that exchanges records with others. */
  public static DataPlaneSettings listening(int cores, DataPort port) {
    return new DataPlaneSettings(cores, Optional.of(port));
  }
}

package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.tls.InternalTls;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of the data port, at which a process receives records from others.
 *
 * @param bindHost the interface to listen on
 * @param ports the process binds one of them
 * @param advertisedHost the host name at which other processes reach the port
 * @param secret the secret that only the processes of the cluster know
 * @param tls encrypts the connections; empty on loopback
 * @param memory the network memory for records in flight
 */
public record DataPort(
    String bindHost,
    BindPorts ports,
    String advertisedHost,
    Bytes secret,
    Optional<InternalTls> tls,
    ConnectionTimeouts timeouts,
    NetworkMemory memory) {
  private static final NetworkMemory DEFAULT_MEMORY = new NetworkMemory(64 << 20, 32 << 10);
  private static final ConnectionTimeouts DEFAULT_TIMEOUTS =
      new ConnectionTimeouts(
          Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(50));

  public DataPort {
    Objects.requireNonNull(bindHost);
    Objects.requireNonNull(ports);
    Objects.requireNonNull(advertisedHost);
    Objects.requireNonNull(tls);
    Objects.requireNonNull(timeouts);
    Objects.requireNonNull(memory);
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("secret must not be empty");
    }
  }

  /** A port on this machine's loopback interface. */
  public static DataPort loopback(int number, Bytes secret) {
    return loopback(number, secret, DEFAULT_MEMORY);
  }

  /** A loopback port with this network memory. */
  public static DataPort loopback(int number, Bytes secret, NetworkMemory memory) {
    return new DataPort(
        "127.0.0.1",
        BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(number)),
        "127.0.0.1",
        secret,
        Optional.empty(),
        DEFAULT_TIMEOUTS,
        memory);
  }
}

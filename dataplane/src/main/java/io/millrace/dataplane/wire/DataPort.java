package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.tls.InternalTls;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of the data port, at which a process receives records from others.
 *
 * @param bindHost the interface to listen on
 * @param number the port, 0 for any free port
 * @param advertisedHost the host name at which other processes reach the port
 * @param secret the secret that only the processes of the cluster know
 * @param tls encrypts the connections; empty on loopback
 * @param memory the network memory for records in flight
 */
public record DataPort(
    String bindHost,
    int number,
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
    Objects.requireNonNull(advertisedHost);
    Objects.requireNonNull(tls);
    Objects.requireNonNull(timeouts);
    Objects.requireNonNull(memory);
    if (number < 0 || number > 65535) {
      throw new IllegalArgumentException("port must be in 0..65535, not " + number);
    }
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
        "127.0.0.1", number, "127.0.0.1", secret, Optional.empty(), DEFAULT_TIMEOUTS, memory);
  }
}

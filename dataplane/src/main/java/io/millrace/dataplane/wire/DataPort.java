package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.tls.InternalTls;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a host takes records from others.
 *
 * @param bindHost the interface to listen at
 * @param number the port, 0 for any that is free
 * @param advertisedHost the name under which other hosts reach it
 * @param secret what every process of the cluster knows and nobody else
 * @param tls by which connections are kept from being read and changed; empty on loopback
 * @param timeouts how long it waits for others
 * @param memory for the records on their way
 */
public record DataPort(
    String bindHost,
    int number,
    String advertisedHost,
    Bytes secret,
    Optional<InternalTls> tls,
    ConnectionTimeouts timeouts,
    NetworkMemory memory) {
  private static final NetworkMemory AMPLE = new NetworkMemory(64 << 20, 32 << 10);
  private static final ConnectionTimeouts USUAL =
      new ConnectionTimeouts(
          Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(50));

  public DataPort {
    Objects.requireNonNull(bindHost);
    Objects.requireNonNull(advertisedHost);
    Objects.requireNonNull(tls);
    Objects.requireNonNull(timeouts);
    Objects.requireNonNull(memory);
    if (number < 0 || number > 65535) {
      throw new IllegalArgumentException("No such port: " + number);
    }
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("A cluster secret is not empty");
    }
  }

  /** A port on this machine's loopback interface. */
  public static DataPort loopback(int number, Bytes secret) {
    return loopback(number, secret, AMPLE);
  }

  /** The same with this much memory. */
  public static DataPort loopback(int number, Bytes secret, NetworkMemory memory) {
    return new DataPort("127.0.0.1", number, "127.0.0.1", secret, Optional.empty(), USUAL, memory);
  }
}

package io.millrace.rpc.grpc;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.InternalTls;
import java.util.Objects;
import java.util.Optional;

/**
 * Addresses and credentials of a process.
 *
 * @param port 0 binds a free port
 * @param advertisedHost the host under which other processes reach this one
 * @param secret the shared secret of the cluster's processes
 * @param tls encryption of connections; empty on loopback
 */
public record GrpcSettings(
    Role role,
    String bindHost,
    int port,
    String advertisedHost,
    Bytes secret,
    Optional<InternalTls> tls) {

  /** The options that an address comes from; errors name them. */
  public enum Role {
    JOB_MANAGER,
    TASK_MANAGER;

    private Option<String> bindHost() {
      return switch (this) {
        case JOB_MANAGER -> JobManagerOptions.BIND_HOST;
        case TASK_MANAGER -> TaskManagerOptions.BIND_HOST;
      };
    }

    private Option<Integer> port() {
      return switch (this) {
        case JOB_MANAGER -> JobManagerOptions.PORT;
        case TASK_MANAGER -> TaskManagerOptions.RPC_PORT;
      };
    }

    private Option<String> advertisedHost() {
      return switch (this) {
        case JOB_MANAGER -> JobManagerOptions.ADDRESS;
        case TASK_MANAGER -> TaskManagerOptions.HOST;
      };
    }

    String bindHostKey() {
      return bindHost().key();
    }

    String portKey() {
      return port().key();
    }
  }

  public GrpcSettings {
    Objects.requireNonNull(role);
    Objects.requireNonNull(bindHost);
    Objects.requireNonNull(advertisedHost);
    Objects.requireNonNull(secret);
    Objects.requireNonNull(tls);
    if (port < 0 || port > 65_535) {
      throw new MillraceException(
          ErrorKind.USER, role.portKey() + " must be between 0 and 65535, but is " + port + ".");
    }
    if (secret.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The cluster secret is empty, so any process could join. Put some random bytes into the"
              + " file that "
              + SecurityOptions.CLUSTER_SECRET_FILE.key()
              + " names.");
    }
  }

  /** The settings of a process on the loopback interface. */
  public static GrpcSettings loopback(Role role, int port, Bytes secret) {
    return new GrpcSettings(role, "127.0.0.1", port, "127.0.0.1", secret, Optional.empty());
  }

  public static GrpcSettings from(Configuration configuration, Role role, Bytes secret) {
    return new GrpcSettings(
        role,
        configuration.get(role.bindHost()),
        configuration.get(role.port()),
        configuration.get(role.advertisedHost()),
        secret,
        InternalTls.of(configuration));
  }

  /** Omits the secret, which must not be logged. */
  @Override
  public String toString() {
    return role + " at " + bindHost + ":" + port + ", advertised as " + advertisedHost;
  }
}

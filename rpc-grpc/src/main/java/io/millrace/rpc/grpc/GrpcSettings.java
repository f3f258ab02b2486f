package io.millrace.rpc.grpc;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.PortRange;
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
 * @param ports the process binds one of them
 * @param advertisedHost the host under which other processes reach this one
 * @param secret the shared secret of the cluster's processes
 * @param tls encryption of connections; empty on loopback
 */
public record GrpcSettings(
    Role role,
    String bindHost,
    BindPorts ports,
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

    private Option<PortRange> port() {
      return switch (this) {
        case JOB_MANAGER -> JobManagerOptions.PORT;
        case TASK_MANAGER -> TaskManagerOptions.RPC_PORT;
      };
    }

    private Option<PortRange> bindPort() {
      return switch (this) {
        case JOB_MANAGER -> JobManagerOptions.BIND_PORT;
        case TASK_MANAGER -> TaskManagerOptions.RPC_BIND_PORT;
      };
    }

    private BindPorts ports(Configuration configuration) {
      boolean forRecovery =
          this == JOB_MANAGER
              && configuration.contains(HighAvailabilityOptions.HA_JOB_MANAGER_PORT)
              && !configuration.contains(bindPort())
              && !HighAvailabilityOptions.type(configuration).equals(HighAvailabilityOptions.NONE);
      return forRecovery
          ? BindPorts.of(configuration, HighAvailabilityOptions.HA_JOB_MANAGER_PORT)
          : BindPorts.of(configuration, bindPort(), port());
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
  }

  public GrpcSettings {
    Objects.requireNonNull(role);
    Objects.requireNonNull(bindHost);
    Objects.requireNonNull(ports);
    Objects.requireNonNull(advertisedHost);
    Objects.requireNonNull(secret);
    Objects.requireNonNull(tls);
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
    return new GrpcSettings(
        role,
        "127.0.0.1",
        BindPorts.of(role.port(), PortRange.of(port)),
        "127.0.0.1",
        secret,
        Optional.empty());
  }

  public static GrpcSettings from(Configuration configuration, Role role, Bytes secret) {
    return new GrpcSettings(
        role,
        configuration.get(role.bindHost()),
        role.ports(configuration),
        configuration.get(role.advertisedHost()),
        secret,
        InternalTls.of(configuration));
  }

  /** Omits the secret, which must not be logged. */
  @Override
  public String toString() {
    return role + " at " + bindHost + ":" + ports.range() + ", advertised as " + advertisedHost;
  }
}

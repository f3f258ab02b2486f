package io.millrace.cli.cluster;

import io.millrace.cli.common.UsageException;
import io.millrace.control.ha.Coordinators;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.RestOptions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Chooses the ports of the JobManagers of a cluster on this machine before they start. */
final class ClusterPorts {
  private final FreePorts free;
  private final Configuration given;
  private final Optional<BindPorts> rest;
  private final Optional<BindPorts> rpc;

  /**
   * @param restPort the value of {@code --rest-port}
   * @param rpcPort the value of {@code --rpc-port}
   */
  ClusterPorts(
      FreePorts free, Configuration given, Optional<String> restPort, Optional<String> rpcPort) {
    this.free = free;
    this.given = given;
    this.rest =
        restPort
            .map(text -> argument("--rest-port", text))
            .or(() -> configured(RestOptions.BIND_PORT, RestOptions.PORT))
            .map(ports -> new BindPorts(ports.option(), ports.range(), OptionalInt.empty()));
    this.rpc =
        rpcPort
            .map(text -> argument("--rpc-port", text))
            .or(() -> configured(JobManagerOptions.BIND_PORT, JobManagerOptions.PORT))
            .or(
                () ->
                    Optional.of(HighAvailabilityOptions.HA_JOB_MANAGER_PORT)
                        .filter(given::contains)
                        .map(option -> BindPorts.of(given, option)));
  }

  private static BindPorts argument(String name, String text) {
    try {
      return new BindPorts(name, PortRange.parse(text), OptionalInt.empty());
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          name
              + " requires a port, a range such as 50100-50200 or a list of them, not '"
              + text
              + "': "
              + e.getMessage()
              + ".");
    }
  }

  private Optional<BindPorts> configured(Option<PortRange> bindPort, Option<PortRange> port) {
    return given.contains(bindPort) || given.contains(port)
        ? Optional.of(BindPorts.of(given, bindPort, port))
        : Optional.empty();
  }

  /** The configuration with the ports of the first JobManager. */
  Configuration in(Configuration configuration) {
    PortRange usual = RestOptions.PORT.parse(RestOptions.PORT.defaultText().orElseThrow());
    int restPort =
        rest.map(free::anyOf).orElseGet(() -> free.preferably(usual.single().getAsInt()));
    Configuration withRest =
        configuration
            .without(List.of(RestOptions.BIND_PORT.key()))
            .with(RestOptions.PORT, restPort);
    if (rpc.isEmpty()) {
      return withRest.with(JobManagerOptions.PORT, free.free());
    }
    BindPorts ports = rpc.get();
    Configuration plain =
        withRest.without(
            List.of(
                JobManagerOptions.BIND_PORT.key(),
                HighAvailabilityOptions.HA_JOB_MANAGER_PORT.key()));
    if (Coordinators.isConfigured(given) && ports.range().single().isEmpty()) {
      // Each JobManager binds one of them and publishes it.
      return plain.with(JobManagerOptions.PORT, ports.range());
    }
    int bound = free.anyOf(ports);
    Configuration withRpc = plain.with(JobManagerOptions.PORT, ports.advertised(bound));
    return ports.advertised(bound) == bound
        ? withRpc
        : withRpc.with(JobManagerOptions.BIND_PORT, bound);
  }

  /** The REST port of a further JobManager: of the same range, or a free one. */
  int furtherRest() {
    return rest.filter(ports -> ports.range().single().isEmpty())
        .map(free::anyOf)
        .orElseGet(free::free);
  }
}

package io.millrace.cluster;

import io.millrace.client.HostPort;
import io.millrace.client.PluginServices;
import io.millrace.client.ProcessEnvironment;
import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.Coordinators;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Durations;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.SecurityContext;
import java.time.Duration;
import java.util.Optional;

/** Finds the leading JobManager for clients, in the coordination service of the cluster. */
public final class LeaderAddress {
  private static final Duration INTERVAL = Duration.ofMillis(200);

  private LeaderAddress() {}

  /**
   * The REST address of the leader; empty if no coordination service is configured. Waits for a
   * leader within {@code client.timeout}. Blocks.
   */
  public static Optional<HostPort> find(
      Configuration configuration, ProcessEnvironment environment) {
    if (!Coordinators.isConfigured(configuration)) {
      return Optional.empty();
    }
    Plugins plugins = PluginServices.plugins(environment, configuration);
    try (SecurityContext security = SecurityContext.of(configuration, plugins)) {
      return Optional.of(
          security.call(
              () -> {
                try (ClusterRegistry registry = Coordinators.of(plugins).registry(configuration)) {
                  return await(registry, configuration);
                }
              }));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The leading JobManager cannot be looked up: " + e.getMessage(), e);
    }
  }

  private static HostPort await(ClusterRegistry registry, Configuration configuration)
      throws InterruptedException {
    Duration timeout = configuration.get(ClientOptions.CLIENT_TIMEOUT);
    String id = configuration.get(HighAvailabilityOptions.HA_CLUSTER_ID);
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Optional<LeaderRecord> leader = registry.leader(id);
      if (leader.isPresent()) {
        return HostPort.parse(leader.get().rest());
      }
      if (System.nanoTime() - deadline > 0) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "No JobManager leads cluster "
                + id
                + " ("
                + HighAvailabilityOptions.HA_CLUSTER_ID.key()
                + ") in "
                + registry
                + " within "
                + Durations.readable(timeout)
                + ". Start one, or name a JobManager with -m.");
      }
      Thread.sleep(INTERVAL.toMillis());
    }
  }
}

package io.millrace.cli.cluster;

import io.millrace.cli.common.UsageException;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cluster.keys.ClusterKeys;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.tls.ClusterKeyFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The address at which other machines reach the processes of a cluster, and the keys that protect
 * them there.
 *
 * @param host a name or an address of this machine
 */
record ClusterBinding(String host, InetAddress address) {
  /** The value of {@code --bind}. */
  static ClusterBinding parse(String host) {
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new UsageException("--bind: there is no host '" + host + "'.", e);
    }
    if (address.isAnyLocalAddress()) {
      throw new UsageException(
          "--bind requires the address under which other machines reach this one, not '"
              + host
              + "'.");
    }
    if (host.indexOf(':') >= 0) {
      throw new UsageException(
          "--bind requires a host name or an IPv4 address. Name a host with the address "
              + host
              + ".");
    }
    if (!isOfThisMachine(address)) {
      throw new UsageException(
          "--bind: " + host + " is not an address of this machine. `ip addr` lists them.");
    }
    return new ClusterBinding(host, address);
  }

  private static boolean isOfThisMachine(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      throw new UsageException("The addresses of this machine cannot be read: " + e, e);
    }
  }

  /** All ports bind to the address and are advertised with it. */
  Configuration in(Configuration configuration) {
    return ofTaskManager(configuration)
        .with(JobManagerOptions.BIND_HOST, host)
        .with(JobManagerOptions.ADDRESS, host)
        .with(RestOptions.BIND_ADDRESS, host)
        .with(RestOptions.ADDRESS, host);
  }

  Configuration ofTaskManager(Configuration configuration) {
    return configuration
        .with(TaskManagerOptions.BIND_HOST, host)
        .with(TaskManagerOptions.HOST, host);
  }

  /** Names and addresses in the certificate of REST. */
  private List<String> names() {
    Set<String> names = new LinkedHashSet<>();
    names.add(host);
    names.add(address.getHostAddress());
    return List.copyOf(names);
  }

  /**
   * Encrypts all connections with keys of the directory, which are created if there are none.
   * Stores that the user has configured stay.
   */
  Configuration withKeys(Configuration configuration, ClusterDirectory directory)
      throws IOException {
    boolean internal = !configuration.contains(TlsOptions.KEYSTORE);
    boolean rest =
        !configuration.contains(RestTlsOptions.KEYSTORE)
            && !configuration.contains(RestTlsOptions.ENABLED);
    if (!internal && !rest) {
      return configuration;
    }
    Instant now = Instant.now();
    ClusterKeys keys =
        ClusterKeys.exist(directory.keys())
            ? ClusterKeys.open(directory.keys())
            : ClusterKeys.create(directory.keys(), now);
    ClusterKeyFiles files = keys.jobManager(ClusterKeyFiles.JOB_MANAGER, names(), now);
    Configuration full = configuration;
    if (internal) {
      full = files.in(full).with(SecurityOptions.CLUSTER_SECRET_FILE, keys.secret());
    }
    return rest ? files.withRest(full, keys.trustStore().toString()) : full;
  }

  /** Whether the processes of a configuration have keys that were signed in the directory. */
  static boolean hasKeys(Configuration configuration, ClusterDirectory directory) {
    return ClusterKeys.areUsed(configuration, directory.keys());
  }

  /** A new key for a TaskManager on this machine. */
  static ClusterKeyFiles worker(ClusterDirectory directory, String name) throws IOException {
    return ClusterKeys.open(directory.keys())
        .worker(new WorkerId(name), directory.keys().resolve(name + ".jks"), Instant.now());
  }

  /** A new key for a further JobManager on this machine. */
  static ClusterKeyFiles jobManager(
      ClusterDirectory directory, String name, Configuration configuration) throws IOException {
    return ClusterKeys.open(directory.keys())
        .jobManager(name, parse(configuration.get(RestOptions.ADDRESS)).names(), Instant.now());
  }
}

package io.millrace.client;

import io.millrace.client.CommandLineStyle.RunningCluster;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The options of a command line that choose where a job runs, and the decision: the generic style
 * ({@code -t} or {@code execution.target}) precedes those of plugins, which precede the default one
 * ({@code -m host:port}, else the embedded cluster).
 *
 * @param target {@code -t}
 * @param address {@code -m} with a host and a port
 * @param running the address of the cluster that {@code cluster start} started on this machine, if
 *     there is one
 * @param styles the loaded styles of plugins, with the arguments given in each
 */
public record TargetRequest(
    Optional<String> target,
    Optional<HostPort> address,
    Optional<HostPort> running,
    List<StyleRequest> styles,
    Configuration configuration) {
  public TargetRequest {
    Objects.requireNonNull(target);
    Objects.requireNonNull(address);
    Objects.requireNonNull(running);
    styles = OrderedCopies.list(styles);
    Objects.requireNonNull(configuration);
  }

  /** A copy with the value of {@code -t}. */
  public TargetRequest withTarget(String name) {
    return new TargetRequest(Optional.of(name), address, running, styles, configuration);
  }

  /** The target that {@code -t} or the configuration names. */
  public Optional<String> namedTarget() {
    return target.or(() -> configuredTarget(configuration));
  }

  /** The target that a configuration names; empty if the default applies. */
  public static Optional<String> configuredTarget(Configuration configuration) {
    return configuration.contains(DeploymentOptions.TARGET)
        ? Optional.of(configuration.get(DeploymentOptions.TARGET))
        : Optional.empty();
  }

  /** A copy with another configuration. */
  public TargetRequest with(Configuration changed) {
    return new TargetRequest(target, address, running, styles, changed);
  }

  /**
   * The configuration with {@code execution.target} decided, for a command that runs a program.
   *
   * @param warnings receives a line about each style that is skipped because its libraries are
   *     missing, and about options that have no effect because an earlier style decides
   */
  public Configuration decide(Consumer<String> warnings) {
    Optional<String> named = namedTarget();
    if (named.isPresent()) {
      return generic(named.get(), warnings);
    }
    for (StyleRequest request : styles) {
      CommandLineStyle style = request.style();
      if (style.isActive(request.arguments(), configuration)) {
        Optional<String> missing = style.missingLibraries();
        if (missing.isEmpty()) {
          return style.decide(request.arguments(), configuration, warnings);
        }
        warnings.accept(
            "The command-line style '"
                + style.name()
                + "' is skipped because its libraries are missing: "
                + missing.get()
                + ".");
      }
    }
    return byDefault(warnings);
  }

  private Configuration generic(String name, Consumer<String> warnings) {
    List<String> ignored = new ArrayList<>();
    boolean remote = name.equals(RemoteTarget.NAME);
    if (!remote) {
      address.ifPresent(given -> ignored.add("-m " + given));
    }
    styles.forEach(one -> ignored.addAll(one.style().ignored(name, one.arguments())));
    if (!ignored.isEmpty()) {
      warnings.accept(
          "Ignored: "
              + String.join(", ", ignored)
              + ". The target is '"
              + name
              + "', as "
              + (target.isPresent() ? "-t" : DeploymentOptions.TARGET.key())
              + " says.");
    }
    if (remote) {
      return remote();
    }
    Configuration decided = configuration.with(DeploymentOptions.TARGET, name);
    for (StyleRequest one : styles) {
      decided = one.style().configure(name, one.arguments(), decided);
    }
    return decided;
  }

  private Configuration byDefault(Consumer<String> warnings) {
    for (StyleRequest one : styles) {
      if (one.arguments().address().isPresent()) {
        throw new MillraceException(
            ErrorKind.USER,
            "-m "
                + one.arguments().address().get()
                + " is not the address of a JobManager, and without its libraries the command-line"
                + " style '"
                + one.style().name()
                + "' cannot use it. Install them, or give host:port.");
      }
    }
    if (address.isPresent()) {
      return remote();
    }
    styles.forEach(
        one -> one.style().inactiveNotice(one.arguments(), configuration).ifPresent(warnings));
    return configuration;
  }

  /**
   * The cluster of a plugin's style that a command without a program uses; empty if it uses a REST
   * address.
   */
  public Optional<RunningCluster> cluster() {
    for (StyleRequest one : styles) {
      boolean named = one.style().session(one.arguments()).isPresent();
      if (named || !isForOtherTarget(one.style())) {
        Optional<RunningCluster> cluster = one.style().cluster(one.arguments(), configuration);
        if (cluster.isPresent()) {
          return cluster;
        }
      }
    }
    return Optional.empty();
  }

  private boolean isForOtherTarget(CommandLineStyle style) {
    return address.isPresent()
        || (configuration.contains(DeploymentOptions.TARGET)
            && !style.ownsTarget(configuration.get(DeploymentOptions.TARGET)));
  }

  /** The REST address for a command that uses a running cluster. */
  public HostPort clusterAddress() {
    return findClusterAddress().orElseGet(() -> HostPort.of(configuration));
  }

  /** The same address; empty if ports of a cluster that does not run yet are configured. */
  public Optional<HostPort> findClusterAddress() {
    return address
        .or(() -> addressIsConfigured() ? Optional.empty() : running)
        .or(() -> HostPort.find(configuration));
  }

  private boolean addressIsConfigured() {
    return configuration.contains(RestOptions.ADDRESS) || configuration.contains(RestOptions.PORT);
  }

  private Configuration remote() {
    return clusterAddress().in(configuration).with(DeploymentOptions.TARGET, RemoteTarget.NAME);
  }
}

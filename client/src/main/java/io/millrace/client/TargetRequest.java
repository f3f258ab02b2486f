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
 * What a user gave on the command line about where a job runs, and the decision that follows: the
 * generic style ({@code -t} or {@code execution.target}) goes before those of plugins, which go
 * before the default one ({@code -m host:port}, else the embedded cluster).
 *
 * @param target {@code -t}
 * @param address {@code -m} with a host and a port
 * @param running the cluster that was started on this machine, if one runs
 * @param styles those of plugins that were looked at, with what was given in each
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

  /** This request with another configuration. */
  public TargetRequest with(Configuration changed) {
    return new TargetRequest(target, address, running, styles, changed);
  }

  /**
   * The configuration with {@code execution.target} decided, for a command that runs a program.
   *
   * @param warnings hears of a style that is skipped because its libraries are missing, and of what
   *     has no effect because an earlier style decides
   */
  public Configuration decide(Consumer<String> warnings) {
    if (target.isPresent() || configuration.contains(DeploymentOptions.TARGET)) {
      return generic(warnings);
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
                + "' is skipped, because its libraries are missing: "
                + missing.get()
                + ".");
      }
    }
    return byDefault();
  }

  private Configuration generic(Consumer<String> warnings) {
    String name = target.orElseGet(() -> configuration.get(DeploymentOptions.TARGET));
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

  private Configuration byDefault() {
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
    return address.isPresent() ? remote() : configuration;
  }

  /**
   * The cluster of a plugin's style that a command without a program means; nothing where it means
   * one with an address.
   */
  public Optional<RunningCluster> cluster() {
    for (StyleRequest one : styles) {
      boolean named = one.style().session(one.arguments()).isPresent();
      if (named || !isElsewhere(one.style())) {
        Optional<RunningCluster> cluster = one.style().cluster(one.arguments(), configuration);
        if (cluster.isPresent()) {
          return cluster;
        }
      }
    }
    return Optional.empty();
  }

  private boolean isElsewhere(CommandLineStyle style) {
    return address.isPresent()
        || (configuration.contains(DeploymentOptions.TARGET)
            && !style.ownsTarget(configuration.get(DeploymentOptions.TARGET)));
  }

  /** Where the cluster is, for a command that talks to one that runs already. */
  public HostPort clusterAddress() {
    return address
        .or(() -> addressIsConfigured() ? Optional.empty() : running)
        .orElseGet(() -> HostPort.of(configuration));
  }

  private boolean addressIsConfigured() {
    return configuration.contains(RestOptions.ADDRESS) || configuration.contains(RestOptions.PORT);
  }

  private Configuration remote() {
    return clusterAddress().in(configuration).with(DeploymentOptions.TARGET, RemoteTarget.NAME);
  }
}

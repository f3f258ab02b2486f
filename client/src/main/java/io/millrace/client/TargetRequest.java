package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a user said about where to go.
 *
 * @param target {@code -t}
 * @param address {@code -m}
 * @param running the cluster that was started on this machine, if one runs
 */
public record TargetRequest(
    Optional<String> target,
    Optional<HostPort> address,
    Optional<HostPort> running,
    Configuration configuration) {
  private static final List<CommandLineStyle> STYLES =
      List.of(new GenericStyle(), new DefaultStyle());

  public TargetRequest {
    Objects.requireNonNull(target);
    Objects.requireNonNull(address);
    Objects.requireNonNull(running);
    Objects.requireNonNull(configuration);
  }

  /** The configuration with {@code execution.target} decided, for a command that runs a program. */
  public Configuration decide() {
    return STYLES.stream()
        .filter(style -> style.isActive(this))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("The default style is always active"))
        .decide(this);
  }

  /** Where the cluster is, for a command that talks to one that runs already. */
  public HostPort clusterAddress() {
    return address
        .or(() -> addressIsConfigured() ? Optional.empty() : running)
        .orElseGet(() -> HostPort.of(configuration));
  }

  private boolean addressIsConfigured() {
    return configuration.contains(Options.REST_ADDRESS)
        || configuration.contains(Options.REST_PORT);
  }

  private Configuration remote() {
    return clusterAddress().in(configuration).with(Options.TARGET, RemoteTarget.NAME);
  }

  /** {@code -t}, or {@code execution.target} in the configuration. */
  private static final class GenericStyle implements CommandLineStyle {
    @Override
    public boolean isActive(TargetRequest request) {
      return request.target.isPresent() || request.configuration.contains(Options.TARGET);
    }

    @Override
    public Configuration decide(TargetRequest request) {
      String name = request.target.orElseGet(() -> request.configuration.get(Options.TARGET));
      if (name.equals(RemoteTarget.NAME)) {
        return request.remote();
      }
      if (request.address.isPresent()) {
        throw new MillraceException(
            ErrorKind.USER,
            "-m names the cluster at "
                + request.address.get()
                + ", but the target is '"
                + name
                + "'. Leave out one of them, or use -t remote.");
      }
      return request.configuration.with(Options.TARGET, name);
    }
  }

  /** {@code -m host:port}, else the embedded cluster. */
  private static final class DefaultStyle implements CommandLineStyle {
    @Override
    public boolean isActive(TargetRequest request) {
      return true;
    }

    @Override
    public Configuration decide(TargetRequest request) {
      return request.address.isPresent() ? request.remote() : request.configuration;
    }
  }
}

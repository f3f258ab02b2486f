package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.YarnOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What a user said about where to go.
 *
 * @param target {@code -t}
 * @param address {@code -m}
 * @param running the cluster that was started on this machine, if one runs
 * @param yarn what was said in the style of YARN
 */
public record TargetRequest(
    Optional<String> target,
    Optional<HostPort> address,
    Optional<HostPort> running,
    YarnWords yarn,
    Configuration configuration) {
  private static final List<CommandLineStyle> STYLES =
      List.of(new GenericStyle(), new YarnStyle(), new DefaultStyle());

  public TargetRequest {
    Objects.requireNonNull(target);
    Objects.requireNonNull(address);
    Objects.requireNonNull(running);
    Objects.requireNonNull(yarn);
    Objects.requireNonNull(configuration);
  }

  /** Whether a target of this name is on YARN, so that options of that style are about it. */
  public static boolean isOnYarn(String target) {
    return target.startsWith(YarnStyle.PREFIX);
  }

  /** This request with another configuration. */
  public TargetRequest with(Configuration changed) {
    return new TargetRequest(target, address, running, yarn, changed);
  }

  /**
   * The configuration with {@code execution.target} decided, for a command that runs a program.
   *
   * @param installed whether the libraries of a target are there; asked only of those that matter
   * @param warnings hears of a style that is skipped because they are not, and of what has no
   *     effect because an earlier style decides
   */
  public Configuration decide(Predicate<String> installed, Consumer<String> warnings) {
    for (CommandLineStyle style : STYLES) {
      if (style.isActive(this)) {
        Optional<String> missing = style.needs().filter(installed.negate());
        if (missing.isEmpty()) {
          return style.decide(this, warnings);
        }
        warnings.accept(
            "What is said about YARN is skipped: the libraries of target "
                + missing.get()
                + " are missing, which plugins/hadoop of the distribution has.");
      }
    }
    throw new IllegalStateException("The default style is always active");
  }

  /**
   * The configuration that names a cluster on YARN, where a command that talks to one that runs
   * already means such a one.
   */
  public Optional<Configuration> clusterOnYarn() {
    if (yarn.application().isPresent()) {
      return yarn.application().map(id -> configuration.with(YarnOptions.APPLICATION_ID, id));
    }
    boolean elsewhere =
        address.isPresent()
            || configuration
                .find(DeploymentOptions.TARGET)
                .filter(name -> configuration.contains(DeploymentOptions.TARGET))
                .filter(name -> !isOnYarn(name))
                .isPresent();
    return elsewhere
        ? Optional.empty()
        : yarn.session().map(id -> configuration.with(YarnOptions.APPLICATION_ID, id));
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

  /** {@code -t}, or {@code execution.target} in the configuration. */
  private static final class GenericStyle implements CommandLineStyle {
    @Override
    public boolean isActive(TargetRequest request) {
      return request.target.isPresent() || request.configuration.contains(DeploymentOptions.TARGET);
    }

    @Override
    public Configuration decide(TargetRequest request, Consumer<String> warnings) {
      String name =
          request.target.orElseGet(() -> request.configuration.get(DeploymentOptions.TARGET));
      List<String> ignored = new ArrayList<>();
      boolean remote = name.equals(RemoteTarget.NAME);
      if (!remote) {
        request.address.ifPresent(address -> ignored.add("-m " + address));
      }
      if (request.yarn.cluster() && !name.equals(YarnStyle.PER_JOB)) {
        ignored.add("-m " + YarnWords.CLUSTER);
      }
      if (!name.equals(YarnStyle.SESSION)) {
        request.yarn.application().ifPresent(id -> ignored.add("-yid " + id));
      }
      if (!isOnYarn(name) && request.yarn.other()) {
        ignored.add("what else begins with -y");
      }
      if (!ignored.isEmpty()) {
        warnings.accept(
            "Ignored: "
                + String.join(", ", ignored)
                + ". The target is '"
                + name
                + "', as "
                + (request.target.isPresent() ? "-t" : DeploymentOptions.TARGET.key())
                + " says.");
      }
      if (remote) {
        return request.remote();
      }
      Configuration decided = request.configuration.with(DeploymentOptions.TARGET, name);
      return request
          .yarn
          .application()
          .filter(id -> name.equals(YarnStyle.SESSION))
          .map(id -> decided.with(YarnOptions.APPLICATION_ID, id))
          .orElse(decided);
    }
  }

  /** {@code -m host:port}, else the embedded cluster. */
  private static final class DefaultStyle implements CommandLineStyle {
    @Override
    public boolean isActive(TargetRequest request) {
      return true;
    }

    @Override
    public Configuration decide(TargetRequest request, Consumer<String> warnings) {
      if (request.yarn.cluster()) {
        throw new MillraceException(
            ErrorKind.USER,
            "-m "
                + YarnWords.CLUSTER
                + " is not the address of a JobManager, and without the libraries for YARN it means"
                + " nothing else.");
      }
      return request.address.isPresent() ? request.remote() : request.configuration;
    }
  }
}

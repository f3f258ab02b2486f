package io.millrace.cli.deployment;

import io.millrace.cli.common.CommandLineStyles;
import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.SessionFiles;
import io.millrace.client.StyleRequest;
import io.millrace.client.TargetRequest;
import io.millrace.client.Targets;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.OptionScope;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mixed into every command that talks to a cluster. */
public final class ClusterMixin {
  @Option(
      names = {"-m", "--jobmanager"},
      paramLabel = "HOST:PORT",
      description =
          "REST address of the JobManager. Default: the current session, which `session start`"
              + " started, else the cluster that `cluster start` started, else rest.address and"
              + " rest.port.")
  private Optional<String> jobManager = Optional.empty();

  @Mixin private ConfigurationMixin settings;

  /** Whether the user says where the JobManager is. */
  public boolean namesAddress(Console console) {
    return jobManager.isPresent()
        || console.styles().requests(console.environment()).stream()
            .anyMatch(one -> one.style().session(one.arguments()).isPresent());
  }

  public Configuration configuration(Console console) {
    return settings.load(console);
  }

  /** What the user says about where a job runs, or which cluster is meant. */
  public TargetRequest request(Console console, Optional<String> target) {
    CommandLineStyles styles = console.styles();
    Optional<HostPort> address = address(console);
    Configuration general = settings.load(console);
    if (jobManager.isEmpty() && mayHaveSession(console, general)) {
      styles.load(console);
    }
    List<StyleRequest> requests =
        styles.requests(
            jobManager.filter(word -> address.isEmpty()),
            address.isPresent(),
            console.environment());
    for (StyleRequest one : requests) {
      one.style().warnings(one.arguments()).forEach(console.err()::println);
    }
    // Also where its JobManager is dead: falling back to another address could reach a stranger's.
    ClusterDirectory own = ClusterDirectory.byDefault(console);
    Optional<HostPort> started = address.isPresent() ? Optional.empty() : own.address();
    Configuration loaded = withStyles(console, target, general, requests);
    Configuration configuration =
        jobManager.filter(said -> said.startsWith("https://")).isPresent()
            ? loaded.with(RestTlsOptions.ENABLED, true)
            : loaded;
    TargetRequest request = new TargetRequest(target, address, started, requests, configuration);
    // Only while the JobManager lives: another process may listen there after it.
    boolean ownCluster =
        own.runningAddress()
            .filter(running -> running.equals(request.clusterAddress()))
            .isPresent();
    return ownCluster ? request.with(own.withToken(configuration)) : request;
  }

  /** The address; nothing where {@code -m} is missing or has a word of a style instead. */
  private Optional<HostPort> address(Console console) {
    if (jobManager.isEmpty()) {
      return Optional.empty();
    }
    String given = jobManager.get();
    try {
      return Optional.of(HostPort.parse(given));
    } catch (MillraceException e) {
      List<CommandLineStyle> styles = console.styles().load(console);
      if (styles.stream().anyMatch(style -> style.isAddress(given))) {
        return Optional.empty();
      }
      throw new UsageException(e.getMessage(), e);
    }
  }

  /** Whether a plugin may know of a current session: by its file, or by options of its own. */
  private static boolean mayHaveSession(Console console, Configuration configuration) {
    return !SessionFiles.styles(console.environment()).isEmpty()
        || !new ConfigurationCheck(DeclaredOptions.builtIn(), configuration)
            .unknown(configuration)
            .isEmpty();
  }

  /** Options of a style count only where the job goes to one of its targets. */
  private Configuration withStyles(
      Console console,
      Optional<String> target,
      Configuration general,
      List<StyleRequest> requests) {
    Optional<String> named =
        target.or(
            () ->
                general.contains(DeploymentOptions.TARGET)
                    ? Optional.of(general.get(DeploymentOptions.TARGET))
                    : Optional.empty());
    List<String> overrides = new ArrayList<>();
    for (StyleRequest one : requests) {
      if (named.isEmpty() || one.style().ownsTarget(named.get())) {
        overrides.addAll(one.style().overrides(one.arguments()));
      }
    }
    // The first load has printed the warnings.
    return overrides.isEmpty() ? general : settings.load(console, overrides, warning -> {});
  }

  /** Options given with {@code -D} that only the start of a cluster reads. */
  public List<String> fixedByClusters(Console console, Configuration configuration) {
    ConfigurationCheck check =
        ConfigurationFile.check(console.environment(), console.home(), configuration);
    return settings.overrides().stream()
        .map(pair -> pair.split("=", 2)[0].trim())
        .filter(
            key ->
                check
                    .option(key)
                    .filter(option -> option.scope() == OptionScope.CLUSTER)
                    .isPresent())
        .distinct()
        .toList();
  }

  /** The cluster that a command without a program means. */
  public RestClusterClient cluster(Console console) {
    TargetRequest request = request(console, Optional.empty());
    return UsageException.reading(request::cluster)
        .map(
            cluster ->
                Targets.of(cluster.configuration())
                    .ofSessions(cluster.target())
                    .find(cluster.configuration())
                    .address()
                    .connect(cluster.configuration().get(ClientOptions.CLIENT_TIMEOUT)))
        .orElseGet(() -> RestClusterClient.at(request.clusterAddress(), request.configuration()));
  }
}

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
import io.millrace.cluster.LeaderAddress;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.OptionScope;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that use a cluster. */
public final class ClusterMixin {
  @Option(
      names = {"-m", "--jobmanager"},
      paramLabel = "HOST:PORT",
      description =
          "REST address of the JobManager. Default: the current session, which `session start`"
              + " started, else the cluster that `cluster start` started, else the leader that"
              + " ZooKeeper knows if high-availability.type is zookeeper (with -D before the two"
              + " others), else rest.address and rest.port.")
  private Optional<String> jobManager = Optional.empty();

  private static final String HADOOP_CONFIGURATION = "HADOOP_CONF_DIR";

  @Mixin private ConfigurationMixin settings;

  /** Whether the command line names the JobManager. */
  public boolean namesAddress(Console console) {
    return jobManager.isPresent()
        || console.styles().requests(console.environment()).stream()
            .anyMatch(one -> one.style().session(one.arguments()).isPresent());
  }

  public Configuration configuration(Console console) {
    return settings.load(console);
  }

  /** The choice of a cluster or target by a command line without {@code -t}. */
  public TargetRequest request(Console console) {
    return withStyles(console, options(console));
  }

  /** The choice of a target by a command line with this value of {@code -t}. */
  public TargetRequest request(Console console, String target) {
    return withStyles(console, options(console).withTarget(target));
  }

  private TargetRequest options(Console console) {
    CommandLineStyles styles = console.styles();
    Optional<HostPort> address = address(console);
    Configuration general = settings.load(console);
    if (jobManager.isEmpty() && mayHaveSession(console, general)) {
      styles.load(console);
    }
    List<StyleRequest> requests =
        address.isPresent()
            ? styles.requestsWithHostPort(console.environment())
            : jobManager
                .map(word -> styles.requests(word, console.environment()))
                .orElseGet(() -> styles.requests(console.environment()));
    for (StyleRequest one : requests) {
      one.style().warnings(one.arguments()).forEach(console.err()::println);
    }
    Optional<HostPort> started = address.isPresent() ? Optional.empty() : known(console, general);
    return new TargetRequest(Optional.empty(), address, started, requests, general);
  }

  /** The cluster that the options of high availability name, or the one of this machine. */
  private Optional<HostPort> known(Console console, Configuration general) {
    boolean named =
        settings.overrides().stream()
            .anyMatch(pair -> pair.startsWith(HighAvailabilityOptions.HA_MODE.key() + "="));
    // Also if its JobManager is dead: with another address, the command could reach the cluster of
    // another user.
    Optional<HostPort> own =
        named ? Optional.empty() : ClusterDirectory.byDefault(console).address();
    return own.isPresent() ? own : LeaderAddress.find(general, console.process());
  }

  /**
   * Adds what the options of styles override, and the credentials of the cluster of this machine.
   */
  private TargetRequest withStyles(Console console, TargetRequest options) {
    Configuration loaded = overridden(console, options);
    Configuration configuration =
        jobManager.filter(given -> given.startsWith("https://")).isPresent()
            ? loaded.with(RestTlsOptions.ENABLED, true)
            : loaded;
    TargetRequest request = options.with(configuration);
    ClusterDirectory own = ClusterDirectory.byDefault(console);
    // Only while the JobManager is alive: another process may listen at the address later.
    return request.findClusterAddress().filter(own::runsAt).isPresent()
        ? request.with(own.withCredentials(configuration))
        : request;
  }

  /** The address; empty if {@code -m} is missing or its value is a word of a style. */
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

  /**
   * Whether a plugin may have a current session or say that there is none: its file exists, options
   * of a plugin are set, or a Hadoop is configured.
   */
  private static boolean mayHaveSession(Console console, Configuration configuration) {
    return !SessionFiles.styles(console.environment()).isEmpty()
        || console.environment().containsKey(HADOOP_CONFIGURATION)
        || !new ConfigurationCheck(DeclaredOptions.builtIn(), configuration)
            .unknown(configuration)
            .isEmpty();
  }

  /** Options of a style apply only if the target is one of the style. */
  private Configuration overridden(Console console, TargetRequest options) {
    Optional<String> named = options.namedTarget();
    List<String> overrides = new ArrayList<>();
    for (StyleRequest one : options.styles()) {
      if (named.isEmpty() || one.style().ownsTarget(named.get())) {
        overrides.addAll(one.style().overrides(one.arguments()));
      }
    }
    // The first load has printed the warnings.
    return overrides.isEmpty()
        ? options.configuration()
        : settings.load(console, overrides, warning -> {});
  }

  /** Options given with {@code -D} that only the start of a cluster reads. */
  public List<String> fixedByClusters(Console console, Configuration configuration) {
    ConfigurationCheck check = ConfigurationFile.check(console.process(), configuration);
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

  /** A client of the cluster that the command line selects, for commands without a program. */
  public RestClusterClient cluster(Console console) {
    TargetRequest request = request(console);
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

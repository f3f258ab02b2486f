package io.millrace.cli.target;

import io.millrace.cli.common.ConfigurationMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.client.ClusterAddress;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.client.TargetRequest;
import io.millrace.client.Targets;
import io.millrace.client.YarnSessionFile;
import io.millrace.client.YarnWords;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.OptionScope;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.YarnOptions;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Mixed into every command that talks to a cluster. */
public final class ClusterMixin {
  /** Whose sessions the file of a user names. */
  private static final String YARN_SESSIONS = "yarn-session";

  @Option(
      names = {"-m", "--jobmanager"},
      paramLabel = "HOST:PORT",
      description =
          "REST address of the JobManager. Default: the session on YARN that `session start`"
              + " started, else the cluster that `cluster start` started, else rest.address and"
              + " rest.port.")
  private Optional<String> jobManager = Optional.empty();

  @Option(
      names = {"-yid", "--yarnapplicationId"},
      paramLabel = "APPLICATION",
      description = "The application on YARN whose cluster is meant.")
  private Optional<String> application = Optional.empty();

  @Mixin private ConfigurationMixin settings;

  /** Whether the user says where the JobManager is. */
  public boolean namesAddress() {
    return jobManager.isPresent() || application.isPresent();
  }

  public Configuration configuration(Console console) {
    return settings.load(console);
  }

  /** The request of a command that has no further options about YARN. */
  private TargetRequest request(Console console) {
    return request(console, Optional.empty(), List.of(), false);
  }

  /**
   * @param overrides what comes before {@code -D}, which wins
   * @param aboutYarn whether options of the YARN style were given
   */
  public TargetRequest request(
      Console console, Optional<String> target, List<String> overrides, boolean aboutYarn) {
    application.ifPresent(id -> UsageException.reading(() -> YarnOptions.APPLICATION_ID.parse(id)));
    boolean yarnCluster = jobManager.filter(YarnWords.CLUSTER::equals).isPresent();
    Optional<HostPort> address =
        yarnCluster
            ? Optional.empty()
            : UsageException.reading(() -> jobManager.map(HostPort::parse));
    // Also where its JobManager is dead: falling back to another address could reach a stranger's.
    ClusterDirectory own = ClusterDirectory.byDefault(console);
    Optional<HostPort> started = address.isPresent() ? Optional.empty() : own.address();
    Configuration loaded = load(console, target, overrides);
    Configuration configuration =
        jobManager.filter(said -> said.startsWith("https://")).isPresent()
            ? loaded.with(RestTlsOptions.ENABLED, true)
            : loaded;
    TargetRequest request =
        new TargetRequest(
            target,
            address,
            started,
            new YarnWords(
                yarnCluster,
                application,
                aboutYarn,
                YarnSessionFile.of(configuration, console.environment()).application()),
            configuration);
    // Only while the JobManager lives: whoever listens there after it is somebody else.
    boolean ownCluster =
        own.runningAddress()
            .filter(running -> running.equals(request.clusterAddress()))
            .isPresent();
    return ownCluster ? request.with(own.withToken(configuration)) : request;
  }

  /** Options of the YARN style count only where the job goes to YARN. */
  private Configuration load(Console console, Optional<String> target, List<String> overrides) {
    Configuration general = settings.load(console);
    boolean elsewhere =
        target
            .or(
                () ->
                    general.contains(DeploymentOptions.TARGET)
                        ? Optional.of(general.get(DeploymentOptions.TARGET))
                        : Optional.empty())
            .filter(name -> !TargetRequest.isOnYarn(name))
            .isPresent();
    // What is to be warned of was told the first time.
    return elsewhere || overrides.isEmpty()
        ? general
        : settings.load(console, overrides, warning -> {});
  }

  /** Options given with {@code -D} that only the start of a cluster reads. */
  public List<String> fixedByClusters(Configuration configuration) {
    ConfigurationCheck check = new ConfigurationCheck(DeclaredOptions.all(), configuration);
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
    TargetRequest request = request(console);
    Optional<Configuration> onYarn = request.clusterOnYarn();
    if (onYarn.isEmpty()) {
      return RestClusterClient.at(request.clusterAddress(), request.configuration());
    }
    ClusterAddress address =
        Targets.of(onYarn.get()).ofSessions(YARN_SESSIONS).find(onYarn.get()).address();
    return address.connect(onYarn.get().get(ClientOptions.CLIENT_TIMEOUT));
  }
}

package io.millrace.yarn.master;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.ProcessEnvironment;
import io.millrace.cluster.PerJobProcess;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.rpc.Env;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The container in which this process runs as YARN's ApplicationMaster.
 *
 * @param environment the variables of the process
 * @param directory the working directory
 */
record ApplicationMasterContainer(Map<String, String> environment, Path directory) {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationMasterContainer.class);
  private static final Map<String, String> FREE_PORTS =
      Map.of(JobManagerOptions.PORT.key(), "0", RestOptions.PORT.key(), "0");
  private static final String ARCHIVE = ContainerLayout.HOME + "/" + ContainerLayout.CDS_ARCHIVE;

  ApplicationMasterContainer {
    environment = OrderedCopies.map(environment);
  }

  static ApplicationMasterContainer current() {
    return new ApplicationMasterContainer(System.getenv(), Path.of("").toAbsolutePath());
  }

  /** The configuration that the client wrote, with the addresses of this container. */
  Configuration configuration(List<String> overrides) {
    return located(
        ConfigurationFile.load(
            new ProcessEnvironment(
                environment, Optional.of(directory.resolve(ContainerLayout.HOME))),
            overrides,
            LOG::warn));
  }

  /**
   * The ports are those that the user has set. By default they are free ones, because several
   * ApplicationMasters may run on a node.
   */
  Configuration located(Configuration configuration) {
    String host = variable(Environment.NM_HOST.name());
    String bind = BindAddresses.toBind(host, configuration);
    Configuration located =
        new Configuration(FREE_PORTS)
            .overriddenBy(configuration)
            .with(ResourceManagerOptions.DRIVER, YarnDriverProvider.NAME)
            .with(JobManagerOptions.ADDRESS, host)
            .with(JobManagerOptions.BIND_HOST, bind)
            .with(RestOptions.ADDRESS, host)
            .with(RestOptions.BIND_ADDRESS, bind)
            .with(SecurityOptions.REST_READ_ONLY_HOSTS, knownHosts(configuration));
    if (located
        .find(SecurityOptions.REST_AUTHENTICATION)
        .filter(RestAuthentication.MTLS::equals)
        .isEmpty()) {
      // Containers of other applications on this node may run as the same user.
      located = located.with(SecurityOptions.REST_AUTHENTICATION, RestAuthentication.TOKEN);
    }
    if (!located.contains(HighAvailabilityOptions.HA_CLUSTER_ID)) {
      located = located.with(HighAvailabilityOptions.HA_CLUSTER_ID, application());
    }
    return located.contains(CoreOptions.TMP_DIRS)
        ? located
        // YARN removes it with the container.
        : located.with(CoreOptions.TMP_DIRS, directory.resolve("tmp"));
  }

  /** The client has added the hosts of YARN's web proxy. */
  private static List<String> knownHosts(Configuration configuration) {
    List<String> known = new ArrayList<>();
    for (String host : configuration.get(SecurityOptions.REST_READ_ONLY_HOSTS)) {
      if (new InetSocketAddress(host, 0).isUnresolved()) {
        LOG.warn(
            "Host '{}' ({}) is unknown on this node: if YARN's web proxy runs there, it cannot reach"
                + " this JobManager",
            host,
            SecurityOptions.REST_READ_ONLY_HOSTS.key());
      } else {
        known.add(host);
      }
    }
    return known;
  }

  String application() {
    return ContainerId.fromString(variable(Environment.CONTAINER_ID.name()))
        .getApplicationAttemptId()
        .getApplicationId()
        .toString();
  }

  /**
   * @param configuration with the addresses of this JobManager
   */
  YarnDriver driver(Configuration configuration, Env env) {
    try {
      UserGroupInformation user = UserGroupInformation.getCurrentUser();
      Optional<String> tokens = find(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION);
      Credentials credentials =
          tokens.isPresent()
              ? ApplicationMasterContext.read(new File(tokens.get()))
              : new Credentials();
      ApplicationMasterContext.addMasterToken(user, credentials);
      ApplicationMasterContext yarn =
          new ApplicationMasterContext(
              HadoopWarmUp.settings(environment, configuration),
              application(),
              user,
              find(ContainerLayout.STAGING_VARIABLE).map(URI::create),
              credentials);
      return new YarnDriver(
          env,
          new HadoopMasterClient(
              yarn,
              SchedulerAddress.in(
                  yarn.hadoop(), find(ContainerLayout.NODE_CONFIGURATION_VARIABLE).map(Path::of)),
              configuration,
              env::wallMillis,
              new ConnectionWarmUp(configuration)),
          new YarnDriverSettings(
              application(), withoutOwnDirectory(configuration), address(configuration)),
          launcher(configuration));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "Hadoop cannot determine the user of this process: " + e, e);
    }
  }

  private WorkerLauncher launcher(Configuration configuration) throws IOException {
    TaskManagerLaunch launch =
        new TaskManagerLaunch(
            withoutOwnDirectory(configuration),
            StagedFile.decode(variable(ContainerLayout.FILES_VARIABLE)),
            libraries(),
            Optional.of(ARCHIVE).filter(file -> Files.exists(directory.resolve(file))),
            Optional.ofNullable(System.getProperty("logback.configurationFile")),
            find("HADOOP_USER_NAME"));
    Path authority = directory.resolve(ContainerLayout.AUTHORITY);
    if (!Files.exists(authority)) {
      // The nodes have the user's own keys.
      return launch;
    }
    String password = configuration.get(TlsOptions.KEYSTORE_PASSWORD);
    return new KeyIssuingLauncher(
        ClusterCertificateAuthority.read(Files.readAllBytes(authority), password),
        password,
        launch);
  }

  private static ApplicationMasterAddress address(Configuration configuration) {
    return new ApplicationMasterAddress(
        configuration.get(JobManagerOptions.ADDRESS),
        configuration.get(JobManagerOptions.PORT).single().orElseThrow(),
        RestTlsOptions.scheme(configuration)
            + configuration.get(RestOptions.ADDRESS)
            + ":"
            + configuration.get(RestOptions.PORT));
  }

  /** A worker uses a directory in its own container, unless the client has set one for all. */
  private Configuration withoutOwnDirectory(Configuration configuration) {
    return configuration
            .find(CoreOptions.TMP_DIRS)
            .filter(tmp -> tmp.equals(directory.resolve("tmp").toString()))
            .isPresent()
        ? without(configuration, CoreOptions.TMP_DIRS.key())
        : configuration;
  }

  private static Configuration without(Configuration configuration, String key) {
    Map<String, String> entries = new LinkedHashMap<>(configuration.entries());
    entries.remove(key);
    return new Configuration(entries);
  }

  /** The job that the client has staged for a per-job cluster. */
  PerJobProcess.StagedJob stagedJob(Duration grace) {
    Path jars = directory.resolve(ContainerLayout.USER_JARS);
    try {
      return new PerJobProcess.StagedJob(
          directory.resolve(ContainerLayout.JOB_GRAPH),
          Files.isDirectory(jars)
              // All of them: cached files of the job are not jars.
              ? files(ContainerLayout.USER_JARS).stream().map(directory::resolve).toList()
              : List.of(),
          grace,
          clientTime());
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The job's jars cannot be found in " + jars + ": " + e, e);
    }
  }

  /**
   * The time that the client needed, for the first attempt only: later ones did not wait for it.
   */
  private Optional<Duration> clientTime() {
    // Hadoop's class for ids reads all its files first, which would delay the start.
    boolean first =
        variable(Environment.CONTAINER_ID.name()).matches("container_(e\\d+_)?\\d+_\\d+_0*1_\\d+");
    return Optional.of(environment.getOrDefault(ContainerLayout.CLIENT_TIME_VARIABLE, ""))
        .filter(millis -> first && millis.matches("\\d{1,9}"))
        .map(millis -> Duration.ofMillis(Long.parseLong(millis)));
  }

  /**
   * The class path of JobManager and TaskManagers. It is the same, because the CDS archive is valid
   * for exactly this class path.
   */
  private List<String> libraries() throws IOException {
    List<String> jars = new ArrayList<>();
    for (String directory : ContainerLayout.CLASS_PATH) {
      jars.addAll(jars(ContainerLayout.HOME + "/" + directory));
    }
    return jars;
  }

  private List<String> jars(String relative) throws IOException {
    return files(relative).stream().filter(name -> name.endsWith(".jar")).toList();
  }

  private List<String> files(String relative) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(relative))) {
      return files
          .map(file -> file.getFileName().toString())
          .sorted()
          .map(name -> relative + "/" + name)
          .toList();
    }
  }

  private Optional<String> find(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  private String variable(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "The environment has no "
                        + name
                        + ". This process is started by YARN in a container: run a job with"
                        + " `millrace run -t yarn-per-job`."));
  }
}

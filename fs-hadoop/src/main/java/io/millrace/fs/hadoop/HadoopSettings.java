package io.millrace.fs.hadoop;

import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of Hadoop, from the same directory that Hadoop's commands use. If it requires
 * Kerberos, Hadoop's client in this process uses Kerberos from then on.
 */
public final class HadoopSettings {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopSettings.class);
  private static final List<String> FILES =
      List.of("core-site.xml", "hdfs-site.xml", "ozone-site.xml");

  /** The file that YARN has in addition. */
  private static final String YARN_FILE = "yarn-site.xml";

  static final String AUTHENTICATION = "hadoop.security.authentication";

  private HadoopSettings() {}

  /** Whether the environment names the directory of the configuration. */
  static boolean isConfigured(Map<String, String> environment) {
    return directory(environment).isPresent();
  }

  public static boolean isSecure(Configuration configuration) {
    return configuration.get(AUTHENTICATION, "simple").equalsIgnoreCase("kerberos");
  }

  /**
   * @param environment its variables {@code HADOOP_CONF_DIR} or {@code HADOOP_HOME} name the
   *     directory
   * @param options of the process, with settings that override the files
   */
  static Configuration of(
      Map<String, String> environment, io.millrace.core.config.Configuration options) {
    return read(new Configuration(), environment, options, FILES);
  }

  /** Includes the configuration of YARN. */
  public static YarnConfiguration ofYarn(
      Map<String, String> environment, io.millrace.core.config.Configuration options) {
    YarnConfiguration configuration = new YarnConfiguration();
    read(configuration, environment, options, yarnFiles());
    // Nothing here writes to the timeline service, and Hadoop's client for applications does not
    // have the classes of its second version.
    configuration.setBoolean(YarnConfiguration.TIMELINE_SERVICE_ENABLED, false);
    return configuration;
  }

  /** The files that {@link #ofYarn} reads. */
  public static List<Path> files(Map<String, String> environment) {
    Configuration configuration = new Configuration(false);
    List<Path> files = existing(environment, yarnFiles());
    files.forEach(file -> add(configuration, file));
    load(configuration, environment);
    tlsFile(configuration, environment).ifPresent(files::add);
    return files;
  }

  private static List<String> yarnFiles() {
    List<String> all = new ArrayList<>(FILES);
    all.add(YARN_FILE);
    return all;
  }

  private static List<Path> existing(Map<String, String> environment, List<String> names) {
    List<Path> files = new ArrayList<>();
    for (String name : names) {
      existing(environment, name).ifPresent(files::add);
    }
    return files;
  }

  private static Optional<Path> existing(Map<String, String> environment, String name) {
    return directory(environment).map(conf -> conf.resolve(name)).filter(Files::exists);
  }

  /**
   * The file with the trust store of clients. Hadoop looks for it on the class path and otherwise
   * uses the keys of its configuration.
   */
  private static Optional<Path> tlsFile(
      Configuration configuration, Map<String, String> environment) {
    return existing(
        environment,
        configuration.get(SSLFactory.SSL_CLIENT_CONF_KEY, SSLFactory.SSL_CLIENT_CONF_DEFAULT));
  }

  private static void add(Configuration configuration, Path file) {
    configuration.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
  }

  /** The settings of Hadoop among the options of a process, by their keys in Hadoop. */
  static Map<String, String> overrides(io.millrace.core.config.Configuration options) {
    String prefix = CoreOptions.HADOOP_SETTING.named("").key();
    Map<String, String> overrides = new TreeMap<>();
    options
        .entries()
        .forEach(
            (key, value) -> {
              if (key.startsWith(prefix)) {
                overrides.put(key.substring(prefix.length()), value);
              }
            });
    return overrides;
  }

  private static Configuration read(
      Configuration configuration,
      Map<String, String> environment,
      io.millrace.core.config.Configuration options,
      List<String> names) {
    configuration.addResource(ownDefaults());
    existing(environment, names).forEach(file -> add(configuration, file));
    load(configuration, environment);
    tlsFile(configuration, environment).ifPresent(file -> add(configuration, file));
    // Processes close their file systems themselves; a shutdown hook would close them too early.
    configuration.setBoolean("fs.automatic.close", false);
    overrides(options).forEach(configuration::set);
    load(configuration, environment);
    if (isSecure(configuration)) {
      // The client renews the ticket itself.
      configuration.setBoolean("hadoop.kerberos.keytab.login.autorenewal.enabled", true);
      // Otherwise the client reads the authentication from files on the class path.
      setKerberos(configuration);
    }
    LOG.info(
        "The configuration of Hadoop is {}",
        directory(environment).map(Path::toString).orElse("Hadoop's default"));
    return configuration;
  }

  /** Hadoop parses files when the first value is read. */
  static void load(Configuration configuration, Map<String, String> environment) {
    try {
      configuration.size();
    } catch (RuntimeException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The configuration of Hadoop in "
              + directory(environment).map(Path::toString).orElse("the class path")
              + " cannot be read: "
              + Failure.sentence(e).lines().findFirst().orElse("")
              + " Check its files and the files that they include.",
          e);
    }
  }

  private static void setKerberos(Configuration configuration) {
    try {
      UserGroupInformation.setConfiguration(configuration);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The configuration of Hadoop requires Kerberos, but this machine does not know its realm: "
              + Failure.sentence(e)
              + ". Set up /etc/krb5.conf, or set "
              + SecurityOptions.KERBEROS_CONFIGURATION.key()
              + " to such a file.",
          e);
    }
  }

  /**
   * Defaults that the files can override.
   *
   * <ul>
   *   <li>A client that closes a file retries until the DataNode has reported the last block, which
   *       takes some milliseconds. Hadoop's default delay before the first retry is 400 ms, for
   *       each small file of the recovery data of a JobManager.
   *   <li>A client of S3 that cannot connect retries for minutes by default: the SDK repeats each
   *       request, with pauses that grow, and so does Hadoop's client around it. A user waits for
   *       the error of a command, and checkpoints and restarts are repeated by the engine.
   * </ul>
   */
  private static Configuration ownDefaults() {
    Configuration defaults = new Configuration(false);
    defaults.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10);
    defaults.setInt("dfs.client.block.write.locateFollowingBlock.retries", 10);
    defaults.setInt("fs.s3a.attempts.maximum", 1);
    defaults.setInt("fs.s3a.retry.limit", 3);
    defaults.set("fs.s3a.connection.establish.timeout", "15s");
    return defaults;
  }

  private static Optional<Path> directory(Map<String, String> environment) {
    String directory = environment.getOrDefault("HADOOP_CONF_DIR", "");
    if (!directory.isEmpty()) {
      if (!Files.isDirectory(Path.of(directory))) {
        throw new MillraceException(
            ErrorKind.USER,
            "HADOOP_CONF_DIR names "
                + directory
                + ", but there is no such directory. Set it to the directory with core-site.xml for"
                + " each process.");
      }
      return Optional.of(Path.of(directory));
    }
    String home = environment.getOrDefault("HADOOP_HOME", "");
    return home.isEmpty()
        ? Optional.empty()
        : Optional.of(Path.of(home, "etc", "hadoop")).filter(Files::isDirectory);
  }
}

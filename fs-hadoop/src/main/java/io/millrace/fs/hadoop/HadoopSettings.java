package io.millrace.fs.hadoop;

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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of Hadoop, from the same directory that Hadoop's commands use. If it requires
 * Kerberos, Hadoop's client in this process uses Kerberos from then on.
 */
public final class HadoopSettings {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopSettings.class);
  private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml");

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
   */
  static Configuration of(Map<String, String> environment) {
    return read(new Configuration(), environment, FILES);
  }

  /** Includes the configuration of YARN. */
  public static YarnConfiguration ofYarn(Map<String, String> environment) {
    YarnConfiguration configuration = new YarnConfiguration();
    read(configuration, environment, yarnFiles());
    return configuration;
  }

  /** The files that {@link #ofYarn} reads, to be copied to processes on other machines. */
  public static List<Path> files(Map<String, String> environment) {
    return existing(environment, yarnFiles());
  }

  private static List<String> yarnFiles() {
    List<String> all = new ArrayList<>(FILES);
    all.add(YARN_FILE);
    return all;
  }

  private static List<Path> existing(Map<String, String> environment, List<String> names) {
    List<Path> files = new ArrayList<>();
    directory(environment)
        .ifPresent(
            directory -> {
              for (String name : names) {
                if (Files.exists(directory.resolve(name))) {
                  files.add(directory.resolve(name));
                }
              }
            });
    return files;
  }

  private static Configuration read(
      Configuration configuration, Map<String, String> environment, List<String> names) {
    configuration.addResource(ownDefaults());
    for (Path file : existing(environment, names)) {
      configuration.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    }
    // Processes close their file systems themselves; a shutdown hook would close them too early.
    configuration.setBoolean("fs.automatic.close", false);
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

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
 * Hadoop's configuration, from the directory that its own commands take it from; where that asks
 * for Kerberos, so does Hadoop's client from then on.
 */
public final class HadoopSettings {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopSettings.class);
  private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml");

  /** What YARN adds to them. */
  private static final String YARN_FILE = "yarn-site.xml";

  static final String AUTHENTICATION = "hadoop.security.authentication";

  private HadoopSettings() {}

  /** Whether the environment says where the configuration is. */
  static boolean isNamed(Map<String, String> environment) {
    return directory(environment).isPresent();
  }

  public static boolean isSecure(Configuration configuration) {
    return configuration.get(AUTHENTICATION, "simple").equalsIgnoreCase("kerberos");
  }

  /**
   * @param environment {@code HADOOP_CONF_DIR} or {@code HADOOP_HOME} in it say where the files are
   */
  static Configuration of(Map<String, String> environment) {
    return read(new Configuration(), environment, FILES);
  }

  /** With what YARN has to say. */
  public static YarnConfiguration ofYarn(Map<String, String> environment) {
    YarnConfiguration configuration = new YarnConfiguration();
    read(configuration, environment, yarnFiles());
    return configuration;
  }

  /** The files that {@link #ofYarn} reads, for processes elsewhere that are to read the same. */
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
    // The processes close what they opened themselves; a hook would close it under their feet.
    configuration.setBoolean("fs.automatic.close", false);
    if (isSecure(configuration)) {
      // The client itself asks for another ticket in time.
      configuration.setBoolean("hadoop.kerberos.keytab.login.autorenewal.enabled", true);
      // Or it would look for its way of logging in on a class path that does not have the files.
      askForKerberos(configuration);
    }
    LOG.info(
        "Hadoop's configuration is {}",
        directory(environment).map(Path::toString).orElse("its own default"));
    return configuration;
  }

  private static void askForKerberos(Configuration configuration) {
    try {
      UserGroupInformation.setConfiguration(configuration);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Hadoop's configuration asks for Kerberos, but this machine does not know its realm: "
              + Failure.sentence(e)
              + ". Have /etc/krb5.conf set up, or name such a file in "
              + SecurityOptions.KERBEROS_CONFIGURATION.key()
              + ".",
          e);
    }
  }

  /**
   * What the files may overrule. A client that closes a file asks again while the DataNode has not
   * yet reported its last block, which takes a few milliseconds; Hadoop's own default waits 400
   * before it asks a second time, for each small file that a JobManager recovers from.
   */
  private static Configuration ownDefaults() {
    Configuration defaults = new Configuration(false);
    defaults.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10);
    defaults.setInt("dfs.client.block.write.locateFollowingBlock.retries", 10);
    return defaults;
  }

  private static Optional<Path> directory(Map<String, String> environment) {
    String named = environment.getOrDefault("HADOOP_CONF_DIR", "");
    if (!named.isEmpty()) {
      if (!Files.isDirectory(Path.of(named))) {
        throw new MillraceException(
            ErrorKind.USER,
            "HADOOP_CONF_DIR names "
                + named
                + ", but there is no such directory. Set it to the directory that has core-site.xml"
                + " for every process.");
      }
      return Optional.of(Path.of(named));
    }
    String home = environment.getOrDefault("HADOOP_HOME", "");
    return home.isEmpty()
        ? Optional.empty()
        : Optional.of(Path.of(home, "etc", "hadoop")).filter(Files::isDirectory);
  }
}

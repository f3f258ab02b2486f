package io.millrace.fs.hadoop;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hadoop's configuration, from the directory that its own commands take it from. */
final class Settings {
  private static final Logger LOG = LoggerFactory.getLogger(Settings.class);
  private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml");

  static final String AUTHENTICATION = "hadoop.security.authentication";

  private Settings() {}

  /** Whether the environment says where the configuration is. */
  static boolean isNamed(Map<String, String> environment) {
    return directory(environment).isPresent();
  }

  static boolean isSecure(Configuration configuration) {
    return configuration.get(AUTHENTICATION, "simple").equalsIgnoreCase("kerberos");
  }

  /**
   * @param environment {@code HADOOP_CONF_DIR} or {@code HADOOP_HOME} in it say where the files are
   */
  static Configuration of(Map<String, String> environment) {
    Configuration configuration = new Configuration();
    configuration.addResource(ownDefaults());
    Optional<Path> directory = directory(environment);
    for (String name : FILES) {
      Optional<Path> file = directory.map(known -> known.resolve(name)).filter(Files::exists);
      file.ifPresent(
          known -> configuration.addResource(new org.apache.hadoop.fs.Path(known.toUri())));
    }
    // The processes close what they opened themselves; a hook would close it under their feet.
    configuration.setBoolean("fs.automatic.close", false);
    LOG.info(
        "Hadoop's configuration is {}", directory.map(Path::toString).orElse("its own default"));
    return configuration;
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

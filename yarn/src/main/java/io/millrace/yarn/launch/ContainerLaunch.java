package io.millrace.yarn.launch;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.security.KerberosConfiguration;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;

/**
 * The launch of a container.
 *
 * @param files in its working directory
 * @param command the words of the command; a shell interprets them
 * @param secrets contents of files that only this container gets, by their paths
 */
public record ContainerLaunch(
    List<StagedFile> files,
    Map<String, String> environment,
    List<String> command,
    Map<String, byte[]> secrets) {
  /** The Java of {@code JAVA_HOME} of the node, or the one on its path. */
  public static final String JAVA = "${JAVA_HOME:+$JAVA_HOME/bin/}java";

  /** The directory of a container's logs, for words of its command. */
  public static final String LOG_DIR = ApplicationConstants.LOG_DIR_EXPANSION_VAR;

  public ContainerLaunch {
    files = OrderedCopies.list(files);
    environment = OrderedCopies.map(environment);
    command = OrderedCopies.list(command);
    secrets = OrderedCopies.map(secrets);
  }

  public ContainerLaunch(
      List<StagedFile> files, Map<String, String> environment, List<String> command) {
    this(files, environment, command, Map.of());
  }

  /** The same launch with files that only this container gets. */
  public ContainerLaunch with(Map<String, byte[]> secrets) {
    return new ContainerLaunch(files, environment, command, secrets);
  }

  /**
   * The variables of each container on a cluster without authentication.
   *
   * @param further the option for variables of the user
   * @param user the Hadoop user
   */
  public static Map<String, String> environment(
      Configuration configuration, Option<String> further, String user) {
    Map<String, String> environment = environment(configuration, further);
    environment.putIfAbsent("HADOOP_USER_NAME", ShellQuoting.value(user));
    return environment;
  }

  /**
   * The variables of each container.
   *
   * @param further the option for variables of the user
   */
  public static Map<String, String> environment(
      Configuration configuration, Option<String> further) {
    Map<String, String> environment = new LinkedHashMap<>();
    // Otherwise a JVM cannot read arguments with characters outside ASCII.
    environment.put("LC_ALL", "C.UTF-8");
    environment.put(ConfigurationFile.DIRECTORY_VARIABLE, "$PWD/" + ContainerLayout.APPLICATION);
    environment.put("HADOOP_CONF_DIR", "$PWD/" + ContainerLayout.HADOOP_CONFIGURATION);
    String prefix = further.named("").key();
    configuration
        .entries()
        .forEach(
            (key, value) -> {
              if (key.startsWith(prefix)) {
                environment.put(key.substring(prefix.length()), ShellQuoting.value(value));
              }
            });
    return environment;
  }

  /** JVM options for files that a JVM does not find by itself. */
  public static List<String> options(List<StagedFile> files) {
    return files.stream()
            .anyMatch(file -> file.link().equals(ContainerLayout.KERBEROS_CONFIGURATION))
        ? List.of(
            "-D" + KerberosConfiguration.PROPERTY + "=" + ContainerLayout.KERBEROS_CONFIGURATION)
        : List.of();
  }

  /**
   * @param tokens with which the container acts for its user; empty without authentication
   */
  public ContainerLaunchContext context(ByteBuffer tokens) {
    ByteBuffer all = SecretFiles.with(tokens, secrets);
    Map<String, LocalResource> resources = new LinkedHashMap<>();
    files.forEach(file -> resources.put(file.link(), file.resource()));
    String line =
        String.join(" ", command) + " 1>" + LOG_DIR + "/stdout.log 2>" + LOG_DIR + "/stderr.log";
    return ContainerLaunchContext.newInstance(
        resources, environment, List.of(line), Map.of(), all.hasRemaining() ? all : null, Map.of());
  }
}

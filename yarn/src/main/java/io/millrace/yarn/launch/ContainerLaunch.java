package io.millrace.yarn.launch;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.security.KerberosConfiguration;
import io.millrace.yarn.YarnOptions;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;

/**
 * The launch of a container.
 *
 * @param files in its working directory
 * @param command the words of the command; a shell interprets them
 * @param secrets contents of files that only this container gets, by their paths
 * @param acls who may view and modify the application besides its user. Each NodeManager learns
 *     them from the first container of the application on its node.
 */
public record ContainerLaunch(
    List<StagedFile> files,
    Map<String, String> environment,
    List<String> command,
    Map<String, byte[]> secrets,
    Map<ApplicationAccessType, String> acls) {
  /**
   * The Java of {@code JAVA_HOME} of the node, or the one on its path. It replaces the shell that
   * YARN runs the command in: a container is one process, and YARN has the room to say why it
   * killed it, because it tells the command line of each process.
   */
  public static final String JAVA = "exec ${JAVA_HOME:+$JAVA_HOME/bin/}java";

  /** The directory of a container's logs, for words of its command. */
  public static final String LOG_DIR = ApplicationConstants.LOG_DIR_EXPANSION_VAR;

  /** The directory of Hadoop's configuration of the client. */
  public static final String HADOOP_CONFIGURATION = "$PWD/" + ContainerLayout.HADOOP_CONFIGURATION;

  public ContainerLaunch {
    files = OrderedCopies.list(files);
    environment = OrderedCopies.map(environment);
    command = OrderedCopies.list(command);
    secrets = OrderedCopies.map(secrets);
    acls = OrderedCopies.map(acls);
  }

  public ContainerLaunch(
      List<StagedFile> files, Map<String, String> environment, List<String> command) {
    this(files, environment, command, Map.of(), Map.of());
  }

  /** The same launch with files that only this container gets. */
  public ContainerLaunch with(Map<String, byte[]> secrets) {
    return new ContainerLaunch(files, environment, command, secrets, acls);
  }

  /** The same launch of an application with the access rights of the options. */
  public ContainerLaunch withAcls(Configuration configuration) {
    Map<ApplicationAccessType, String> rights = new LinkedHashMap<>();
    addAcl(rights, ApplicationAccessType.VIEW_APP, configuration, YarnOptions.VIEW_ACLS);
    addAcl(rights, ApplicationAccessType.MODIFY_APP, configuration, YarnOptions.MODIFY_ACLS);
    return new ContainerLaunch(files, environment, command, secrets, rights);
  }

  private static void addAcl(
      Map<ApplicationAccessType, String> rights,
      ApplicationAccessType type,
      Configuration configuration,
      Option<String> option) {
    // As it is: a list of groups without users begins with a blank.
    configuration
        .find(option)
        .ifPresent(valid -> rights.put(type, configuration.entries().get(option.key())));
  }

  /**
   * The variables of each container on a cluster without authentication.
   *
   * @param user the Hadoop user
   */
  public static Map<String, String> environment(
      Configuration configuration, ContainerRole role, String user) {
    Map<String, String> environment = environment(configuration, role);
    environment.putIfAbsent("HADOOP_USER_NAME", ShellQuoting.value(user));
    return environment;
  }

  /** The variables of each container. */
  public static Map<String, String> environment(Configuration configuration, ContainerRole role) {
    Map<String, String> environment = new LinkedHashMap<>();
    // Otherwise a JVM cannot read arguments with characters outside ASCII.
    environment.put("LC_ALL", "C.UTF-8");
    environment.put(ConfigurationFile.DIRECTORY_VARIABLE, "$PWD/" + ContainerLayout.APPLICATION);
    environment.put("HADOOP_CONF_DIR", HADOOP_CONFIGURATION);
    environment.put("MALLOC_ARENA_MAX", String.valueOf(role.mallocArenas()));
    String prefix = role.environment().named("").key();
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
        resources, environment, List.of(line), Map.of(), all.hasRemaining() ? all : null, acls);
  }
}

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
import java.util.Optional;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;

/**
 * How a container is launched.
 *
 * @param files what it finds in its working directory
 * @param command the words of the command; a shell reads them
 * @param secrets contents of further files that nobody else gets, by their places there
 */
public record ContainerLaunch(
    List<StagedFile> files,
    Map<String, String> environment,
    List<String> command,
    Map<String, byte[]> secrets) {
  /** The Java of the node where it says which, else the one on its path. */
  public static final String JAVA = "${JAVA_HOME:+$JAVA_HOME/bin/}java";

  /** Where a container's logs are to be, for words of its command. */
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

  /** The same with files that nobody else gets. */
  public ContainerLaunch with(Map<String, byte[]> secrets) {
    return new ContainerLaunch(files, environment, command, secrets);
  }

  /**
   * The variables that every container has.
   *
   * @param configured the option by which a user adds to them
   * @param user as whom Hadoop is to see it, where the cluster is not secured
   */
  public static Map<String, String> environment(
      Configuration configuration, Option<String> configured, Optional<String> user) {
    Map<String, String> environment = new LinkedHashMap<>();
    // Or a JVM could not read arguments that are more than ASCII.
    environment.put("LC_ALL", "C.UTF-8");
    environment.put(ConfigurationFile.DIRECTORY_VARIABLE, "$PWD/" + ContainerLayout.APPLICATION);
    environment.put("HADOOP_CONF_DIR", "$PWD/" + ContainerLayout.HADOOP_CONFIGURATION);
    user.ifPresent(name -> environment.put("HADOOP_USER_NAME", ShellQuoting.value(name)));
    String prefix = configured.named("").key();
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

  /** What the JVM is told of files that it would not find by itself. */
  public static List<String> options(List<StagedFile> files) {
    return files.stream()
            .anyMatch(file -> file.link().equals(ContainerLayout.KERBEROS_CONFIGURATION))
        ? List.of(
            "-D" + KerberosConfiguration.PROPERTY + "=" + ContainerLayout.KERBEROS_CONFIGURATION)
        : List.of();
  }

  /**
   * @param tokens with which the container acts for its user; empty where nobody asks for any
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

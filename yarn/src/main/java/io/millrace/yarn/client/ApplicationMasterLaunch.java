package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerClassPath;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.ContainerRole;
import io.millrace.yarn.launch.ShellQuoting;
import io.millrace.yarn.launch.StagedFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Launches the container of a JobManager.
 *
 * @param files all staged files
 * @param engine the libraries
 * @param logging the path of the user's logging configuration, if there is one
 * @param user the Hadoop user, on a cluster without authentication
 */
record ApplicationMasterLaunch(
    DeploymentSpec plan,
    Configuration configuration,
    List<StagedFile> files,
    EngineArchive engine,
    Optional<String> logging,
    Optional<String> user) {
  private static final String HADOOP_CONF_DIR = "HADOOP_CONF_DIR";

  ApplicationMasterLaunch {
    Objects.requireNonNull(plan);
    Objects.requireNonNull(configuration);
    files = OrderedCopies.list(files);
    Objects.requireNonNull(engine);
    Objects.requireNonNull(logging);
    Objects.requireNonNull(user);
  }

  /**
   * @param staging the directory of the files
   * @param clientTime how long the client needed until now
   */
  ContainerLaunch launch(String staging, Duration clientTime) {
    return new ContainerLaunch(files, environment(staging, clientTime), command())
        .withAcls(configuration);
  }

  private Map<String, String> environment(String staging, Duration clientTime) {
    // Variables of the engine come last: the user's variables must not replace them.
    ContainerRole role = ContainerRole.JOB_MANAGER;
    Map<String, String> environment =
        user.map(name -> ContainerLaunch.environment(configuration, role, name))
            .orElseGet(() -> ContainerLaunch.environment(configuration, role));
    environment.put(ContainerLayout.STAGING_VARIABLE, ShellQuoting.value(staging));
    environment.put(
        ContainerLayout.FILES_VARIABLE,
        StagedFile.encode(files.stream().filter(StagedFile::forWorkers).toList()));
    environment.put(ContainerLayout.CLIENT_TIME_VARIABLE, String.valueOf(clientTime.toMillis()));
    // A NodeManager does not name its own configuration to a container that sets this variable.
    environment.remove(HADOOP_CONF_DIR, ContainerLaunch.HADOOP_CONFIGURATION);
    return environment;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    if (!configuration.contains(YarnOptions.MASTER_ENVIRONMENT.named(HADOOP_CONF_DIR))) {
      // Quoted for a directory with blanks; YARN has the variable replaced before.
      command.add(ContainerLayout.NODE_CONFIGURATION_VARIABLE + "='$" + HADOOP_CONF_DIR + "'");
      command.add(HADOOP_CONF_DIR + "=" + ContainerLaunch.HADOOP_CONFIGURATION);
    }
    command.add(ContainerLaunch.JAVA);
    ServerJvm.JOB_MANAGER
        .options(configuration, ContainerLaunch.LOG_DIR + "/jobmanager.log")
        .forEach(option -> command.add(ShellQuoting.option(option)));
    logging.ifPresent(
        file -> command.add(ShellQuoting.option("-Dlogback.configurationFile=" + file)));
    if (engine.hasCdsArchive()) {
      command.add("-Xshare:auto");
      command.add(
          "-XX:SharedArchiveFile=" + ContainerLayout.HOME + "/" + ContainerLayout.CDS_ARCHIVE);
    }
    command.addAll(ContainerLaunch.options(files));
    command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + ContainerLayout.HOME);
    command.add("-cp");
    command.add(
        ShellQuoting.word(
            String.join(
                ":",
                ContainerClassPath.of(
                    configuration.get(YarnOptions.USER_JARS), engine.classPath(), files))));
    command.add(plan.mode().mainClass());
    plan.arguments().forEach(argument -> command.add(ShellQuoting.word(argument)));
    return command;
  }
}

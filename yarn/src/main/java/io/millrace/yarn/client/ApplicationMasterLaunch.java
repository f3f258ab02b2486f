package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerClassPath;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.ShellQuoting;
import io.millrace.yarn.launch.StagedFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How the JobManager's container is launched.
 *
 * @param files all that were staged
 * @param engine what they are started from
 * @param logging where its processes find how to log
 * @param user who submits, where Hadoop believes what it is told
 */
record ApplicationMasterLaunch(
    DeploymentSpec plan,
    Configuration configuration,
    List<StagedFile> files,
    EngineArchive engine,
    Optional<String> logging,
    Optional<String> user) {
  ApplicationMasterLaunch {
    Objects.requireNonNull(plan);
    Objects.requireNonNull(configuration);
    files = OrderedCopies.list(files);
    Objects.requireNonNull(engine);
    Objects.requireNonNull(logging);
    Objects.requireNonNull(user);
  }

  /**
   * @param staging the directory that the files are in
   * @param took how long the client needed up to here
   */
  ContainerLaunch launch(String staging, Duration took) {
    return new ContainerLaunch(files, environment(staging, took), command());
  }

  private Map<String, String> environment(String staging, Duration took) {
    // Ours come last: what a user adds does not take their place.
    Map<String, String> environment =
        ContainerLaunch.environment(configuration, YarnOptions.MASTER_ENVIRONMENT, user);
    environment.put(ContainerLayout.STAGING_VARIABLE, ShellQuoting.value(staging));
    environment.put(
        ContainerLayout.FILES_VARIABLE,
        StagedFile.encode(files.stream().filter(StagedFile::forWorkers).toList()));
    environment.put(ContainerLayout.CLIENT_TIME_VARIABLE, String.valueOf(took.toMillis()));
    return environment;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
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

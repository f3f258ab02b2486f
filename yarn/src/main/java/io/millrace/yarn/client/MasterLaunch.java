package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.Server;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.YarnOptions;
import io.millrace.yarn.launch.ClassPath;
import io.millrace.yarn.launch.Launch;
import io.millrace.yarn.launch.Layout;
import io.millrace.yarn.launch.ShellText;
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
record MasterLaunch(
    ClusterPlan plan,
    Configuration configuration,
    List<StagedFile> files,
    Engine engine,
    Optional<String> logging,
    Optional<String> user) {
  MasterLaunch {
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
  Launch launch(String staging, Duration took) {
    return new Launch(files, environment(staging, took), command());
  }

  private Map<String, String> environment(String staging, Duration took) {
    // Ours come last: what a user adds does not take their place.
    Map<String, String> environment =
        Launch.environment(configuration, YarnOptions.MASTER_ENVIRONMENT, user);
    environment.put(Layout.STAGING_VARIABLE, ShellText.value(staging));
    environment.put(
        Layout.FILES_VARIABLE,
        StagedFile.encode(files.stream().filter(StagedFile::forWorkers).toList()));
    environment.put(Layout.CLIENT_TIME_VARIABLE, String.valueOf(took.toMillis()));
    return environment;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Launch.JAVA);
    Server.JOB_MANAGER
        .options(configuration, Launch.LOG_DIR + "/jobmanager.log")
        .forEach(option -> command.add(ShellText.option(option)));
    logging.ifPresent(file -> command.add(ShellText.option("-Dlogback.configurationFile=" + file)));
    if (engine.hasStartArchive()) {
      command.add("-Xshare:auto");
      command.add("-XX:SharedArchiveFile=" + Layout.HOME + "/" + Layout.START_ARCHIVE);
    }
    command.addAll(Launch.options(files));
    command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + Layout.HOME);
    command.add("-cp");
    command.add(
        ShellText.word(
            String.join(
                ":",
                ClassPath.of(
                    configuration.get(YarnOptions.USER_JARS), engine.classPath(), files))));
    command.add(plan.mode().mainClass());
    plan.arguments().forEach(argument -> command.add(ShellText.word(argument)));
    return command;
  }
}

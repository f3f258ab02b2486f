package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.Server;
import io.millrace.core.Ordered;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.YarnOptions;
import io.millrace.yarn.launch.Launch;
import io.millrace.yarn.launch.Layout;
import io.millrace.yarn.launch.ShellText;
import io.millrace.yarn.launch.StagedFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * How the JobManager's container is launched.
 *
 * @param files all that were staged
 * @param libraries the engine's jars in the order of the class path
 * @param logging where its processes find how to log
 * @param user who submits, where Hadoop believes what it is told
 */
record MasterLaunch(
    ClusterPlan plan,
    Configuration configuration,
    List<StagedFile> files,
    List<String> libraries,
    Optional<String> logging,
    Optional<String> user) {
  private static final String ENVIRONMENT_PREFIX = "containerized.master.env.";

  MasterLaunch {
    Objects.requireNonNull(plan);
    Objects.requireNonNull(configuration);
    files = Ordered.list(files);
    libraries = Ordered.list(libraries);
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
    Map<String, String> environment = new LinkedHashMap<>();
    // Or a JVM could not read arguments that are more than ASCII.
    environment.put("LC_ALL", "C.UTF-8");
    environment.put(ConfigurationFile.DIRECTORY_VARIABLE, "$PWD/" + Layout.APPLICATION);
    environment.put("HADOOP_CONF_DIR", "$PWD/" + Layout.HADOOP_CONFIGURATION);
    environment.put(Layout.STAGING_VARIABLE, ShellText.value(staging));
    environment.put(
        Layout.FILES_VARIABLE,
        StagedFile.encode(files.stream().filter(StagedFile::forWorkers).toList()));
    environment.put(Layout.CLIENT_TIME_VARIABLE, String.valueOf(took.toMillis()));
    user.ifPresent(name -> environment.put("HADOOP_USER_NAME", ShellText.value(name)));
    configuration
        .entries()
        .forEach(
            (key, value) -> {
              if (key.startsWith(ENVIRONMENT_PREFIX)) {
                environment.put(key.substring(ENVIRONMENT_PREFIX.length()), ShellText.value(value));
              }
            });
    return environment;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Launch.JAVA);
    Server.JOB_MANAGER
        .options(configuration, Launch.LOG_DIR + "/jobmanager.log")
        .forEach(option -> command.add(ShellText.option(option)));
    logging.ifPresent(file -> command.add(ShellText.option("-Dlogback.configurationFile=" + file)));
    command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + Layout.HOME);
    command.add("-cp");
    command.add(ShellText.word(String.join(":", classPath())));
    command.add(plan.mode().mainClass());
    plan.arguments().forEach(argument -> command.add(ShellText.word(argument)));
    return command;
  }

  /** The engine's jars, those that others added, and the program's where the option wants them. */
  private List<String> classPath() {
    List<String> added =
        files.stream()
            .map(StagedFile::link)
            .filter(link -> link.endsWith(".jar") && !plan.jars().containsKey(link))
            .toList();
    List<String> own = new ArrayList<>(plan.jars().keySet());
    List<String> path = new ArrayList<>();
    switch (configuration.get(YarnOptions.USER_JARS)) {
      case FIRST -> {
        path.addAll(own);
        path.addAll(libraries);
        path.addAll(added);
      }
      case LAST -> {
        path.addAll(libraries);
        path.addAll(added);
        path.addAll(own);
      }
      case ORDER -> {
        path.addAll(libraries);
        // Among those that are not the engine's: the name decides, wherever a jar is from.
        TreeSet<String> byName =
            new TreeSet<>(
                java.util.Comparator.comparing(MasterLaunch::fileName)
                    .thenComparing(java.util.Comparator.naturalOrder()));
        byName.addAll(added);
        byName.addAll(own);
        path.addAll(byName);
      }
      case DISABLED -> {
        path.addAll(libraries);
        path.addAll(added);
      }
    }
    return path;
  }

  private static String fileName(String link) {
    return link.substring(link.lastIndexOf('/') + 1);
  }
}

package io.millrace.yarn.master;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.ServerJvm;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerClassPath;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.ContainerRole;
import io.millrace.yarn.launch.ShellQuoting;
import io.millrace.yarn.launch.StagedFile;
import io.millrace.yarn.worker.YarnTaskManagerProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Launches the container of a TaskManager. It has the files that the client has staged. Arguments
 * carry what differs between TaskManagers.
 *
 * @param configuration of the JobManager, with the address at which workers reach it
 * @param libraries the engine's jars on the class path, relative to the working directory
 * @param archive the CDS archive, if there is one
 * @param logging the user's logging configuration, if there is one
 * @param user the Hadoop user, on a cluster without authentication
 */
record TaskManagerLaunch(
    Configuration configuration,
    List<StagedFile> files,
    List<String> libraries,
    Optional<String> archive,
    Optional<String> logging,
    Optional<String> user)
    implements WorkerLauncher {
  private static final String LOG = ContainerLaunch.LOG_DIR + "/taskmanager.log";

  /** Options that the configuration file of the client does not have. */
  private static final List<Option<?>> JOB_MANAGER_ADDRESS =
      List.of(JobManagerOptions.ADDRESS, JobManagerOptions.PORT);

  TaskManagerLaunch {
    Objects.requireNonNull(configuration);
    files = files.stream().filter(StagedFile::forWorkers).toList();
    libraries = List.copyOf(libraries);
    Objects.requireNonNull(archive);
    Objects.requireNonNull(logging);
    Objects.requireNonNull(user);
  }

  @Override
  public ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host) {
    Configuration sized = spec.in(configuration);
    List<String> command = new ArrayList<>();
    command.add(ContainerLaunch.JAVA);
    ServerJvm.TASK_MANAGER
        .options(sized, LOG)
        .forEach(option -> command.add(ShellQuoting.option(option)));
    logging.ifPresent(
        file -> command.add(ShellQuoting.option("-Dlogback.configurationFile=" + file)));
    archive.ifPresent(
        file -> {
          command.add("-Xshare:auto");
          command.add("-XX:SharedArchiveFile=" + file);
        });
    command.addAll(ContainerLaunch.options(files));
    command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + ContainerLayout.HOME);
    command.add("-cp");
    command.add(
        ShellQuoting.word(
            String.join(
                ":",
                ContainerClassPath.of(
                    configuration.get(YarnOptions.USER_JARS), libraries, files))));
    command.add(YarnTaskManagerProcess.class.getName());
    overrides(sized, worker, host)
        .forEach((key, value) -> command.add(ShellQuoting.word(key + "=" + value)));
    if (!configuration.contains(CoreOptions.TMP_DIRS)) {
      // YARN removes it with the container.
      command.add(CoreOptions.TMP_DIRS.key() + "=$PWD/tmp");
    }
    ContainerRole role = ContainerRole.TASK_MANAGER;
    return new ContainerLaunch(
            files,
            user.map(name -> ContainerLaunch.environment(configuration, role, name))
                .orElseGet(() -> ContainerLaunch.environment(configuration, role)),
            command)
        .withAcls(configuration);
  }

  private Map<String, String> overrides(Configuration sized, WorkerId worker, String host) {
    Map<String, String> overrides = new LinkedHashMap<>();
    overrides.put(TaskManagerOptions.RESOURCE_ID.key(), worker.value());
    overrides.put(TaskManagerOptions.HOST.key(), host);
    overrides.put(TaskManagerOptions.BIND_HOST.key(), BindAddresses.toBind(host, sized));
    JOB_MANAGER_ADDRESS.forEach(
        option -> overrides.put(option.key(), String.valueOf(sized.get(option))));
    if (configuration.contains(SecurityOptions.KERBEROS_KEYTAB)
        && files.stream().noneMatch(file -> file.link().equals(ContainerLayout.KEYTAB))) {
      // Without a keytab the worker uses tokens.
      overrides.put(SecurityOptions.KERBEROS_KEYTAB.key(), "");
      overrides.put(SecurityOptions.KERBEROS_PRINCIPAL.key(), "");
    }
    sized
        .entries()
        .forEach(
            (key, value) -> {
              if (!value.equals(configuration.entries().get(key))) {
                overrides.put(key, value);
              }
            });
    return overrides;
  }
}

package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.cluster.Distribution;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.tls.ClusterKeyFiles;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * Starts the processes of a cluster with the Java, the libraries and the CDS archive of this
 * process.
 */
final class ProcessLauncher {
  /** The texts that server processes print before the reason of a failure. */
  private static final List<String> REASONS = List.of(" could not start: ", " cannot go on: ");

  private static final int LOG_LINES = 15;

  private final Distribution distribution;
  private final ClusterDirectory directory;
  private final Configuration configuration;

  /** Refuses contradicting memory sizes before any process is started. */
  ProcessLauncher(
      Distribution distribution, ClusterDirectory directory, Configuration configuration) {
    this.distribution = distribution;
    this.directory = directory;
    this.configuration = configuration;
    JobManagerMemory.of(configuration);
    TaskManagerMemory.of(configuration);
  }

  /** Starts a JobManager. Each one after the first has a stored REST address. */
  ClusterProcess jobManager(String name) throws IOException {
    List<String> command = command(ServerJvm.JOB_MANAGER, name);
    if (!name.equals(ClusterProcess.JOB_MANAGER)) {
      HostPort address = directory.address(name).orElseThrow();
      command.add(RestOptions.PORT.key() + "=" + address.port());
      if (configuration.get(JobManagerOptions.PORT).single().isPresent()) {
        // The first JobManager has it.
        command.add(JobManagerOptions.PORT.key() + "=0");
        command.add(JobManagerOptions.BIND_PORT.key() + "=0");
      }
      if (ClusterBinding.hasKeys(configuration, directory)) {
        ClusterKeyFiles key = ClusterBinding.jobManager(directory, name, configuration);
        addStore(command, key);
        command.add(RestTlsOptions.KEYSTORE.key() + "=" + key.store());
      }
    }
    return start(name, command);
  }

  ClusterProcess taskManager(int number) throws IOException {
    return taskManager(ClusterProcess.taskManager(number));
  }

  /** Starts a TaskManager with its own key, if the cluster has keys. */
  ClusterProcess taskManager(String name) throws IOException {
    List<String> command = command(ServerJvm.TASK_MANAGER, name);
    if (ClusterBinding.hasKeys(configuration, directory)) {
      addStore(command, ClusterBinding.worker(directory, name));
    }
    command.add(TaskManagerOptions.RESOURCE_ID.key() + "=" + name);
    return start(name, command);
  }

  /** The password is in the configuration file: other users can see arguments. */
  private static void addStore(List<String> command, ClusterKeyFiles key) {
    command.add(TlsOptions.KEYSTORE.key() + "=" + key.store());
    command.add(TlsOptions.TRUSTSTORE.key() + "=" + key.store());
  }

  private List<String> command(ServerJvm server, String name) throws IOException {
    return server.command(configuration, distribution, directory.log(name));
  }

  private ClusterProcess start(String name, List<String> command) throws IOException {
    Path printed = directory.output(name);
    if (Files.exists(printed)) {
      // The output of an earlier process must not be mistaken for that of the new one.
      Files.move(
          printed,
          printed.resolveSibling(printed.getFileName() + ".1"),
          StandardCopyOption.REPLACE_EXISTING);
    }
    File output = printed.toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.createWorkingDirectory(name).toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
    builder.environment().put(ConfigurationFile.DIRECTORY_VARIABLE, directory.conf().toString());
    builder.environment().remove(Plugins.DIRECTORY_VARIABLE);
    directory
        .plugins()
        .ifPresent(plugins -> builder.environment().put(Plugins.DIRECTORY_VARIABLE, plugins));
    ClusterProcess process = ClusterProcess.of(name, builder.start().toHandle());
    directory.record(process);
    return process;
  }

  /** The error with the reason that the process printed, else with the end of its log. */
  static MillraceException failed(
      Console console, ClusterDirectory directory, String process, String what) throws IOException {
    Optional<String> reason = printedReason(directory, process);
    if (reason.isPresent()) {
      return new MillraceException(ErrorKind.EXTERNAL, what + ": " + reason.get());
    }
    List<String> tail = tail(directory, process, LOG_LINES);
    if (tail.isEmpty()) {
      return new MillraceException(
          ErrorKind.EXTERNAL,
          what
              + " and neither printed nor logged anything. Check memory and disk space of this"
              + " machine.");
    }
    console.err().println("The last lines of the log of " + process + ":");
    tail.forEach(line -> console.err().println("  " + line));
    return new MillraceException(
        ErrorKind.EXTERNAL, what + " without printing a reason; the end of its log is above.");
  }

  /** The last lines of the log of a process. */
  static List<String> tail(ClusterDirectory directory, String name, int lines) throws IOException {
    List<String> all = lines(directory.log(name));
    return all.subList(Math.max(0, all.size() - lines), all.size());
  }

  /**
   * The reason of a failed start that a process has printed: a server prints it in one line, and a
   * JVM that cannot start in its first line.
   */
  static Optional<String> printedReason(ClusterDirectory directory, String name)
      throws IOException {
    List<String> printed =
        lines(directory.output(name)).stream().filter(line -> !line.isBlank()).toList();
    for (int i = printed.size() - 1; i >= 0; i--) {
      for (String known : REASONS) {
        int at = printed.get(i).indexOf(known);
        if (at >= 0) {
          return Optional.of(printed.get(i).substring(at + known.length()).strip());
        }
      }
    }
    return printed.stream().findFirst();
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.exists(file)
        ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList()
        : List.of();
  }
}

package io.millrace.cli;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.Options;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.plugin.Plugins;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the processes of a cluster with the Java, the libraries and the archive of this one. */
final class JavaProcess {
  private final Distribution distribution;
  private final ClusterDirectory directory;
  private final Configuration configuration;
  private final JobManagerMemory jobManagerMemory;
  private final TaskManagerMemory taskManagerMemory;

  /** Refuses sizes that contradict each other before anything is started. */
  JavaProcess(Distribution distribution, ClusterDirectory directory, Configuration configuration) {
    this.distribution = distribution;
    this.directory = directory;
    this.configuration = configuration;
    this.jobManagerMemory = JobManagerMemory.of(configuration);
    this.taskManagerMemory = TaskManagerMemory.of(configuration);
  }

  ClusterProcess jobManager() throws IOException {
    return start(
        ClusterProcess.JOB_MANAGER,
        command(
            Server.JOB_MANAGER,
            jobManagerMemory.jvmArguments(),
            Options.JAVA_OPTS_JOB_MANAGER,
            ClusterProcess.JOB_MANAGER));
  }

  ClusterProcess taskManager(int number) throws IOException {
    String name = ClusterProcess.taskManager(number);
    List<String> command =
        command(
            Server.TASK_MANAGER,
            taskManagerMemory.jvmArguments(),
            Options.JAVA_OPTS_TASK_MANAGER,
            name);
    command.add(Options.WORKER_ID.key() + "=" + name);
    return start(name, command);
  }

  /** Configured JVM options come last and so win over ours. */
  private List<String> command(
      Server server, List<String> memory, Option<String> options, String name) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(server.jvmOptions());
    command.addAll(memory);
    command.add("-D" + LogFile.PROPERTY + "=" + directory.log(name));
    command.addAll(words(configuration.get(Options.JAVA_OPTS)));
    command.addAll(words(configuration.get(options)));
    command.addAll(distribution.serverLibraries());
    command.add(server.mainClass());
    return command;
  }

  private ClusterProcess start(String name, List<String> command) throws IOException {
    File output = directory.output(name).toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.root().toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
    builder.environment().put(ConfigurationFile.DIRECTORY_VARIABLE, directory.conf().toString());
    // It may be relative to where this command runs, which is not where the process does.
    builder
        .environment()
        .computeIfPresent(
            Plugins.DIRECTORY_VARIABLE, (key, named) -> Path.of(named).toAbsolutePath().toString());
    ClusterProcess process = ClusterProcess.of(name, builder.start().toHandle());
    directory.record(process);
    return process;
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }

  /** The last lines a process wrote, for an error message. */
  static List<String> tail(ClusterDirectory directory, String name, int lines) throws IOException {
    List<String> all = new ArrayList<>();
    for (Path file : List.of(directory.log(name), directory.output(name))) {
      if (Files.exists(file)) {
        all.addAll(Files.readAllLines(file));
      }
    }
    return all.subList(Math.max(0, all.size() - lines), all.size());
  }
}

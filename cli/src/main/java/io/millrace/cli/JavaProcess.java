package io.millrace.cli;

import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.Distribution;
import io.millrace.cluster.Server;
import io.millrace.core.config.Configuration;
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

  /** Refuses sizes that contradict each other before anything is started. */
  JavaProcess(Distribution distribution, ClusterDirectory directory, Configuration configuration) {
    this.distribution = distribution;
    this.directory = directory;
    this.configuration = configuration;
    JobManagerMemory.of(configuration);
    TaskManagerMemory.of(configuration);
  }

  ClusterProcess jobManager() throws IOException {
    String name = ClusterProcess.JOB_MANAGER;
    return start(name, command(Server.JOB_MANAGER, name));
  }

  ClusterProcess taskManager(int number) throws IOException {
    String name = ClusterProcess.taskManager(number);
    List<String> command = command(Server.TASK_MANAGER, name);
    command.add(Options.WORKER_ID.key() + "=" + name);
    return start(name, command);
  }

  private List<String> command(Server server, String name) throws IOException {
    return server.command(configuration, distribution, directory.log(name));
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
    builder.environment().remove(Plugins.DIRECTORY_VARIABLE);
    directory
        .plugins()
        .ifPresent(plugins -> builder.environment().put(Plugins.DIRECTORY_VARIABLE, plugins));
    ClusterProcess process = ClusterProcess.of(name, builder.start().toHandle());
    directory.record(process);
    return process;
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

package io.millrace.cli;

import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.cli.deployment.ClusterProcess;
import io.millrace.cluster.ServerJvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that does nothing, but has the arguments by which a server of a cluster is known. */
public final class FakeServer implements AutoCloseable {
  private final String name;
  private final Process process;

  private FakeServer(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /** One that logs into the directory of a cluster. */
  public static FakeServer of(ClusterDirectory clusterDirectory, String name) throws IOException {
    return withArguments(name, "-D" + ServerJvm.LOG_FILE + "=" + clusterDirectory.log(name));
  }

  public static FakeServer withArguments(String name, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("/bin/sh", "-c", "while :; do sleep 0.05; done", "sh"));
    command.addAll(Arrays.asList(arguments));
    return new FakeServer(name, new ProcessBuilder(command).start());
  }

  public FakeServer recordedIn(ClusterDirectory clusterDirectory) throws IOException {
    clusterDirectory.record(ClusterProcess.of(name, process.toHandle()));
    return this;
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  public long pid() {
    return process.pid();
  }

  public boolean awaitEnd() throws InterruptedException {
    return process.waitFor(60, TimeUnit.SECONDS);
  }

  public void end() throws InterruptedException {
    close();
    process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

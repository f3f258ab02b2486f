package io.millrace.cli;

import io.millrace.cluster.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that does nothing, but has the arguments by which a server of a cluster is known. */
final class FakeServer implements AutoCloseable {
  private final String name;
  private final Process process;

  private FakeServer(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /** One that logs into the directory of a cluster. */
  static FakeServer of(ClusterDirectory place, String name) throws IOException {
    return withArguments(name, "-D" + Server.LOG_FILE + "=" + place.log(name));
  }

  static FakeServer withArguments(String name, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("/bin/sh", "-c", "while :; do sleep 0.05; done", "sh"));
    command.addAll(Arrays.asList(arguments));
    return new FakeServer(name, new ProcessBuilder(command).start());
  }

  FakeServer recordedIn(ClusterDirectory place) throws IOException {
    place.record(ClusterProcess.of(name, process.toHandle()));
    return this;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  long pid() {
    return process.pid();
  }

  boolean awaitEnd() throws InterruptedException {
    return process.waitFor(60, TimeUnit.SECONDS);
  }

  void end() throws InterruptedException {
    close();
    process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

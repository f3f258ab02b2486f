package io.millrace.bench.peers.flink;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * W7: {@code Loopback <directory> <warm-up seconds> <measured seconds>}. Two TaskManagers of one
 * slot each; the job leaves its figures in the directory.
 */
public final class Loopback {
  private Loopback() {}

  public static void main(String[] args) throws Exception {
    String jar = Path.of(System.getProperty("peers.jar")).toAbsolutePath().toString();
    try (Processes flink =
        new Processes(
            1, "pipeline.object-reuse: true", "execution.buffer-timeout.enabled: false")) {
      List<String> jm = flink.parameters("GET_JM_RESOURCE_PARAMS");
      List<String> tm = flink.parameters("GET_TM_RESOURCE_PARAMS");
      flink.jobManager(jm);
      flink.taskManager("tm-1", tm);
      flink.taskManager("tm-2", tm);
      flink.await("/overview", 50, Duration.ofSeconds(240), b -> b.contains("\"taskmanagers\":2"));
      List<String> command =
          new ArrayList<>(List.of("run", "-p", "2", "-c", LoopbackJob.class.getName(), jar));
      command.addAll(List.of(args));
      if (flink.cli(command.toArray(String[]::new)).waitFor() != 0) {
        throw new IOException("The job failed; see " + flink.dir.resolve("cli"));
      }
    }
  }
}

package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * W2: {@code Standalone <job jar> <text file>}. A JobManager, a TaskManager of 2 slots, and the
 * CLI.
 */
public final class Standalone {
  private Standalone() {}

  public static void main(String[] args) throws Exception {
    String jar = Path.of(args[0]).toAbsolutePath().toString();
    String text = Path.of(args[1]).toAbsolutePath().toString();
    JsonLine json = new JsonLine("flink", "W2", "standalone");
    try (Processes flink = new Processes(2)) {
      long utils = System.nanoTime();
      List<String> jm = flink.parameters("GET_JM_RESOURCE_PARAMS");
      json.put("scriptJvmMs", ms(utils));
      List<String> tm = flink.parameters("GET_TM_RESOURCE_PARAMS");

      long start = System.nanoTime();
      Process jobManager = flink.jobManager(jm);
      Process taskManager = flink.taskManager("tm-1", tm);
      flink.await("/overview", 10, Duration.ofSeconds(60), b -> true);
      json.put("restAnswersMs", ms(start));
      flink.await("/overview", 10, Duration.ofSeconds(60), b -> b.contains("\"taskmanagers\":1"));
      json.put("tmRegisteredMs", ms(start));
      Thread.sleep(3000);
      json.put("jmIdleRssMb", Processes.rssMb(jobManager))
          .put("tmIdleRssMb", Processes.rssMb(taskManager));

      for (String run : List.of("first", "second")) {
        long submit = System.nanoTime();
        long submitEpoch = System.currentTimeMillis();
        Process cli =
            flink.cli("run", "-p", "2", "-c", WordCount.class.getName(), jar, text, "submitted");
        int exit = cli.waitFor();
        String jobs = flink.get("/jobs/overview");
        long end =
            Processes.all("\"end-time\":(\\d+)", jobs).stream()
                .mapToLong(Long::parseLong)
                .max()
                .orElse(-1);
        long begin =
            Processes.all("\"start-time\":(\\d+)", jobs).stream()
                .mapToLong(Long::parseLong)
                .max()
                .orElse(-1);
        json.put(run + "CliWallMs", ms(submit))
            .put(run + "CliStartToFinishedMs", end - submitEpoch)
            .put(run + "JobMs", end - begin)
            .put(run + "Exit", exit)
            .put(run + "State", Processes.all("\"state\":\"(\\w+)\"", jobs));
      }
      json.put("jmAfterRssMb", Processes.rssMb(jobManager))
          .put("tmAfterRssMb", Processes.rssMb(taskManager));
    }
    json.print();
  }

  private static long ms(long since) {
    return (System.nanoTime() - since) / 1_000_000;
  }
}

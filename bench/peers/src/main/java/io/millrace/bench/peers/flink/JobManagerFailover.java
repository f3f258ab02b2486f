package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * W11: {@code JobManagerFailover <quorum> [session time-out]}. Two JobManagers, two TaskManagers of
 * 2 slots, a job of parallelism 2; kill -9 the leading JobManager. All other settings are Flink's,
 * except for the delay of restarts and the refresh interval of REST.
 */
public final class JobManagerFailover {
  private static final String VERTEX = "\"id\":\"(\\w{32})\",\"(?:slotSharingGroupId|name)";
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private JobManagerFailover() {}

  public static void main(String[] args) throws Exception {
    String jar = Path.of(System.getProperty("peers.jar")).toAbsolutePath().toString();
    JsonLine json = new JsonLine("flink", "W11", args.length > 1 ? args[1] : "default");
    Path storage =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target", "run")).toAbsolutePath(), "ha");
    List<String> settings =
        new ArrayList<>(
            List.of(
                "restart-strategy.type: fixed-delay",
                "restart-strategy.fixed-delay.attempts: 2147483647",
                "restart-strategy.fixed-delay.delay: 0 s",
                "web.refresh-interval: 50",
                "high-availability.type: zookeeper",
                "high-availability.zookeeper.quorum: \"" + args[0] + "\"",
                "high-availability.storageDir: " + storage.toUri()));
    if (args.length > 1) {
      settings.add("high-availability.zookeeper.client.session-timeout: " + args[1]);
    }
    try (Processes flink = new Processes(2, settings.toArray(String[]::new))) {
      List<String> jm = flink.parameters("GET_JM_RESOURCE_PARAMS");
      List<String> tm = flink.parameters("GET_TM_RESOURCE_PARAMS");
      int first = Processes.freePort();
      int second = Processes.freePort();
      Process leader = flink.jobManager("jm-1", first, jm);
      await(flink, first, "/overview", b -> true);
      flink.jobManager("jm-2", second, jm);
      flink.taskManager("tm-1", tm);
      flink.taskManager("tm-2", tm);
      await(flink, first, "/overview", b -> b.contains("\"taskmanagers\":2"));
      await(flink, second, "/config", b -> true);
      flink.cli("run", "-d", "-p", "2", "-c", FailoverJob.class.getName(), jar).waitFor();
      String overview = await(flink, first, "/jobs/overview", b -> b.contains("\"jid\""));
      String job = Processes.all("\"jid\":\"(\\w+)\"", overview).get(0);
      awaitAllRunning(flink, first, job);
      await(
          flink,
          first,
          "/jobs/" + job + "/checkpoints",
          b ->
              Processes.all("\"completed\":(\\d+)", b).stream()
                  .anyMatch(n -> Integer.parseInt(n) >= 5));

      long kill = System.nanoTime();
      leader.destroyForcibly().waitFor();
      await(flink, second, "/jobs/" + job, b -> true);
      json.put("firstAnswerMs", ms(kill));
      awaitAllRunning(flink, second, job);
      json.put("allRunningAgainMs", ms(kill));
    }
    json.print();
    System.exit(0);
  }

  private static String await(Processes flink, int port, String path, Predicate<String> condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < deadline) {
      String body = flink.get(port, path);
      if (!body.isEmpty() && condition.test(body)) {
        return body;
      }
      Thread.sleep(20);
    }
    throw new IllegalStateException("timed out on " + path + " of " + port);
  }

  private static void awaitAllRunning(Processes flink, int port, String job)
      throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!allRun(flink, port, job)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("job " + job + " does not run");
      }
      Thread.sleep(20);
    }
  }

  private static boolean allRun(Processes flink, int port, String job)
      throws InterruptedException {
    List<String> vertices = Processes.all(VERTEX, flink.get(port, "/jobs/" + job));
    for (String vertex : vertices) {
      List<String> states =
          Processes.all(
              "\"subtask\":\\d+,\"status\":\"(\\w+)\"",
              flink.get(port, "/jobs/" + job + "/vertices/" + vertex));
      if (states.size() < 2 || !states.stream().allMatch("RUNNING"::equals)) {
        return false;
      }
    }
    return !vertices.isEmpty();
  }

  private static long ms(long since) {
    return (System.nanoTime() - since) / 1_000_000;
  }
}

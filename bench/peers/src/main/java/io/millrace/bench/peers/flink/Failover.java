package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * W6: {@code Failover <packed|spread>}. Two TaskManagers of 2 slots, a job of parallelism 2; kill
 * -9 the TaskManager that runs (packed: all, spread: half of) its tasks; heartbeats as Flink ships
 * them.
 */
public final class Failover {
  private static final Pattern SUBTASK =
      Pattern.compile("\"subtask\":(\\d+),\"status\":\"(\\w+)\",\"attempt\":(\\d+)");

  private Failover() {}

  public static void main(String[] args) throws Exception {
    boolean spread = args[0].equals("spread");
    String jar = Path.of(System.getProperty("peers.jar")).toAbsolutePath().toString();
    JsonLine json = new JsonLine("flink", "W6", args[0]);
    try (Processes flink =
        new Processes(
            2,
            "restart-strategy.type: fixed-delay",
            "restart-strategy.fixed-delay.attempts: 2147483647",
            "restart-strategy.fixed-delay.delay: 0 s",
            "web.refresh-interval: 50",
            "taskmanager.load-balance.mode: " + (spread ? "SLOTS" : "NONE"))) {
      List<String> jm = flink.parameters("GET_JM_RESOURCE_PARAMS");
      List<String> tm = flink.parameters("GET_TM_RESOURCE_PARAMS");
      flink.jobManager(jm);
      Map<String, Process> managers = new HashMap<>();
      managers.put("tm-1", flink.taskManager("tm-1", tm));
      managers.put("tm-2", flink.taskManager("tm-2", tm));
      flink.await("/overview", 50, Duration.ofSeconds(60), b -> b.contains("\"taskmanagers\":2"));
      flink.cli("run", "-d", "-p", "2", "-c", FailoverJob.class.getName(), jar).waitFor();
      String job = Processes.all("\"jid\":\"(\\w+)\"", flink.get("/jobs/overview")).get(0);
      String detail =
          flink.await(
              "/jobs/" + job,
              50,
              Duration.ofSeconds(60),
              b ->
                  Processes.all("\"id\":\"(\\w{32})\",\"(?:slotSharingGroupId|name)", b).size()
                      >= 2);
      List<String> vertices =
          Processes.all("\"id\":\"(\\w{32})\",\"(?:slotSharingGroupId|name)", detail);
      for (String vertex : vertices) {
        flink.await(
            "/jobs/" + job + "/vertices/" + vertex,
            50,
            Duration.ofSeconds(60),
            b -> running(b, -1) == 2);
      }
      flink.await(
          "/jobs/" + job + "/checkpoints",
          100,
          Duration.ofSeconds(60),
          b ->
              Processes.all("\"completed\":(\\d+)", b).stream()
                  .anyMatch(n -> Integer.parseInt(n) >= 5));

      String last = vertices.get(vertices.size() - 1);
      List<String> hosts = managersOf(flink.get("/jobs/" + job + "/vertices/" + last));
      String victim = hosts.get(0);
      json.put("taskHosts", hosts);
      long kill = System.nanoTime();
      managers.get(victim).destroyForcibly().waitFor(10, TimeUnit.SECONDS);

      flink.await(
          "/jobs/" + job,
          20,
          Duration.ofSeconds(180),
          b ->
              !Processes.all("\"state\":\"(\\w+)\"", b).get(0).equals("RUNNING")
                  || attempts(flink, job, last) > 0);
      json.put("firstReactionMs", ms(kill));
      flink.await(
          "/jobs/" + job,
          20,
          Duration.ofSeconds(180),
          b -> recovered(flink, job, vertices, victim));
      json.put("allRunningAgainMs", ms(kill));
      json.put("attempts", attempts(flink, job, last));
      json.put(
          "cause",
          Processes.all("\"exceptionName\":\"([^\"]+)\"", flink.get("/jobs/" + job + "/exceptions"))
              .stream()
              .distinct()
              .toList());
      flink.await("/overview", 50, Duration.ofSeconds(120), b -> b.contains("\"taskmanagers\":1"));
      json.put("tmDeregisteredMs", ms(kill));
    }
    json.print();
  }

  private static boolean recovered(
      Processes flink, String job, List<String> vertices, String victim) {
    try {
      for (String vertex : vertices) {
        String body = flink.get("/jobs/" + job + "/vertices/" + vertex);
        if (running(body, 0) < 2 || managersOf(body).contains(victim)) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int attempts(Processes flink, String job, String vertex) {
    try {
      Matcher matcher = SUBTASK.matcher(flink.get("/jobs/" + job + "/vertices/" + vertex));
      int most = 0;
      while (matcher.find()) {
        most = Math.max(most, Integer.parseInt(matcher.group(3)));
      }
      return most;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Subtasks RUNNING in an attempt later than the given one. */
  private static int running(String vertex, int afterAttempt) {
    Matcher matcher = SUBTASK.matcher(vertex);
    int count = 0;
    while (matcher.find()) {
      if (matcher.group(2).equals("RUNNING") && Integer.parseInt(matcher.group(3)) > afterAttempt) {
        count++;
      }
    }
    return count;
  }

  private static List<String> managersOf(String vertex) {
    return Processes.all("\"taskmanager-id\":\"([^\"]+)\"", vertex);
  }

  private static long ms(long since) {
    return (System.nanoTime() - since) / 1_000_000;
  }
}

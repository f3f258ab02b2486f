package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.StateLoad;
import io.millrace.bench.load.StateLoadRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * W8 and W9: {@code StateLoadCluster <kill|updates> <WARMUP> <MEASURE> <PROCESS_MB> <MANAGED_MB>
 * <backend> <StateLoad>…}. Two TaskManagers of a slot each.
 */
public final class StateLoadCluster {
  private static final Pattern SUBTASK =
      Pattern.compile("\"status\":\"(\\w+)\",\"attempt\":(\\d+)");
  private static final String VERTEX = "\"id\":\"(\\w{32})\",\"(?:slotSharingGroupId|name)";

  private StateLoadCluster() {}

  public static void main(String[] args) throws Exception {
    boolean kill = args[0].equals("kill");
    String jar = Path.of(System.getProperty("peers.jar")).toAbsolutePath().toString();
    String[] rest = java.util.Arrays.copyOfRange(args, 6, args.length);
    StateLoad load = StateLoad.of(rest);
    JsonLine json = new JsonLine("flink", kill ? "W8" : "W9", args[5]);
    try (Processes flink =
        new Processes(
            1,
            "restart-strategy.type: fixed-delay",
            "restart-strategy.fixed-delay.attempts: 2147483647",
            "restart-strategy.fixed-delay.delay: 0 s",
            "web.refresh-interval: 50",
            "execution.checkpointing.interval: 10 s",
            "execution.checkpointing.incremental: true",
            "state.backend.type: " + args[5],
            "taskmanager.memory.process.size: " + args[3] + "m",
            "taskmanager.memory.managed.size: " + args[4] + "m")) {
      List<String> jm = flink.parameters("GET_JM_RESOURCE_PARAMS");
      List<String> tm = flink.parameters("GET_TM_RESOURCE_PARAMS");
      flink.jobManager(jm);
      Map<String, Process> managers = new HashMap<>();
      managers.put("tm-1", flink.taskManager("tm-1", tm));
      managers.put("tm-2", flink.taskManager("tm-2", tm));
      flink.await("/overview", 50, Duration.ofMinutes(3), b -> b.contains("\"taskmanagers\":2"));
      List<String> run =
          new ArrayList<>(
              List.of("run", "-d", "-p", "1", "-c", StateLoadJob.class.getName(), jar));
      run.addAll(List.of(rest));
      flink.cli(run.toArray(String[]::new)).waitFor();
      String job = Processes.all("\"jid\":\"(\\w+)\"", flink.get("/jobs/overview")).get(0);
      StateLoadRun stateLoad = new StateLoadRun(load, new Job(flink, managers, job));
      if (kill) {
        stateLoad.killAndCatchUp(json);
      } else {
        stateLoad.measureUpdates(Integer.parseInt(args[1]), Integer.parseInt(args[2]), json);
      }
    }
    json.print();
    System.exit(0);
  }

  private record Job(Processes flink, Map<String, Process> managers, String id)
      implements StateLoadRun.StateLoadCluster {
    @Override
    public String get(String path) throws InterruptedException {
      return flink.get("/jobs/" + id + path);
    }

    @Override
    public void killBusy() throws InterruptedException {
      String vertex = Processes.all(VERTEX, get("")).get(0);
      String host =
          Processes.all("\"taskmanager-id\":\"([^\"]+)\"", get("/vertices/" + vertex)).get(0);
      managers.get(host).destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    @Override
    public boolean runsAgain() throws IOException, InterruptedException {
      List<String> vertices = Processes.all(VERTEX, get(""));
      for (String vertex : vertices) {
        Matcher subtask = SUBTASK.matcher(get("/vertices/" + vertex));
        if (!subtask.find()
            || !subtask.group(1).equals("RUNNING")
            || Integer.parseInt(subtask.group(2)) == 0) {
          return false;
        }
      }
      return !vertices.isEmpty();
    }
  }
}

package io.millrace.control.scheduler;

import io.millrace.control.slotpool.Slot;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.task.Placement;
import io.millrace.graph.task.TaskSpec;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the tasks of one deployment worker by worker, and where each of them runs. */
final class DeploymentPlan {
  /** Stands in a placement for a subtask of another deployment, which nothing here talks to. */
  private static final Integer ELSEWHERE = -1;

  private final List<List<Subtask>> vertices;
  private final Hosts hosts;
  private final Integer[][] hostOf;
  private final List<String> addresses = new ArrayList<>();
  private final Map<WorkerId, Integer> indexes = new LinkedHashMap<>();
  private final Map<WorkerId, List<TaskInSlot>> tasks = new LinkedHashMap<>();

  DeploymentPlan(ExecutionGraph graph, Hosts hosts) {
    this.vertices = graph.vertices;
    this.hosts = hosts;
    hostOf = new Integer[vertices.size()][];
    for (int v = 0; v < hostOf.length; v++) {
      hostOf[v] = new Integer[vertices.get(v).size()];
      Arrays.fill(hostOf[v], ELSEWHERE);
    }
  }

  void add(Execution execution, Slot slot) {
    Subtask subtask = execution.subtask;
    Integer host = indexes.get(slot.worker());
    if (host == null) {
      host = addresses.size();
      addresses.add(hosts.dataAddress(slot.worker()));
      indexes.put(slot.worker(), host);
    }
    hostOf[subtask.vertexIndex][subtask.index] = host;
    TaskSpec spec =
        new TaskSpec(subtask.vertex.id(), subtask.index, execution.attempt, execution.id);
    tasks
        .computeIfAbsent(slot.worker(), x -> new ArrayList<>())
        .add(new TaskInSlot(spec, slot.allocation()));
  }

  Action.Deploy deploy(long number) {
    Map<VertexId, List<Integer>> table = new LinkedHashMap<>();
    for (int v = 0; v < hostOf.length; v++) {
      table.put(vertices.get(v).get(0).vertex.id(), Arrays.asList(hostOf[v]));
    }
    List<Action.Share> shares = new ArrayList<>();
    tasks.forEach((worker, specs) -> shares.add(new Action.Share(worker, specs)));
    return new Action.Deploy(number, new Placement(addresses, table), shares);
  }
}

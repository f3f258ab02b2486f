package io.millrace.control.scheduler;

import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Renders the ExecutionGraph of a job, for people and tools. */
public final class ExecutionPlan {
  private ExecutionPlan() {}

  /**
   * The number of slots and regions, and for each subtask of each vertex its slot and its region.
   */
  public static String json(JobGraph graph) {
    ExecutionGraph execution = new ExecutionGraph(graph);
    Map<String, Object> plan = new LinkedHashMap<>();
    plan.put("jid", graph.id());
    plan.put("name", graph.name());
    plan.put("slots", execution.slots.size());
    plan.put("regions", execution.regions.size());
    List<Object> vertices = new ArrayList<>();
    execution.vertices.forEach(subtasks -> vertices.add(vertex(subtasks)));
    plan.put("vertices", vertices);
    return Graphs.json(plan);
  }

  private static Map<String, Object> vertex(List<Subtask> subtasks) {
    JobVertex vertex = subtasks.get(0).vertex;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", vertex.id());
    json.put("name", vertex.name());
    json.put("parallelism", vertex.parallelism());
    json.put("maxParallelism", vertex.maxParallelism());
    json.put("slotSharingGroup", vertex.slotSharingGroup());
    List<Object> entries = new ArrayList<>();
    for (Subtask subtask : subtasks) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("subtask", subtask.index);
      entry.put("slot", subtask.slot.id);
      entry.put("region", subtask.region.id);
      entries.add(entry);
    }
    json.put("subtasks", entries);
    return json;
  }
}

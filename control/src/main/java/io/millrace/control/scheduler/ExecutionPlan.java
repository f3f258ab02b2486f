package io.millrace.control.scheduler;

import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The ExecutionGraph that a JobMaster makes of a job, for people and tools. */
public final class ExecutionPlan {
  private ExecutionPlan() {}

  /**
   * How many slots the job needs and which regions of it start and fail together; each subtask of
   * each vertex with its slot and its region.
   */
  public static String json(JobGraph graph) {
    ExecutionGraph spread = new ExecutionGraph(graph);
    Map<String, Object> plan = new LinkedHashMap<>();
    plan.put("jid", graph.id());
    plan.put("name", graph.name());
    plan.put("slots", spread.slots.size());
    plan.put("regions", spread.regions.size());
    List<Object> vertices = new ArrayList<>();
    spread.vertices.forEach(subtasks -> vertices.add(vertex(subtasks)));
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
    List<Object> parts = new ArrayList<>();
    for (Subtask subtask : subtasks) {
      Map<String, Object> part = new LinkedHashMap<>();
      part.put("subtask", subtask.index);
      part.put("slot", subtask.slot.id);
      part.put("region", subtask.region.id);
      parts.add(part);
    }
    json.put("subtasks", parts);
    return json;
  }
}

package io.millrace.graph;

import io.millrace.api.program.Program;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Map;

/** The way from a program to what the cluster takes, and both as JSON for people and tools. */
public final class Graphs {
  private Graphs() {}

  /** Decides parallelism, ids, groups and routing of every operator of a program. */
  public static StreamGraph streamGraph(Program program) {
    return new StreamGraphGenerator(program).streamGraph();
  }

  /**
   * The program that reads these results of earlier jobs instead of computing them again; what only
   * they were computed from is not in it.
   */
  public static Program reusing(Program program, List<CachedDataSet> known) {
    return known.isEmpty() ? program : new CachedResultRewriter(program, known).program();
  }

  /** Chains operators and serialises their functions; the same graph gives the same result. */
  public static JobGraph jobGraph(StreamGraph graph, JobId id) {
    return new JobGraphGenerator(graph).jobGraph(id);
  }

  /** Both steps. */
  public static JobGraph jobGraph(Program program, JobId id) {
    return jobGraph(streamGraph(program), id);
  }

  /** {@code {"nodes": […]}} with one node an operator, as plan visualisers read it. */
  public static String json(StreamGraph graph) {
    return PlanJson.of(graph);
  }

  /** Maps, lists, texts, numbers and flags as JSON. */
  public static String json(Map<String, ?> tree) {
    return JsonWriter.of(tree);
  }

  /** The {@code plan} object of REST: one node a vertex. */
  public static String json(JobGraph graph) {
    return PlanJson.of(graph);
  }
}

package io.millrace.control.scheduler;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.reason.JobReason.GraphFault;
import io.millrace.protocol.reason.JobReason.GraphInvalid;
import io.millrace.protocol.text.ReasonException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The graph of a job expanded into subtasks, shared slots and regions. Built once, in linear time
 * in the number of subtasks: it does not enumerate channels.
 */
final class ExecutionGraph {
  final JobGraph graph;

  /** The subtasks of each vertex, in the order of the graph. */
  final List<List<Subtask>> vertices = new ArrayList<>();

  final List<Subtask> subtasks = new ArrayList<>();
  final List<SharedSlot> slots = new ArrayList<>();
  final List<Region> regions = new ArrayList<>();

  ExecutionGraph(JobGraph graph) {
    this.graph = graph;
    Map<VertexId, Integer> indexes = new HashMap<>();
    Map<String, List<SharedSlot>> groups = new LinkedHashMap<>();
    for (JobVertex vertex : graph.vertices()) {
      if (indexes.put(vertex.id(), vertices.size()) != null) {
        throw invalid(GraphFault.VERTEX_REPEATED, vertex.id(), 0, 0);
      }
      expand(vertex, groups.computeIfAbsent(vertex.slotSharingGroup(), x -> new ArrayList<>()));
    }
    if (subtasks.isEmpty()) {
      throw invalid(GraphFault.NO_VERTICES, "", 0, 0);
    }
    findRegions(indexes);
  }

  private void expand(JobVertex vertex, List<SharedSlot> group) {
    List<Subtask> expanded = new ArrayList<>(vertex.parallelism());
    for (int i = 0; i < vertex.parallelism(); i++) {
      if (i == group.size()) {
        SharedSlot slot = new SharedSlot(slots.size(), graph.resourcesOf(vertex));
        slots.add(slot);
        group.add(slot);
      }
      Subtask subtask = new Subtask(vertices.size(), vertex, i, group.get(i));
      subtask.slot.subtasks.add(subtask);
      expanded.add(subtask);
    }
    vertices.add(expanded);
    subtasks.addAll(expanded);
  }

  private void findRegions(Map<VertexId, Integer> indexes) {
    int[] firstOf = new int[vertices.size()];
    for (int v = 1; v < firstOf.length; v++) {
      firstOf[v] = firstOf[v - 1] + vertices.get(v - 1).size();
    }
    DisjointSets connected = new DisjointSets(subtasks.size());
    for (JobEdge edge : graph.edges()) {
      Integer source = indexes.get(edge.source());
      Integer target = indexes.get(edge.target());
      if (source == null || target == null || source >= target) {
        throw invalid(GraphFault.EDGE_NOT_FORWARD, edge.id(), 0, 0);
      }
      connect(
          connected,
          edge,
          firstOf[source],
          vertices.get(source).size(),
          firstOf[target],
          vertices.get(target).size());
    }
    Map<Integer, Region> byGroup = new HashMap<>();
    for (int i = 0; i < subtasks.size(); i++) {
      Region region =
          byGroup.computeIfAbsent(
              connected.find(i),
              x -> {
                Region created = new Region(regions.size());
                regions.add(created);
                return created;
              });
      join(subtasks.get(i), region);
    }
  }

  private static void join(Subtask subtask, Region region) {
    subtask.region = region;
    region.subtasks.add(subtask);
    SharedSlot slot = subtask.slot;
    // A slot is in few regions, and usually in the one that was added last.
    if (slot.regions.isEmpty()
        || (slot.regions.get(slot.regions.size() - 1) != region
            && !slot.regions.contains(region))) {
      slot.regions.add(region);
      region.slots.add(slot);
    }
  }

  private void connect(
      DisjointSets connected, JobEdge edge, int source, int sources, int target, int targets) {
    if (edge.partitioning() == Partitioning.FORWARD && sources != targets) {
      throw invalid(GraphFault.PARALLELISM_DIFFERS, edge.id(), sources, targets);
    }
    if (edge.partitioning() == Partitioning.FORWARD
        || edge.partitioning() == Partitioning.RESCALE) {
      // Connected subtasks are those whose ranges overlap if both vertices are scaled to the same
      // length.
      int i = 0;
      int j = 0;
      while (i < sources && j < targets) {
        connected.join(source + i, target + j);
        long endOfSource = (i + 1L) * targets;
        long endOfTarget = (j + 1L) * sources;
        i += endOfSource <= endOfTarget ? 1 : 0;
        j += endOfTarget <= endOfSource ? 1 : 0;
      }
      return;
    }
    for (int i = 1; i < sources; i++) {
      connected.join(source, source + i);
    }
    for (int j = 0; j < targets; j++) {
      connected.join(source, target + j);
    }
  }

  private MillraceException invalid(GraphFault fault, Object element, int sources, int targets) {
    return new ReasonException(
        ErrorKind.USER, new GraphInvalid(graph.id(), fault, element.toString(), sources, targets));
  }

  /** Disjoint sets of indexes (union-find). */
  private static final class DisjointSets {
    private final int[] parent;

    DisjointSets(int size) {
      parent = new int[size];
      for (int i = 0; i < size; i++) {
        parent[i] = i;
      }
    }

    int find(int index) {
      int root = index;
      while (parent[root] != root) {
        parent[root] = parent[parent[root]];
        root = parent[root];
      }
      return root;
    }

    void join(int left, int right) {
      int a = find(left);
      int b = find(right);
      parent[Math.max(a, b)] = Math.min(a, b);
    }
  }
}

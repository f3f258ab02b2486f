package io.millrace.graph.task;

import io.millrace.core.Ordered;
import io.millrace.core.id.VertexId;
import java.util.List;
import java.util.Map;

/**
 * Where every subtask of a deployment runs: a table sent once, from which each host computes its
 * channels. Nothing enumerates channels.
 *
 * @param hosts data addresses ({@code host:port}) of the TaskManagers, each once
 * @param hostOf for each vertex the index in {@code hosts} of each of its subtasks
 */
public record Placement(List<String> hosts, Map<VertexId, List<Integer>> hostOf) {
  public Placement {
    hosts = Ordered.list(hosts);
    hostOf = Ordered.map(hostOf);
  }
}

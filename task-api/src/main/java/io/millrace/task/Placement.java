package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.VertexId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where subtasks of a deployment run: a table from which each host computes its channels. Nothing
 * enumerates channels. What is not in it belongs to another deployment and is not talked to.
 *
 * @param hosts data addresses ({@code host:port}) of the TaskManagers, each once
 * @param runs for each vertex which of its subtasks run where
 */
public record Placement(List<String> hosts, Map<VertexId, List<Run>> runs) {
  /** Stands for a subtask that is not in the table. */
  public static final int ELSEWHERE = -1;

  public Placement {
    hosts = OrderedCopies.list(hosts);
    runs = OrderedCopies.map(runs);
  }

  /**
   * Consecutive subtasks on one host.
   *
   * @param first the index of the first of them
   * @param host an index in {@link Placement#hosts()}
   */
  public record Run(int first, int count, int host) {
    public Run {
      if (first < 0 || count < 1 || host < 0 || first + count < first) {
        throw new IllegalArgumentException(
            "There are no " + count + " subtasks from " + first + " on at host " + host);
      }
    }
  }

  /** For each subtask of the vertex its index in {@link #hosts()}, or {@link #ELSEWHERE}. */
  public int[] hostOf(VertexId vertex, int parallelism) {
    int[] hostOf = new int[parallelism];
    Arrays.fill(hostOf, ELSEWHERE);
    for (Run run : runs.getOrDefault(vertex, List.of())) {
      if (run.first() + run.count() > parallelism || run.host() >= hosts.size()) {
        throw new IllegalArgumentException(
            "Of " + hosts.size() + " hosts and " + parallelism + " subtasks there is no " + run);
      }
      Arrays.fill(hostOf, run.first(), run.first() + run.count(), run.host());
    }
    return hostOf;
  }

  /** All of these in one table. No two may have the same subtask. */
  public static Placement merged(List<Placement> tables) {
    if (tables.size() == 1) {
      return tables.get(0);
    }
    Map<String, Integer> indexes = new LinkedHashMap<>();
    Map<VertexId, List<Run>> all = new LinkedHashMap<>();
    for (Placement table : tables) {
      int[] host = new int[table.hosts.size()];
      for (int i = 0; i < host.length; i++) {
        Integer known = indexes.putIfAbsent(table.hosts.get(i), indexes.size());
        host[i] = known == null ? indexes.size() - 1 : known;
      }
      table.runs.forEach(
          (vertex, runs) -> {
            List<Run> merged = all.computeIfAbsent(vertex, x -> new ArrayList<>());
            runs.forEach(run -> merged.add(new Run(run.first(), run.count(), host[run.host()])));
          });
    }
    return new Placement(new ArrayList<>(indexes.keySet()), all);
  }
}

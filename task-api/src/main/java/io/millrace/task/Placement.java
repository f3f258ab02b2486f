package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.VertexId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The hosts of a deployment's subtasks, from which each host computes its channels. Channels are
 * never enumerated. Subtasks that are not in the table belong to another deployment.
 *
 * @param hosts data addresses ({@code host:port}) of the TaskManagers, each once
 * @param runs for each vertex the hosts of its subtasks
 */
public record Placement(List<String> hosts, Map<VertexId, List<Run>> runs) {
  /** The host index of a subtask that is not in the table. */
  public static final int ELSEWHERE = -1;

  public Placement {
    hosts = OrderedCopies.list(hosts);
    Map<VertexId, List<Run>> copies = new LinkedHashMap<>();
    runs.forEach((vertex, ofVertex) -> copies.put(vertex, OrderedCopies.list(ofVertex)));
    runs = OrderedCopies.map(copies);
  }

  /**
   * Consecutive subtasks on one host.
   *
   * @param first the index of the first subtask
   * @param host an index in {@link Placement#hosts()}
   */
  public record Run(int first, int count, int host) {
    public Run {
      if (first < 0 || count < 1 || host < 0 || first + count < first) {
        throw new IllegalArgumentException(
            "first and host must be >= 0 and count >= 1, not first "
                + first
                + ", count "
                + count
                + ", host "
                + host);
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
            run + " exceeds " + hosts.size() + " hosts or " + parallelism + " subtasks");
      }
      Arrays.fill(hostOf, run.first(), run.first() + run.count(), run.host());
    }
    return hostOf;
  }

  /** Merges tables that have no subtask in common. */
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

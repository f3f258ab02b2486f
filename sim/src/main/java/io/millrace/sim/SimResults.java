package io.millrace.sim;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The results of finished tasks of a simulated TaskManager, without content. */
final class SimResults {
  private final Map<ExecutionId, List<ClusterPartition>> unconfirmed = new LinkedHashMap<>();
  private final Set<ClusterPartition> kept = new LinkedHashSet<>();

  /** The partitions that a task produces if it finishes. */
  static List<ClusterPartition> of(JobGraph graph, TaskSpec spec) {
    JobVertex vertex = graph.vertex(spec.vertex());
    return vertex.dataSets().stream()
        .map(id -> new ClusterPartition(id, graph.id(), 0, spec.subtask(), vertex.parallelism()))
        .toList();
  }

  void finished(ExecutionId execution, List<ClusterPartition> partitions) {
    if (!partitions.isEmpty()) {
      unconfirmed.put(execution, partitions);
    }
  }

  boolean has(JobId job) {
    return unconfirmed.values().stream()
        .anyMatch(partitions -> partitions.get(0).producer().equals(job));
  }

  void keep(long term, List<ExecutionId> executions) {
    for (ExecutionId execution : executions) {
      List<ClusterPartition> partitions = unconfirmed.remove(execution);
      if (partitions != null) {
        partitions.forEach(partition -> kept.add(partition.finishedIn(term)));
      }
    }
  }

  List<ClusterPartition> kept() {
    return new ArrayList<>(kept);
  }

  void drop(List<ClusterPartition> partitions) {
    partitions.forEach(kept::remove);
  }

  void release(JobId job) {
    unconfirmed.values().removeIf(partitions -> partitions.get(0).producer().equals(job));
  }
}

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

/** What finished tasks have left on a simulated host, without anything in it. */
final class SimResults {
  private final Map<ExecutionId, List<ClusterPartition>> waiting = new LinkedHashMap<>();
  private final Set<ClusterPartition> kept = new LinkedHashSet<>();

  /** The partitions of a task, if it finishes. */
  static List<ClusterPartition> of(JobGraph graph, TaskSpec spec) {
    JobVertex vertex = graph.vertex(spec.vertex());
    return vertex.dataSets().stream()
        .map(id -> new ClusterPartition(id, graph.id(), 0, spec.subtask(), vertex.parallelism()))
        .toList();
  }

  void finished(ExecutionId execution, List<ClusterPartition> left) {
    if (!left.isEmpty()) {
      waiting.put(execution, left);
    }
  }

  boolean has(JobId job) {
    return waiting.values().stream().anyMatch(left -> left.get(0).producer().equals(job));
  }

  void keep(long term, List<ExecutionId> executions) {
    for (ExecutionId execution : executions) {
      List<ClusterPartition> left = waiting.remove(execution);
      if (left != null) {
        left.forEach(partition -> kept.add(partition.finishedIn(term)));
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
    waiting.values().removeIf(left -> left.get(0).producer().equals(job));
  }
}

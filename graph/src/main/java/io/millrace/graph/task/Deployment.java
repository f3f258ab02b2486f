package io.millrace.graph.task;

import io.millrace.core.Ordered;
import io.millrace.graph.JobGraph;
import java.util.List;
import java.util.Objects;

/**
 * All tasks of one pipelined region that run on this host.
 *
 * @param number distinguishes this deployment from every other one of the same job; channels
 *     connect tasks of the same number only, so that a restarted region never hears from its
 *     forerunner
 */
public record Deployment(JobGraph graph, long number, List<TaskSpec> tasks, Placement placement) {
  public Deployment {
    Objects.requireNonNull(graph);
    tasks = Ordered.list(tasks);
    Objects.requireNonNull(placement);
  }
}

package io.millrace.sim.check;

import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.Placement;

/** What holds of the tables by which tasks find each other. */
final class PlacementRules {
  private PlacementRules() {}

  static final class PlacementIsTrue extends Invariant {
    PlacementIsTrue() {
      super(
          "A task that is deployed is told where it is itself, and a place for every task that it"
              + " exchanges data with.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed deployed) {
        for (SimJob job : world().scenario().jobs()) {
          if (job.id().equals(deployed.task().job())) {
            check(deployed.host(), deployed.task(), job.graph());
          }
        }
      }
    }

    private void check(SimTaskHost host, SimTaskHost.Task task, JobGraph graph) {
      Placement placement = task.placement();
      VertexId vertex = task.spec().vertex();
      int own = hosts(placement, graph, vertex)[task.spec().subtask()];
      if (own == Placement.ELSEWHERE || !placement.hosts().get(own).equals(host.dataAddress())) {
        throw broken(
            task.spec() + " runs at " + host.dataAddress() + " and is placed by " + placement);
      }
      for (JobEdge edge : graph.edges()) {
        if (edge.source().equals(vertex)) {
          check(task, edge, hosts(placement, graph, edge.target()));
        } else if (edge.target().equals(vertex)) {
          check(task, edge, hosts(placement, graph, edge.source()));
        }
      }
    }

    /** Of a rescaling edge the neighbours are not known here. */
    private void check(SimTaskHost.Task task, JobEdge edge, int[] neighbours) {
      if (edge.partitioning() == Partitioning.RESCALE) {
        return;
      }
      for (int subtask = 0; subtask < neighbours.length; subtask++) {
        boolean exchanges =
            edge.partitioning() != Partitioning.FORWARD || subtask == task.spec().subtask();
        if (exchanges && neighbours[subtask] == Placement.ELSEWHERE) {
          throw broken(
              task.spec() + " is not told where subtask " + subtask + " of " + edge + " is");
        }
      }
    }

    private static int[] hosts(Placement placement, JobGraph graph, VertexId vertex) {
      return placement.hostOf(vertex, graph.vertex(vertex).parallelism());
    }
  }
}

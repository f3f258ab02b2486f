package io.millrace.sim.check;

import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.Placement;
import java.util.LinkedHashMap;
import java.util.Map;

/** Invariants of placements, by which tasks find each other. */
final class PlacementRules {
  private PlacementRules() {}

  static final class PlacementIsCorrect extends Invariant {
    /** Where the tasks of each deployment were sent to, by its number and the task. */
    private final Map<String, String> sentTo = new LinkedHashMap<>();

    PlacementIsCorrect() {
      super(
          "The placement of a deployment has the right TaskManager of each task and of every"
              + " task that it exchanges data with.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        for (TaskInSlot task : deploy.tasks()) {
          sentTo.put(key(deploy.number(), task.task().vertex(), task.task().subtask()), sent.to());
        }
      }
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(deployed.task().job())) {
          check(deployed.host(), deployed.task(), job.graph());
        }
      }
    }

    private void check(SimTaskHost host, SimTaskHost.Task task, JobGraph graph) {
      Placement placement = task.placement();
      VertexId vertex = task.spec().vertex();
      int own = hosts(placement, graph, vertex)[task.spec().subtask()];
      if (own == Placement.ELSEWHERE || !placement.hosts().get(own).equals(host.dataAddress())) {
        throw broken(
            task.spec() + " runs at " + host.dataAddress() + " and has the placement " + placement);
      }
      for (JobEdge edge : graph.edges()) {
        if (edge.source().equals(vertex)) {
          check(task, edge, edge.target(), hosts(placement, graph, edge.target()));
        } else if (edge.target().equals(vertex)) {
          check(task, edge, edge.source(), hosts(placement, graph, edge.source()));
        }
      }
    }

    private static String key(long deployment, VertexId vertex, int subtask) {
      return deployment + " " + vertex + "/" + subtask;
    }

    /** The neighbours of a RESCALE edge are not computed here. */
    private void check(SimTaskHost.Task task, JobEdge edge, VertexId vertex, int[] neighbours) {
      for (int subtask = 0; subtask < neighbours.length; subtask++) {
        // The data address of a simulated worker is the name of its process.
        String at = sentTo.get(key(task.number(), vertex, subtask));
        if (at != null
            && neighbours[subtask] != Placement.ELSEWHERE
            && !at.equals(task.placement().hosts().get(neighbours[subtask]))) {
          throw broken(
              task.spec()
                  + " has a placement in which subtask "
                  + subtask
                  + " of "
                  + edge
                  + " is at "
                  + task.placement().hosts().get(neighbours[subtask])
                  + ", and that subtask was sent to "
                  + at);
        }
      }
      if (edge.partitioning() == Partitioning.RESCALE) {
        return;
      }
      for (int subtask = 0; subtask < neighbours.length; subtask++) {
        boolean exchanges =
            edge.partitioning() != Partitioning.FORWARD || subtask == task.spec().subtask();
        if (exchanges && neighbours[subtask] == Placement.ELSEWHERE) {
          throw broken(task.spec() + " has a placement without subtask " + subtask + " of " + edge);
        }
      }
    }

    private static int[] hosts(Placement placement, JobGraph graph, VertexId vertex) {
      return placement.hostOf(vertex, graph.vertex(vertex).parallelism());
    }
  }
}

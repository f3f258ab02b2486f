package io.millrace.sim.check;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.SimJob;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Invariants of the attempts to run a subtask. */
final class AttemptRules {
  private AttemptRules() {}

  static final class ExecutionsAreDeployedOnce extends Invariant {
    private final Map<ExecutionId, String> deployed = new LinkedHashMap<>();

    ExecutionsAreDeployedOnce() {
      super("An execution attempt is deployed at most once and runs on at most one worker.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed now) {
      String where = now.host().process().toString();
      String before = deployed.put(now.task().spec().execution(), where);
      if (before != null) {
        throw broken(
            "Attempt "
                + now.task().spec()
                + " of job "
                + now.task().job()
                + " was deployed on "
                + before
                + " and on "
                + where);
      }
    }
  }

  /**
   * If connections break or processes freeze, a JobMaster may drop a worker that still runs tasks;
   * otherwise it knows the end of an attempt before it deploys the next one.
   */
  static final class OneAttemptPerSubtask extends Invariant {
    OneAttemptPerSubtask() {
      super(
          "While every process is reachable, a subtask is deployed again only after its last"
              + " attempt has ended.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed now) {
      if (!world().isReachable()) {
        return;
      }
      for (SimulatedWorld.Worker worker : world().workers()) {
        for (SimTaskHost.Task other : worker.host().running()) {
          if (other != now.task()
              && other.job().equals(now.task().job())
              && other.spec().vertex().equals(now.task().spec().vertex())
              && other.spec().subtask() == now.task().spec().subtask()) {
            throw broken(
                "Job "
                    + other.job()
                    + " has "
                    + now.task().spec()
                    + " on "
                    + now.host().process()
                    + " while "
                    + other.spec()
                    + " runs on "
                    + worker.name());
          }
        }
      }
    }
  }

  /**
   * Checks both sides: a JobMaster deploys whole regions together; a worker that acknowledges a
   * deployment has started all of its tasks, and one that refuses it has started none.
   */
  static final class DeploymentsAreAtomic extends Invariant {
    /** The deployments that were decided and sent in the current event. */
    private final Map<JobId, Integer> decidedTasks = new LinkedHashMap<>();

    private final Map<JobId, List<DeployTasks>> sentDeployments = new LinkedHashMap<>();

    private final Map<String, DeployTasks> deployments = new LinkedHashMap<>();
    private final Set<ExecutionId> started = new LinkedHashSet<>();
    private final Set<ExecutionId> ended = new LinkedHashSet<>();

    DeploymentsAreAtomic() {
      super(
          "A deployment is atomic: a JobMaster deploys whole regions, and a worker starts all"
              + " tasks of a DeployTasks message or none.");
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed deployed) {
      started.add(deployed.task().spec().execution());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        sentDeployments.computeIfAbsent(deploy.job(), x -> new ArrayList<>()).add(deploy);
        deployments.put(sent.from() + ">" + sent.to() + " " + sent.call().correlation(), deploy);
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof DeployTasks) {
        DeployTasks share =
            deployments.remove(
                answered.to() + ">" + answered.by().name() + " " + answered.call().correlation());
        if (share != null) {
          answered(answered, share);
        }
      }
    }

    private void answered(Fact.Answered answered, DeployTasks share) {
      boolean acknowledged = answered.answer() instanceof Envelope.Reply;
      for (TaskInSlot task : share.tasks()) {
        ExecutionId execution = task.task().execution();
        if (acknowledged
            ? !started.contains(execution) && !ended.contains(execution)
            : started.contains(execution)) {
          throw broken(
              answered.by()
                  + (acknowledged ? " acknowledges " : " refuses ")
                  + share.tasks().size()
                  + " tasks of job "
                  + share.job()
                  + (acknowledged ? ", and has not started " : ", and has started ")
                  + task.task());
        }
      }
    }

    /**
     * A task that waits for the graph of its job does not start after it was cancelled or its
     * leader was lost.
     */
    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof CancelTasks cancel) {
        ended.addAll(cancel.executions());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof TasksDeployed deployed) {
        decidedTasks.merge(decided.entry().job().orElseThrow(), deployed.tasks(), Integer::sum);
      } else if (decided.entry().event() instanceof JobMasterDisconnected
          || decided.entry().event() instanceof JobRemoved) {
        deployments.forEach(
            (call, share) -> {
              if (share.job().equals(decided.entry().job().get())
                  && call.contains(">" + decided.process().name() + " ")) {
                share.tasks().forEach(task -> ended.add(task.task().execution()));
              }
            });
      }
    }

    @Override
    protected void afterEvent() {
      if (!decidedTasks.isEmpty()) {
        decidedTasks.forEach(
            (job, count) -> check(count, sentDeployments.getOrDefault(job, List.of())));
        decidedTasks.clear();
        sentDeployments.clear();
      }
    }

    /** No message leaves for a worker whose connection is known to be broken. */
    private void check(int count, List<DeployTasks> shares) {
      int sentTasks = shares.stream().mapToInt(share -> share.tasks().size()).sum();
      if (sentTasks != count) {
        if (world().isReachable()) {
          throw broken(count + " tasks had to be deployed, and " + sentTasks + " were sent");
        }
        return;
      }
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(shares.get(0).job())) {
          Set<String> tasks = new LinkedHashSet<>();
          shares.forEach(
              share ->
                  share
                      .tasks()
                      .forEach(
                          task -> tasks.add(name(task.task().vertex(), task.task().subtask()))));
          check(job.graph(), tasks);
        }
      }
    }

    /** Two subtasks that exchange records are deployed together, and so is the whole region. */
    private void check(JobGraph graph, Set<String> tasks) {
      for (JobEdge edge : graph.edges()) {
        JobVertex source = graph.vertex(edge.source());
        JobVertex target = graph.vertex(edge.target());
        for (int from = 0; from < source.parallelism(); from++) {
          for (int to = 0; to < target.parallelism(); to++) {
            if (exchange(edge, source, from, target, to)
                && tasks.contains(name(source.id(), from))
                    != tasks.contains(name(target.id(), to))) {
              throw broken(
                  "Of subtask "
                      + from
                      + " of "
                      + source.name()
                      + " and subtask "
                      + to
                      + " of "
                      + target.name()
                      + " in job "
                      + graph.id()
                      + " only one is deployed");
            }
          }
        }
      }
    }

    /** Whether two subtasks exchange records on an edge. */
    static boolean exchange(JobEdge edge, JobVertex source, int from, JobVertex target, int to) {
      boolean neighboursOnly =
          edge.partitioning() == Partitioning.FORWARD
              || edge.partitioning() == Partitioning.RESCALE;
      // Subtasks are neighbours if their ranges of the whole overlap.
      return !neighboursOnly
          || (from * target.parallelism() < (to + 1) * source.parallelism()
              && to * source.parallelism() < (from + 1) * target.parallelism());
    }

    private static String name(VertexId vertex, int subtask) {
      return vertex + "/" + subtask;
    }
  }
}

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

/** What holds of attempts to run a subtask. */
final class AttemptRules {
  private AttemptRules() {}

  static final class DeployedOnce extends Invariant {
    private final Map<ExecutionId, String> deployed = new LinkedHashMap<>();

    DeployedOnce() {
      super("An execution attempt is deployed at most once, and so runs on at most one worker.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed now) {
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
  }

  /**
   * Where connections break or processes freeze, a JobMaster may have to give up a worker that goes
   * on for a while; elsewhere it hears of the end of one attempt before it begins the next.
   */
  static final class NoTwoAttempts extends Invariant {
    NoTwoAttempts() {
      super(
          "While every process is reachable, a subtask is started anew only when its last attempt"
              + " has ended.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.TaskDeployed now && world().isReachable()) {
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
  }

  /**
   * Seen from both sides: what a JobMaster sends together are regions as a whole, and a worker that
   * says that it has taken its share has begun with every task of it, as one that says it has not
   * has begun with none.
   */
  static final class DeployedAsAWhole extends Invariant {
    /** What was decided and what left in the event in hand. */
    private final Map<JobId, Integer> decidedTasks = new LinkedHashMap<>();

    private final Map<JobId, List<DeployTasks>> leaving = new LinkedHashMap<>();

    private final Map<String, DeployTasks> meant = new LinkedHashMap<>();
    private final Set<ExecutionId> begun = new LinkedHashSet<>();
    private final Set<ExecutionId> ended = new LinkedHashSet<>();

    DeployedAsAWhole() {
      super("A deployment is whole or not at all: regions as they are sent, shares as they begin.");
    }

    @Override
    protected void seen(Fact fact) {
      cancelled(fact);
      if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof TasksDeployed deployed) {
        decidedTasks.merge(decided.entry().job().orElseThrow(), deployed.tasks(), Integer::sum);
      } else if (fact instanceof Fact.TaskDeployed deployed) {
        begun.add(deployed.task().spec().execution());
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof DeployTasks deploy) {
        leaving.computeIfAbsent(deploy.job(), x -> new ArrayList<>()).add(deploy);
        meant.put(sent.from() + ">" + sent.to() + " " + sent.call().correlation(), deploy);
      } else if (fact instanceof Fact.Answered answered
          && answered.call().message() instanceof DeployTasks) {
        DeployTasks share =
            meant.remove(
                answered.to() + ">" + answered.by().name() + " " + answered.call().correlation());
        if (share != null) {
          answered(answered, share);
        }
      }
    }

    private void answered(Fact.Answered answered, DeployTasks share) {
      boolean taken = answered.answer() instanceof Envelope.Reply;
      for (TaskInSlot task : share.tasks()) {
        ExecutionId execution = task.task().execution();
        if (taken
            ? !begun.contains(execution) && !ended.contains(execution)
            : begun.contains(execution)) {
          throw broken(
              answered.by()
                  + (taken ? " says that it has taken " : " says that it has not taken ")
                  + share.tasks().size()
                  + " tasks of job "
                  + share.job()
                  + (taken ? ", and has not begun with " : ", and has begun with ")
                  + task.task());
        }
      }
    }

    /** Nothing that waits for its graph begins when it was cancelled or its leader is lost. */
    private void cancelled(Fact fact) {
      if (fact instanceof Fact.Called called
          && called.call().message() instanceof CancelTasks cancel) {
        ended.addAll(cancel.executions());
      } else if (fact instanceof Fact.Decided decided
          && (decided.entry().event() instanceof JobMasterDisconnected
              || decided.entry().event() instanceof JobRemoved)) {
        meant.forEach(
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
        decidedTasks.forEach((job, count) -> check(count, leaving.getOrDefault(job, List.of())));
        decidedTasks.clear();
        leaving.clear();
      }
    }

    /** Nothing leaves for a worker whose connection is known to be broken. */
    private void check(int count, List<DeployTasks> shares) {
      int left = shares.stream().mapToInt(share -> share.tasks().size()).sum();
      if (left != count) {
        if (world().isReachable()) {
          throw broken(count + " tasks were to be deployed, and " + left + " were sent");
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

    private static boolean exchange(
        JobEdge edge, JobVertex source, int from, JobVertex target, int to) {
      boolean neighboursOnly =
          edge.partitioning() == Partitioning.FORWARD
              || edge.partitioning() == Partitioning.RESCALE;
      // Neighbours are those whose shares of the whole overlap.
      return !neighboursOnly
          || (from * target.parallelism() < (to + 1) * source.parallelism()
              && to * source.parallelism() < (from + 1) * target.parallelism());
    }

    private static String name(VertexId vertex, int subtask) {
      return vertex + "/" + subtask;
    }
  }
}

package io.millrace.sim.check;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.TaskSpec;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Invariants of tasks that a JobMaster adopts from its predecessor. */
final class AdoptionRules {
  private AdoptionRules() {}

  private static String name(JobId job, TaskSpec spec) {
    return job + " " + spec.vertex() + "/" + spec.subtask();
  }

  /**
   * A worker that was separated from its JobMaster may run tasks whose subtasks were deployed
   * again: adopting them would lose what the later ones have done. A request may be held up by a
   * partition until the JobMaster has given the worker up, so that what counts is what was deployed
   * when the request was sent. The worker then refuses it, because it has given up the JobMaster.
   */
  static final class LastAttemptIsAdopted extends Invariant {
    private final Map<String, ExecutionId> last = new LinkedHashMap<>();
    private final Map<ExecutionId, String> subtasks = new LinkedHashMap<>();

    /** What was deployed last when a request was sent, by the requests that have not arrived. */
    private final Map<String, Map<String, ExecutionId>> requests = new LinkedHashMap<>();

    LastAttemptIsAdopted() {
      super("A worker is asked to adopt only the attempt of a subtask that was deployed last.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        for (TaskInSlot task : deploy.tasks()) {
          String subtask = name(deploy.job(), task.task());
          last.put(subtask, task.task().execution());
          subtasks.put(task.task().execution(), subtask);
        }
      } else if (sent.call().message() instanceof AdoptTasks) {
        requests.put(request(sent.from(), sent.to(), sent.call()), new LinkedHashMap<>(last));
      }
    }

    private static String request(String from, String to, Envelope.Call call) {
      return from + ">" + to + " " + call.correlation();
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof AdoptTasks adopt) {
        Map<String, ExecutionId> deployed =
            requests.remove(request(called.from(), called.to().name(), called.call()));
        if (deployed != null) { // else it arrives for the second time
          check(called.to(), adopt, deployed);
        }
      }
    }

    private void check(SimProcess worker, AdoptTasks adopt, Map<String, ExecutionId> deployed) {
      for (ExecutionId execution : adopt.executions()) {
        String subtask = subtasks.get(execution);
        if (subtask == null || !execution.equals(deployed.get(subtask))) {
          throw broken(
              worker
                  + " has to adopt "
                  + execution
                  + " of "
                  + subtask
                  + ", whose last attempt was "
                  + deployed.get(subtask));
        }
      }
    }
  }

  /** Checks what arrives at workers, if all of them have confirmed it. */
  static final class RegionsAreAdoptedAsAWhole extends Invariant {
    private final Map<ExecutionId, TaskSpec> specs = new LinkedHashMap<>();
    private final Map<String, Adoption> open = new LinkedHashMap<>();

    /** The requests of one leader. */
    private static final class Adoption {
      private final JobId job;
      private final Set<String> unconfirmed = new LinkedHashSet<>();
      private final Set<ExecutionId> executions = new LinkedHashSet<>();

      Adoption(JobId job) {
        this.job = job;
      }
    }

    RegionsAreAdoptedAsAWhole() {
      super("Of two tasks that exchange records both are adopted or none.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        deploy.tasks().forEach(task -> specs.put(task.task().execution(), task.task()));
      } else if (sent.call().message() instanceof AdoptTasks adopt
          && !adopt.executions().isEmpty()) {
        adoption(adopt).unconfirmed.add(sent.to() + " " + sent.call().correlation());
      }
    }

    private Adoption adoption(AdoptTasks adopt) {
      return open.computeIfAbsent(
          adopt.job() + "@" + adopt.jobMaster(), x -> new Adoption(adopt.job()));
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof AdoptTasks adopt
          && answered.answer() instanceof Envelope.Reply) {
        Adoption adoption = adoption(adopt);
        if (adoption.unconfirmed.remove(
            answered.by().name() + " " + answered.call().correlation())) {
          adoption.executions.addAll(adopt.executions());
          if (adoption.unconfirmed.isEmpty()) {
            check(adoption);
          }
        }
      }
    }

    private void check(Adoption adoption) {
      Set<String> adopted = new LinkedHashSet<>();
      adoption.executions.forEach(
          execution -> adopted.add(name(adoption.job, specs.get(execution))));
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(adoption.job)) {
          check(job.graph(), adopted);
        }
      }
    }

    private void check(JobGraph graph, Set<String> adopted) {
      for (JobEdge edge : graph.edges()) {
        JobVertex source = graph.vertex(edge.source());
        JobVertex target = graph.vertex(edge.target());
        for (int from = 0; from < source.parallelism(); from++) {
          for (int to = 0; to < target.parallelism(); to++) {
            String producer = graph.id() + " " + source.id() + "/" + from;
            String consumer = graph.id() + " " + target.id() + "/" + to;
            if (AttemptRules.DeploymentsAreAtomic.exchange(edge, source, from, target, to)
                && adopted.contains(producer) != adopted.contains(consumer)) {
              throw broken("Of " + producer + " and " + consumer + " only one is adopted");
            }
          }
        }
      }
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.core.id.InstanceId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CancelReply;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Sabotages of the content of messages: what components report to each other. */
final class MessageSabotages {
  private MessageSabotages() {}

  /** Acknowledges cancellations without executing them; not for ever, so that jobs end. */
  static final class CancelIgnored extends SimWiring {
    private static final long FOR = Duration.ofMinutes(1).toNanos();

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          if (call.message() instanceof CancelJob && process.nanos() < FOR) {
            reply.accept(
                new Envelope.Reply(call.correlation(), new CancelReply(CancelOutcome.ACCEPTED)));
          } else {
            inbound.called(peer, call, reply);
          }
        }
      };
    }
  }

  /** Drops the heartbeats of clients. */
  static final class ClientHeartbeatsLost extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call && call.message() instanceof ClientHeartbeat
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** Does not notify a worker that its driver has reported as ended. */
  static final class WorkerLossNotSent extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call
              && call.message() instanceof ResourceManagerDrops drops
              && drops.forGood()
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** Removes the reason for which a job waits from its details. */
  static final class ReasonRemoved extends SimWiring {
    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          inbound.called(
              peer,
              call,
              answer ->
                  reply.accept(
                      answer instanceof Envelope.Reply original
                              && original.message() instanceof JobAnswer details
                          ? new Envelope.Reply(
                              original.correlation(),
                              new JobAnswer(details.job().map(ReasonRemoved::silenced)))
                          : answer));
        }
      };
    }

    private static JobDetails silenced(JobDetails job) {
      return new JobDetails(
          job.graph(),
          job.statusHistory(),
          job.slots(),
          Optional.empty(),
          job.restarts(),
          job.vertices(),
          job.failures());
    }
  }

  /** Accepts heartbeat answers only under the first registration of a worker. */
  static final class NewestRegistrationIgnored extends SimWiring {
    private final Map<String, InstanceId> first = new LinkedHashMap<>();

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        private final Set<String> ignored = new LinkedHashSet<>();

        @Override
        public void send(String peer, Envelope.Call call) {
          if (call.message() instanceof AskWorker ask
              && !first.computeIfAbsent(peer, x -> ask.instance()).equals(ask.instance())) {
            ignored.add(peer + " " + call.correlation());
          }
          super.send(peer, call);
        }

        @Override
        void answered(Inbound inbound, String peer, Envelope answer) {
          if (!(answer instanceof Envelope.Reply reply)
              || !ignored.remove(peer + " " + reply.correlation())) {
            inbound.answered(peer, answer);
          }
        }
      };
    }
  }

  /** Removes the failure from the report of a failed task. */
  static final class FailureWithoutReason extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof TaskUpdates updates
          ? new TaskUpdates(
              updates.worker(),
              updates.updates().stream()
                  .map(
                      update ->
                          new TaskUpdate(
                              update.execution(),
                              update.state(),
                              Optional.empty(),
                              Optional.empty(),
                              update.notice()))
                  .toList())
          : message;
    }
  }

  /** Does not report the ends of tasks. */
  static final class TaskEndsNotReported extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof TaskUpdates updates
          ? new TaskUpdates(
              updates.worker(),
              updates.updates().stream().filter(update -> !update.state().isTerminal()).toList())
          : message;
    }
  }

  /** The placement has all tasks on the first host. */
  static final class PlacementWrong extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof DeployTasks deploy
          ? new DeployTasks(
              deploy.job(),
              deploy.jobMaster(),
              deploy.graph(),
              deploy.number(),
              deploy.tasks(),
              deploy.placement().stream().map(PlacementWrong::onFirstHost).toList(),
              deploy.restore())
          : message;
    }

    private static PlacementTable onFirstHost(PlacementTable table) {
      Placement placement = table.open();
      Map<VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
      placement
          .runs()
          .forEach(
              (vertex, all) ->
                  runs.put(
                      vertex,
                      all.stream()
                          .map(run -> new Placement.Run(run.first(), run.count(), 0))
                          .toList()));
      return PlacementTable.of(new Placement(placement.hosts(), runs));
    }
  }

  /** Every attempt has the number of the first one. */
  static final class AttemptsMiscounted extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof DeployTasks deploy
          ? MessageSabotages.with(
              deploy, deploy.tasks().stream().map(AttemptsMiscounted::first).toList())
          : message;
    }

    private static TaskInSlot first(TaskInSlot task) {
      TaskSpec spec = task.task();
      return new TaskInSlot(
          new TaskSpec(spec.vertex(), spec.subtask(), 0, spec.execution()), task.slot());
    }
  }

  /** Drops the last of several tasks of a deployment. */
  static final class DeploymentIncomplete extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof DeployTasks deploy && deploy.tasks().size() > 1
          ? MessageSabotages.with(deploy, deploy.tasks().subList(0, deploy.tasks().size() - 1))
          : message;
    }
  }

  private static DeployTasks with(DeployTasks deploy, List<TaskInSlot> tasks) {
    return new DeployTasks(
        deploy.job(),
        deploy.jobMaster(),
        deploy.graph(),
        deploy.number(),
        tasks,
        deploy.placement(),
        deploy.restore());
  }

  /** Answers heartbeat requests without passing them to the receiver. */
  static final class HeartbeatRequestsLost extends SimWiring {
    private final Map<String, Record> answers = new LinkedHashMap<>();

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          if (call.message() instanceof AskJobMaster) {
            reply.accept(new Envelope.Reply(call.correlation(), new JobMasterReport(0, 0, 0)));
          } else if (call.message() instanceof AskWorker ask) {
            String request = process + " " + ask.instance();
            if (answers.containsKey(request)) {
              reply.accept(new Envelope.Reply(call.correlation(), answers.get(request)));
            } else {
              inbound.called(peer, call, answer -> reply.accept(kept(request, answer)));
            }
          } else {
            inbound.called(peer, call, reply);
          }
        }
      };
    }

    private Envelope kept(String request, Envelope answer) {
      if (answer instanceof Envelope.Reply reply) {
        answers.put(request, reply.message());
      }
      return answer;
    }
  }
}

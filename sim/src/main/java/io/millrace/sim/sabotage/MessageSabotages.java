package io.millrace.sim.sabotage;

import io.millrace.control.JobManager;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.ComponentNames;
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
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Transport;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
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
import java.util.function.UnaryOperator;

/** Rules broken about whose word counts, and about what is told. */
final class MessageSabotages {
  private MessageSabotages() {}

  /** Messages of JobMasters to workers, with another token. */
  private static Record signed(Record said, UnaryOperator<LeaderToken> token) {
    if (said instanceof DeployTasks deploy) {
      return new DeployTasks(
          deploy.job(),
          token.apply(deploy.jobMaster()),
          deploy.graph(),
          deploy.number(),
          deploy.tasks(),
          deploy.placement(),
          deploy.restore());
    } else if (said instanceof CancelTasks cancel) {
      return new CancelTasks(cancel.job(), token.apply(cancel.jobMaster()), cancel.executions());
    } else if (said instanceof FreeSlot free) {
      return new FreeSlot(
          free.job(), token.apply(free.jobMaster()), free.allocation(), free.reason());
    } else if (said instanceof AskTasks ask) {
      return new AskTasks(ask.job(), token.apply(ask.jobMaster()));
    } else if (said instanceof JobMasterDrops drops) {
      return new JobMasterDrops(
          drops.job(), token.apply(drops.jobMaster()), drops.ended(), drops.reason());
    }
    return said;
  }

  /** Every call to a component carries the token that it has just now. */
  static class Unfenced extends MessageForger {
    private final String component;
    private final Map<String, LeaderToken> leading = new LinkedHashMap<>();

    /**
     * @param component what the names of the components begin with
     */
    Unfenced(String component) {
      this.component = component;
    }

    @Override
    public JobManager.Leadership leadership(SimProcess process, JobManager.Leadership real) {
      LeaderElection watched =
          (name, mailbox, contender) ->
              real.election().contend(name, mailbox, watching(process, name, contender));
      return new JobManager.Leadership(watched, real.leaders());
    }

    private LeaderElection.Contender watching(
        SimProcess process, String name, LeaderElection.Contender contender) {
      return new LeaderElection.Contender() {
        @Override
        public void granted(LeaderToken token) {
          leading.put(process.name() + "/" + name, token);
          contender.granted(token);
        }

        @Override
        public void revoked() {
          contender.revoked();
        }
      };
    }

    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      LeaderToken now = leading.get(to + "/" + call.endpoint());
      if (!call.endpoint().startsWith(component) || now == null) {
        return Optional.of(call);
      }
      return Optional.of(
          new Envelope.Call(
              call.endpoint(),
              Optional.of(now),
              call.correlation(),
              call.timeoutMillis(),
              call.cause(),
              call.message()));
    }
  }

  /**
   * The same for JobMasters. News of leaders come late everywhere, which is allowed: by themselves
   * calls to a JobMaster whose process leads the job again under another term are too rare.
   */
  static final class UnfencedJobMasters extends Unfenced {
    private static final Duration LATE = Duration.ofSeconds(4);

    UnfencedJobMasters() {
      super("jobmaster-");
    }

    @Override
    public LeaderRetrieval leaders(SimProcess process, LeaderRetrieval real) {
      return (name, mailbox, listener) ->
          real.follow(name, mailbox, leader -> mailbox.after(LATE, () -> listener.accept(leader)));
    }
  }

  /** To a worker every JobMaster of a job seems to be the one that it follows. */
  static final class StaleWordObeyed extends SimWiring {
    /** Whom a worker follows, by its process and the name of the component. */
    private final Map<String, LeaderToken> followed = new LinkedHashMap<>();

    @Override
    public LeaderRetrieval leaders(SimProcess process, LeaderRetrieval real) {
      return (component, mailbox, listener) ->
          real.follow(
              component,
              mailbox,
              leader -> {
                leader.ifPresent(now -> followed.put(process + " " + component, now.token()));
                listener.accept(leader);
              });
    }

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          Record message =
              jobOf(call.message())
                  .map(job -> followed.get(process + " " + ComponentNames.jobMaster(job)))
                  .map(token -> signed(call.message(), said -> token))
                  .orElse(call.message());
          inbound.called(peer, MessageForger.with(call, message), reply);
        }
      };
    }

    private static Optional<JobId> jobOf(Record said) {
      if (said instanceof DeployTasks deploy) {
        return Optional.of(deploy.job());
      } else if (said instanceof CancelTasks cancel) {
        return Optional.of(cancel.job());
      }
      return said instanceof FreeSlot free ? Optional.of(free.job()) : Optional.empty();
    }
  }

  /** To workers it seems as if all JobMasters led in the first term. */
  static final class OneTermForAll extends MessageForger {
    private static final int NUMBER_BITS = 20;

    private final Map<Id128, LeaderToken> real = new LinkedHashMap<>();

    @Override
    public LeaderRetrieval leaders(SimProcess process, LeaderRetrieval leaders) {
      return (component, mailbox, listener) ->
          leaders.follow(
              component,
              mailbox,
              component.startsWith("jobmaster-")
                  ? leader ->
                      listener.accept(
                          leader.map(now -> new Leader(now.address(), first(now.token()))))
                  : listener);
    }

    @Override
    public Transport transport(SimProcess process, Transport transport) {
      return new DelegatingTransport(transport) {
        @Override
        public void send(String peer, Envelope.Call call) {
          super.send(
              peer,
              new Envelope.Call(
                  call.endpoint(),
                  call.token().map(token -> real.getOrDefault(token.session(), token)),
                  call.correlation(),
                  call.timeoutMillis(),
                  call.cause(),
                  call.message()));
        }
      };
    }

    @Override
    Record message(String from, String to, Record said) {
      Record signed = signed(said, this::first);
      return signed instanceof DeployTasks deploy
          ? new DeployTasks(
              deploy.job(),
              deploy.jobMaster(),
              deploy.graph(),
              deploy.number() & (1L << NUMBER_BITS) - 1 | 1L << NUMBER_BITS,
              deploy.tasks(),
              deploy.placement(),
              deploy.restore())
          : signed;
    }

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record said) {
      return said instanceof WorkerReply verdict
          ? new WorkerReply(
              verdict.verdict(),
              verdict.reason(),
              verdict.success().map(success -> new WorkerRegistered(first(success.jobMaster()))))
          : said;
    }

    private LeaderToken first(LeaderToken token) {
      real.putIfAbsent(token.session(), token);
      return new LeaderToken(1, token.session());
    }
  }

  /** A cancellation is acknowledged, and nothing more; not for ever, so that jobs end at last. */
  static final class CancelUnheeded extends SimWiring {
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

  /** What clients say to show that they live gets lost. */
  static final class ClientsUnheard extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call && call.message() instanceof ClientHeartbeat
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** A worker that its driver takes for gone does not hear of it. */
  static final class CountedOutUntold extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call
              && call.message() instanceof ResourceManagerDrops drops
              && drops.forGood()
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** What a job waits for is kept from people. */
  static final class ReasonWithheld extends SimWiring {
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
                      answer instanceof Envelope.Reply said
                              && said.message() instanceof JobAnswer details
                          ? new Envelope.Reply(
                              said.correlation(),
                              new JobAnswer(details.job().map(ReasonWithheld::silenced)))
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

  /** Only answers under the first registration of a worker show that it is there. */
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

  /** Tasks fail, and nobody says why. */
  static final class FailureWithoutReason extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof TaskUpdates updates
          ? new TaskUpdates(
              updates.worker(),
              updates.updates().stream()
                  .map(
                      update ->
                          new TaskUpdate(
                              update.execution(),
                              update.state(),
                              Optional.empty(),
                              Optional.empty()))
                  .toList())
          : said;
    }
  }

  /** The ends of tasks are not told. */
  static final class TaskEndsUntold extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof TaskUpdates updates
          ? new TaskUpdates(
              updates.worker(),
              updates.updates().stream().filter(update -> !update.state().isTerminal()).toList())
          : said;
    }
  }

  /** All are said to be on the first host. */
  static final class PlacementUntrue extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof DeployTasks deploy
          ? new DeployTasks(
              deploy.job(),
              deploy.jobMaster(),
              deploy.graph(),
              deploy.number(),
              deploy.tasks(),
              deploy.placement().stream().map(PlacementUntrue::onFirstHost).toList(),
              deploy.restore())
          : said;
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

  /** Nobody hears that it leads no more. */
  static final class RevocationUnheard extends SimWiring {
    @Override
    public JobManager.Leadership leadership(SimProcess process, JobManager.Leadership real) {
      LeaderElection deaf =
          (name, mailbox, contender) ->
              real.election()
                  .contend(
                      name,
                      mailbox,
                      new LeaderElection.Contender() {
                        @Override
                        public void granted(LeaderToken token) {
                          contender.granted(token);
                        }

                        @Override
                        public void revoked() {
                          // That is what is wrong with it.
                        }
                      });
      return new JobManager.Leadership(deaf, real.leaders());
    }
  }

  /** Every attempt to run a subtask is called the first. */
  static final class AttemptsMiscounted extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof DeployTasks deploy
          ? MessageSabotages.with(
              deploy, deploy.tasks().stream().map(AttemptsMiscounted::first).toList())
          : said;
    }

    private static TaskInSlot first(TaskInSlot task) {
      TaskSpec spec = task.task();
      return new TaskInSlot(
          new TaskSpec(spec.vertex(), spec.subtask(), 0, spec.execution()), task.slot());
    }
  }

  /** Of several tasks that a worker is to run the last one is forgotten. */
  static final class DeploymentTorn extends MessageForger {
    @Override
    Record message(String from, String to, Record said) {
      return said instanceof DeployTasks deploy && deploy.tasks().size() > 1
          ? MessageSabotages.with(deploy, deploy.tasks().subList(0, deploy.tasks().size() - 1))
          : said;
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

  /** Questions for heartbeats are answered, and those who are asked do not hear of them. */
  static final class QuestionsUnheard extends SimWiring {
    private final Map<String, Record> answers = new LinkedHashMap<>();

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          if (call.message() instanceof AskJobMaster) {
            reply.accept(new Envelope.Reply(call.correlation(), new JobMasterReport()));
          } else if (call.message() instanceof AskWorker ask) {
            String question = process + " " + ask.instance();
            if (answers.containsKey(question)) {
              reply.accept(new Envelope.Reply(call.correlation(), answers.get(question)));
            } else {
              inbound.called(peer, call, answer -> reply.accept(kept(question, answer)));
            }
          } else {
            inbound.called(peer, call, reply);
          }
        }
      };
    }

    private Envelope kept(String question, Envelope answer) {
      if (answer instanceof Envelope.Reply reply) {
        answers.put(question, reply.message());
      }
      return answer;
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.control.JobManager;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Transport;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Sabotages of leader tokens and of leader notices. */
final class LeaderSabotages {
  private LeaderSabotages() {}

  /** Replaces the token in messages of JobMasters to workers. */
  private static Record withToken(Record message, UnaryOperator<LeaderToken> token) {
    if (message instanceof DeployTasks deploy) {
      return new DeployTasks(
          deploy.job(),
          token.apply(deploy.jobMaster()),
          deploy.graph(),
          deploy.number(),
          deploy.tasks(),
          deploy.placement(),
          deploy.restore());
    } else if (message instanceof CancelTasks cancel) {
      return new CancelTasks(cancel.job(), token.apply(cancel.jobMaster()), cancel.executions());
    } else if (message instanceof FreeSlot free) {
      return new FreeSlot(
          free.job(), token.apply(free.jobMaster()), free.allocation(), free.reason());
    } else if (message instanceof AskTasks ask) {
      return new AskTasks(ask.job(), token.apply(ask.jobMaster()));
    } else if (message instanceof JobMasterDrops drops) {
      return new JobMasterDrops(
          drops.job(), token.apply(drops.jobMaster()), drops.ended(), drops.reason());
    }
    return message;
  }

  /** Every call to a component carries its current token. */
  static class Unfenced extends MessageForger {
    private final String component;
    private final Map<String, LeaderToken> leading = new LinkedHashMap<>();

    /**
     * @param component the prefix of the names of the components
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
   * The same for JobMasters. Notices about leaders arrive late, which is allowed: otherwise calls
   * to a JobMaster whose process leads the job again under another term are too rare.
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

  /** Workers take every JobMaster of a job for the one that they follow. */
  static final class StaleLeaderObeyed extends SimWiring {
    /** The leader that a worker follows, by process and component. */
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
                  .map(token -> withToken(call.message(), former -> token))
                  .orElse(call.message());
          inbound.called(peer, MessageForger.with(call, message), reply);
        }
      };
    }

    private static Optional<JobId> jobOf(Record message) {
      if (message instanceof DeployTasks deploy) {
        return Optional.of(deploy.job());
      } else if (message instanceof CancelTasks cancel) {
        return Optional.of(cancel.job());
      }
      return message instanceof FreeSlot free ? Optional.of(free.job()) : Optional.empty();
    }
  }

  /** Workers see all JobMasters in the first term. */
  static final class SameTermForJobMasters extends MessageForger {
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
    Record message(String from, String to, Record message) {
      Record withFirstTerm = withToken(message, this::first);
      return withFirstTerm instanceof DeployTasks deploy
          ? new DeployTasks(
              deploy.job(),
              deploy.jobMaster(),
              deploy.graph(),
              deploy.number() & (1L << NUMBER_BITS) - 1 | 1L << NUMBER_BITS,
              deploy.tasks(),
              deploy.placement(),
              deploy.restore())
          : withFirstTerm;
    }

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record message) {
      return message instanceof WorkerReply verdict
          ? new WorkerReply(
              verdict.verdict(),
              verdict.reason(),
              verdict.success().map(success -> new WorkerRegistered(first(success.jobMaster()))))
          : message;
    }

    private LeaderToken first(LeaderToken token) {
      real.putIfAbsent(token.session(), token);
      return new LeaderToken(1, token.session());
    }
  }

  /** Drops the notices of revoked leadership. */
  static final class RevocationLost extends SimWiring {
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
                          // The notice is dropped on purpose.
                        }
                      });
      return new JobManager.Leadership(deaf, real.leaders());
    }
  }
}

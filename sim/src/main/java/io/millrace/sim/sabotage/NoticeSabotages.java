package io.millrace.sim.sabotage;

import io.millrace.control.JobManager;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Transport;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import io.millrace.rpc.leader.LeaderDirectoryGateway.LeaderAnswer;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Sabotages of notices between components and of their timeouts. */
final class NoticeSabotages {
  private NoticeSabotages() {}

  /** JobManagers have other options than the rest of the cluster. */
  static final class OtherOptions extends SimWiring {
    private final UnaryOperator<Configuration> change;

    OtherOptions(UnaryOperator<Configuration> change) {
      this.change = change;
    }

    @Override
    public Configuration configuration(SimProcess process, Configuration real) {
      return change.apply(real);
    }
  }

  /** Blocks expire after a moment. */
  static final class BlocksExpireEarly extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof Block block
          ? new Block(block.target(), Duration.ofMillis(1), block.cause())
          : message;
    }
  }

  /** Removes one task from each report. */
  static final class TasksNotReported extends MessageForger {
    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record message) {
      if (!(message instanceof TaskReport report) || report.executions().isEmpty()) {
        return message;
      }
      List<ExecutionId> rest = new ArrayList<>(report.executions());
      rest.remove(0);
      return new TaskReport(report.slots(), rest, report.counters());
    }
  }

  /** Drops the notice that a JobMaster has dropped a worker. */
  static final class DroppedWorkerNotNotified extends MessageForger {
    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      return call.message() instanceof JobMasterDrops drops && !drops.ended()
          ? Optional.empty()
          : Optional.of(call);
    }
  }

  /** Answers a repeated registration with the first instance. */
  static final class FirstRegistrationRepeated extends MessageForger {
    private final Map<String, TaskManagerRegistered> first = new LinkedHashMap<>();

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record message) {
      return message instanceof TaskManagerReply answer && answer.success().isPresent()
          ? new TaskManagerReply(
              answer.verdict(),
              answer.reason(),
              Optional.of(first.computeIfAbsent(to, x -> answer.success().get())))
          : message;
    }
  }

  /** All processes of a worker have the same incarnation. */
  static final class IncarnationsNotDistinguished extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      if (message instanceof RegisterAtJobMaster request) {
        return new RegisterAtJobMaster(
            request.job(), request.worker(), 0, request.address(), request.dataAddress());
      }
      return message instanceof OfferSlots offer
          ? new OfferSlots(offer.worker(), 0, offer.offers())
          : message;
    }
  }

  /**
   * Messages of any JobMaster to a ResourceManager carry the token of the newest one of its job.
   */
  static final class FormerJobMasterAccepted extends SimWiring {
    private final Map<String, LeaderToken> newest = new LinkedHashMap<>();

    @Override
    public JobManager.Leadership leadership(SimProcess process, JobManager.Leadership real) {
      LeaderElection watched =
          (name, mailbox, contender) ->
              real.election()
                  .contend(
                      name,
                      mailbox,
                      new LeaderElection.Contender() {
                        @Override
                        public void granted(LeaderToken token) {
                          newest.put(name, token);
                          contender.granted(token);
                        }

                        @Override
                        public void revoked() {
                          contender.revoked();
                        }
                      });
      return new JobManager.Leadership(watched, real.leaders());
    }

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          inbound.called(peer, MessageForger.with(call, withNewestToken(call.message())), reply);
        }
      };
    }

    private Record withNewestToken(Record message) {
      if (message instanceof DeclareRequirements declaration) {
        return new DeclareRequirements(
            declaration.job(),
            newest.getOrDefault(ComponentNames.jobMaster(declaration.job()), declaration.leader()),
            declaration.requirements(),
            declaration.patience());
      } else if (message instanceof JobMasterLeaves notice) {
        return new JobMasterLeaves(
            notice.job(),
            newest.getOrDefault(ComponentNames.jobMaster(notice.job()), notice.leader()),
            notice.ended(),
            notice.reason());
      }
      return message;
    }
  }

  /** Answers a request for a leader with the last one that existed. */
  static final class WithdrawnLeaderPublished extends MessageForger {
    private final Map<String, String> components = new LinkedHashMap<>();
    private final Map<String, Leader> last = new LinkedHashMap<>();

    @Override
    Optional<Envelope.Call> call(String from, String to, Envelope.Call call) {
      if (call.message() instanceof AwaitLeader question) {
        components.put(to + ">" + from + " " + call.correlation(), question.component());
      }
      return Optional.of(call);
    }

    @Override
    Record answer(String from, String to, Envelope.Reply reply, Record message) {
      String component = components.remove(from + ">" + to + " " + reply.correlation());
      if (!(message instanceof LeaderAnswer answer) || component == null) {
        return message;
      }
      answer.leader().ifPresent(leader -> last.put(from + "/" + component, leader));
      return new LeaderAnswer(Optional.ofNullable(last.get(from + "/" + component)));
    }
  }
}

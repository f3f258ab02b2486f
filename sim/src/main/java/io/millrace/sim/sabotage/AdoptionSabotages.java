package io.millrace.sim.sabotage;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Transport;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sabotages of tasks that go on under another JobMaster. */
final class AdoptionSabotages {
  static final List<Sabotage> ALL =
      List.of(
          Sabotage.of(
              "earlier-attempt-adopted",
              "A worker is asked to adopt the attempts before the last ones.",
              EarlierAttemptAdopted::new,
              "LastAttemptIsAdopted"),
          Sabotage.of(
              "half-a-region-adopted",
              "A worker gets all but one of the tasks that it has to adopt.",
              HalfARegionAdopted::new,
              "RegionsAreAdoptedAsAWhole"),
          Sabotage.of(
              "former-leader-cancels",
              "Workers execute cancellations of a JobMaster whose tasks another one has adopted.",
              FormerLeaderCancels::new,
              "StaleLeadersAreFenced"));

  private AdoptionSabotages() {}

  static final class EarlierAttemptAdopted extends MessageForger {
    /** The attempt before, by execution. */
    private final Map<ExecutionId, ExecutionId> earlier = new LinkedHashMap<>();

    private final Map<String, ExecutionId> last = new LinkedHashMap<>();

    @Override
    Record message(String from, String to, Record message) {
      if (message instanceof DeployTasks deploy) {
        for (TaskInSlot task : deploy.tasks()) {
          ExecutionId execution = task.task().execution();
          ExecutionId before =
              last.put(
                  deploy.job() + " " + task.task().vertex() + "/" + task.task().subtask(),
                  execution);
          if (before != null && !before.equals(execution)) {
            earlier.put(execution, before);
          }
        }
      } else if (message instanceof AdoptTasks adopt) {
        return new AdoptTasks(
            adopt.job(),
            adopt.jobMaster(),
            adopt.executions().stream()
                .map(execution -> earlier.getOrDefault(execution, execution))
                .toList(),
            adopt.checkpoints());
      }
      return message;
    }
  }

  static final class HalfARegionAdopted extends MessageForger {
    @Override
    Record message(String from, String to, Record message) {
      return message instanceof AdoptTasks adopt && adopt.executions().size() > 1
          ? new AdoptTasks(
              adopt.job(),
              adopt.jobMaster(),
              adopt.executions().subList(1, adopt.executions().size()),
              adopt.checkpoints())
          : message;
    }
  }

  /** Cancellations carry the token of the leader that has adopted tasks on the worker. */
  static final class FormerLeaderCancels extends SimWiring {
    private final Map<String, LeaderToken> adopters = new LinkedHashMap<>();

    @Override
    public Transport transport(SimProcess process, Transport real) {
      return new DelegatingTransport(real) {
        @Override
        void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
          Record message = call.message();
          if (message instanceof AdoptTasks adopt) {
            adopters.put(follower(adopt.job()), adopt.jobMaster());
          } else if (message instanceof CancelTasks cancel) {
            LeaderToken adopter = adopters.get(follower(cancel.job()));
            LeaderToken token =
                adopter != null && adopter.term() > cancel.jobMaster().term()
                    ? adopter
                    : cancel.jobMaster();
            message = new CancelTasks(cancel.job(), token, cancel.executions());
          }
          inbound.called(peer, MessageForger.with(call, message), reply);
        }

        private String follower(JobId job) {
          return process + " " + ComponentNames.jobMaster(job);
        }
      };
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.control.ha.KeyFileName;
import io.millrace.core.error.MillraceException;
import io.millrace.ha.zookeeper.nodes.NodeHaStore;
import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.ha.zookeeper.nodes.PeerConnections;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.sim.scenario.ScenarioKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Sabotages of JobManagers that contend at ZooKeeper. */
final class CoordinatorSabotages {
  static final List<Sabotage> ALL =
      List.of(
          Sabotage.of(
                  "no-answer-taken-for-a-refusal",
                  "A JobManager whose host does not answer is taken for dead.",
                  NoAnswerTakenForARefusal::new,
                  "LivingContendersStay")
              .in(ScenarioKind.ZOOKEEPER),
          Sabotage.of(
                  "lease-outlives-session",
                  "A leader that is cut off counts its session as lost too late.",
                  LeaseOutlivesSession::new,
                  "LeadersStopBeforeTheirSessionEnds")
              .in(ScenarioKind.ZOOKEEPER),
          Sabotage.of(
                  "fence-not-checked",
                  "A former leader writes with the fence of its successor.",
                  FenceNotChecked::new,
                  "FormerLeadersDoNotWrite")
              .in(ScenarioKind.ZOOKEEPER),
          Sabotage.of(
                  "failed-write-taken-for-success",
                  "A write that fails counts as done.",
                  FailedWriteTakenForSuccess::new,
                  "AcknowledgedJobsAreKept",
                  "JobsSettle",
                  "StoredCheckpointsNeverRegress",
                  "LatestCheckpointIsRestored",
                  "NeededCheckpointsAreNotDeleted",
                  "RecordsAreCommittedOnce",
                  "EndedJobsNeverRunAgain",
                  "EndedJobsAreRemovedFromStorage",
                  "CancelledJobsEnd")
              .in(ScenarioKind.ZOOKEEPER),
          Sabotage.of(
                  "terms-not-stored",
                  "An elected process does not store which terms it uses.",
                  TermsNotStored::new,
                  "LeaderTermsIncrease",
                  "OneJobMasterPerTerm",
                  "NoUncaughtException",
                  "JobsSettle")
              .in(ScenarioKind.ZOOKEEPER));

  private CoordinatorSabotages() {}

  private static final class NoAnswerTakenForARefusal extends SimWiring {
    @Override
    public PeerConnections peers(SimProcess process, PeerConnections real) {
      return (address, listener) ->
          real.connect(
              address,
              new PeerConnections.Listener() {
                @Override
                public void connected() {
                  listener.connected();
                }

                @Override
                public void refused() {
                  listener.refused();
                }

                @Override
                public void unanswered() {
                  listener.refused();
                }

                @Override
                public void broken() {
                  listener.broken();
                }
              });
    }
  }

  private static final class LeaseOutlivesSession extends SimWiring {
    @Override
    public NodeSession nodes(SimProcess process, NodeSession real) {
      return new DelegatingNodes(real) {
        @Override
        public Duration timeout() {
          return super.timeout().multipliedBy(3);
        }
      };
    }
  }

  private static final class FenceNotChecked extends SimWiring {
    private int newest;

    @Override
    public NodeSession nodes(SimProcess process, NodeSession real) {
      return new DelegatingNodes(real) {
        @Override
        public OptionalInt raiseFence(Optional<String> contender) {
          OptionalInt raised = super.raiseFence(contender);
          raised.ifPresent(version -> newest = version);
          return raised;
        }

        @Override
        public Outcome change(int fence, List<Change> changes) {
          return super.change(newest, changes);
        }
      };
    }
  }

  private static final class FailedWriteTakenForSuccess extends SimWiring {
    @Override
    public NodeSession nodes(SimProcess process, NodeSession real) {
      return new DelegatingNodes(real) {
        @Override
        public Outcome change(int fence, List<Change> changes) {
          try {
            return super.change(fence, changes);
          } catch (MillraceException failed) {
            return Outcome.DONE;
          }
        }
      };
    }
  }

  private static final class TermsNotStored extends SimWiring {
    private static final String TERMS = NodeHaStore.DIRECTORY + "/" + KeyFileName.name("terms");

    @Override
    public NodeSession nodes(SimProcess process, NodeSession real) {
      return new DelegatingNodes(real) {
        @Override
        public Outcome change(int fence, List<Change> changes) {
          boolean terms =
              changes.stream()
                  .anyMatch(
                      change -> change instanceof Create create && create.node().equals(TERMS));
          return terms ? Outcome.DONE : super.change(fence, changes);
        }
      };
    }
  }
}

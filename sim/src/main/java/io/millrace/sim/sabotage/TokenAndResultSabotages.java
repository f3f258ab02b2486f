package io.millrace.sim.sabotage;

import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskHost;
import java.util.List;

/** Rules broken with what workers are given to keep: tokens, and results for later jobs. */
final class TokenAndResultSabotages {
  private TokenAndResultSabotages() {}

  /** Workers go on with the tokens that they were given when they registered. */
  static final class RenewalsLost extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call && call.message() instanceof UpdateTokens
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** Workers keep what they were told to delete. */
  static final class DeletionUnheeded extends SimWiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        @Override
        public void drop(List<ClusterPartition> partitions) {
          // It stays.
        }
      };
    }
  }

  /** Workers do not tell what they keep. */
  static final class ResultsConcealed extends SimWiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        @Override
        public List<ClusterPartition> kept() {
          return List.of();
        }
      };
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.Wiring;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskHost;
import java.util.List;

/** Rules broken with what workers are given to keep: tokens, and results for later jobs. */
final class Keepsakes {
  private Keepsakes() {}

  /** Workers go on with the tokens that they were given when they registered. */
  static final class RenewalsLost extends Wiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call && call.message() instanceof UpdateTokens
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** Workers keep what they were told to delete. */
  static final class DeletionUnheeded extends Wiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new PassedHost(real) {
        @Override
        public void drop(List<ClusterPartition> partitions) {
          // It stays.
        }
      };
    }
  }

  /** Workers do not tell what they keep. */
  static final class ResultsConcealed extends Wiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new PassedHost(real) {
        @Override
        public List<ClusterPartition> kept() {
          return List.of();
        }
      };
    }
  }
}

package io.millrace.sim.sabotage;

import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskHost;
import java.util.List;

/** Sabotages of tokens and cluster partitions at workers. */
final class TokenAndResultSabotages {
  private TokenAndResultSabotages() {}

  /** Workers keep the tokens of their registration. */
  static final class TokenRenewalsLost extends SimWiring {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      return envelope instanceof Envelope.Call call && call.message() instanceof UpdateTokens
          ? List.of()
          : super.sends(from, to, envelope);
    }
  }

  /** Workers do not delete cluster partitions. */
  static final class PartitionDeletionIgnored extends SimWiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new DelegatingTaskHost(real) {
        @Override
        public void drop(List<ClusterPartition> partitions) {
          // The partition is kept on purpose.
        }
      };
    }
  }

  /** Workers do not report cluster partitions. */
  static final class PartitionsNotReported extends SimWiring {
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

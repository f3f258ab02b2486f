package io.millrace.sim.check;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.Bytes;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTaskState;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.Optional;

/**
 * An observation at a seam of the simulated world. {@link Invariant} has a method for each kind.
 */
public sealed interface Fact {
  /** Calls the method of an invariant for this kind of fact. */
  void showTo(Invariant invariant);

  /** A task host has received a task. */
  record TaskDeployed(SimTaskHost host, SimTaskHost.Task task) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.taskDeployed(this);
    }
  }

  record TaskEnded(SimTaskHost host, SimTaskHost.Task task, TaskState state) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.taskEnded(this);
    }
  }

  /** A call leaves its process, with the content that its sender gave it. */
  record Sent(String from, String to, Envelope.Call call) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.sent(this);
    }
  }

  /** A call has arrived. */
  record Called(String from, SimProcess to, Envelope.Call call) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.called(this);
    }
  }

  /** A process answers a call. */
  record Answered(SimProcess by, String to, Envelope.Call call, Envelope answer) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.answered(this);
    }
  }

  /** An answer has arrived. */
  record Heard(SimProcess at, String from, Envelope.Call call, Envelope answer) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.heard(this);
    }
  }

  record ConnectionLost(SimProcess at, String peer) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.connectionLost(this);
    }
  }

  /** A process has written an entry into its journal. */
  record Decided(SimProcess process, JournalEntry entry) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.decided(this);
    }
  }

  /** A value was stored or removed. */
  final class Stored implements Fact {
    private final String key;
    private final Optional<Bytes> value;

    /** The decoded value, which several invariants look at. */
    private Optional<Record> decoded = Optional.empty();

    public Stored(String key, Optional<Bytes> value) {
      this.key = key;
      this.value = value;
    }

    public String key() {
      return key;
    }

    public Optional<Bytes> value() {
      return value;
    }

    /** The value as a record; empty if it was removed. */
    <T extends Record> Optional<T> value(Class<T> type) {
      if (decoded.isEmpty()) {
        decoded = value.map(bytes -> CheckpointRules.CODEC.decode(type, bytes));
      }
      return decoded.map(type::cast);
    }

    @Override
    public void showTo(Invariant invariant) {
      invariant.stored(this);
    }
  }

  /** A checkpoint directory, or a file that several checkpoints share, is about to be deleted. */
  record CheckpointDeleted(String path) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.checkpointDeleted(this);
    }
  }

  /** A task of a job with checkpoints has its initial state. */
  record StateRestored(SimDataflowTask task) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.stateRestored(this);
    }
  }

  /** A task cannot read the state that it was deployed with. */
  record StateUnreadable(SimDataflowTask task, String cause) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.stateUnreadable(this);
    }
  }

  /** A sink commits a committable because a checkpoint has completed. */
  record Committed(
      SimDataflowTask task, int shard, SimTaskState.Committable committable, long under)
      implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.committed(this);
    }
  }

  /** A component of a process was granted leadership. */
  record Granted(SimProcess process, String component, LeaderToken token) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.granted(this);
    }
  }

  /** A component of a process was notified that its leadership is revoked. */
  record Revoked(SimProcess process, String component, LeaderToken token) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.revoked(this);
    }
  }

  /**
   * A process has removed the node with which another one contends at ZooKeeper.
   *
   * @param refused whether the port of the other one has just refused connections
   */
  record ContenderRemoved(SimProcess by, SimProcess owner, boolean refused) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.contenderRemoved(this);
    }
  }

  /** ZooKeeper has not heard of a process for the session time-out and has ended its session. */
  record SessionTimedOut(SimProcess process) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.sessionTimedOut(this);
    }
  }

  /** A process has taken over the store in ZooKeeper. */
  record StoreTakenOver(SimProcess by) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.storeTakenOver(this);
    }
  }

  /** A process has changed nodes of ZooKeeper for which it has to lead. */
  record NodesChanged(SimProcess by) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.nodesChanged(this);
    }
  }

  /** A process has terminated itself. */
  record Died(SimProcess process, Throwable cause) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.died(this);
    }
  }

  /** The ResourceManager has requested a worker of the driver. */
  record WorkerRequested(WorkerSpec spec) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.workerRequested(this);
    }
  }

  /** The ResourceManager has released a worker. */
  record WorkerReleased(String worker) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.workerReleased(this);
    }
  }

  /** The driver notifies a JobManager that a worker has ended. */
  record WorkerEndReported(SimProcess jobManager, String worker) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.workerEndReported(this);
    }
  }

  /** The driver notifies a JobManager that a request which is still open has failed. */
  record StartFailureReported(SimProcess jobManager) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.startFailureReported(this);
    }
  }

  /** The driver announces to a JobManager that a worker will be taken away within a time. */
  record DrainingReported(SimProcess jobManager, String worker, Duration within) implements Fact {
    @Override
    public void showTo(Invariant invariant) {
      invariant.drainingReported(this);
    }
  }
}

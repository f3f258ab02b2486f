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
import java.util.Optional;

/** An observation at a seam of the simulated world. */
public sealed interface Fact {
  /** A task host has received a task. */
  record TaskDeployed(SimTaskHost host, SimTaskHost.Task task) implements Fact {}

  record TaskEnded(SimTaskHost host, SimTaskHost.Task task, TaskState state) implements Fact {}

  /** A call leaves its process, with the content that its sender gave it. */
  record Sent(String from, String to, Envelope.Call call) implements Fact {}

  /** A call has arrived. */
  record Called(String from, SimProcess to, Envelope.Call call) implements Fact {}

  /** A process answers a call. */
  record Answered(SimProcess by, String to, Envelope.Call call, Envelope answer) implements Fact {}

  /** An answer has arrived. */
  record Heard(SimProcess at, String from, Envelope.Call call, Envelope answer) implements Fact {}

  record ConnectionLost(SimProcess at, String peer) implements Fact {}

  /** A process has written an entry into its journal. */
  record Decided(SimProcess process, JournalEntry entry) implements Fact {}

  /** A value was stored or removed. */
  record Stored(String key, Optional<Bytes> value) implements Fact {}

  /** A checkpoint directory, or a file that several checkpoints share, is about to be deleted. */
  record CheckpointDeleted(String path) implements Fact {}

  /** A task of a job with checkpoints has its initial state. */
  record StateRestored(SimDataflowTask task) implements Fact {}

  /** A task cannot read the state that it was deployed with. */
  record StateUnreadable(SimDataflowTask task, String cause) implements Fact {}

  /** A sink commits a committable because a checkpoint has completed. */
  record Committed(
      SimDataflowTask task, int shard, SimTaskState.Committable committable, long under)
      implements Fact {}

  /** A component of a process was granted leadership. */
  record Granted(SimProcess process, String component, LeaderToken token) implements Fact {}

  /** A component of a process was notified that its leadership is revoked. */
  record Revoked(SimProcess process, String component, LeaderToken token) implements Fact {}

  /** A process has terminated itself. */
  record Died(SimProcess process, Throwable cause) implements Fact {}

  /** The ResourceManager has requested a worker of the driver. */
  record WorkerRequested(WorkerSpec spec) implements Fact {}

  /** The ResourceManager has released a worker. */
  record WorkerReleased(String worker) implements Fact {}

  /** The driver notifies a JobManager that a worker has ended. */
  record WorkerEndReported(SimProcess jobManager, String worker) implements Fact {}
}

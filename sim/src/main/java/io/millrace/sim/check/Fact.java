package io.millrace.sim.check;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.Bytes;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.task.TaskState;
import java.util.Optional;

/** Something that was seen to happen at a seam of the simulated world. */
public sealed interface Fact {
  /** A task was handed to the host that runs it. */
  record TaskDeployed(SimTaskHost host, SimTaskHost.Task task) implements Fact {}

  record TaskEnded(SimTaskHost host, SimTaskHost.Task task, TaskState state) implements Fact {}

  /** A call leaves its process, as its sender means it. */
  record Sent(String from, String to, Envelope.Call call) implements Fact {}

  /** A call has arrived. */
  record Called(String from, SimProcess to, Envelope.Call call) implements Fact {}

  /** A process answers a call. */
  record Answered(SimProcess by, String to, Envelope.Call call, Envelope answer) implements Fact {}

  /** An answer has arrived. */
  record Heard(SimProcess at, String from, Envelope.Call call, Envelope answer) implements Fact {}

  record ConnectionLost(SimProcess at, String peer) implements Fact {}

  /** Something was written into the journal of a process. */
  record Decided(SimProcess process, JournalEntry entry) implements Fact {}

  /** A value is in the store now, or has gone from it. */
  record Stored(String key, Optional<Bytes> value) implements Fact {}

  /** A directory of checkpoints is about to be deleted. */
  record CheckpointDeleted(String directory) implements Fact {}

  /** A task of a job with checkpoints has its initial state. */
  record StateRestored(SimDataflow.Task task) implements Fact {}

  /** A task cannot read the state that it was deployed with. */
  record StateUnreadable(SimDataflow.Task task, String cause) implements Fact {}

  /** A sink commits what it has written, because a checkpoint has completed. */
  record Committed(
      SimDataflow.Task task, int shard, SimDataflow.Committable committable, long under)
      implements Fact {}

  /** A component of a process was made the leader. */
  record Granted(SimProcess process, String component, LeaderToken token) implements Fact {}

  /** A component of a process has heard that it leads no more. */
  record Revoked(SimProcess process, String component, LeaderToken token) implements Fact {}

  /** A process ended itself. */
  record Died(SimProcess process, Throwable cause) implements Fact {}

  /** The driver was asked for a worker. */
  record WorkerRequested(WorkerSpec spec) implements Fact {}

  /** The driver was asked to end a worker. */
  record WorkerReleased(String worker) implements Fact {}

  /** A JobManager hears from its driver that a worker is gone. */
  record WorkerEndTold(SimProcess jobManager, String worker) implements Fact {}
}

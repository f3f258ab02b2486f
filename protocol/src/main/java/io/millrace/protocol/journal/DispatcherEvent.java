package io.millrace.protocol.journal;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.reason.Reason;
import java.util.Objects;

/** Decisions of the Dispatcher. */
public sealed interface DispatcherEvent extends JournalEvent {
  /** The job is stored and accepted. */
  record JobSubmitted(String name) implements DispatcherEvent {
    public JobSubmitted {
      Objects.requireNonNull(name);
    }
  }

  /** The job was found in the store of an earlier leader. */
  record JobRecovered() implements DispatcherEvent {}

  /** The job is cancelled, because its client sends no heartbeats. */
  record ClientLost(Reason reason) implements DispatcherEvent {
    public ClientLost {
      Objects.requireNonNull(reason);
    }
  }

  /** The job has ended without a JobMaster of this leader. */
  record JobEnded(JobStatus status, Reason reason) implements DispatcherEvent {
    public JobEnded {
      Objects.requireNonNull(status);
      Objects.requireNonNull(reason);
    }
  }

  /** The cancellation is stored: the job ends under any leader. */
  record CancellationStored() implements DispatcherEvent {}

  /** The result of the job is stored. */
  record JobArchived(JobStatus status) implements DispatcherEvent {
    public JobArchived {
      Objects.requireNonNull(status);
    }
  }

  /** The user ends the cluster. */
  record ShutdownRequested() implements DispatcherEvent {}
}

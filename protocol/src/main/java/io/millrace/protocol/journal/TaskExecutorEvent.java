package io.millrace.protocol.journal;

import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Address;
import java.util.Objects;

/** Decisions of a TaskManager. */
public sealed interface TaskExecutorEvent extends JournalEvent {
  /** The TaskManager has registered at the ResourceManager and reported its slots. */
  record RegisteredWithSlots(Address address, int slots) implements TaskExecutorEvent {
    public RegisteredWithSlots {
      Objects.requireNonNull(address);
    }
  }

  /** The TaskManager has lost the ResourceManager. */
  record ResourceManagerDisconnected(Reason reason) implements TaskExecutorEvent {
    public ResourceManagerDisconnected {
      Objects.requireNonNull(reason);
    }
  }

  /** The TaskManager has registered at the JobMaster of a job. */
  record RegisteredAtJobMaster(Address address) implements TaskExecutorEvent {
    public RegisteredAtJobMaster {
      Objects.requireNonNull(address);
    }
  }

  /** The TaskManager has lost the JobMaster of a job. */
  record JobMasterDisconnected(Reason reason) implements TaskExecutorEvent {
    public JobMasterDisconnected {
      Objects.requireNonNull(reason);
    }
  }

  /** The job has answered a slot offer. */
  record SlotOffersAnswered(int accepted, int offered) implements TaskExecutorEvent {}

  /** Tasks were deployed. */
  record TasksReceived(int tasks) implements TaskExecutorEvent {}

  /** Tasks go on without a JobMaster, for the next one. */
  record TasksKept(int tasks) implements TaskExecutorEvent {}

  /** The JobMaster has adopted tasks that were kept; the others were cancelled. */
  record KeptTasksAdopted(int tasks, int cancelled) implements TaskExecutorEvent {}

  /** The job was removed from the TaskManager. */
  record JobRemoved(Reason reason) implements TaskExecutorEvent {
    public JobRemoved {
      Objects.requireNonNull(reason);
    }
  }
}

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

  /** The TaskManager has registered at a job's leader. */
  record RegisteredAtJobMaster(Address address) implements TaskExecutorEvent {
    public RegisteredAtJobMaster {
      Objects.requireNonNull(address);
    }
  }

  /** The TaskManager has lost a job's leader. */
  record JobMasterDisconnected(Reason reason) implements TaskExecutorEvent {
    public JobMasterDisconnected {
      Objects.requireNonNull(reason);
    }
  }

  /** The job has taken slots. */
  record SlotOffersAnswered(int accepted, int offered) implements TaskExecutorEvent {}

  /** Tasks were deployed. */
  record TasksReceived(int tasks) implements TaskExecutorEvent {}

  /** The job has ended. */
  record JobRemoved(Reason reason) implements TaskExecutorEvent {
    public JobRemoved {
      Objects.requireNonNull(reason);
    }
  }
}

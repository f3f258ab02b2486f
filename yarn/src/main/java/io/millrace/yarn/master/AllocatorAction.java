package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** An action of a {@link ContainerAllocator}. */
sealed interface AllocatorAction {

  // --- for YARN's ResourceManager; all but the heartbeat itself goes with the next heartbeat

  /** Exchange what has changed. Answered by one event. */
  record SendHeartbeat() implements AllocatorAction {}

  /** Ask for a container. */
  record AddRequest(PendingRequest request) implements AllocatorAction {
    public AddRequest {
      Objects.requireNonNull(request);
    }
  }

  /** Withdraw a request that is served or cancelled. */
  record RemoveRequest(long request) implements AllocatorAction {}

  /** Give a container back. */
  record ReturnContainer(WorkerId worker) implements AllocatorAction {
    public ReturnContainer {
      Objects.requireNonNull(worker);
    }
  }

  record UpdateBlockedNodes(List<String> added, List<String> removed) implements AllocatorAction {
    public UpdateBlockedNodes {
      added = OrderedCopies.list(added);
      removed = OrderedCopies.list(removed);
    }
  }

  /** Ask why containers are pending. Answered by {@link AllocatorEvent.StatusAnswered}. */
  record QueryStatus() implements AllocatorAction {}

  /** End the application. Answered by {@link AllocatorEvent.Unregistered}. */
  record Unregister(DriverTermination.Over outcome) implements AllocatorAction {
    public Unregister {
      Objects.requireNonNull(outcome);
    }
  }

  /** Close the connections to YARN. The last action. */
  record Close() implements AllocatorAction {}

  // --- for YARN's NodeManagers

  /**
   * Prepare the start of the container's process. Answered by {@link AllocatorEvent.LaunchPrepared}
   * or {@link AllocatorEvent.LaunchFailed}.
   */
  record PrepareLaunch(WorkerId worker, WorkerSpec spec) implements AllocatorAction {
    public PrepareLaunch {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(spec);
    }
  }

  /** Start the container with what was prepared. */
  record StartContainer(WorkerId worker) implements AllocatorAction {
    public StartContainer {
      Objects.requireNonNull(worker);
    }
  }

  /** Discard what was prepared: the container has ended or is released. */
  record DiscardLaunch(WorkerId worker) implements AllocatorAction {
    public DiscardLaunch {
      Objects.requireNonNull(worker);
    }
  }

  /** Stop a container that was started. */
  record StopContainer(WorkerId worker, String node) implements AllocatorAction {
    public StopContainer {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(node);
    }
  }

  /**
   * Ask whether a container has ended. Answered by {@link AllocatorEvent.ContainerAnswered}.
   *
   * @param node its host and port
   */
  record QueryContainer(WorkerId worker, String node) implements AllocatorAction {
    public QueryContainer {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(node);
    }
  }

  // --- for the ResourceManager of this cluster, as events of the driver

  record ReportStarted(long request, WorkerId worker) implements AllocatorAction {
    public ReportStarted {
      Objects.requireNonNull(worker);
    }
  }

  record ReportFailed(long request, Reason reason) implements AllocatorAction {
    public ReportFailed {
      Objects.requireNonNull(reason);
    }
  }

  record ReportEnded(WorkerId worker, Reason reason) implements AllocatorAction {
    public ReportEnded {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  record ReportDraining(WorkerId worker, Reason reason, Duration within)
      implements AllocatorAction {
    public ReportDraining {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(within);
    }
  }

  /**
   * Workers fail on a node.
   *
   * @param node its host and port
   */
  record ReportUnreliable(String node, Reason reason, Duration time) implements AllocatorAction {
    public ReportUnreliable {
      Objects.requireNonNull(node);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(time);
    }
  }

  record ReportPending(Optional<Reason> reason) implements AllocatorAction {
    public ReportPending {
      Objects.requireNonNull(reason);
    }
  }

  record ReportBroken(MillraceException cause) implements AllocatorAction {
    public ReportBroken {
      Objects.requireNonNull(cause);
    }
  }
}

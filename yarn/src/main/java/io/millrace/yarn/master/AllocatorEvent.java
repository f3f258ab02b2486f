package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An event of a {@link ContainerAllocator}: a call of the ResourceManager of this cluster, an
 * answer of YARN, or the passage of time. A container and its worker have the same id.
 */
sealed interface AllocatorEvent {

  /**
   * YARN has registered this attempt of the application.
   *
   * @param previous containers of earlier attempts that still run, with their nodes
   */
  record Registered(Map<WorkerId, String> previous) implements AllocatorEvent {
    public Registered {
      previous = OrderedCopies.map(previous);
    }
  }

  /**
   * A worker is requested.
   *
   * @param wallMillis the wall clock at the request, for display
   */
  record WorkerRequested(long request, WorkerSpec spec, long wallMillis) implements AllocatorEvent {
    public WorkerRequested {
      Objects.requireNonNull(spec);
    }
  }

  /** A request is no longer needed. */
  record RequestCancelled(long request) implements AllocatorEvent {}

  /** YARN's library rejects a request before it sends it. */
  record RequestRejected(long request, Reason reason) implements AllocatorEvent {
    public RequestRejected {
      Objects.requireNonNull(reason);
    }
  }

  /** A worker is to end. */
  record WorkerReleased(WorkerId worker, Reason reason) implements AllocatorEvent {
    public WorkerReleased {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  /** Exactly these nodes are blocked from now on. */
  record NodesBlocked(List<String> nodes) implements AllocatorEvent {
    public NodesBlocked {
      nodes = OrderedCopies.list(nodes);
    }
  }

  /**
   * YARN has answered a heartbeat.
   *
   * @param previous containers of earlier attempts that YARN's ResourceManager has found since
   * @param available what YARN has left for this application
   */
  record HeartbeatAnswered(
      List<AllocatedContainer> allocated,
      List<CompletedContainer> completed,
      List<WorkerId> previous,
      ContainerSize available)
      implements AllocatorEvent {
    public HeartbeatAnswered {
      allocated = OrderedCopies.list(allocated);
      completed = OrderedCopies.list(completed);
      previous = OrderedCopies.list(previous);
      Objects.requireNonNull(available);
    }
  }

  /**
   * What a heartbeat says about nodes and containers that are to go.
   *
   * @param clusterNodes the number of nodes of the cluster
   * @param draining nodes that are being decommissioned, with the time that is left for each
   * @param preempted containers that YARN is going to take back
   */
  record RemovalsAnnounced(
      int clusterNodes, Map<String, Duration> draining, List<WorkerId> preempted)
      implements AllocatorEvent {
    public RemovalsAnnounced {
      draining = OrderedCopies.map(draining);
      preempted = OrderedCopies.list(preempted);
    }
  }

  /** YARN has answered a heartbeat with an error: it can never allocate what is requested. */
  record RequestsRefused(String diagnostics) implements AllocatorEvent {
    public RequestsRefused {
      Objects.requireNonNull(diagnostics);
    }
  }

  /** YARN has answered a heartbeat with an error: this attempt is no longer valid. */
  record AttemptSuperseded() implements AllocatorEvent {}

  /** A heartbeat has failed, after the retries of YARN's library. */
  record ResourceManagerLost(Throwable cause) implements AllocatorEvent {
    public ResourceManagerLost {
      Objects.requireNonNull(cause);
    }
  }

  /** What a container's process needs is prepared; the process can start. */
  record LaunchPrepared(WorkerId worker) implements AllocatorEvent {
    public LaunchPrepared {
      Objects.requireNonNull(worker);
    }
  }

  /** The preparation failed, or the NodeManager did not start the container. */
  record LaunchFailed(WorkerId worker, Throwable cause) implements AllocatorEvent {
    public LaunchFailed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }

  /**
   * A NodeManager has answered a question about a container, or could not be asked.
   *
   * @param reached whether it has answered
   * @param completed empty if the container still runs
   */
  record ContainerAnswered(WorkerId worker, boolean reached, Optional<CompletedContainer> completed)
      implements AllocatorEvent {
    public ContainerAnswered {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(completed);
    }
  }

  /**
   * YARN has answered, or failed to answer, a query of its status.
   *
   * @param words empty if YARN has never answered
   */
  record StatusAnswered(Optional<String> words) implements AllocatorEvent {
    public StatusAnswered {
      Objects.requireNonNull(words);
    }
  }

  /** The driver is to stop. */
  record StopRequested(DriverTermination termination) implements AllocatorEvent {
    public StopRequested {
      Objects.requireNonNull(termination);
    }
  }

  /** YARN has been told that the application is over, or could not be told. */
  record Unregistered() implements AllocatorEvent {}

  /** Time has passed; {@link ContainerAllocator#nextWake} says when it is needed. */
  record Tick() implements AllocatorEvent {}

  /**
   * A container that YARN has allocated.
   *
   * @param node its host and port
   * @param batch the number that YARN names with it; not positive if it names none
   */
  record AllocatedContainer(WorkerId worker, String node, long batch, int priority) {
    public AllocatedContainer {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(node);
    }
  }

  /** A container that no longer runs. */
  record CompletedContainer(WorkerId worker, int exitStatus, String diagnostics) {
    public CompletedContainer {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(diagnostics);
    }
  }
}

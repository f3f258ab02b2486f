package io.millrace.protocol.reason;

import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.ConnectionLoss;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Why one component gives up another one, or does not accept it. */
public sealed interface PeerReason extends Reason {
  /** Why a follower gives up its leader, which sends the heartbeats. */
  static PeerReason ofLeader(ConnectionLoss loss) {
    return loss instanceof ConnectionLoss.HeartbeatTimeout silent
        ? new HeartbeatRequestTimeout(silent.timeout())
        : of(loss);
  }

  /** Why a leader gives up a follower, which answers heartbeats. */
  static PeerReason ofFollower(ConnectionLoss loss) {
    return loss instanceof ConnectionLoss.HeartbeatTimeout silent
        ? new HeartbeatTimeout(silent.timeout())
        : of(loss);
  }

  private static PeerReason of(ConnectionLoss loss) {
    if (loss instanceof ConnectionLoss.NoLeader) {
      return new LeaderUnknown();
    } else if (loss instanceof ConnectionLoss.LeaderChanged) {
      return new LeaderChanged();
    } else if (loss instanceof ConnectionLoss.ConnectionBroken broken) {
      return new ConnectionLost(broken.detail());
    }
    throw new IllegalArgumentException("No reason for " + loss);
  }

  /** The peer did not answer heartbeats. */
  record HeartbeatTimeout(Duration timeout) implements PeerReason {
    public HeartbeatTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /** The leader did not ask for heartbeats. */
  record HeartbeatRequestTimeout(Duration timeout) implements PeerReason {
    public HeartbeatRequestTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * The connection to the peer is broken.
   *
   * @param detail the words of the transport
   */
  record ConnectionLost(String detail) implements PeerReason {
    public ConnectionLost {
      Objects.requireNonNull(detail);
    }
  }

  /** The component has no known leader. */
  record LeaderUnknown() implements PeerReason {}

  /** Another one leads the component. */
  record LeaderChanged() implements PeerReason {}

  /**
   * The JobMaster does not lead the job.
   *
   * @param leader who does, where that is known
   */
  record NotLeader(Optional<LeaderToken> leader) implements PeerReason {
    public NotLeader {
      Objects.requireNonNull(leader);
    }
  }

  /** The JobMaster no longer leads the job. */
  record LeadershipEnded() implements PeerReason {}

  /** The job had no leader for too long. */
  record LeaderTimeout(Duration timeout) implements PeerReason {
    public LeaderTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /** A newer attempt of the same process has come. */
  record NewerAttempt() implements PeerReason {}

  /** A newer process or registration of the worker has come. */
  record Superseded(WorkerId worker) implements PeerReason {
    public Superseded {
      Objects.requireNonNull(worker);
    }
  }

  /** The peer has dropped this worker. */
  record DroppedByPeer(Reason cause) implements PeerReason {
    public DroppedByPeer {
      Objects.requireNonNull(cause);
    }
  }

  /** The ResourceManager counts this worker as gone, because the driver says so. */
  record RemovedByDriver(Reason cause) implements PeerReason {
    public RemovedByDriver {
      Objects.requireNonNull(cause);
    }
  }

  /** The worker has given up its JobMaster. */
  record GaveUpLeader(Reason cause) implements PeerReason {
    public GaveUpLeader {
      Objects.requireNonNull(cause);
    }
  }

  /** The worker was not started for this cluster. */
  record WorkerUnknown(WorkerId worker) implements PeerReason {
    public WorkerUnknown {
      Objects.requireNonNull(worker);
    }
  }

  /** The worker does not answer at its address. */
  record WorkerUnreachable(WorkerId worker, Address address, String error) implements PeerReason {
    public WorkerUnreachable {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(address);
      Objects.requireNonNull(error);
    }
  }

  /** The peer does not know this worker. */
  record NotRegisteredAtPeer() implements PeerReason {}

  /**
   * The worker is registered under another leader or instance than the call carries.
   *
   * @param leader under which the worker is registered, where it is
   */
  record RegisteredElsewhere(
      WorkerId worker,
      Optional<LeaderToken> leader,
      Optional<InstanceId> instance,
      LeaderToken carried,
      InstanceId carriedInstance)
      implements PeerReason {
    public RegisteredElsewhere {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(leader);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(carried);
      Objects.requireNonNull(carriedInstance);
    }
  }

  /** The worker has not confirmed a deployment. */
  record DeploymentUnconfirmed(String error) implements PeerReason {
    public DeploymentUnconfirmed {
      Objects.requireNonNull(error);
    }
  }

  /** The TaskManager stops. */
  record WorkerStops() implements PeerReason {}

  /** The TaskManager has no slot of the job left. */
  record NoSlotLeft() implements PeerReason {}

  /** The JobMaster runs another job. */
  record WrongJobMaster(JobId job) implements PeerReason {
    public WrongJobMaster {
      Objects.requireNonNull(job);
    }
  }

  /** Code of a job called {@code System.exit} in the TaskManager. */
  record ProgramExit() implements PeerReason {}

  /**
   * The ResourceManager rejected the worker for good.
   *
   * @param answer the words of the ResourceManager
   */
  record RegistrationRejected(WorkerId worker, Address resourceManager, String answer)
      implements PeerReason {
    public RegistrationRejected {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(answer);
    }
  }

  /**
   * The worker found no ResourceManager that accepted it in time.
   *
   * @param tried where the last known leader was
   * @param leaders where leaders are looked up
   */
  record ResourceManagerNotFound(
      WorkerId worker, Duration timeout, Optional<Address> tried, String leaders)
      implements PeerReason {
    public ResourceManagerNotFound {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(timeout);
      Objects.requireNonNull(tried);
      Objects.requireNonNull(leaders);
    }
  }

  /** The ResourceManager counts the worker out, because the driver says that it is gone. */
  record CountedOut(WorkerId worker, Reason cause) implements PeerReason {
    public CountedOut {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }
}

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

/** Why a component ends the connection to another one, or does not accept it. */
public sealed interface PeerReason extends Reason {
  /** Why a follower ends the connection to its leader, which sends the heartbeats. */
  static PeerReason ofLeader(ConnectionLoss loss) {
    return loss instanceof ConnectionLoss.HeartbeatTimeout silent
        ? new HeartbeatRequestTimeout(silent.timeout())
        : of(loss);
  }

  /** Why a leader ends the connection to a follower, which answers heartbeats. */
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

  /** Whether a reason says that a worker is gone but not why. Its driver may know the cause. */
  static boolean isUnexplainedLoss(Reason reason) {
    return reason instanceof ConnectionLost
        || reason instanceof HeartbeatTimeout
        || reason instanceof DeploymentUnconfirmed
        || reason instanceof RemovedByDriver
        || reason instanceof WorkerStops;
  }

  /** The peer did not answer heartbeats. */
  record HeartbeatTimeout(Duration timeout) implements PeerReason {
    public HeartbeatTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /** The leader did not send heartbeat requests. */
  record HeartbeatRequestTimeout(Duration timeout) implements PeerReason {
    public HeartbeatRequestTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * The connection to the peer is broken.
   *
   * @param detail the message of the transport
   */
  record ConnectionLost(String detail) implements PeerReason {
    public ConnectionLost {
      Objects.requireNonNull(detail);
    }
  }

  /** The component has no known leader. */
  record LeaderUnknown() implements PeerReason {}

  /** The component has another leader. */
  record LeaderChanged() implements PeerReason {}

  /**
   * The JobMaster is not the leader of the job.
   *
   * @param leader the leader, if one is known
   */
  record NotLeader(Optional<LeaderToken> leader) implements PeerReason {
    public NotLeader {
      Objects.requireNonNull(leader);
    }
  }

  /** The JobMaster is no longer the leader of the job. */
  record LeadershipEnded() implements PeerReason {}

  /** The job had no leader for too long. */
  record LeaderTimeout(Duration timeout) implements PeerReason {
    public LeaderTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /** There is a newer attempt of the same process. */
  record NewerAttempt() implements PeerReason {}

  /** There is a newer process or registration of the worker. */
  record Superseded(WorkerId worker) implements PeerReason {
    public Superseded {
      Objects.requireNonNull(worker);
    }
  }

  /** The peer has ended the registration of this worker. */
  record DroppedByPeer(Reason cause) implements PeerReason {
    public DroppedByPeer {
      Objects.requireNonNull(cause);
    }
  }

  /** The ResourceManager has removed this worker, because the driver reported that it has ended. */
  record RemovedByDriver(Reason cause) implements PeerReason {
    public RemovedByDriver {
      Objects.requireNonNull(cause);
    }
  }

  /** The worker has ended the connection to its JobMaster. */
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

  /** The worker is not registered at the peer. */
  record NotRegisteredAtPeer() implements PeerReason {}

  /**
   * The call carries another leader or instance than the worker is registered under.
   *
   * @param leader the leader of the registration; empty if the worker is not registered
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

  /** The registration was answered by another leader than it was sent to. */
  record AnsweredByOtherLeader(Address expected) implements PeerReason {
    public AnsweredByOtherLeader {
      Objects.requireNonNull(expected);
    }
  }

  /**
   * The ResourceManager rejected the worker for good.
   *
   * @param answer the reason of the ResourceManager
   */
  record RegistrationRejected(WorkerId worker, Address resourceManager, Reason answer)
      implements PeerReason {
    public RegistrationRejected {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(answer);
    }
  }

  /**
   * No ResourceManager accepted the worker in time.
   *
   * @param tried the address of the last known leader
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

  /** The ResourceManager has removed the worker, because the driver reported that it has ended. */
  record CountedOut(WorkerId worker, Reason cause) implements PeerReason {
    public CountedOut {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }
}

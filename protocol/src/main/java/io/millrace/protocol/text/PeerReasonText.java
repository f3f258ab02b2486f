package io.millrace.protocol.text;

import io.millrace.core.config.Durations;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.AnsweredByOtherLeader;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.DeploymentUnconfirmed;
import io.millrace.protocol.reason.PeerReason.DroppedByPeer;
import io.millrace.protocol.reason.PeerReason.GaveUpLeader;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.protocol.reason.PeerReason.LeaderTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderUnknown;
import io.millrace.protocol.reason.PeerReason.LeadershipEnded;
import io.millrace.protocol.reason.PeerReason.NewerAttempt;
import io.millrace.protocol.reason.PeerReason.NoSlotLeft;
import io.millrace.protocol.reason.PeerReason.NotLeader;
import io.millrace.protocol.reason.PeerReason.NotRegisteredAtPeer;
import io.millrace.protocol.reason.PeerReason.ProgramExit;
import io.millrace.protocol.reason.PeerReason.RegisteredElsewhere;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.RemovedByDriver;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.PeerReason.WorkerUnreachable;
import io.millrace.protocol.reason.PeerReason.WrongJobMaster;
import java.time.Duration;

/** The sentences of {@link PeerReason}. */
final class PeerReasonText {
  private PeerReasonText() {}

  static String of(PeerReason reason) {
    if (reason instanceof HeartbeatTimeout silent) {
      return "It did not answer heartbeats for " + heartbeat(silent.timeout());
    } else if (reason instanceof HeartbeatRequestTimeout silent) {
      return "It has not asked for a heartbeat for " + heartbeat(silent.timeout());
    } else if (reason instanceof ConnectionLost lost) {
      return ReasonText.sentence(lost.detail());
    } else if (reason instanceof LeaderUnknown) {
      return "No leader is known.";
    } else if (reason instanceof LeaderChanged) {
      return "There is another leader.";
    } else if (reason instanceof NotLeader notLeader) {
      return "It is not the leader of the job: "
          + notLeader.leader().map(leader -> leader + " is.").orElse("no leader is known.");
    } else if (reason instanceof LeadershipEnded) {
      return "It is no longer the leader of the job.";
    } else if (reason instanceof LeaderTimeout late) {
      return "The job had no leader for "
          + Durations.readable(late.timeout())
          + " ("
          + ResourceManagerOptions.JOB_TIMEOUT.key()
          + ").";
    } else if (reason instanceof NewerAttempt) {
      return "There is a newer attempt.";
    } else if (reason instanceof Superseded superseded) {
      return "Worker " + superseded.worker() + " has registered anew.";
    } else if (reason instanceof DroppedByPeer dropped) {
      return "It dropped this worker: " + ReasonText.of(dropped.cause());
    } else if (reason instanceof RemovedByDriver removed) {
      return "It counts this worker out: " + ReasonText.of(removed.cause());
    } else if (reason instanceof GaveUpLeader gaveUp) {
      return "It gave up its JobMaster: " + ReasonText.of(gaveUp.cause());
    } else if (reason instanceof WorkerUnknown unknown) {
      return "Worker "
          + unknown.worker()
          + " is unknown here: it was not started for this cluster.";
    } else if (reason instanceof WorkerUnreachable unreachable) {
      return "The ResourceManager cannot reach worker "
          + unreachable.worker()
          + " at "
          + unreachable.address()
          + ": "
          + ReasonText.closed(unreachable.error());
    } else if (reason instanceof NotRegisteredAtPeer) {
      return "It does not know this worker.";
    } else if (reason instanceof RegisteredElsewhere elsewhere) {
      return elsewhere(elsewhere);
    } else if (reason instanceof DeploymentUnconfirmed unconfirmed) {
      return "It has not taken its tasks: " + ReasonText.closed(unconfirmed.error());
    } else if (reason instanceof WorkerStops) {
      return "The TaskManager stops.";
    } else if (reason instanceof NoSlotLeft) {
      return "It has no slot of the job left.";
    } else if (reason instanceof RegistrationRejected rejected) {
      return "The ResourceManager at "
          + rejected.resourceManager()
          + " rejected worker "
          + rejected.worker()
          + " for good: "
          + ReasonText.of(rejected.answer());
    } else if (reason instanceof ResourceManagerNotFound missing) {
      return notFound(missing);
    } else if (reason instanceof CountedOut out) {
      return "The ResourceManager counts worker "
          + out.worker()
          + " out: "
          + ReasonText.of(out.cause());
    } else if (reason instanceof ProgramExit) {
      return "Code of a job called System.exit there, which ended the process and all its tasks."
          + " Throw an exception instead.";
    } else if (reason instanceof WrongJobMaster wrong) {
      return "This is the JobMaster of job " + wrong.job() + ".";
    } else if (reason instanceof AnsweredByOtherLeader other) {
      return "The answer came from another leader than " + other.expected() + ".";
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }

  private static String heartbeat(Duration timeout) {
    return Durations.readable(timeout)
        + " ("
        + HeartbeatManagerOptions.HEARTBEAT_TIMEOUT.key()
        + ").";
  }

  private static String notFound(ResourceManagerNotFound missing) {
    return "Worker "
        + missing.worker()
        + " could not register at a ResourceManager within "
        + Durations.readable(missing.timeout())
        + " ("
        + TaskManagerOptions.REGISTRATION_TIMEOUT.key()
        + "): "
        + missing
            .tried()
            .map(address -> "it tried " + address)
            .orElse("it found no leader of it through " + missing.leaders())
        + ". Check that the JobManager runs and can be reached there.";
  }

  private static String elsewhere(RegisteredElsewhere elsewhere) {
    return "Worker "
        + elsewhere.worker()
        + " is registered "
        + (elsewhere.leader().isPresent() && elsewhere.instance().isPresent()
            ? "under " + elsewhere.leader().get() + " as instance " + elsewhere.instance().get()
            : "nowhere")
        + "; the call carries "
        + elsewhere.carried()
        + " and instance "
        + elsewhere.carriedInstance()
        + ".";
  }
}

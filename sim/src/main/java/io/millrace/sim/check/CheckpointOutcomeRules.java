package io.millrace.sim.check;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CheckpointsAnswer;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.checkpoint.DeclineCause.SnapshotNotStored;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Invariants of savepoints, of jobs that start with state, and of checkpoints that fail. */
final class CheckpointOutcomeRules {
  /** Jobs that tolerate more failed checkpoints do not restart for them. */
  private static final int FEW = 1_000;

  private static final String CHECKPOINTS = "checkpoints/";

  private CheckpointOutcomeRules() {}

  /** How many failed checkpoints in a row a job tolerates, if these are few. */
  static Optional<Integer> tolerated(SimulatedWorld world, JobId id) {
    return world.scenario().jobs().stream()
        .filter(job -> job.id().equals(id))
        .filter(job -> SimDataflow.isCheckpointed(job.graph()))
        .map(job -> job.graph().configuration())
        .map(options -> options.get(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS))
        .filter(tolerated -> tolerated < FEW)
        .findFirst();
  }

  /** Whether a checkpoint failed, and was not merely given up with its tasks. */
  static boolean isFailure(Reason reason) {
    return reason instanceof SnapshotFailed
        || reason instanceof TriggerNotAccepted
        || reason instanceof CheckpointExpired
        || reason instanceof CheckpointStorageFailed;
  }

  /** Counts the failed checkpoints since the last completed one under each leader. */
  static final class FailedCheckpointsRestartJob extends Invariant {
    private final Map<String, Integer> failed = new LinkedHashMap<>();
    private final Map<String, Integer> due = new LinkedHashMap<>();

    FailedCheckpointsRestartJob() {
      super("A job restarts when more checkpoints in a row have failed than it tolerates.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted) {
        for (SimJob job : world().scenario().jobs()) {
          if (granted.component().equals(ComponentNames.jobMaster(job.id()))) {
            failed.remove(key(granted.process().name(), job.id()));
          }
        }
      } else if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof CheckpointCompleted notice) {
        failed.remove(key(sent.from(), notice.job()));
      } else if (fact instanceof Fact.Stored change && change.key().startsWith(CHECKPOINTS)) {
        // The leader may not have heard of the completion yet.
        String job = change.key().substring(CHECKPOINTS.length());
        failed.keySet().removeIf(key -> key.endsWith(" " + job));
      } else if (fact instanceof Fact.Decided decided && decided.entry().job().isPresent()) {
        decided(
            key(decided.process().name(), decided.entry().job().get()),
            decided,
            decided.entry().job().get());
      }
    }

    private void decided(String key, Fact.Decided decided, JobId job) {
      if (decided.entry().event() instanceof CheckpointFailed failure
          && isFailure(failure.reason())) {
        tolerated(world(), job)
            .ifPresent(
                tolerated -> {
                  int now = failed.merge(key, 1, Integer::sum);
                  if (now > tolerated) {
                    due.put(key, now);
                  }
                });
      } else if (decided.entry().event() instanceof RestartScheduled
          || decided.entry().event() instanceof StatusChanged) {
        failed.remove(key);
        due.remove(key);
      }
    }

    private static String key(String process, JobId job) {
      return process + " " + job;
    }

    @Override
    protected void afterEvent() {
      due.forEach(
          (key, failures) -> {
            throw broken(key + " does not restart after " + failures + " failed checkpoints");
          });
    }
  }

  /** Tasks that end while a checkpoint runs do not make it a failed one. */
  static final class CheckpointFailureHasCause extends Invariant {
    private final Set<String> declined = new LinkedHashSet<>();

    CheckpointFailureHasCause() {
      super("A checkpoint fails for a snapshot only if a task could not store its snapshot.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Sent sent
          && sent.call().message() instanceof DeclineCheckpoint decline
          && decline.cause() instanceof SnapshotNotStored) {
        declined.add(sent.call().endpoint() + " " + decline.checkpoint());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof CheckpointFailed failed
          && failed.reason() instanceof SnapshotFailed) {
        JobId job = decided.entry().job().orElseThrow();
        if (!declined.contains(ComponentNames.jobMaster(job) + " " + failed.checkpoint())) {
          throw broken("Checkpoint " + failed.checkpoint() + " of job " + job + " has failed");
        }
      }
    }
  }

  /** A savepoint belongs to the user, who disposes of none here. */
  static final class SavepointsAreKept extends Invariant {
    private final Set<String> completed = new LinkedHashSet<>();
    private final StopAndClaimRules.Claims claims = new StopAndClaimRules.Claims();

    SavepointsAreKept() {
      super(
          "A savepoint that a user was told to be complete is never deleted, unless a job has"
              + " claimed it.");
    }

    @Override
    protected void seen(Fact fact) {
      claims.seen(fact, world());
      if (fact instanceof Fact.Answered answered
          && answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof CheckpointsAnswer answer) {
        answer.statistics().stream()
            .flatMap(known -> known.operations().stream())
            .flatMap((CheckpointOperation operation) -> operation.completed().stream())
            .forEach(savepoint -> completed.add(savepoint.directory()));
      } else if (fact instanceof Fact.CheckpointDeleted deleted) {
        for (String savepoint : completed) {
          if (claims.has(savepoint)) {
            continue;
          }
          if ((savepoint + "/").startsWith(deleted.path() + "/")
              || deleted.path().startsWith(savepoint + "/")) {
            throw broken(deleted.path() + " is deleted");
          }
        }
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      for (String savepoint : completed) {
        if (!claims.has(savepoint) && !world().checkpoints().stored().containsKey(savepoint)) {
          throw broken(savepoint + " has no metadata");
        }
      }
    }
  }

  /** Looks at the tasks of jobs that are submitted with the state of another one. */
  static final class SubmittedStateIsRestored extends Invariant {
    SubmittedStateIsRestored() {
      super(
          "A job that is submitted with a checkpoint starts with its state, and each split is read"
              + " by one subtask.");
    }

    @Override
    protected void seen(Fact fact) {
      if (!(fact instanceof Fact.StateRestored restored)) {
        return;
      }
      SimDataflowTask task = restored.task();
      if (isResumed(task.graph().id()) && task.restore().isEmpty()) {
        throw broken("A task of job " + task.graph().id() + " starts without state");
      }
      if (!task.isSource()) {
        return;
      }
      Set<String> all = new TreeSet<>(task.splits().keySet());
      for (SimDataflowTask sibling : task.siblings()) {
        NavigableMap<String, Long> others = sibling.splits();
        for (String split : others.keySet()) {
          if (!all.add(split)) {
            throw broken("Two subtasks of job " + task.graph().id() + " read " + split);
          }
        }
      }
      if (isResumed(task.graph().id())
          && task.siblings().size() == task.vertex().parallelism() - 1
          && all.size() < SimDataflow.splits(task.vertex())) {
        throw broken("Job " + task.graph().id() + " reads only " + all);
      }
    }

    private boolean isResumed(JobId id) {
      return world().scenario().acts().stream()
          .anyMatch(
              act ->
                  act instanceof ClientAction.Resume resume
                      && world().scenario().jobs().get(resume.job()).id().equals(id));
    }
  }
}

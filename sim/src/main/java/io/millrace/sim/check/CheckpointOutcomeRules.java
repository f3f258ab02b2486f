package io.millrace.sim.check;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CheckpointsAnswer;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.SharedFilesDeleted;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.checkpoint.CheckpointMetadata;
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
        || reason instanceof SharedFilesDeleted
        || reason instanceof CheckpointStorageFailed;
  }

  /**
   * Counts the failed checkpoints since the last completed one under each leader. Savepoints do not
   * count: a job does not restart because a user's request fails. Nor do checkpoints that were
   * triggered before the last restart and were being stored then: their tasks have ended.
   */
  static final class FailedCheckpointsRestartJob extends Invariant {
    private final Map<String, Integer> failed = new LinkedHashMap<>();

    /** The triggered checkpoints by job and number, and whether they are savepoints. */
    private final Map<String, Boolean> savepoints = new LinkedHashMap<>();

    private final Map<String, Integer> due = new LinkedHashMap<>();

    /** The highest checkpoint that each leader has triggered. */
    private final Map<String, Long> triggered = new LinkedHashMap<>();

    /** The highest checkpoint that was triggered before the last restart. */
    private final Map<String, Long> restarted = new LinkedHashMap<>();

    FailedCheckpointsRestartJob() {
      super("A job restarts when more checkpoints in a row have failed than it tolerates.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      for (SimJob job : world().scenario().jobs()) {
        if (granted.component().equals(ComponentNames.jobMaster(job.id()))) {
          failed.remove(key(granted.process().name(), job.id()));
        }
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof CheckpointCompleted notice) {
        failed.remove(key(sent.from(), notice.job()));
      } else if (sent.call().message() instanceof TriggerCheckpoint trigger) {
        savepoints.put(
            trigger.job() + " " + trigger.request().checkpoint(),
            trigger.request().type().isSavepoint());
        triggered.merge(key(sent.from(), trigger.job()), trigger.request().checkpoint(), Math::max);
      }
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CHECKPOINTS)) {
        // The leader may not have heard of the completion yet.
        String job = change.key().substring(CHECKPOINTS.length());
        failed.keySet().removeIf(key -> key.endsWith(" " + job));
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      decided
          .entry()
          .job()
          .ifPresent(job -> decided(key(decided.process().name(), job), decided, job));
    }

    private void decided(String key, Fact.Decided decided, JobId job) {
      if (decided.entry().event() instanceof CheckpointFailed failure
          && isFailure(failure.reason())
          && failure.checkpoint() > restarted.getOrDefault(key, 0L)
          && !mayBeSavepoint(job, failure.checkpoint())) {
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
        restarted.put(key, triggered.getOrDefault(key, 0L));
        failed.remove(key);
        due.remove(key);
      }
    }

    /** One that failed before it was triggered may be one if a client requests any of the job. */
    private boolean mayBeSavepoint(JobId job, long number) {
      Boolean isSavepoint = savepoints.get(job + " " + number);
      return isSavepoint != null
          ? isSavepoint
          : world().scenario().acts().stream()
              .anyMatch(
                  act ->
                      (act instanceof ClientAction.Savepoint savepoint
                              && world().scenario().jobs().get(savepoint.job()).id().equals(job))
                          || (act instanceof ClientAction.Stop stop
                              && world().scenario().jobs().get(stop.job()).id().equals(job)));
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

  /**
   * Tasks that end while a checkpoint runs do not make it a failed one. Nor do deleted files, as
   * long as tasks hear of completions in time: a file of a checkpoint that was superseded while
   * this one was in progress, or that never was complete, is none that may be missing. Nor does the
   * storage of a single JobManager, which has no predecessor that still writes, unless it is
   * faulty.
   */
  static final class CheckpointFailureHasCause extends Invariant {
    private final Set<String> declined = new LinkedHashSet<>();

    /** The shared files of each completed checkpoint, by job and number. */
    private final Map<String, Map<Long, Set<String>>> retained = new LinkedHashMap<>();

    /** The highest number in the recovery store when a file had no completed checkpoint more. */
    private final Map<String, Long> superseded = new LinkedHashMap<>();

    CheckpointFailureHasCause() {
      super(
          "A checkpoint fails for a snapshot only if a task could not store its snapshot, for a"
              + " deleted file only if this was superseded before the checkpoint began, and for the"
              + " storage of a single JobManager only if that is faulty.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (!change.key().startsWith(CHECKPOINTS)) {
        return;
      }
      String job = change.key().substring(CHECKPOINTS.length());
      StoredCheckpoints now = CheckpointRules.stored(change).orElse(StoredCheckpoints.NONE);
      Map<Long, Set<String>> files = new LinkedHashMap<>();
      for (CompletedCheckpoint completed : now.completed()) {
        CheckpointMetadata metadata = world().checkpoints().stored().get(completed.directory());
        if (metadata != null) {
          files.put(completed.number(), metadata.sharedFiles());
        }
      }
      Map<Long, Set<String>> before = retained.put(job, files);
      if (before != null) {
        Set<String> needed = new LinkedHashSet<>();
        files.values().forEach(needed::addAll);
        before.values().stream()
            .flatMap(Set::stream)
            .filter(file -> !needed.contains(file))
            .forEach(file -> superseded.putIfAbsent(job + " " + file, now.lastNumber()));
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeclineCheckpoint decline
          && decline.cause() instanceof SnapshotNotStored) {
        declined.add(sent.call().endpoint() + " " + decline.checkpoint());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof CheckpointFailed failed
          && failed.reason() instanceof SnapshotFailed) {
        JobId job = decided.entry().job().orElseThrow();
        if (!declined.contains(ComponentNames.jobMaster(job) + " " + failed.checkpoint())) {
          throw broken("Checkpoint " + failed.checkpoint() + " of job " + job + " has failed");
        }
      } else if (decided.entry().event() instanceof CheckpointFailed failed
          && failed.reason() instanceof SharedFilesDeleted deleted) {
        JobId job = decided.entry().job().orElseThrow();
        Long last = superseded.get(job + " " + deleted.file());
        if (last == null || failed.checkpoint() <= last) {
          throw broken(
              "Checkpoint %d of job %s has failed for file %s, which %s"
                  .formatted(
                      failed.checkpoint(),
                      job,
                      deleted.file(),
                      last == null
                          ? "no completed checkpoint had"
                          : "was superseded beside checkpoint " + last));
        }
      } else if (decided.entry().event() instanceof CheckpointFailed failed
          && failed.reason() instanceof CheckpointStorageFailed reason
          && !storageMayFail(decided.entry().job().orElseThrow())) {
        throw broken(
            "Checkpoint %d of job %s has failed: %s"
                .formatted(
                    failed.checkpoint(),
                    decided.entry().job().orElseThrow(),
                    ReasonText.of(reason)));
      }
    }

    /** What a JobMaster stores of a job that has ended is refused, too. */
    private boolean storageMayFail(JobId job) {
      return world().scenario().isCoordinated()
          || world().store().contains(CheckpointRules.RESULTS + job)
          || world().scenario().faults().stream().anyMatch(Fault.StorageFailure.class::isInstance);
    }
  }

  /**
   * Looks at the tasks that run when the cluster has settled: a source that a savepoint has stopped
   * goes on or finishes only with the outcome, and a sink commits its last output with it. An
   * outcome is known when the recovery store has the checkpoint, or when its leader has given it
   * up.
   */
  static final class CheckpointOutcomesArrive extends Invariant {
    private final Map<String, Long> known = new LinkedHashMap<>();

    CheckpointOutcomesArrive() {
      super("A task that has taken a checkpoint hears of its completion or of its end.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CHECKPOINTS)) {
        String job = change.key().substring(CHECKPOINTS.length());
        CheckpointRules.stored(change).stream()
            .flatMap(now -> now.completed().stream())
            .forEach(completed -> known(job, completed.number()));
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof CheckpointFailed failed) {
        known(decided.entry().job().orElseThrow().toString(), failed.checkpoint());
      }
    }

    private void known(String job, long checkpoint) {
      known.putIfAbsent(job + " " + checkpoint, world().nanos());
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      // A notice that is lost is sent again after the timeout of its call.
      long late =
          world().nanos()
              - world().scenario().configuration().get(RpcOptions.ASK_TIMEOUT).toNanos() * 2;
      for (SimulatedWorld.Worker worker : world().workers()) {
        worker.host().running().stream()
            .filter(task -> !task.isCancelled())
            .flatMap(task -> task.dataflow().stream())
            .forEach(task -> check(task, late));
      }
    }

    private void check(SimDataflowTask task, long late) {
      for (long checkpoint : task.undecided()) {
        Long since = known.get(task.graph().id() + " " + checkpoint);
        if (since != null && since < late) {
          throw broken(
              CheckpointRules.name(task)
                  + " does not know what became of checkpoint "
                  + checkpoint);
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
    protected void decided(Fact.Decided decided) {
      claims.decided(decided, world());
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.answer() instanceof Envelope.Reply reply
          && reply.message() instanceof CheckpointsAnswer answer) {
        answer.statistics().stream()
            .flatMap(known -> known.operations().stream())
            .flatMap((CheckpointOperation operation) -> operation.completed().stream())
            .forEach(savepoint -> completed.add(savepoint.directory()));
      }
    }

    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted deleted) {
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
    protected void stateRestored(Fact.StateRestored restored) {
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

package io.millrace.sim.check;

import io.millrace.core.config.ClaimMode;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.task.checkpoint.CheckpointMetadata;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of jobs that stop with a savepoint, and of jobs that claim the state of others. */
final class StopAndClaimRules {
  private StopAndClaimRules() {}

  /** A job whose tasks or leader failed before its end was stored goes on after the savepoint. */
  static final class StoppedJobsEndAtTheirSavepoint extends Invariant {
    private final Map<JobId, Long> stopped = new LinkedHashMap<>();
    private final Set<CompletedCheckpoint> seen = new LinkedHashSet<>();

    StoppedJobsEndAtTheirSavepoint() {
      super(
          "A job whose savepoint of a stop is complete commits no records that are not in it,"
              + " unless its tasks are deployed again.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CheckpointRules.CHECKPOINTS)) {
        CheckpointRules.stored(change)
            .map(now -> now.completed())
            .filter(completed -> !completed.isEmpty())
            .ifPresent(completed -> latest(change.key(), completed.get(completed.size() - 1)));
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeployTasks deploy) {
        stopped.remove(deploy.job());
      }
    }

    @Override
    protected void committed(Fact.Committed commit) {
      Long savepoint = stopped.get(commit.task().graph().id());
      if (savepoint != null && commit.committable().checkpoint() > savepoint) {
        throw broken(
            "Job %s commits output of checkpoint %d after savepoint %d has stopped it"
                .formatted(
                    commit.task().graph().id(), commit.committable().checkpoint(), savepoint));
      }
    }

    private void latest(String key, CompletedCheckpoint latest) {
      if (latest.type().stops() && seen.add(latest)) {
        world().scenario().jobs().stream()
            .filter(job -> key.endsWith(job.id().toString()))
            .forEach(job -> stopped.put(job.id(), latest.number()));
      }
    }
  }

  /** What jobs have claimed, by directory. */
  static final class Claims {
    private final Map<String, JobId> jobs = new LinkedHashMap<>();

    /** Returns the directory if a job begins to restore what it has claimed. */
    Optional<String> decided(Fact.Decided decided, SimulatedWorld world) {
      if (!(decided.entry().event() instanceof StateRestored restored)) {
        return Optional.empty();
      }
      JobId job = decided.entry().job().orElseThrow();
      CheckpointMetadata metadata = world.checkpoints().stored().get(restored.directory());
      boolean claims =
          world.scenario().jobs().stream()
              .filter(known -> known.id().equals(job))
              .anyMatch(
                  known ->
                      known.graph().configuration().get(StateRecoveryOptions.CLAIM_MODE)
                          == ClaimMode.CLAIM);
      if (!claims || metadata == null || metadata.job().equals(job)) {
        return Optional.empty();
      }
      jobs.put(restored.directory(), job);
      return Optional.of(restored.directory());
    }

    boolean has(String directory) {
      return jobs.containsKey(directory);
    }
  }

  /**
   * Tasks restore what their job has claimed from their deployment until all tasks of the job run,
   * if the leader that deploys them has no successor. TaskManagers refuse what a replaced leader
   * deploys, and its successor does not wait for it.
   */
  static final class ClaimedStateIsDeletedInTime extends Invariant {
    private final Claims claims = new Claims();

    /** Jobs whose tasks restore what the job has claimed. */
    private final Set<JobId> restoring = new LinkedHashSet<>();

    /** The process of the latest JobMaster of a job. */
    private final Map<JobId, SimProcess> leaders = new LinkedHashMap<>();

    /** Jobs with a checkpoint of their own. */
    private final Set<JobId> own = new LinkedHashSet<>();

    private final Map<String, List<String>> sharedFiles = new LinkedHashMap<>();

    ClaimedStateIsDeletedInTime() {
      super(
          "A checkpoint that a job has claimed is deleted when the job has one of its own, not"
              + " before, and not while tasks restore it.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      claims.decided(decided, world()).ifPresent(directory -> restores(directory, decided));
      if (decided.entry().event() instanceof JobMasterStarted) {
        JobId job = decided.entry().job().orElseThrow();
        leaders.put(job, decided.process());
        restoring.remove(job);
      } else if (decided.entry().event() instanceof TasksRunning && isByLatestLeader(decided)) {
        restoring.remove(decided.entry().job().orElseThrow());
      }
    }

    private boolean isByLatestLeader(Fact.Decided decided) {
      JobId job = decided.entry().job().orElseThrow();
      return decided.process() == leaders.getOrDefault(job, decided.process());
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof CheckpointCompleted notice) {
        own.add(notice.job());
      }
    }

    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted deleted) {
      claims.jobs.forEach((directory, job) -> deleted(deleted.path(), directory, job));
    }

    private void restores(String directory, Fact.Decided decided) {
      if (isByLatestLeader(decided)) {
        restoring.add(claims.jobs.get(directory));
      }
      CheckpointMetadata metadata = world().checkpoints().stored().get(directory);
      String shared = directory.substring(0, directory.lastIndexOf('/')) + "/shared/";
      sharedFiles.put(
          directory, metadata.sharedFiles().stream().map(file -> shared + file).toList());
    }

    private void deleted(String path, String directory, JobId job) {
      boolean affected =
          (directory + "/").startsWith(path + "/")
              || path.startsWith(directory + "/")
              || sharedFiles.get(directory).contains(path);
      if (!affected || world().store().contains(CheckpointRules.RESULTS + job)) {
        return;
      }
      if (restoring.contains(job)) {
        throw broken(path + " is deleted while tasks of job " + job + " restore it");
      }
      if (CheckpointRules.stored(world(), job).stream()
          .allMatch(known -> known.completed().isEmpty())) {
        throw broken(path + " is deleted, and job " + job + " has no checkpoint of its own");
      }
    }

    /** A deletion that fails is not repeated by the same leader. */
    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      if (world().scenario().kind() == ScenarioKind.CALM) {
        claims.jobs.forEach(
            (directory, job) -> {
              if (own.contains(job) && world().checkpoints().stored().containsKey(directory)) {
                throw broken(
                    "Job " + job + " has claimed " + directory + " and has not deleted it");
              }
            });
      }
    }
  }
}

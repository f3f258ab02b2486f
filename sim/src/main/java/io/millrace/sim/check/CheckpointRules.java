package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimTaskState;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;

/** Invariants of checkpoints and of the state that is restored from them. */
final class CheckpointRules {
  static final RecordCodec CODEC = Messages.codec();
  static final String CHECKPOINTS = "checkpoints/";
  static final String RESULTS = "results/";

  private CheckpointRules() {}

  static Optional<StoredCheckpoints> stored(Fact.Stored change) {
    return change.value(StoredCheckpoints.class);
  }

  static Optional<StoredCheckpoints> stored(SimulatedWorld world, JobId job) {
    return world
        .store()
        .read(CHECKPOINTS + job)
        .map(value -> CODEC.decode(StoredCheckpoints.class, value));
  }

  /** Checks each change of the recovery store. */
  static final class StoredCheckpointsNeverRegress extends Invariant {
    private final Map<String, StoredCheckpoints> before = new LinkedHashMap<>();
    private final Map<String, CompletedCheckpoint> numbered = new LinkedHashMap<>();

    StoredCheckpointsNeverRegress() {
      super(
          "Checkpoints and numbers in the recovery store never decrease, no two checkpoints of a"
              + " job complete under one number, and stored checkpoints can be read.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CHECKPOINTS)) {
        Optional<StoredCheckpoints> now = CheckpointRules.stored(change);
        if (now.isEmpty()) {
          String job = change.key().substring(CHECKPOINTS.length());
          if (before.remove(change.key()) != null && !world().store().contains(RESULTS + job)) {
            throw broken("The checkpoints of job " + job + ", which has not ended, are removed");
          }
          return;
        }
        check(change.key(), before.put(change.key(), now.get()), now.get());
      }
    }

    private void check(String key, StoredCheckpoints then, StoredCheckpoints now) {
      if (then != null
          && !world().store().isUndone(key)
          && (now.lastNumber() < then.lastNumber() || latest(now) < latestUndamaged(then))) {
        throw broken(key + " had " + then + " and has " + now);
      }
      for (CompletedCheckpoint completed : now.completed()) {
        CompletedCheckpoint other = numbered.putIfAbsent(key + completed.number(), completed);
        if (other != null && !other.equals(completed)) {
          throw broken(key + " has " + completed + ", and had " + other);
        }
        // The directory of an ended job is deleted before its entry, which no leader recovers.
        if (!world().store().contains(RESULTS + key.substring(CHECKPOINTS.length()))
            && !world().checkpoints().stored().containsKey(completed.directory())) {
          throw broken(key + " has " + completed + ", which has no metadata");
        }
      }
    }

    private long latestUndamaged(StoredCheckpoints checkpoints) {
      return checkpoints.completed().stream()
          .filter(completed -> !world().checkpoints().isDamaged(completed.directory()))
          .mapToLong(CompletedCheckpoint::number)
          .max()
          .orElse(0);
    }

    private static long latest(StoredCheckpoints checkpoints) {
      return checkpoints.completed().stream()
          .mapToLong(CompletedCheckpoint::number)
          .max()
          .orElse(0);
    }
  }

  /** Tasks restore a checkpoint from its deployment until all tasks of the job run. */
  static final class NeededCheckpointsAreNotDeleted extends Invariant {
    /** The directories that tasks of a job restore. */
    private final Map<JobId, Set<String>> restoring = new LinkedHashMap<>();

    /** The process of the latest JobMaster of a job. */
    private final Map<JobId, String> leaders = new LinkedHashMap<>();

    NeededCheckpointsAreNotDeleted() {
      super(
          "A checkpoint is not deleted while the recovery store has it, or tasks restore it, and"
              + " the job has not ended, it has all its shared files when it completes, and tasks"
              + " can read the state with which they are deployed.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      String process = decided.process().name();
      if (decided.entry().event() instanceof StateRestored restored) {
        JobId job = decided.entry().job().orElseThrow();
        // A leader that has been replaced and does not know it deploys tasks that are refused.
        if (process.equals(leaders.getOrDefault(job, process))) {
          restoring.computeIfAbsent(job, x -> new LinkedHashSet<>()).add(restored.directory());
        }
      } else if (decided.entry().event() instanceof JobMasterStarted) {
        JobId job = decided.entry().job().orElseThrow();
        leaders.put(job, process);
        restoring.remove(job);
      } else if (decided.entry().event() instanceof TasksRunning) {
        restoring.remove(decided.entry().job().orElseThrow());
      }
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CHECKPOINTS)) {
        CheckpointRules.stored(change).stream()
            .flatMap(now -> now.completed().stream())
            .forEach(this::checkFiles);
      }
    }

    private void checkFiles(CompletedCheckpoint completed) {
      CheckpointMetadata metadata = world().checkpoints().stored().get(completed.directory());
      if (metadata != null) {
        for (String file : metadata.sharedFiles()) {
          if (!world().checkpoints().hasFile(shared(completed), file)) {
            throw broken(completed + " has no file " + file);
          }
        }
      }
    }

    private static String shared(CompletedCheckpoint checkpoint) {
      return checkpoint.directory().substring(0, checkpoint.directory().lastIndexOf('/'))
          + "/shared";
    }

    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted deleted) {
      for (SimJob job : world().scenario().jobs()) {
        if (world().store().contains(RESULTS + job.id())) {
          continue;
        }
        CheckpointRules.stored(world(), job.id()).stream()
            .flatMap(known -> known.completed().stream())
            .filter(known -> needs(known, deleted.path()))
            .findFirst()
            .ifPresent(
                known -> {
                  throw broken("Job " + job.id() + " needs " + known + ", which is deleted");
                });
        for (String directory : restoring.getOrDefault(job.id(), Set.of())) {
          if ((directory + "/").startsWith(deleted.path() + "/")) {
            throw broken("Tasks of job " + job.id() + " restore " + directory + ": it is deleted");
          }
        }
      }
    }

    @Override
    protected void stateUnreadable(Fact.StateUnreadable unreadable) {
      if (unreadable
          .task()
          .restore()
          .filter(from -> world().checkpoints().isDamaged(from.directory()))
          .isEmpty()) {
        throw broken(name(unreadable.task()) + " restores its state: " + unreadable.cause());
      }
    }

    /** Whether a checkpoint consists of something at or under a path. */
    private boolean needs(CompletedCheckpoint checkpoint, String path) {
      if ((checkpoint.directory() + "/").startsWith(path + "/")) {
        return true;
      }
      CheckpointMetadata metadata = world().checkpoints().stored().get(checkpoint.directory());
      if (metadata == null) {
        return false;
      }
      return metadata.sharedFiles().stream()
          .anyMatch(file -> (shared(checkpoint) + "/" + file + "/").startsWith(path + "/"));
    }
  }

  static String name(SimDataflowTask task) {
    return task.vertex().name() + " " + task.spec().subtask() + " of job " + task.graph().id();
  }

  /** Deployments of a replaced leader do not count. */
  static final class LatestCheckpointIsRestored extends Invariant {
    private record Notified(long term, long checkpoint) {}

    private final Map<JobId, Notified> notified = new LinkedHashMap<>();

    LatestCheckpointIsRestored() {
      super(
          "Tasks do not start from an older checkpoint than one whose completion was notified to"
              + " TaskManagers.");
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof CheckpointCompleted notice) {
        Notified before = notified.get(notice.job());
        if (before == null || before.checkpoint() < notice.checkpoint()) {
          notified.put(notice.job(), new Notified(notice.jobMaster().term(), notice.checkpoint()));
        }
      } else if (sent.call().message() instanceof DeployTasks deploy) {
        Notified newest = notified.get(deploy.job());
        long restored = deploy.restore().map(restore -> restore.number()).orElse(0L);
        if (newest != null
            && newest.term() <= deploy.jobMaster().term()
            && restored < newest.checkpoint()
            && restored < latestUndamaged(deploy.job(), newest.checkpoint())) {
          throw broken(
              "Job "
                  + deploy.job()
                  + " restores checkpoint "
                  + restored
                  + " after "
                  + newest.checkpoint()
                  + " completed");
        }
      }
    }

    /** The checkpoint itself, or the latest one before it that is not damaged if it is. */
    private long latestUndamaged(JobId job, long checkpoint) {
      return damaged(world(), job).contains(checkpoint)
          ? CheckpointRules.stored(world(), job).stream()
              .flatMap(known -> known.completed().stream())
              .filter(known -> !world().checkpoints().isDamaged(known.directory()))
              .mapToLong(CompletedCheckpoint::number)
              .max()
              .orElse(0)
          : checkpoint;
    }
  }

  /** The numbers of the damaged checkpoints of a job. */
  static Set<Long> damaged(SimulatedWorld world, JobId job) {
    Set<Long> numbers = new LinkedHashSet<>();
    for (CheckpointMetadata metadata : world.checkpoints().damaged().values()) {
      if (metadata.job().equals(job)) {
        numbers.add(metadata.checkpoint());
      }
    }
    return numbers;
  }

  /** Compares the restored state of a task with that of its neighbours. */
  static final class RestoredStateIsConsistent extends Invariant {
    /** Subtasks that finished: their state is not part of later checkpoints. */
    private final Set<String> finished = new LinkedHashSet<>();

    RestoredStateIsConsistent() {
      super("Tasks that are restored together have counted the same records, each key group once.");
    }

    @Override
    protected void taskEnded(Fact.TaskEnded ended) {
      if (ended.state() == TaskState.FINISHED) {
        finished.add(
            ended.task().job()
                + "/"
                + ended.task().spec().vertex()
                + "/"
                + ended.task().spec().subtask());
      }
    }

    @Override
    protected void stateRestored(Fact.StateRestored restored) {
      SimDataflowTask task = restored.task();
      checkComplete(task);
      task.producers().forEach(producer -> compare(producer, task));
      task.consumers().forEach(consumer -> compare(task, consumer));
    }

    private boolean mayHaveFinished(SimDataflowTask task) {
      return finished.contains(
          task.graph().id() + "/" + task.vertex().id() + "/" + task.spec().subtask());
    }

    private void checkComplete(SimDataflowTask task) {
      if (task.restore().isEmpty() || task.hadFinished() || mayHaveFinished(task)) {
        return;
      }
      if (!task.isSource() && task.shards().isEmpty()) {
        throw broken(name(task) + " has no state, although it had not finished");
      }
      if (task.isKeyed()) {
        KeyGroupRange own =
            KeyGroupRange.of(
                task.vertex().maxParallelism(), task.vertex().parallelism(), task.spec().subtask());
        int[] times = new int[task.vertex().maxParallelism() + 1];
        for (SimTaskState.Keyed piece : task.keyedState()) {
          for (int group = piece.groups().first(); group < piece.groups().end(); group++) {
            times[group]++;
          }
        }
        for (int group = 0; group < times.length; group++) {
          if (times[group] != (own.contains(group) ? 1 : 0)) {
            throw broken(
                name(task) + " restores key group " + group + " " + times[group] + " times");
          }
        }
      }
    }

    private void compare(SimDataflowTask producer, SimDataflowTask consumer) {
      List<NavigableMap<String, Long>> sent = new ArrayList<>();
      sent.add(producer.splits());
      producer.shards().forEach(shard -> sent.add(shard.counted()));
      List<NavigableMap<String, Long>> counted = new ArrayList<>();
      consumer.shards().forEach(shard -> counted.add(shard.counted()));
      consumer.keyedState().forEach(piece -> counted.add(piece.counted()));
      for (NavigableMap<String, Long> from : sent) {
        for (NavigableMap<String, Long> to : counted) {
          from.forEach(
              (split, position) -> {
                long there = to.getOrDefault(split, 0L);
                if (there != position) {
                  throw broken(
                      "%s continues %s after %d, and %s has counted it up to %d"
                          .formatted(name(producer), split, position, name(consumer), there));
                }
              });
        }
      }
    }
  }

  /** A job whose checkpoints are retained keeps its directory and nothing in the recovery store. */
  static final class CheckpointsOfEndedJobsAreDeleted extends Invariant {
    private final Map<JobId, JobStatus> ended = new LinkedHashMap<>();
    private final Map<String, StoredCheckpoints> last = new LinkedHashMap<>();

    CheckpointsOfEndedJobsAreDeleted() {
      super("When all jobs have ended, no checkpoint of them is stored unless it is retained.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CHECKPOINTS)) {
        CheckpointRules.stored(change).ifPresent(now -> last.put(change.key(), now));
      } else if (change.key().startsWith(RESULTS) && change.value().isPresent()) {
        EndedJob job = change.value(EndedJob.class).orElseThrow();
        ended.put(job.result().job(), job.result().status());
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      List<String> records = world().store().keys(CHECKPOINTS);
      if (!records.isEmpty()) {
        throw broken(records + " are stored");
      }
      for (SimJob job : world().scenario().jobs()) {
        CheckpointRetention retention =
            job.graph().configuration().get(CheckpointingOptions.EXTERNALIZED_RETENTION);
        JobStatus status = ended.get(job.id());
        boolean retained =
            (status == JobStatus.CANCELED
                    && retention == CheckpointRetention.RETAIN_ON_CANCELLATION)
                || (status == JobStatus.FAILED
                    && retention != CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS);
        List<String> left =
            world().checkpoints().under("/").stream()
                .filter(path -> path.contains(job.id().toString()))
                .filter(path -> !world().checkpoints().ofEarlierRuns().contains(path))
                .toList();
        if (!retained && !left.isEmpty()) {
          throw broken("Job " + job.id() + " is " + status + " and has left " + left);
        }
        if (retained) {
          checkRetained(job.id());
        }
      }
    }

    /** A user who starts a job with a checkpoint sees only the files. */
    private void checkRetained(JobId job) {
      StoredCheckpoints known = last.getOrDefault(CHECKPOINTS + job, StoredCheckpoints.NONE);
      List<CompletedCheckpoint> completed = new ArrayList<>(known.completed());
      completed.addAll(known.abandoned());
      for (CompletedCheckpoint abandoned : known.abandoned()) {
        if (!world().checkpoints().stored().containsKey(abandoned.directory())) {
          throw broken("Job %s has not left %s".formatted(job, abandoned));
        }
      }
      world()
          .checkpoints()
          .stored()
          .forEach(
              (directory, metadata) -> {
                if (metadata.job().equals(job)
                    && !metadata.type().isSavepoint()
                    && completed.stream().noneMatch(own -> own.directory().equals(directory))) {
                  throw broken("Job %s has left %s, not %s".formatted(job, directory, completed));
                }
              });
    }
  }
}

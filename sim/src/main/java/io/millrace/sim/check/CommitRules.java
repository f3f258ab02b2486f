package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.EndedJob;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimTaskState;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.checkpoint.CheckpointMetadata;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Invariants of the records that sinks commit. */
final class CommitRules {
  private CommitRules() {}

  /** Keeps the content of an external system. */
  static final class RecordsAreCommittedOnce extends Invariant {
    private final Map<String, NavigableMap<String, Long>> committed = new LinkedHashMap<>();
    private final Set<String> known = new LinkedHashSet<>();
    private final Map<String, Set<Long>> completed = new LinkedHashMap<>();

    /** Jobs whose latest checkpoint is the savepoint of a stop, with its number. */
    private final Map<JobId, Long> stopped = new LinkedHashMap<>();

    private final Set<JobId> finished = new LinkedHashSet<>();

    /** Jobs that went back behind a damaged checkpoint: they repeat what they had committed. */
    private final Set<JobId> fallenBack = new LinkedHashSet<>();

    RecordsAreCommittedOnce() {
      super(
          "Records are committed only when a checkpoint with them is in the recovery store, each"
              + " exactly once in effect, and all of a job that has finished.");
    }

    @Override
    protected void committed(Fact.Committed commit) {
      if (!fallenBack.contains(commit.task().graph().id())) {
        check(commit);
      }
    }

    @Override
    protected void stateRestored(Fact.StateRestored restored) {
      beginsWith(restored.task());
      noteFallback(restored.task());
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(CheckpointRules.CHECKPOINTS)) {
        CheckpointRules.stored(change).ifPresent(now -> completed(change.key(), now.completed()));
      } else if (change.key().startsWith(CheckpointRules.RESULTS) && change.value().isPresent()) {
        EndedJob ended = change.value(EndedJob.class).orElseThrow();
        if (ended.result().status() == JobStatus.FINISHED) {
          finished.add(ended.result().job());
          world().scenario().jobs().stream()
              .filter(job -> job.id().equals(ended.result().job()))
              .filter(job -> SimDataflow.isCheckpointed(job.graph()))
              .filter(job -> !fallenBack.contains(job.id()))
              .forEach(this::finished);
        }
      }
    }

    private void completed(String key, List<CompletedCheckpoint> now) {
      String job = key.substring(CheckpointRules.CHECKPOINTS.length());
      for (CompletedCheckpoint checkpoint : now) {
        completed.computeIfAbsent(job, x -> new LinkedHashSet<>()).add(checkpoint.number());
      }
      if (!now.isEmpty()) {
        CompletedCheckpoint latest = now.get(now.size() - 1);
        world().scenario().jobs().stream()
            .map(SimJob::id)
            .filter(id -> id.toString().equals(job))
            .forEach(id -> note(id, latest));
      }
    }

    private void note(JobId job, CompletedCheckpoint latest) {
      if (latest.type().stops()) {
        stopped.put(job, latest.number());
      } else {
        stopped.remove(job);
      }
    }

    private void noteFallback(SimDataflowTask task) {
      JobId job = task.graph().id();
      task.restore()
          .filter(from -> isBehindDamaged(job, from.checkpoint()))
          .ifPresent(from -> fallenBack.add(job));
    }

    private boolean isBehindDamaged(JobId job, long checkpoint) {
      return CheckpointRules.damaged(world(), job).stream().anyMatch(number -> number > checkpoint);
    }

    /** The checkpoint of another job that a task is restored from. */
    private Optional<CheckpointMetadata> origin(SimDataflowTask task) {
      return task.restore()
          .map(restore -> world().checkpoints().stored().get(restore.directory()))
          .filter(metadata -> !metadata.job().equals(task.graph().id()));
    }

    /**
     * A job that starts with the state of another one continues its output: after the latest
     * retained checkpoint, or the savepoint of its stop, exactly where that one stopped, after
     * another savepoint where that was taken. A job goes on after the savepoint of a stop if its
     * leader changes before it has ended; then that is another savepoint. If the latest checkpoint
     * is damaged, the user takes one before it, and output is repeated.
     */
    private void beginsWith(SimDataflowTask task) {
      origin(task)
          .filter(origin -> task.isSink())
          .ifPresent(
              origin -> {
                for (SimTaskState.Shard shard : task.shards()) {
                  String name = "/" + task.vertex().id() + "/" + shard.number();
                  NavigableMap<String, Long> first =
                      shard.pending().isEmpty() ? shard.counted() : shard.pending().get(0).from();
                  committed.putIfAbsent(task.graph().id() + name, new TreeMap<>(first));
                  boolean last =
                      origin.type().stops()
                          ? stopped.getOrDefault(origin.job(), 0L) == origin.checkpoint()
                          : !origin.type().isSavepoint();
                  if (last
                      && !fallenBack.contains(origin.job())
                      && !isBehindDamaged(origin.job(), origin.checkpoint())) {
                    continues(task, shard, first, committed.get(origin.job() + name));
                  }
                }
              });
    }

    private void continues(
        SimDataflowTask task,
        SimTaskState.Shard shard,
        NavigableMap<String, Long> first,
        NavigableMap<String, Long> before) {
      if (before != null) {
        before.forEach(
            (split, known) -> {
              long from = first.getOrDefault(split, 0L);
              long to = shard.counted().getOrDefault(split, 0L);
              if (known < from || known > to) {
                throw broken(
                    "%s starts with %s from %d to %d, and the job before committed it up to %d"
                        .formatted(CheckpointRules.name(task), split, from, to, known));
              }
            });
      }
    }

    private void check(Fact.Committed commit) {
      SimTaskState.Committable what = commit.committable();
      String job = commit.task().graph().id().toString();
      boolean isComplete =
          completed.getOrDefault(job, Set.of()).contains(commit.under())
              || origin(commit.task())
                  .filter(origin -> origin.checkpoint() == commit.under())
                  .isPresent();
      if (!isComplete || what.checkpoint() > commit.under()) {
        throw broken(
            CheckpointRules.name(commit.task())
                + " commits output of checkpoint "
                + what.checkpoint()
                + " although "
                + commit.under()
                + " has not completed");
      }
      String shard = job + "/" + commit.task().vertex().id() + "/" + commit.shard();
      if (!known.add(shard + what)) {
        return; // Committing is idempotent.
      }
      NavigableMap<String, Long> before = committed.computeIfAbsent(shard, x -> new TreeMap<>());
      what.to()
          .forEach(
              (split, to) -> {
                long from = what.from().getOrDefault(split, 0L);
                long known = before.getOrDefault(split, 0L);
                if (from != known) {
                  throw broken(
                      "%s commits %s from %d to %d, and has committed it up to %d"
                          .formatted(CheckpointRules.name(commit.task()), split, from, to, known));
                }
                if (to == from
                    && to != SimDataflow.end(split, commit.task().longestRun())
                    && !commit.task().wasStoppedAt(what.checkpoint())) {
                  throw broken(
                      CheckpointRules.name(commit.task())
                          + " commits nothing more of "
                          + split
                          + " after "
                          + to);
                }
              });
      before.putAll(what.to());
    }

    private void finished(SimJob job) {
      for (JobVertex sink : job.graph().vertices()) {
        if (!job.graph().outputsOf(sink.id()).isEmpty()
            || job.graph().inputsOf(sink.id()).isEmpty()) {
          continue;
        }
        for (String split : splitsOf(job.graph(), sink)) {
          // A job that was stopped has committed the same records everywhere.
          long end =
              stopped.containsKey(job.id())
                  ? anywhere(job, split)
                  : SimDataflow.end(split, job.behaviour().longestRun());
          boolean found = stopped.containsKey(job.id());
          for (Map.Entry<String, NavigableMap<String, Long>> shard : committed.entrySet()) {
            Long to = shard.getValue().get(split);
            if (shard.getKey().startsWith(job.id() + "/" + sink.id() + "/") && to != null) {
              found = true;
              if (to != end) {
                throw broken(
                    "Job %s has finished, and %s has committed %s up to %d of %d"
                        .formatted(job.id(), shard.getKey(), split, to, end));
              }
            }
          }
          if (!found) {
            throw broken("Job " + job.id() + " has finished without " + split);
          }
        }
      }
    }

    private long anywhere(SimJob job, String split) {
      return committed.entrySet().stream()
          .filter(shard -> shard.getKey().startsWith(job.id() + "/"))
          .flatMap(shard -> Optional.ofNullable(shard.getValue().get(split)).stream())
          .findFirst()
          .orElse(0L);
    }

    /** The splits of all sources whose records reach a vertex. */
    private static Set<String> splitsOf(JobGraph graph, JobVertex vertex) {
      Set<String> splits = new LinkedHashSet<>();
      List<JobEdge> inputs = graph.inputsOf(vertex.id());
      if (inputs.isEmpty()) {
        for (int i = 0; i < SimDataflow.splits(vertex); i++) {
          splits.add(SimDataflow.split(vertex, i));
        }
      }
      inputs.forEach(edge -> splits.addAll(splitsOf(graph, graph.vertex(edge.source()))));
      return splits;
    }
  }
}

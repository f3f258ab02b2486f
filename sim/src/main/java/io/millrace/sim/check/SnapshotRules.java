package io.millrace.sim.check;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The invariant of snapshots that a TaskManager waits for. */
final class SnapshotRules {
  private SnapshotRules() {}

  /**
   * Such a checkpoint would last until it expires. Nothing is expected of a TaskManager that has
   * lost its JobMaster, or whose JobMaster has given the checkpoint up.
   */
  static final class EndedTasksDeclineCheckpoints extends Invariant {
    /** The task ends, and the TaskManager hears of it, within one moment. */
    private static final long SOON = Duration.ofSeconds(1).toNanos();

    /** The checkpoints that TaskManagers were asked for and have not answered. */
    private final Map<String, Awaited> open = new LinkedHashMap<>();

    private final Map<SimProcess, Set<ExecutionId>> ended = new LinkedHashMap<>();

    /** Those of which a task has ended without a snapshot. */
    private final List<Awaited> due = new ArrayList<>();

    private static final class Awaited {
      private final SimProcess worker;
      private final JobId job;
      private final long checkpoint;
      private final Set<ExecutionId> tasks;
      private boolean accepted;
      private ExecutionId withoutSnapshot;
      private long since;

      Awaited(SimProcess worker, TriggerCheckpoint trigger) {
        this.worker = worker;
        this.job = trigger.job();
        this.checkpoint = trigger.request().checkpoint();
        this.tasks = new LinkedHashSet<>(trigger.tasks());
      }
    }

    EndedTasksDeclineCheckpoints() {
      super(
          "A TaskManager that is asked for a checkpoint declines it when one of the tasks has ended"
              + " without a snapshot.");
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof TriggerCheckpoint trigger) {
        String key = key(called.to().name(), trigger.job(), trigger.request().checkpoint());
        if (!open.containsKey(key)) {
          Awaited awaited = new Awaited(called.to(), trigger);
          open.put(key, awaited);
          ended.getOrDefault(called.to(), Set.of()).stream()
              .filter(awaited.tasks::contains)
              .findFirst()
              .ifPresent(task -> isDue(awaited, task));
        }
      } else if (called.call().message() instanceof CheckpointAborted notice) {
        answered(key(called.to().name(), notice.job(), notice.checkpoint()));
      } else if (called.call().message() instanceof CheckpointCompleted notice) {
        answered(key(called.to().name(), notice.job(), notice.checkpoint()));
      } else if (called.call().message() instanceof JobMasterDrops drops) {
        lost(called.to().name(), drops.job());
      }
    }

    /** A TaskManager refuses the request of a JobMaster that it does not follow. */
    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof TriggerCheckpoint trigger) {
        String key = key(answered.by().name(), trigger.job(), trigger.request().checkpoint());
        if (!(answered.answer() instanceof Envelope.Reply)) {
          due.remove(open.remove(key));
        } else if (open.containsKey(key)) {
          open.get(key).accepted = true;
        }
      }
    }

    @Override
    protected void taskEnded(Fact.TaskEnded fact) {
      if (fact.task().dataflow().isEmpty()) {
        return;
      }
      ExecutionId execution = fact.task().spec().execution();
      SimDataflowTask task = fact.task().dataflow().get();
      ended.computeIfAbsent(fact.host().process(), x -> new LinkedHashSet<>()).add(execution);
      for (Awaited awaited : open.values()) {
        if (awaited.worker == fact.host().process()
            && awaited.tasks.contains(execution)
            && !task.hasStored(awaited.checkpoint)) {
          isDue(awaited, execution);
        }
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof DeclineCheckpoint decline) {
        answered(sent.from() + " " + sent.call().endpoint() + " " + decline.checkpoint());
      } else if (sent.call().message() instanceof AcknowledgeCheckpoint snapshots) {
        answered(sent.from() + " " + sent.call().endpoint() + " " + snapshots.checkpoint());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof JobMasterDisconnected) {
        lost(decided.process().name(), decided.entry().job().orElseThrow());
      }
    }

    @Override
    protected void connectionLost(Fact.ConnectionLost lost) {
      open.values().removeIf(awaited -> awaited.worker == lost.at());
      due.removeIf(awaited -> awaited.worker == lost.at());
    }

    @Override
    protected void afterEvent() {
      for (Awaited awaited : due) {
        if (awaited.worker.isFrozen()) {
          awaited.since = world().nanos();
        }
        if (awaited.accepted
            && awaited.worker.isAlive()
            && world().nanos() - awaited.since > SOON) {
          throw broken(
              "%s has not declined checkpoint %d of job %s, and its task %s has ended"
                  .formatted(
                      awaited.worker.name(),
                      awaited.checkpoint,
                      awaited.job,
                      awaited.withoutSnapshot));
        }
      }
    }

    private void isDue(Awaited awaited, ExecutionId task) {
      if (awaited.withoutSnapshot == null) {
        awaited.withoutSnapshot = task;
        awaited.since = world().nanos();
        due.add(awaited);
      }
    }

    private void answered(String key) {
      Awaited awaited = open.get(key);
      if (awaited != null) {
        due.remove(awaited);
        awaited.tasks.clear();
      }
    }

    private void lost(String worker, JobId job) {
      due.removeIf(awaited -> awaited.worker.name().equals(worker) && awaited.job.equals(job));
      open.values()
          .removeIf(awaited -> awaited.worker.name().equals(worker) && awaited.job.equals(job));
    }

    private static String key(String worker, JobId job, long checkpoint) {
      return worker + " " + ComponentNames.jobMaster(job) + " " + checkpoint;
    }
  }
}

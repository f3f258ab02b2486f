package io.millrace.sim.cluster;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.check.Fact;
import io.millrace.sim.check.SimulatedWorld;
import io.millrace.sim.scenario.Fault;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Faults that wait for the last snapshot of a checkpoint. */
final class CheckpointFaults {
  private static final RecordCodec CODEC = Messages.codec();

  /** A checkpoint is stored in two steps, and the one before is deleted after that. */
  private static final int STEPS = 3;

  private final SimCluster cluster;
  private final FaultInjector injector;
  private final TriggeredFaults armed;

  /** The workers that have not acknowledged a checkpoint, by JobMaster and number. */
  private final Map<String, Set<String>> missing = new LinkedHashMap<>();

  private record RunningTask(SimulatedWorld.Worker worker, SimTaskHost.Task task) {}

  CheckpointFaults(SimCluster cluster, FaultInjector injector, TriggeredFaults armed) {
    this.cluster = cluster;
    this.injector = injector;
    this.armed = armed;
  }

  void triggered(TriggerCheckpoint trigger, String worker) {
    missing
        .computeIfAbsent(
            ComponentNames.jobMaster(trigger.job()) + " " + trigger.request().checkpoint(),
            x -> new LinkedHashSet<>())
        .add(worker);
  }

  void acknowledged(Fact.Called called, AcknowledgeCheckpoint snapshots) {
    String checkpoint = called.call().endpoint() + " " + snapshots.checkpoint();
    Set<String> workers = missing.get(checkpoint);
    if (workers == null || !workers.remove(called.from()) || !workers.isEmpty()) {
      return;
    }
    missing.remove(checkpoint);
    armed
        .triggered(
            Fault.RestartDuringCheckpoint.class,
            fault ->
                called.call().endpoint().equals(ComponentNames.jobMaster(job(fault)))
                    && restartable(job(fault)).isPresent())
        .ifPresent(fault -> injector.later(Duration.ZERO, () -> restart(fault, called.to())));
  }

  private JobId job(Fault.RestartDuringCheckpoint fault) {
    return cluster.scenario().jobs().get(fault.job()).id();
  }

  /** A task of a job that goes back to a checkpoint if it fails. */
  private Optional<RunningTask> restartable(JobId job) {
    boolean hasCheckpoint = !completed(job).isEmpty();
    for (SimulatedWorld.Worker worker : cluster.workers()) {
      for (SimTaskHost.Task task : worker.host().running()) {
        if (task.job().equals(job)
            && !task.isCancelled()
            && (hasCheckpoint || task.dataflow().flatMap(SimDataflowTask::restore).isPresent())) {
          return Optional.of(new RunningTask(worker, task));
        }
      }
    }
    return Optional.empty();
  }

  private List<CompletedCheckpoint> completed(JobId job) {
    return cluster
        .store()
        .read("checkpoints/" + job)
        .map(stored -> CODEC.decode(StoredCheckpoints.class, stored).completed())
        .orElseGet(List::of);
  }

  private void restart(Fault.RestartDuringCheckpoint fault, SimProcess jobManager) {
    Optional<RunningTask> found = restartable(job(fault));
    if (found.isEmpty() || !jobManager.isAlive()) {
      return;
    }
    injector.affected(fault);
    List<CompletedCheckpoint> completed = completed(job(fault));
    if (fault.damages() && completed.size() > 1) {
      CompletedCheckpoint newest = completed.get(completed.size() - 1);
      // A job that a user starts with a savepoint has no other state to go back to.
      if (!newest.type().isSavepoint()) {
        injector.affected("a damaged checkpoint before the newest");
        cluster.checkpoints().damage(newest.directory(), true);
      }
    }
    String worker = found.get().worker().name();
    jobManager.slowIo(fault.longer());
    cluster.simulation().network().faults().slow(worker, fault.longer().toNanos());
    injector.lasts(
        fault,
        fault.longer().multipliedBy(STEPS),
        () -> {
          jobManager.slowIo(Duration.ZERO);
          cluster.simulation().network().faults().slow(worker, 0);
        });
    found.get().worker().host().failNow(found.get().task());
  }
}

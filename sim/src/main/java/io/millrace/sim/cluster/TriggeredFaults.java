package io.millrace.sim.cluster;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.ReleasePartitions;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.rpc.Envelope;
import io.millrace.sim.Coordination;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimNetwork;
import io.millrace.sim.SimProcess;
import io.millrace.sim.check.Fact;
import io.millrace.sim.scenario.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Faults that wait for a fact: a call, a decision or a grant of leadership. A fault happens once,
 * right after the fact that triggers it.
 */
final class TriggeredFaults {
  /** Time for what a process decides at once and starts right after. */
  private static final Duration MOMENT = Duration.ofMillis(1);

  private static final Duration SOON = Duration.ofMillis(20);

  /** After this time a driver has listed its workers to a JobManager that starts. */
  private static final Duration DRIVER_STARTS = Duration.ofMillis(110);

  private final SimCluster cluster;
  private final SimNetwork network;
  private final FaultInjector injector;
  private final List<Fault> armed = new ArrayList<>();

  /** JobMasters and numbers of savepoints that stop jobs, triggered while faults were armed. */
  private final Set<String> stops = new LinkedHashSet<>();

  private final CheckpointFaults checkpoints;
  private final SubmissionFaults submissions;

  TriggeredFaults(SimCluster cluster, FaultInjector injector) {
    this.cluster = cluster;
    this.network = cluster.simulation().network();
    this.injector = injector;
    this.checkpoints = new CheckpointFaults(cluster, injector, this);
    this.submissions = new SubmissionFaults(cluster, injector, this);
  }

  void arm(Fault fault) {
    armed.add(fault);
  }

  void clear() {
    armed.clear();
  }

  void seen(Fact fact) {
    if (armed.isEmpty() && !submissions.isActive()) {
      return;
    }
    if (fact instanceof Fact.Sent sent) {
      seenSent(sent);
    } else if (fact instanceof Fact.Stored stored) {
      submissions.stored(stored);
    } else if (fact instanceof Fact.Decided decided
        && decided.entry().event() instanceof StatusChanged changed
        && changed.status().isTerminal()) {
      staleWrite(Fault.StaleWrite.Moment.END, decided.process());
    } else if (fact instanceof Fact.Called called
        && called.call().message() instanceof SubmitJob submission) {
      submissions.arrived(submission, called.to());
      staleWrite(Fault.StaleWrite.Moment.SUBMISSION, called.to());
    } else if (fact instanceof Fact.Called called && called.call().message() instanceof CancelJob) {
      staleWrite(Fault.StaleWrite.Moment.CANCELLATION, called.to());
    } else if (fact instanceof Fact.Called called
        && called.call().message() instanceof LimitWorkers) {
      staleWrite(Fault.StaleWrite.Moment.LIMIT, called.to());
    } else if (fact instanceof Fact.Called called
        && called.call().message() instanceof AcknowledgeCheckpoint snapshots) {
      staleWrite(Fault.StaleWrite.Moment.CHECKPOINT, called.to());
      checkpoints.acknowledged(called, snapshots);
    } else if (fact instanceof Fact.Decided decided
        && decided.entry().event() instanceof JobRemoved) {
      armed.stream()
          .filter(Fault.SlowBlobRemoval.class::isInstance)
          .map(Fault.SlowBlobRemoval.class::cast)
          .findFirst()
          .ifPresent(fault -> slowRemoval(fault, decided.process()));
    } else if (fact instanceof Fact.Granted granted
        && granted.component().equals(ComponentNames.RESOURCE_MANAGER)
        && cluster.driver().filter(driver -> !driver.alive().isEmpty()).isPresent()) {
      triggered(Fault.WorkerCrashDuringRecovery.class, fault -> true)
          .ifPresent(fault -> loseBeforeStart(fault, granted.process()));
    }
  }

  private void seenSent(Fact.Sent sent) {
    Record message = sent.call().message();
    if (message instanceof TriggerCheckpoint trigger && trigger.request().type().stops()) {
      stops.add(ComponentNames.jobMaster(trigger.job()) + " " + trigger.request().checkpoint());
    }
    if (message instanceof TriggerCheckpoint trigger) {
      checkpoints.triggered(trigger, sent.to());
    }
    if (message instanceof RequestSlot request) {
      triggered(Fault.WorkerLostAtSlotRequest.class, fault -> true)
          .ifPresent(
              fault -> injector.later(Duration.ZERO, () -> pendingSlot(fault, sent, request)));
    }
    triggered(
            Fault.CallFault.class,
            fault -> isCall(fault.call(), sent.call()) && concerns(fault.effect(), sent))
        .ifPresent(fault -> injector.later(Duration.ZERO, () -> atCall(fault, sent)));
  }

  private boolean isCall(Fault.CallFault.Call call, Envelope.Call sent) {
    Record message = sent.message();
    return switch (call) {
      case SLOT_REQUEST -> message instanceof RequestSlot;
      case OFFER -> message instanceof OfferSlots;
      case SLOT_REPORT -> message instanceof ReportSlots;
      case DECLARATION -> message instanceof DeclareRequirements;
      case DEPLOYMENT -> message instanceof DeployTasks;
      case CANCELLATION -> message instanceof CancelTasks;
      case TASK_UPDATE ->
          message instanceof TaskUpdates updates
              && updates.updates().stream().anyMatch(update -> update.state().isTerminal());
      case SLOT_RETURN -> message instanceof FreeSlot;
      case JOB_END ->
          message instanceof JobEnded
              || (message instanceof JobMasterDrops drops && drops.ended())
              || (message instanceof JobMasterLeaves leaves && leaves.ended());
      case JOB_END_REPORT -> message instanceof JobMasterLeaves leaves && leaves.ended();
      case RESULT_RELEASE -> message instanceof ReleasePartitions;
      case CHECKPOINT_OUTCOME -> outcome(message).isPresent();
      case STOP_OUTCOME -> outcome(message).filter(stops::contains).isPresent();
      case STOP_SNAPSHOTS ->
          message instanceof AcknowledgeCheckpoint snapshots
              && stops.contains(sent.endpoint() + " " + snapshots.checkpoint());
    };
  }

  /** The JobMaster and the number of the checkpoint whose outcome a message tells. */
  private static Optional<String> outcome(Record message) {
    if (message instanceof CheckpointCompleted notice) {
      return Optional.of(ComponentNames.jobMaster(notice.job()) + " " + notice.checkpoint());
    }
    return message instanceof CheckpointAborted notice
        ? Optional.of(ComponentNames.jobMaster(notice.job()) + " " + notice.checkpoint())
        : Optional.empty();
  }

  /**
   * Whether the fault applies to the two processes: only JobManagers have sessions, and not every
   * process is restarted.
   */
  private boolean concerns(Fault.CallFault.Effect effect, Fact.Sent sent) {
    return switch (effect) {
      case DUPLICATED, CONNECTION_LOST, HALF_OPEN -> true;
      case CALL_LOST, ANSWER_LOST -> sent.call().correlation() != 0;
      case SENDER_RESTARTS -> cluster.scenario().shape().workerNames().contains(sent.from());
      case SENDER_REPLACED ->
          cluster.coordination().isPresent() && cluster.manager(sent.from()).isPresent();
      case RECEIVER_ENDS -> cluster.process(sent.to()).isPresent();
    };
  }

  private void atCall(Fault.CallFault fault, Fact.Sent sent) {
    String from = sent.from();
    String to = sent.to();
    injector.affected(fault);
    injector.affected("a call " + fault.effect());
    switch (fault.effect()) {
      case DUPLICATED -> network.repeat(from, to, sent.call(), fault.time().toNanos());
      case CALL_LOST -> network.faults().drop(from, to, sent.call(), false);
      case ANSWER_LOST -> network.faults().drop(from, to, sent.call(), true);
      case CONNECTION_LOST -> network.breakConnection(from, to);
      case HALF_OPEN -> network.halfOpen(to, from, fault.time().toNanos(), false);
      case SENDER_RESTARTS ->
          cluster
              .process(from)
              .ifPresent(
                  process -> {
                    process.killUnnoticed(fault.time());
                    injector.later(SOON, () -> cluster.restart(from));
                  });
      case SENDER_REPLACED ->
          cluster
              .manager(from)
              .ifPresent(
                  manager -> {
                    network.partition(from, to);
                    cluster.coordination().orElseThrow().expire(from, fault.time());
                    manager.process.slowIo(fault.time());
                    injector.lasts(
                        fault,
                        fault.time(),
                        () -> {
                          network.heal(from, to);
                          manager.process.slowIo(Duration.ZERO);
                        });
                  });
      case RECEIVER_ENDS -> {
        cluster.kill(to);
        injector.later(fault.time(), () -> cluster.restart(to));
      }
    }
  }

  /** Delays the deletion that the worker starts now, but not what it fetches next. */
  private void slowRemoval(Fault.SlowBlobRemoval fault, SimProcess worker) {
    injector.affected(fault);
    worker.slowIo(fault.longer());
    injector.later(MOMENT, () -> worker.slowIo(Duration.ZERO));
  }

  private void loseBeforeStart(Fault.WorkerCrashDuringRecovery fault, SimProcess jobManager) {
    jobManager.slowIo(fault.longer());
    injector.lasts(fault, fault.longer(), () -> jobManager.slowIo(Duration.ZERO));
    injector.later(
        DRIVER_STARTS,
        () -> {
          List<SimDriver.Started> alive =
              cluster.driver().orElseThrow().alive().stream()
                  .filter(worker -> !worker.isReleased())
                  .toList();
          if (!alive.isEmpty() && jobManager.isAlive()) {
            injector.affected(fault);
            String name = alive.get(fault.which() % alive.size()).name();
            cluster.process(name).ifPresent(SimProcess::kill);
            cluster.driver().orElseThrow().gone(name);
          }
        });
  }

  /** Takes an armed fault of a type, if there is one. */
  <F extends Fault> Optional<F> triggered(Class<F> type, Predicate<F> which) {
    // No stream, because this runs for each call.
    for (Fault fault : armed) {
      if (type.isInstance(fault) && which.test(type.cast(fault))) {
        armed.remove(fault);
        return Optional.of(type.cast(fault));
      }
    }
    return Optional.empty();
  }

  private void pendingSlot(
      Fault.WorkerLostAtSlotRequest fault, Fact.Sent sent, RequestSlot request) {
    String worker = sent.to();
    boolean started =
        cluster.driver().stream()
            .filter(driver -> driver.type() == SimDriver.Type.REMOTE)
            .flatMap(driver -> driver.alive().stream())
            .anyMatch(known -> known.name().equals(worker));
    if (cluster.process(worker).isEmpty()
        || (fault.cause() == Fault.WorkerLostAtSlotRequest.Cause.REPORTED_AS_ENDED && !started)) {
      return;
    }
    injector.affected(fault);
    injector.affected("a slot pending at a worker " + fault.cause());
    switch (fault.cause()) {
      case KILLED -> {
        cluster.kill(worker);
        injector.later(fault.time(), () -> cluster.restart(worker));
      }
      case REPORTED_AS_ENDED -> cluster.driver().orElseThrow().reportEnded(worker);
      case PARTITIONED -> {
        injector.partition(fault, sent.from(), worker, fault.time());
        cluster.client().cancel(request.job());
      }
    }
  }

  private void staleWrite(Fault.StaleWrite.Moment moment, SimProcess process) {
    triggered(Fault.StaleWrite.class, fault -> fault.moment() == moment)
        .ifPresent(fault -> injector.later(Duration.ZERO, () -> staleWrite(fault, process)));
  }

  private void staleWrite(Fault.StaleWrite fault, SimProcess process) {
    Optional<Coordination> coordinator = cluster.coordination();
    if (coordinator.isEmpty() || !process.isAlive()) {
      return;
    }
    injector.affected(fault);
    injector.affected("a stale write at the moment of " + fault.moment());
    coordinator.get().expire(process.name(), fault.unnoticed());
    process.slowIo(fault.longer());
    injector.lasts(fault, fault.unnoticed(), () -> process.slowIo(Duration.ZERO));
  }
}

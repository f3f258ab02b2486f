package io.millrace.sim.cluster;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.ReleasePartitions;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimElection;
import io.millrace.sim.SimNetwork;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import io.millrace.sim.Simulation;
import io.millrace.sim.check.Fact;
import io.millrace.sim.disk.Mount;
import io.millrace.sim.scenario.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Does to a cluster what a scenario says, and undoes it. */
final class FaultInjector {
  /** For what is decided at once and begun right after that. */
  private static final Duration MOMENT = Duration.ofMillis(1);

  private static final Duration SOON = Duration.ofMillis(20);

  /** After this time a driver has told a JobManager that begins which workers there are. */
  private static final Duration DRIVER_STARTS = Duration.ofMillis(110);

  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNetwork network;
  private final Map<String, Integer> effective = new TreeMap<>();

  /** What undoes the faults that last. */
  private final Map<Fault, Runnable> open = new LinkedHashMap<>();

  /** Faults that wait for the moment in which something is seen. */
  private final List<Fault> armed = new ArrayList<>();

  FaultInjector(SimCluster cluster) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
    this.network = simulation.network();
  }

  void schedule(List<Fault> faults) {
    faults.forEach(fault -> simulation.schedule(fault.at(), "fault", () -> happen(fault)));
  }

  /** How many faults of each kind met somebody. */
  Map<String, Integer> effective() {
    return effective;
  }

  /** Ends everything that still goes on. */
  void end() {
    new ArrayList<>(open.values()).forEach(Runnable::run);
    open.clear();
    armed.clear();
    network.breakProbability(0);
    network.echoProbability(0);
    network.lossProbability(0);
    cluster.driver().ifPresent(driver -> driver.mood(SimDriver.Mood.GOOD));
  }

  /** Something is seen that a fault may wait for. It happens right after that. */
  void seen(Fact fact) {
    if (armed.isEmpty()) {
      return;
    }
    if (fact instanceof Fact.Sent sent) {
      seenSent(sent);
    } else if (fact instanceof Fact.Decided decided
        && decided.entry().event() instanceof StatusChanged changed
        && changed.status().isTerminal()) {
      staleWrite(Fault.StaleWrite.Moment.END, decided.process());
    } else if (fact instanceof Fact.Called called && called.call().message() instanceof SubmitJob) {
      staleWrite(Fault.StaleWrite.Moment.SUBMISSION, called.to());
    } else if (fact instanceof Fact.Called called && called.call().message() instanceof CancelJob) {
      staleWrite(Fault.StaleWrite.Moment.CANCELLATION, called.to());
    } else if (fact instanceof Fact.Called called
        && called.call().message() instanceof LimitWorkers) {
      staleWrite(Fault.StaleWrite.Moment.LIMIT, called.to());
    } else if (fact instanceof Fact.Decided decided
        && decided.entry().event() instanceof JobRemoved) {
      armed.stream()
          .filter(Fault.SlowRemoval.class::isInstance)
          .map(Fault.SlowRemoval.class::cast)
          .findFirst()
          .ifPresent(fault -> slowRemoval(fault, decided.process()));
    } else if (fact instanceof Fact.Granted granted
        && granted.component().equals(ComponentNames.RESOURCE_MANAGER)
        && cluster.driver().filter(driver -> !driver.alive().isEmpty()).isPresent()) {
      triggered(Fault.LoseBeforeStart.class, fault -> true)
          .ifPresent(fault -> loseBeforeStart(fault, granted.process()));
    }
  }

  private void seenSent(Fact.Sent sent) {
    Record message = sent.call().message();
    if (message instanceof RequestSlot request) {
      triggered(Fault.PendingSlot.class, fault -> true)
          .ifPresent(fault -> later(Duration.ZERO, () -> pendingSlot(fault, sent, request)));
    }
    triggered(
            Fault.AtCall.class,
            fault -> isCall(fault.call(), message) && concerns(fault.trouble(), sent))
        .ifPresent(fault -> later(Duration.ZERO, () -> atCall(fault, sent)));
  }

  private static boolean isCall(Fault.AtCall.Call call, Record message) {
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
      case RESULT_RELEASE -> message instanceof ReleasePartitions;
    };
  }

  /** Whether it can happen to those two: sessions are JobManagers', and some processes stay. */
  private boolean concerns(Fault.AtCall.Trouble trouble, Fact.Sent sent) {
    return switch (trouble) {
      case REPEATED, LOST, HALF_OPEN -> true;
      case UNHEARD, UNANSWERED -> sent.call().correlation() != 0;
      case SENDER_RESTARTS -> cluster.scenario().shape().workerNames().contains(sent.from());
      case SENDER_REPLACED ->
          cluster.election().isPresent() && cluster.manager(sent.from()).isPresent();
      case RECEIVER_ENDS -> cluster.process(sent.to()).isPresent();
    };
  }

  private void atCall(Fault.AtCall fault, Fact.Sent sent) {
    String from = sent.from();
    String to = sent.to();
    met(fault);
    effective.merge("a call " + fault.trouble(), 1, Integer::sum);
    switch (fault.trouble()) {
      case REPEATED -> network.repeat(from, to, sent.call(), fault.time().toNanos());
      case UNHEARD -> network.drop(from, to, sent.call(), false);
      case UNANSWERED -> network.drop(from, to, sent.call(), true);
      case LOST -> network.breakConnection(from, to);
      case HALF_OPEN -> network.halfOpen(to, from, fault.time().toNanos(), false);
      case SENDER_RESTARTS ->
          cluster
              .process(from)
              .ifPresent(
                  process -> {
                    process.killUnnoticed(fault.time());
                    later(SOON, () -> cluster.restart(from));
                  });
      case SENDER_REPLACED ->
          cluster
              .manager(from)
              .ifPresent(
                  manager -> {
                    network.cut(from, to);
                    cluster.election().orElseThrow().expire(from, fault.time());
                    manager.process.slowIo(fault.time());
                    lasts(
                        fault,
                        fault.time(),
                        () -> {
                          network.mend(from, to);
                          manager.process.slowIo(Duration.ZERO);
                        });
                  });
      case RECEIVER_ENDS -> {
        cluster.kill(to);
        later(fault.time(), () -> cluster.restart(to));
      }
    }
  }

  /** What the worker begins to delete now takes long, and what it fetches next does not. */
  private void slowRemoval(Fault.SlowRemoval fault, SimProcess worker) {
    met(fault);
    worker.slowIo(fault.longer());
    later(MOMENT, () -> worker.slowIo(Duration.ZERO));
  }

  private void loseBeforeStart(Fault.LoseBeforeStart fault, SimProcess jobManager) {
    jobManager.slowIo(fault.longer());
    lasts(fault, fault.longer(), () -> jobManager.slowIo(Duration.ZERO));
    later(
        DRIVER_STARTS,
        () -> {
          List<SimDriver.Started> alive =
              cluster.driver().orElseThrow().alive().stream()
                  .filter(worker -> !worker.isReleased())
                  .toList();
          if (!alive.isEmpty() && jobManager.isAlive()) {
            met(fault);
            String name = alive.get(fault.which() % alive.size()).name();
            cluster.process(name).ifPresent(SimProcess::kill);
            cluster.driver().orElseThrow().gone(name);
          }
        });
  }

  private <F extends Fault> Optional<F> triggered(Class<F> type, Predicate<F> which) {
    Optional<F> first =
        armed.stream().filter(type::isInstance).map(type::cast).filter(which).findFirst();
    first.ifPresent(armed::remove);
    return first;
  }

  private void pendingSlot(Fault.PendingSlot fault, Fact.Sent sent, RequestSlot request) {
    String worker = sent.to();
    boolean started =
        cluster.driver().stream()
            .filter(driver -> driver.type() == SimDriver.Type.REMOTE)
            .flatMap(driver -> driver.alive().stream())
            .anyMatch(known -> known.name().equals(worker));
    if (cluster.process(worker).isEmpty()
        || (fault.way() == Fault.PendingSlot.Way.COUNTED_OUT && !started)) {
      return;
    }
    met(fault);
    effective.merge("a slot pending at a worker " + fault.way(), 1, Integer::sum);
    switch (fault.way()) {
      case KILLED -> {
        cluster.kill(worker);
        later(fault.time(), () -> cluster.restart(worker));
      }
      case COUNTED_OUT -> cluster.driver().orElseThrow().reportEnded(worker);
      case UNWANTED -> {
        cutOff(fault, sent.from(), worker, fault.time());
        cluster.client().cancel(request.job());
      }
    }
  }

  private void staleWrite(Fault.StaleWrite.Moment moment, SimProcess process) {
    triggered(Fault.StaleWrite.class, fault -> fault.moment() == moment)
        .ifPresent(fault -> later(Duration.ZERO, () -> staleWrite(fault, process)));
  }

  private void staleWrite(Fault.StaleWrite fault, SimProcess process) {
    Optional<SimElection> coordinator = cluster.election();
    if (coordinator.isEmpty() || !process.isAlive()) {
      return;
    }
    met(fault);
    effective.merge("a stale write at the moment of " + fault.moment(), 1, Integer::sum);
    coordinator.get().expire(process.name(), fault.unnoticed());
    process.slowIo(fault.longer());
    lasts(fault, fault.unnoticed(), () -> process.slowIo(Duration.ZERO));
  }

  private void comesBack(Fault.ComesBack fault) {
    cluster
        .process(fault.process())
        .ifPresent(
            process -> {
              met(fault);
              process.killUnnoticed(fault.unnoticed());
              cluster.driver().ifPresent(driver -> driver.gone(fault.process()));
              later(fault.down(), () -> cluster.restart(fault.process()));
            });
  }

  private void damagedBlob(Fault.DamagedBlob fault) {
    cluster
        .blobs()
        .damage(fault.which(), fault.lost())
        .ifPresent(
            key -> {
              met(fault);
              lasts(fault, fault.time(), () -> cluster.blobs().restore(key));
            });
  }

  private void halfOpen(Fault.HalfOpen fault) {
    if (network.isConnected(fault.unaware(), fault.aware())) {
      met(fault);
      network.halfOpen(
          fault.unaware(), fault.aware(), fault.unnoticed().toNanos(), fault.endsNew());
    }
  }

  private void happen(Fault fault) {
    simulation.trace().fault(simulation.nanos(), fault.toString());
    if (fault instanceof Fault.Crash crash) {
      cluster
          .process(crash.process())
          .ifPresent(
              process -> {
                met(fault);
                cluster.kill(crash.process());
                later(crash.down(), () -> cluster.restart(crash.process()));
              });
    } else if (fault instanceof Fault.CrashAtWrite crash) {
      cluster.manager(crash.process()).ifPresent(manager -> crashAtWrite(crash, manager));
    } else if (fault instanceof Fault.CrashAtDisk crash) {
      cluster
          .manager(crash.process())
          .ifPresent(manager -> manager.mount.ifPresent(disk -> crashAtDisk(crash, manager, disk)));
    } else if (fault instanceof Fault.CrashAtStart crash) {
      cluster
          .manager(crash.process())
          .ifPresent(
              manager ->
                  cluster.driver().ifPresent(driver -> crashAtStart(crash, manager, driver)));
    } else if (fault instanceof Fault.Freeze freeze) {
      cluster.process(freeze.process()).ifPresent(process -> freeze(freeze, process));
    } else if (fault instanceof Fault.ClockJump jump) {
      cluster
          .process(jump.process())
          .ifPresent(
              process -> {
                met(fault);
                process.jumpClock(jump.by());
              });
    } else if (fault instanceof Fault.BadDriver bad) {
      cluster.driver().ifPresent(driver -> driver.mood(bad.mood()));
      met(fault);
      lasts(
          fault,
          bad.time(),
          () -> cluster.driver().ifPresent(driver -> driver.mood(SimDriver.Mood.GOOD)));
    } else if (fault instanceof Fault.NoTokens none) {
      cluster
          .tokens()
          .ifPresent(
              service -> {
                met(fault);
                service.trouble(none.trouble());
                lasts(fault, none.time(), () -> service.trouble(SimTokens.Trouble.NONE));
              });
    } else if (fault instanceof Fault.PendingSlot
        || fault instanceof Fault.StaleWrite
        || fault instanceof Fault.AtCall
        || fault instanceof Fault.SlowRemoval
        || fault instanceof Fault.LoseBeforeStart) {
      armed.add(fault);
    } else if (fault instanceof Fault.ComesBack back) {
      comesBack(back);
    } else if (fault instanceof Fault.DamagedBlob damaged) {
      damagedBlob(damaged);
    } else if (fault instanceof Fault.HalfOpen half) {
      halfOpen(half);
    } else if (fault instanceof Fault.LoseStarted lose) {
      loseStarted(lose);
    } else if (fault instanceof Fault.LoseNode lose) {
      loseNode(lose);
    } else if (fault instanceof Fault.SessionLoss loss) {
      cluster
          .election()
          .filter(coordinator -> cluster.manager(loss.process()).isPresent())
          .ifPresent(
              coordinator -> {
                met(fault);
                coordinator.expire(loss.process(), loss.unnoticed());
              });
    } else if (fault instanceof Fault.LaggingNews lag) {
      cluster
          .election()
          .ifPresent(
              coordinator -> {
                met(fault);
                coordinator.longestLag(lag.longest());
                lasts(fault, lag.time(), () -> coordinator.longestLag(Duration.ofMillis(20)));
              });
    } else if (fault instanceof Fault.Storage || fault instanceof Fault.SlowStorage) {
      storage(fault);
    } else {
      network(fault);
    }
  }

  private void crashAtWrite(Fault.CrashAtWrite crash, SimCluster.Manager manager) {
    manager.store.killAtChange(crash.before());
    manager.checkpoints.killAtChange(crash.before());
    open.put(
        crash,
        () -> {
          manager.store.cancelKill();
          manager.checkpoints.cancelKill();
        });
    manager.process.onExit(
        () -> {
          open.remove(crash);
          met(crash);
          later(crash.down(), () -> cluster.restart(crash.process()));
        });
  }

  private void crashAtStart(
      Fault.CrashAtStart crash, SimCluster.Manager manager, SimDriver driver) {
    driver.killAtStart(crash.before());
    open.put(crash, driver::cancelKill);
    manager.process.onExit(
        () -> {
          open.remove(crash);
          driver.cancelKill();
          met(crash);
          later(crash.down(), () -> cluster.restart(crash.process()));
        });
  }

  private void crashAtDisk(Fault.CrashAtDisk crash, SimCluster.Manager manager, Mount disk) {
    disk.killAfter(crash.changes());
    open.put(crash, disk::cancelKill);
    manager.process.onExit(
        () -> {
          open.remove(crash);
          met(crash);
          later(
              crash.down(),
              () -> {
                if (crash.power() && cluster.manager(crash.process()).isEmpty()) {
                  cluster.disk().losePower();
                  manager.store.rescan();
                }
                cluster.restart(crash.process());
              });
        });
  }

  private void freeze(Fault.Freeze freeze, SimProcess process) {
    met(freeze);
    process.freeze();
    cluster.election().ifPresent(known -> known.freezes(process.name(), freeze.time()));
    lasts(freeze, freeze.time(), process::thaw);
  }

  private void loseStarted(Fault.LoseStarted lose) {
    List<SimDriver.Started> alive =
        cluster.driver().map(SimDriver::alive).orElseGet(ArrayList::new);
    if (!alive.isEmpty()) {
      met(lose);
      String name = alive.get(lose.which() % alive.size()).name();
      cluster.process(name).ifPresent(SimProcess::kill);
      cluster.driver().orElseThrow().gone(name);
    }
  }

  private void loseNode(Fault.LoseNode lose) {
    List<SimDriver.Started> alive =
        cluster
            .driver()
            .filter(driver -> driver.type() == SimDriver.Type.REMOTE)
            .map(SimDriver::alive)
            .orElseGet(ArrayList::new);
    if (!alive.isEmpty()) {
      met(lose);
      cluster.driver().orElseThrow().reportEnded(alive.get(lose.which() % alive.size()).name());
    }
  }

  private void storage(Fault fault) {
    if (fault instanceof Fault.Storage trouble) {
      Optional<SimCluster.Manager> manager = cluster.manager(trouble.process());
      manager.ifPresent(
          found -> {
            met(fault);
            found.trouble(trouble.trouble());
            lasts(fault, trouble.time(), () -> found.trouble(SimStore.Trouble.NONE));
          });
    } else if (fault instanceof Fault.SlowStorage slow) {
      cluster
          .process(slow.process())
          .ifPresent(
              process -> {
                met(fault);
                process.slowIo(slow.longer());
                lasts(fault, slow.time(), () -> process.slowIo(Duration.ZERO));
              });
    } else {
      throw new IllegalArgumentException("Unknown fault " + fault);
    }
  }

  private void network(Fault fault) {
    met(fault);
    if (fault instanceof Fault.Partition cut) {
      if (cut.oneWay()) {
        network.cut(cut.from(), cut.to());
        lasts(fault, cut.time(), () -> network.mend(cut.from(), cut.to()));
      } else {
        cutOff(fault, cut.from(), cut.to(), cut.time());
      }
    } else if (fault instanceof Fault.Isolate cut) {
      List<String> others = everybody();
      others.remove(cut.process());
      for (String other : others) {
        network.cut(cut.process(), other);
        network.cut(other, cut.process());
      }
      lasts(
          fault,
          cut.time(),
          () -> {
            for (String other : others) {
              network.mend(cut.process(), other);
              network.mend(other, cut.process());
            }
          });
    } else if (fault instanceof Fault.Break broken) {
      network.breakConnection(broken.one(), broken.other());
    } else if (fault instanceof Fault.Flaky flaky) {
      network.breakProbability(flaky.probability());
      lasts(fault, flaky.time(), () -> network.breakProbability(0));
    } else if (fault instanceof Fault.Echo echo) {
      network.echoProbability(echo.probability());
      lasts(fault, echo.time(), () -> network.echoProbability(0));
    } else if (fault instanceof Fault.Loss loss) {
      network.lossProbability(loss.probability());
      lasts(fault, loss.time(), () -> network.lossProbability(0));
    } else if (fault instanceof Fault.Slow slow) {
      network.slow(slow.process(), slow.longer().toNanos());
      lasts(fault, slow.time(), () -> network.slow(slow.process(), 0));
    } else if (fault instanceof Fault.SlowHeartbeats slow) {
      network.slowHeartbeats(slow.process(), slow.longer().toNanos());
      lasts(fault, slow.time(), () -> network.slowHeartbeats(slow.process(), 0));
    } else {
      throw new IllegalArgumentException("Unknown fault " + fault);
    }
  }

  private void cutOff(Fault fault, String one, String other, Duration time) {
    network.cut(one, other);
    network.cut(other, one);
    lasts(
        fault,
        time,
        () -> {
          network.mend(one, other);
          network.mend(other, one);
        });
  }

  private List<String> everybody() {
    List<String> all = new ArrayList<>(cluster.scenario().shape().jobManagerNames());
    cluster.workers().forEach(worker -> all.add(worker.name()));
    all.add("client");
    return all;
  }

  private void met(Fault fault) {
    effective.merge(fault.kind(), 1, Integer::sum);
  }

  private void later(Duration time, Runnable action) {
    simulation.schedule(time, "supervisor", action);
  }

  private void lasts(Fault fault, Duration time, Runnable undo) {
    open.put(fault, undo);
    simulation.schedule(
        time,
        "fault over",
        () -> {
          if (open.remove(fault, undo)) {
            simulation.trace().fault(simulation.nanos(), "over: " + fault);
            undo.run();
          }
        });
  }
}

package io.millrace.sim.cluster;

import io.millrace.core.codec.RecordCodec;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimNetwork;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import io.millrace.sim.Simulation;
import io.millrace.sim.check.Fact;
import io.millrace.sim.disk.Mount;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Injects the faults of a scenario into a cluster and ends them. */
final class FaultInjector {
  private static final RecordCodec CODEC = Messages.codec();

  /** The time between two looks for a checkpoint that can be damaged. */
  private static final Duration RETRY = Duration.ofMillis(20);

  /** The time between the announced end of a worker and its end. */
  private static final Duration TAKEN_AWAY_AFTER = Duration.ofSeconds(2);

  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNetwork network;
  private final Map<String, Integer> effective = new TreeMap<>();

  /** The actions that end faults with a duration. */
  private final Map<Fault, Runnable> open = new LinkedHashMap<>();

  private final TriggeredFaults triggered;

  FaultInjector(SimCluster cluster) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
    this.network = simulation.network();
    this.triggered = new TriggeredFaults(cluster, this);
  }

  /** A fact for which a fault may wait. The fault happens right after it. */
  void seen(Fact fact) {
    triggered.seen(fact);
  }

  void schedule(List<Fault> faults) {
    faults.forEach(fault -> simulation.schedule(fault.at(), "fault", () -> happen(fault)));
  }

  /** How many faults of each kind have affected a process. */
  Map<String, Integer> effective() {
    return effective;
  }

  /** Ends all faults. */
  void end() {
    new ArrayList<>(open.values()).forEach(Runnable::run);
    open.clear();
    triggered.clear();
    network.faults().breakProbability(0);
    network.faults().echoProbability(0);
    network.faults().lossProbability(0);
    cluster.driver().ifPresent(driver -> driver.failureRates(SimDriver.FailureRates.NONE));
  }

  private void comesBack(Fault.MachineRestart fault) {
    cluster
        .process(fault.process())
        .ifPresent(
            process -> {
              affected(fault);
              process.killUnnoticed(fault.unnoticed());
              cluster.driver().ifPresent(driver -> driver.gone(fault.process()));
              later(fault.down(), () -> cluster.restart(fault.process()));
            });
  }

  /** Waits until a job has several checkpoints. */
  private void damagedCheckpoint(Fault.DamagedCheckpoint fault) {
    List<String> newest = new ArrayList<>();
    for (SimJob job : cluster.scenario().jobs()) {
      cluster
          .store()
          .read("checkpoints/" + job.id())
          .filter(stored -> !cluster.store().contains("results/" + job.id()))
          .map(stored -> CODEC.decode(StoredCheckpoints.class, stored).completed())
          .filter(completed -> completed.size() > 1)
          .map(completed -> completed.get(completed.size() - 1))
          // A job that a user starts with a savepoint has no other state to go back to.
          .filter(last -> !last.type().isSavepoint())
          .map(CompletedCheckpoint::directory)
          .filter(directory -> !cluster.checkpoints().isDamaged(directory))
          .ifPresent(newest::add);
    }
    if (newest.isEmpty()) {
      if (simulation.nanos() < cluster.scenario().calm().minus(RETRY).toNanos()) {
        later(RETRY, () -> damagedCheckpoint(fault));
      }
      return;
    }
    affected(fault);
    cluster.checkpoints().damage(newest.get(fault.which() % newest.size()), fault.file());
    happen(new Fault.Crash(fault.at(), fault.process(), fault.down()));
  }

  private void damagedBlob(Fault.DamagedBlob fault) {
    cluster
        .blobs()
        .damage(fault.which(), fault.lost())
        .ifPresent(
            key -> {
              affected(fault);
              lasts(fault, fault.time(), () -> cluster.blobs().restore(key));
            });
  }

  private void halfOpen(Fault.HalfOpen fault) {
    if (network.isConnected(fault.unaware(), fault.aware())) {
      affected(fault);
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
                affected(fault);
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
                affected(fault);
                process.jumpClock(jump.by());
              });
    } else if (fault instanceof Fault.DriverFailure bad) {
      cluster.driver().ifPresent(driver -> driver.failureRates(bad.rates()));
      affected(fault);
      lasts(
          fault,
          bad.time(),
          () ->
              cluster
                  .driver()
                  .ifPresent(driver -> driver.failureRates(SimDriver.FailureRates.NONE)));
    } else if (fault instanceof Fault.TokenServiceFailure none) {
      cluster
          .tokens()
          .ifPresent(
              service -> {
                affected(fault);
                service.failureMode(none.mode());
                lasts(fault, none.time(), () -> service.failureMode(SimTokens.FailureMode.NONE));
              });
    } else if (fault instanceof Fault.WorkerLostAtSlotRequest
        || fault instanceof Fault.StaleWrite
        || fault instanceof Fault.CallFault
        || fault instanceof Fault.SlowBlobRemoval
        || fault instanceof Fault.SubmissionAtCleanUp
        || fault instanceof Fault.RestartDuringCheckpoint
        || fault instanceof Fault.WorkerCrashDuringRecovery) {
      triggered.arm(fault);
    } else if (fault instanceof Fault.MachineRestart back) {
      comesBack(back);
    } else if (fault instanceof Fault.DamagedCheckpoint damaged) {
      damagedCheckpoint(damaged);
    } else if (fault instanceof Fault.DamagedBlob damaged) {
      damagedBlob(damaged);
    } else if (fault instanceof Fault.HalfOpen half) {
      halfOpen(half);
    } else if (fault instanceof Fault.WorkerCrash lose) {
      loseStarted(lose);
    } else if (fault instanceof Fault.NodeLoss lose) {
      loseNode(lose);
    } else if (fault instanceof Fault.WorkerDraining draining) {
      drain(draining);
    } else if (fault instanceof Fault.SessionLoss loss) {
      cluster
          .coordination()
          .filter(coordinator -> cluster.manager(loss.process()).isPresent())
          .ifPresent(
              coordinator -> {
                affected(fault);
                coordinator.expire(loss.process(), loss.unnoticed());
              });
    } else if (fault instanceof Fault.LeaderNotificationDelay lag) {
      cluster
          .coordination()
          .ifPresent(
              coordinator -> {
                affected(fault);
                coordinator.longestLag(lag.longest());
                lasts(fault, lag.time(), () -> coordinator.longestLag(Duration.ofMillis(20)));
              });
    } else if (fault instanceof Fault.CoordinatorLoss loss) {
      cluster
          .zooKeeper()
          .filter(servers -> cluster.process(loss.process()).isPresent())
          .ifPresent(
              servers -> {
                affected(fault);
                servers.cut(loss.process(), true);
                lasts(fault, loss.time(), () -> servers.cut(loss.process(), false));
              });
    } else if (fault instanceof Fault.RefusedConnections refused) {
      cluster
          .zooKeeper()
          .filter(servers -> cluster.manager(refused.process()).isPresent())
          .ifPresent(
              servers -> {
                affected(fault);
                servers.peers().refuse(refused.process(), true);
                lasts(
                    fault, refused.time(), () -> servers.peers().refuse(refused.process(), false));
              });
    } else if (fault instanceof Fault.StorageFailure || fault instanceof Fault.SlowStorage) {
      storage(fault);
    } else {
      network(fault);
    }
  }

  private void crashAtWrite(Fault.CrashAtWrite crash, SimJobManager manager) {
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
          affected(crash);
          later(crash.down(), () -> cluster.restart(crash.process()));
        });
  }

  private void crashAtStart(Fault.CrashAtStart crash, SimJobManager manager, SimDriver driver) {
    driver.killAtStart(crash.before());
    open.put(crash, driver::cancelKill);
    manager.process.onExit(
        () -> {
          open.remove(crash);
          driver.cancelKill();
          affected(crash);
          later(crash.down(), () -> cluster.restart(crash.process()));
        });
  }

  private void crashAtDisk(Fault.CrashAtDisk crash, SimJobManager manager, Mount disk) {
    disk.killAfter(crash.changes());
    open.put(crash, disk::cancelKill);
    manager.process.onExit(
        () -> {
          open.remove(crash);
          affected(crash);
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
    affected(freeze);
    process.freeze();
    cluster.coordination().ifPresent(known -> known.freezes(process.name(), freeze.time()));
    lasts(freeze, freeze.time(), process::thaw);
  }

  private void loseStarted(Fault.WorkerCrash lose) {
    List<SimDriver.Started> alive =
        cluster.driver().map(SimDriver::alive).orElseGet(ArrayList::new);
    if (!alive.isEmpty()) {
      affected(lose);
      String name = alive.get(lose.which() % alive.size()).name();
      cluster.process(name).ifPresent(SimProcess::kill);
      cluster.driver().orElseThrow().gone(name);
    }
  }

  private void loseNode(Fault.NodeLoss lose) {
    List<SimDriver.Started> alive =
        cluster
            .driver()
            .filter(driver -> driver.type() == SimDriver.Type.REMOTE)
            .map(SimDriver::alive)
            .orElseGet(ArrayList::new);
    if (!alive.isEmpty()) {
      affected(lose);
      cluster.driver().orElseThrow().reportEnded(alive.get(lose.which() % alive.size()).name());
    }
  }

  /** The worker is taken away a moment after the announced time, so that it should be released. */
  private void drain(Fault.WorkerDraining fault) {
    SimDriver driver = cluster.driver().orElseThrow();
    List<String> running =
        driver.alive().stream()
            .filter(worker -> !worker.isReleased())
            .map(SimDriver.Started::name)
            .toList();
    if (driver.type() == SimDriver.Type.REMOTE && !running.isEmpty()) {
      affected(fault);
      String name = running.get(fault.which() % running.size());
      driver.drain(name, fault.time());
      lasts(
          fault,
          fault.time().plus(TAKEN_AWAY_AFTER),
          () -> {
            cluster.process(name).ifPresent(SimProcess::kill);
            driver.gone(name);
          });
    }
  }

  private void storage(Fault fault) {
    if (fault instanceof Fault.StorageFailure failing) {
      Optional<SimJobManager> manager = cluster.manager(failing.process());
      manager.ifPresent(
          found -> {
            affected(fault);
            found.failureMode(failing.mode());
            lasts(fault, failing.time(), () -> found.failureMode(SimStore.FailureMode.NONE));
          });
    } else if (fault instanceof Fault.SlowStorage slow) {
      cluster
          .process(slow.process())
          .ifPresent(
              process -> {
                affected(fault);
                process.slowIo(slow.longer());
                lasts(fault, slow.time(), () -> process.slowIo(Duration.ZERO));
              });
    } else {
      throw new IllegalArgumentException("Unknown fault " + fault);
    }
  }

  private void network(Fault fault) {
    affected(fault);
    if (fault instanceof Fault.Partition cut) {
      if (cut.oneWay()) {
        network.partition(cut.from(), cut.to());
        lasts(fault, cut.time(), () -> network.heal(cut.from(), cut.to()));
      } else {
        partition(fault, cut.from(), cut.to(), cut.time());
      }
    } else if (fault instanceof Fault.Isolate cut) {
      List<String> others = allProcesses();
      others.remove(cut.process());
      for (String other : others) {
        network.partition(cut.process(), other);
        network.partition(other, cut.process());
      }
      lasts(
          fault,
          cut.time(),
          () -> {
            for (String other : others) {
              network.heal(cut.process(), other);
              network.heal(other, cut.process());
            }
          });
    } else if (fault instanceof Fault.ConnectionBreak broken) {
      network.breakConnection(broken.one(), broken.other());
    } else if (fault instanceof Fault.FlakyConnections flaky) {
      network.faults().breakProbability(flaky.probability());
      lasts(fault, flaky.time(), () -> network.faults().breakProbability(0));
    } else if (fault instanceof Fault.DuplicateCalls echo) {
      network.faults().echoProbability(echo.probability());
      lasts(fault, echo.time(), () -> network.faults().echoProbability(0));
    } else if (fault instanceof Fault.MessageLoss loss) {
      network.faults().lossProbability(loss.probability());
      lasts(fault, loss.time(), () -> network.faults().lossProbability(0));
    } else if (fault instanceof Fault.NetworkDelay slow) {
      network.faults().slow(slow.process(), slow.longer().toNanos());
      lasts(fault, slow.time(), () -> network.faults().slow(slow.process(), 0));
    } else if (fault instanceof Fault.SlowHeartbeats slow) {
      network.faults().slowHeartbeats(slow.process(), slow.longer().toNanos());
      lasts(fault, slow.time(), () -> network.faults().slowHeartbeats(slow.process(), 0));
    } else {
      throw new IllegalArgumentException("Unknown fault " + fault);
    }
  }

  void partition(Fault fault, String one, String other, Duration time) {
    network.partition(one, other);
    network.partition(other, one);
    lasts(
        fault,
        time,
        () -> {
          network.heal(one, other);
          network.heal(other, one);
        });
  }

  private List<String> allProcesses() {
    List<String> all = new ArrayList<>(cluster.scenario().shape().jobManagerNames());
    cluster.workers().forEach(worker -> all.add(worker.name()));
    all.add("client");
    return all;
  }

  /** A fault has affected a process. */
  void affected(Fault fault) {
    affected(fault.kind());
  }

  void affected(String kind) {
    effective.merge(kind, 1, Integer::sum);
  }

  void later(Duration time, Runnable action) {
    simulation.schedule(time, "supervisor", action);
  }

  /** Ends a fault after its time, or with all other faults. */
  void lasts(Fault fault, Duration time, Runnable undo) {
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

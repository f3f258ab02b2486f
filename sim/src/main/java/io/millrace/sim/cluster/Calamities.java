package io.millrace.sim.cluster;

import io.millrace.sim.SimDriver;
import io.millrace.sim.SimNetwork;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import io.millrace.sim.Simulation;
import io.millrace.sim.scenario.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Does to a cluster what a scenario says, and undoes it. */
final class Calamities {
  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNetwork network;
  private final Map<String, Integer> effective = new TreeMap<>();

  /** What undoes the faults that last. */
  private final Map<Fault, Runnable> open = new LinkedHashMap<>();

  Calamities(SimCluster cluster) {
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
    network.breakProbability(0);
    network.echoProbability(0);
    cluster.driver().ifPresent(driver -> driver.mood(SimDriver.Mood.GOOD));
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
    open.put(crash, manager.store::spare);
    manager.process.whenGone(
        () -> {
          open.remove(crash);
          met(crash);
          later(crash.down(), () -> cluster.restart(crash.process()));
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
        cluster.driver().map(SimDriver::alive).orElseGet(ArrayList::new);
    if (!alive.isEmpty()) {
      met(lose);
      cluster.driver().orElseThrow().countOut(alive.get(lose.which() % alive.size()).name());
    }
  }

  private void storage(Fault fault) {
    if (fault instanceof Fault.Storage trouble) {
      Optional<SimCluster.Manager> manager = cluster.manager(trouble.process());
      manager.ifPresent(
          found -> {
            met(fault);
            found.store.trouble(trouble.trouble());
            found.blobs.trouble(trouble.trouble());
            lasts(
                fault,
                trouble.time(),
                () -> {
                  found.store.trouble(SimStore.Trouble.NONE);
                  found.blobs.trouble(SimStore.Trouble.NONE);
                });
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
    }
  }

  private void network(Fault fault) {
    met(fault);
    if (fault instanceof Fault.Partition cut) {
      network.cut(cut.from(), cut.to());
      if (!cut.oneWay()) {
        network.cut(cut.to(), cut.from());
      }
      lasts(
          fault,
          cut.time(),
          () -> {
            network.mend(cut.from(), cut.to());
            network.mend(cut.to(), cut.from());
          });
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
    } else if (fault instanceof Fault.Slow slow) {
      network.slow(slow.process(), slow.longer().toNanos());
      lasts(fault, slow.time(), () -> network.slow(slow.process(), 0));
    }
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

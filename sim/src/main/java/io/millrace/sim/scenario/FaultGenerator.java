package io.millrace.sim.scenario;

import io.millrace.sim.SimDriver;
import io.millrace.sim.SimDriver.FailureRates;
import io.millrace.sim.SimStore.FailureMode;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.Scenario.StoreType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Draws the faults of a scenario. */
final class FaultGenerator {
  private final ScenarioKind kind;
  private final Shape shape;
  private final Random random;

  FaultGenerator(ScenarioKind kind, Shape shape, Random random) {
    this.kind = kind;
    this.shape = shape;
    this.random = random;
  }

  List<Fault> faults(int window) {
    List<Fault> faults = new ArrayList<>();
    int count =
        switch (kind) {
          case CALM -> 0;
          case MIXED -> 2 + random.nextInt(7);
          default -> 1 + random.nextInt(5);
        };
    for (int i = 0; i < count; i++) {
      Fault fault = fault(kind, millis(random.nextInt(window)));
      faults.add(fault);
      if (fault instanceof Fault.SessionLoss loss && random.nextBoolean()) {
        // A JobManager that does not notice continues as before.
        faults.add(
            new Fault.LeaderNotificationDelay(
                loss.at(), time(1_000, 8_000), loss.unnoticed().plus(time(1_000, 20_000))));
      }
    }
    if (kind == ScenarioKind.ELASTIC && random.nextBoolean()) {
      // Most workers are requested at the beginning.
      faults.add(new Fault.DriverFailure(Duration.ZERO, failureRates(), time(5_000, 30_000)));
    }
    if (kind == ScenarioKind.STORAGE && random.nextInt(2) == 0) {
      // Faults of the storage matter to a JobManager that has to recover.
      faults.add(new Fault.Crash(millis(random.nextInt(window)), jobManager(), time(200, 5_000)));
    }
    if (kind != ScenarioKind.CALM && shape.needsTokens() && random.nextInt(2) == 0) {
      faults.add(
          new Fault.TokenServiceFailure(
              millis(random.nextInt(window)),
              random.nextBoolean() ? SimTokens.FailureMode.FAILING : SimTokens.FailureMode.HANGING,
              time(5_000, 40_000)));
    }
    faults.sort(Comparator.comparing(Fault::at));
    return faults;
  }

  /**
   * Faults that were added later. They have a random stream of their own, so that all other draws
   * stay as they were.
   */
  List<Fault> more(Random later, int window) {
    List<Fault> faults = new ArrayList<>();
    if (kind != ScenarioKind.CALM) {
      FaultGenerator drawing = new FaultGenerator(kind, shape, later);
      for (int i = later.nextInt(3); i > 0; i--) {
        faults.add(drawing.later(kind, millis(later.nextInt(window))));
      }
      if (shape.elastic() && shape.driver() == SimDriver.Type.PROCESS && later.nextBoolean()) {
        // Workers are requested when jobs are submitted, mostly at the beginning.
        faults.add(
            new Fault.CrashAtStart(
                millis(later.nextInt(window / 4)),
                drawing.jobManager(),
                later.nextBoolean(),
                drawing.time(100, 5_000)));
      }
      if (shape.storeType() == StoreType.FILE || shape.storeType() == StoreType.FENCED) {
        for (int i = later.nextInt(3); i > 0; i--) {
          faults.add(drawing.crashAtDisk(millis(later.nextInt(window))));
        }
      }
    }
    return faults;
  }

  /** Faults that were added after those, from another stream for the same reason. */
  List<Fault> moreStill(Random latest, List<ClientAction> acts, int window) {
    List<Fault> faults = new ArrayList<>();
    if (kind == ScenarioKind.CALM) {
      return faults;
    }
    FaultGenerator drawing = new FaultGenerator(kind, shape, latest);
    boolean coordinated = shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
    if ((kind == ScenarioKind.NETWORK || kind == ScenarioKind.MIXED) && latest.nextInt(3) > 0) {
      faults.add(
          new Fault.MessageLoss(
              drawing.whileJobsRun(acts, 500),
              0.02 + latest.nextDouble() * 0.3,
              drawing.time(2_000, 20_000)));
    }
    if ((kind == ScenarioKind.NETWORK || kind == ScenarioKind.MIXED) && latest.nextInt(3) > 0) {
      faults.add(
          new Fault.HalfOpen(
              drawing.whileJobsRun(acts, 12_000),
              drawing.worker(),
              drawing.jobManager(),
              drawing.time(5_500, 20_000),
              latest.nextBoolean()));
    }
    if (kind == ScenarioKind.WORKERS && latest.nextInt(4) > 0) {
      faults.add(
          new Fault.MachineRestart(
              drawing.whileJobsRun(acts, 12_000),
              drawing.worker(),
              drawing.time(10, 1_000),
              drawing.time(5_000, 20_000)));
    }
    if (coordinated && latest.nextInt(kind == ScenarioKind.JOBMANAGERS ? 3 : 2) > 0) {
      faults.add(drawing.staleWrite(acts));
    }
    if (kind == ScenarioKind.JOBMANAGERS && latest.nextBoolean()) {
      Duration at = millis(latest.nextInt(window));
      Duration unnoticed = drawing.time(1, 10_000);
      faults.add(new Fault.SessionLoss(at, drawing.jobManager(), unnoticed));
      faults.add(
          new Fault.LeaderNotificationDelay(
              at, drawing.time(1_000, 8_000), unnoticed.plus(drawing.time(1_000, 20_000))));
    }
    if (kind == ScenarioKind.STORAGE || kind == ScenarioKind.WORKERS) {
      for (ClientAction act : acts) {
        // Workers fetch the jars of a job when its first tasks are deployed.
        if (act instanceof ClientAction.Submit && latest.nextInt(3) == 0) {
          faults.add(
              new Fault.DamagedBlob(
                  act.at().plus(drawing.time(1, 200)),
                  latest.nextInt(6),
                  latest.nextBoolean(),
                  drawing.time(500, 10_000)));
        }
      }
    }
    if ((kind == ScenarioKind.WORKERS || kind == ScenarioKind.MIXED) && latest.nextInt(3) == 0) {
      faults.add(
          new Fault.SlowStorage(
              millis(latest.nextInt(window / 2)),
              drawing.worker(),
              drawing.time(50, 3_000),
              drawing.time(2_000, 20_000)));
    }
    return faults;
  }

  static Duration before(ClientAction act) {
    Duration at = act.at().minusMillis(1);
    return at.isNegative() ? Duration.ZERO : at;
  }

  /** A time soon after some job was submitted. */
  Duration whileJobsRun(List<ClientAction> acts, int mostMillis) {
    List<Duration> submissions =
        acts.stream()
            .filter(act -> act instanceof ClientAction.Submit)
            .map(ClientAction::at)
            .toList();
    return submissions.isEmpty()
        ? time(0, mostMillis)
        : submissions.get(random.nextInt(submissions.size())).plus(time(0, mostMillis));
  }

  /** Armed right before the request that leads to such a write. */
  private Fault staleWrite(List<ClientAction> acts) {
    List<Fault.StaleWrite.Moment> moments =
        List.of(
            Fault.StaleWrite.Moment.END,
            Fault.StaleWrite.Moment.SUBMISSION,
            Fault.StaleWrite.Moment.CANCELLATION);
    Fault.StaleWrite.Moment moment = moments.get(random.nextInt(moments.size()));
    List<Duration> times =
        acts.stream()
            .filter(
                act ->
                    moment == Fault.StaleWrite.Moment.CANCELLATION
                        ? act instanceof ClientAction.Cancel
                        : act instanceof ClientAction.Submit)
            .map(ClientAction::at)
            .toList();
    Duration at =
        times.isEmpty() ? Duration.ZERO : times.get(random.nextInt(times.size())).minusMillis(1);
    return new Fault.StaleWrite(
        at.isNegative() ? Duration.ZERO : at,
        moment,
        time(100, 8_000),
        time(20, random.nextBoolean() ? 300 : 4_000));
  }

  private Fault later(ScenarioKind about, Duration at) {
    return switch (about) {
      case WORKERS -> random.nextBoolean() ? pendingSlot(at) : comesBack(at, restartedProcess());
      case NETWORK -> random.nextInt(3) == 0 ? comesBack(at, restartedProcess()) : halfOpen(at);
      case JOBMANAGERS, ZOOKEEPER ->
          random.nextInt(3) == 0 ? comesBack(at, jobManager()) : staleEnd(at);
      case STORAGE -> random.nextInt(3) == 0 ? comesBack(at, jobManager()) : damagedBlob(at);
      case ELASTIC -> random.nextInt(3) == 0 ? halfOpen(at) : pendingSlot(at);
      case MIXED, CALM -> {
        ScenarioKind[] kinds = {
          ScenarioKind.WORKERS,
          ScenarioKind.NETWORK,
          ScenarioKind.JOBMANAGERS,
          ScenarioKind.STORAGE,
          ScenarioKind.ELASTIC
        };
        yield later(kinds[random.nextInt(kinds.length)], at);
      }
    };
  }

  private Fault pendingSlot(Duration at) {
    Fault.WorkerLostAtSlotRequest.Cause[] ways = Fault.WorkerLostAtSlotRequest.Cause.values();
    // Slots are requested when jobs are submitted, mostly at the beginning.
    return new Fault.WorkerLostAtSlotRequest(
        at.dividedBy(4), ways[random.nextInt(ways.length)], time(1_000, 40_000));
  }

  /** Workers that are started on demand are not restarted. */
  private String restartedProcess() {
    return shape.elastic() || random.nextInt(3) == 0 ? jobManager() : worker();
  }

  private Fault comesBack(Duration at, String process) {
    return new Fault.MachineRestart(
        at, process, time(10, random.nextBoolean() ? 500 : 5_000), time(5, 20_000));
  }

  private Fault halfOpen(Duration at) {
    String one = anyProcess();
    String other = peerOf(one);
    boolean swapped = random.nextBoolean();
    return new Fault.HalfOpen(
        at,
        swapped ? other : one,
        swapped ? one : other,
        time(5, random.nextBoolean() ? 500 : 20_000),
        random.nextBoolean());
  }

  private Fault staleEnd(Duration at) {
    return new Fault.StaleWrite(
        at.dividedBy(2), Fault.StaleWrite.Moment.END, time(1, 5_000), time(1, 200));
  }

  private Fault crashAtDisk(Duration at) {
    return new Fault.CrashAtDisk(
        at, jobManager(), random.nextInt(10), random.nextInt(3) > 0, time(100, 5_000));
  }

  private Fault damagedBlob(Duration at) {
    return new Fault.DamagedBlob(at, random.nextInt(6), random.nextBoolean(), time(100, 20_000));
  }

  private Fault fault(ScenarioKind about, Duration at) {
    return switch (about) {
      case WORKERS -> ofWorkers(at);
      case NETWORK -> ofNetwork(at);
      case JOBMANAGERS -> ofJobManagers(at);
      case STORAGE -> ofStorage(at);
      case ZOOKEEPER -> ofZooKeeper(at);
      case ELASTIC ->
          switch (random.nextInt(4)) {
            // Workers are requested when jobs are submitted, mostly at the beginning.
            case 0, 1 ->
                new Fault.DriverFailure(at.dividedBy(4), failureRates(), time(5_000, 40_000));
            case 2 -> new Fault.WorkerCrash(at, random.nextInt(4));
            default -> random.nextBoolean() ? ofJobManagers(at) : ofNetwork(at);
          };
      case MIXED, CALM -> {
        ScenarioKind[] kinds =
            shape.elastic()
                ? new ScenarioKind[] {
                  ScenarioKind.ELASTIC,
                  ScenarioKind.ELASTIC,
                  ScenarioKind.NETWORK,
                  ScenarioKind.STORAGE
                }
                : new ScenarioKind[] {
                  ScenarioKind.WORKERS,
                  ScenarioKind.NETWORK,
                  ScenarioKind.JOBMANAGERS,
                  ScenarioKind.STORAGE
                };
        yield fault(kinds[random.nextInt(kinds.length)], at);
      }
    };
  }

  private Fault ofWorkers(Duration at) {
    return switch (random.nextInt(4)) {
      case 0 -> new Fault.Freeze(at, worker(), time(500, random.nextBoolean() ? 8_000 : 70_000));
      case 1 ->
          new Fault.ClockJump(
              at, worker(), Duration.ofMillis(random.nextInt(7_200_000) - 3_600_000));
      default -> new Fault.Crash(at, worker(), time(10, random.nextBoolean() ? 500 : 20_000));
    };
  }

  private Fault ofNetwork(Duration at) {
    String one = anyProcess();
    String other = peerOf(one);
    return switch (random.nextInt(8)) {
      case 0, 1 ->
          new Fault.Partition(
              at,
              one,
              other,
              random.nextBoolean(),
              time(100, random.nextInt(3) == 0 ? 60_000 : 15_000));
      case 2 -> new Fault.Isolate(at, one, time(100, random.nextInt(3) == 0 ? 60_000 : 15_000));
      case 3 ->
          new Fault.FlakyConnections(at, 0.002 + random.nextDouble() * 0.03, time(500, 15_000));
      case 4 -> new Fault.DuplicateCalls(at, random.nextDouble() * 0.3, time(500, 30_000));
      case 5 -> new Fault.NetworkDelay(at, one, time(20, 3_000), time(500, 20_000));
      default -> new Fault.ConnectionBreak(at, one, other);
    };
  }

  private Fault ofJobManagers(Duration at) {
    boolean coordinated = shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
    if (coordinated && random.nextInt(5) < 2) {
      return random.nextBoolean()
          ? new Fault.SessionLoss(at, jobManager(), time(1, 10_000))
          : new Fault.LeaderNotificationDelay(at, time(100, 8_000), time(1_000, 30_000));
    }
    return switch (random.nextInt(5)) {
      case 0 ->
          new Fault.Freeze(at, jobManager(), time(500, random.nextBoolean() ? 8_000 : 60_000));
      case 1 -> new Fault.CrashAtWrite(at, jobManager(), random.nextBoolean(), time(100, 5_000));
      case 2 ->
          new Fault.ClockJump(
              at, jobManager(), Duration.ofMillis(random.nextInt(7_200_000) - 3_600_000));
      default -> new Fault.Crash(at, jobManager(), time(50, random.nextBoolean() ? 1_000 : 20_000));
    };
  }

  private Fault ofZooKeeper(Duration at) {
    return switch (random.nextInt(8)) {
      case 0 -> new Fault.CoordinatorLoss(at, anyProcess(), time(100, 15_000));
      case 1 -> new Fault.CoordinatorLoss(at, jobManager(), time(100, 8_000));
      case 2 -> new Fault.RefusedConnections(at, jobManager(), time(100, 10_000));
      case 3 -> new Fault.Partition(at, "jobmanager-1", "jobmanager-2", false, time(500, 15_000));
      case 4 ->
          new Fault.StorageFailure(
              at,
              jobManager(),
              random.nextBoolean() ? FailureMode.OUTCOME_UNKNOWN : FailureMode.FULL,
              time(500, 10_000));
      default -> ofJobManagers(at);
    };
  }

  private Fault ofStorage(Duration at) {
    return switch (random.nextInt(5)) {
      case 0 -> new Fault.StorageFailure(at, jobManager(), FailureMode.FULL, time(100, 15_000));
      case 1 ->
          new Fault.StorageFailure(at, jobManager(), FailureMode.UNAVAILABLE, time(100, 10_000));
      case 2 ->
          new Fault.StorageFailure(
              at, jobManager(), FailureMode.OUTCOME_UNKNOWN, time(100, 10_000));
      case 3 -> new Fault.CrashAtWrite(at, jobManager(), random.nextBoolean(), time(100, 5_000));
      default -> new Fault.SlowStorage(at, jobManager(), time(50, 8_000), time(500, 20_000));
    };
  }

  private FailureRates failureRates() {
    double much = 0.2 + random.nextDouble() * 0.6;
    return switch (random.nextInt(9)) {
      case 0 -> new FailureRates(time(1_000, 20_000), 0, 0, 0, 0, 0.5, 0, 0);
      case 1 -> new FailureRates(Duration.ZERO, much, 0, 0, 0, 0, 0, 0);
      case 2 -> new FailureRates(Duration.ZERO, 0, much, 0, 0, 0, 0, 0);
      case 3 -> new FailureRates(Duration.ZERO, 0, 0, much, 0, 0, 0, 0);
      case 4 -> new FailureRates(Duration.ZERO, 0, 0, 0, much, 0, 0, 0);
      case 5 -> new FailureRates(time(1_000, 10_000), 0, 0, 0, 0, 1, 0, 0);
      case 6 -> new FailureRates(Duration.ZERO, 0, 0, 0, 0, 0, 1, 0);
      case 7 -> new FailureRates(Duration.ZERO, 0, 0, 0.2, 0, 0, 0, 1);
      default -> new FailureRates(time(500, 5_000), 0.2, 0.1, 0.2, 0.1, 0.5, 0.3, 0.1);
    };
  }

  String jobManager() {
    return "jobmanager-" + (1 + random.nextInt(shape.jobManagers()));
  }

  String worker() {
    return shape.elastic()
        ? "elastic-" + (1 + random.nextInt(shape.most() + 1))
        : "worker-" + (1 + random.nextInt(shape.workers()));
  }

  private String anyProcess() {
    return switch (random.nextInt(8)) {
      case 0 -> "client";
      case 1, 2, 3 -> jobManager();
      default -> worker();
    };
  }

  private String peerOf(String one) {
    return one.startsWith("jobmanager")
        ? random.nextInt(5) == 0 ? "client" : worker()
        : jobManager();
  }

  Duration time(int least, int most) {
    return millis(least + random.nextInt(Math.max(1, most - least)));
  }

  static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}

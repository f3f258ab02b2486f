package io.millrace.sim.scenario;

import io.millrace.sim.SimDriver.Mood;
import io.millrace.sim.SimStore.Trouble;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Draws what goes wrong. */
final class FaultDrawing {
  private final Kind kind;
  private final Shape shape;
  private final Random random;

  FaultDrawing(Kind kind, Shape shape, Random random) {
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
      faults.add(fault(kind, millis(random.nextInt(window))));
    }
    if (kind == Kind.STORAGE && random.nextInt(2) == 0) {
      // Trouble with storage matters to a JobManager that has to recover.
      faults.add(new Fault.Crash(millis(random.nextInt(window)), jobManager(), time(200, 5_000)));
    }
    if (kind != Kind.CALM && shape.needsTokens() && random.nextInt(2) == 0) {
      faults.add(
          new Fault.NoTokens(
              millis(random.nextInt(window)),
              random.nextBoolean() ? SimTokens.Trouble.FAILING : SimTokens.Trouble.HANGING,
              time(5_000, 40_000)));
    }
    faults.sort(Comparator.comparing(Fault::at));
    return faults;
  }

  private Fault fault(Kind about, Duration at) {
    return switch (about) {
      case WORKERS -> ofWorkers(at);
      case NETWORK -> ofNetwork(at);
      case JOBMANAGERS -> ofJobManagers(at);
      case STORAGE -> ofStorage(at);
      case ELASTIC ->
          switch (random.nextInt(4)) {
            // Workers are asked for when jobs come, which is mostly at the beginning.
            case 0, 1 -> new Fault.BadDriver(at.dividedBy(4), mood(), time(5_000, 40_000));
            case 2 -> new Fault.LoseStarted(at, random.nextInt(4));
            default -> random.nextBoolean() ? ofJobManagers(at) : ofNetwork(at);
          };
      case MIXED, CALM -> {
        Kind[] kinds =
            shape.elastic()
                ? new Kind[] {Kind.ELASTIC, Kind.ELASTIC, Kind.NETWORK, Kind.STORAGE}
                : new Kind[] {Kind.WORKERS, Kind.NETWORK, Kind.JOBMANAGERS, Kind.STORAGE};
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
    String one = anybody();
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
      case 3 -> new Fault.Flaky(at, 0.002 + random.nextDouble() * 0.03, time(500, 15_000));
      case 4 -> new Fault.Echo(at, random.nextDouble() * 0.3, time(500, 30_000));
      case 5 -> new Fault.Slow(at, one, time(20, 3_000), time(500, 20_000));
      default -> new Fault.Break(at, one, other);
    };
  }

  private Fault ofJobManagers(Duration at) {
    if (shape.jobManagers() > 1 && random.nextInt(5) < 2) {
      return random.nextBoolean()
          ? new Fault.SessionLoss(at, jobManager(), time(1, 10_000))
          : new Fault.LaggingNews(at, time(100, 8_000), time(1_000, 30_000));
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

  private Fault ofStorage(Duration at) {
    return switch (random.nextInt(5)) {
      case 0 -> new Fault.Storage(at, jobManager(), Trouble.FULL, time(100, 15_000));
      case 1 -> new Fault.Storage(at, jobManager(), Trouble.REFUSING, time(100, 10_000));
      case 2 -> new Fault.Storage(at, jobManager(), Trouble.UNCLEAR, time(100, 10_000));
      case 3 -> new Fault.CrashAtWrite(at, jobManager(), random.nextBoolean(), time(100, 5_000));
      default -> new Fault.SlowStorage(at, jobManager(), time(50, 8_000), time(500, 20_000));
    };
  }

  private Mood mood() {
    double much = 0.2 + random.nextDouble() * 0.6;
    return switch (random.nextInt(9)) {
      case 0 -> new Mood(time(1_000, 20_000), 0, 0, 0, 0, 0, 0, 0);
      case 1 -> new Mood(Duration.ZERO, much, 0, 0, 0, 0, 0, 0);
      case 2 -> new Mood(Duration.ZERO, 0, much, 0, 0, 0, 0, 0);
      case 3 -> new Mood(Duration.ZERO, 0, 0, much, 0, 0, 0, 0);
      case 4 -> new Mood(Duration.ZERO, 0, 0, 0, much, 0, 0, 0);
      case 5 -> new Mood(time(1_000, 10_000), 0, 0, 0, 0, 1, 0, 0);
      case 6 -> new Mood(Duration.ZERO, 0, 0, 0, 0, 0, 1, 0);
      case 7 -> new Mood(Duration.ZERO, 0, 0, 0.2, 0, 0, 0, 1);
      default -> new Mood(time(500, 5_000), 0.2, 0.1, 0.2, 0.1, 0.5, 0.3, 0.1);
    };
  }

  private String jobManager() {
    return "jobmanager-" + (1 + random.nextInt(shape.jobManagers()));
  }

  private String worker() {
    return shape.elastic()
        ? "elastic-" + (1 + random.nextInt(shape.most() + 1))
        : "worker-" + (1 + random.nextInt(shape.workers()));
  }

  private String anybody() {
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

  private Duration time(int least, int most) {
    return millis(least + random.nextInt(Math.max(1, most - least)));
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}

package io.millrace.sim.scenario;

import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Draws faults that wait for a fact, mostly for a call. They have random streams of their own, so
 * that all other draws stay as they were.
 */
final class TriggeredFaultGenerator {
  /** Calls that some fault happens at; a fixed list, so that draws stay as they were. */
  private static final List<Fault.CallFault.Call> AT_CALLS =
      List.of(
          Fault.CallFault.Call.SLOT_REQUEST,
          Fault.CallFault.Call.OFFER,
          Fault.CallFault.Call.SLOT_REPORT,
          Fault.CallFault.Call.DECLARATION,
          Fault.CallFault.Call.DEPLOYMENT,
          Fault.CallFault.Call.CANCELLATION,
          Fault.CallFault.Call.TASK_UPDATE,
          Fault.CallFault.Call.SLOT_RETURN,
          Fault.CallFault.Call.JOB_END,
          Fault.CallFault.Call.RESULT_RELEASE);

  private final ScenarioKind kind;
  private final Shape shape;
  private final Random random;
  private final FaultGenerator drawing;

  TriggeredFaultGenerator(ScenarioKind kind, Shape shape, Random random) {
    this.kind = kind;
    this.shape = shape;
    this.random = random;
    this.drawing = new FaultGenerator(kind, shape, random);
  }

  /**
   * @param queues whether a job waits for the slots of others
   */
  List<Fault> faults(List<ClientAction> acts, boolean queues, int window) {
    List<Fault> faults = new ArrayList<>();
    if (kind == ScenarioKind.CALM) {
      return faults;
    }
    boolean coordinated = shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
    // Some invariants apply only while every process is reachable: few faults are enough there.
    int oneIn =
        switch (kind) {
          case ELASTIC -> 6;
          case WORKERS -> 3;
          default -> 2;
        };
    if (random.nextInt(oneIn) == 0) {
      faults.add(atCall(acts));
    }
    if (coordinated && random.nextBoolean()) {
      faults.add(replacedAtCall(acts));
    }
    if (!shape.elastic() && shape.jobManagers() > 1 && random.nextInt(3) > 0) {
      // ResourceManager and JobMasters may be in two processes and notice it one after the other.
      faults.add(
          new Fault.CallFault(
              drawing.whileJobsRun(acts, random.nextBoolean() ? 1 : 8_000),
              random.nextBoolean() ? Fault.CallFault.Call.OFFER : Fault.CallFault.Call.TASK_UPDATE,
              Fault.CallFault.Effect.SENDER_RESTARTS,
              drawing.time(1_000, 10_000)));
    }
    if ((kind == ScenarioKind.WORKERS || kind == ScenarioKind.MIXED) && random.nextInt(3) == 0) {
      faults.add(
          new Fault.CallFault(
              drawing.whileJobsRun(acts, 3_000),
              Fault.CallFault.Call.CANCELLATION,
              Fault.CallFault.Effect.RECEIVER_ENDS,
              drawing.time(10, 4_000)));
    }
    if ((kind == ScenarioKind.WORKERS || kind == ScenarioKind.NETWORK || kind == ScenarioKind.MIXED)
        && random.nextInt(3) == 0) {
      faults.add(
          new Fault.CallFault(
              drawing.whileJobsRun(acts, 3_000),
              Fault.CallFault.Call.DEPLOYMENT,
              Fault.CallFault.Effect.DUPLICATED,
              drawing.time(200, 12_000)));
    }
    boolean aboutRemovals = kind == ScenarioKind.WORKERS || kind == ScenarioKind.STORAGE;
    if ((aboutRemovals && random.nextInt(3) == 0) || queues) {
      faults.add(
          new Fault.SlowBlobRemoval(
              queues ? Duration.ZERO : drawing.whileJobsRun(acts, 10_000),
              drawing.time(50, 3_000)));
    }
    if ((kind == ScenarioKind.NETWORK || kind == ScenarioKind.MIXED) && random.nextBoolean()) {
      faults.add(
          new Fault.SlowHeartbeats(
              drawing.whileJobsRun(acts, 5_000),
              random.nextBoolean() ? drawing.jobManager() : drawing.worker(),
              drawing.time(200, 4_000),
              drawing.time(5_000, 30_000)));
    }
    if (kind == ScenarioKind.ELASTIC && random.nextInt(8) == 0) {
      int at = random.nextInt(window);
      faults.add(
          new Fault.Crash(
              FaultGenerator.millis(at), drawing.jobManager(), drawing.time(100, 5_000)));
      faults.add(
          new Fault.WorkerCrashDuringRecovery(
              FaultGenerator.millis(at), random.nextInt(4), drawing.time(500, 4_000)));
    }
    for (ClientAction act : acts) {
      if (coordinated && act instanceof ClientAction.Limit && random.nextInt(3) > 0) {
        faults.add(
            new Fault.StaleWrite(
                FaultGenerator.before(act),
                Fault.StaleWrite.Moment.LIMIT,
                drawing.time(1_000, 8_000),
                drawing.time(500, 4_000)));
      } else if (act instanceof ClientAction.DeleteResults
          && random.nextInt(3) > 0
          && kind != ScenarioKind.NETWORK
          && kind != ScenarioKind.MIXED) {
        faults.add(
            new Fault.CallFault(
                FaultGenerator.before(act),
                Fault.CallFault.Call.RESULT_RELEASE,
                Fault.CallFault.Effect.CONNECTION_LOST,
                Duration.ZERO));
      }
    }
    return faults;
  }

  /** Calls that are lost on living connections. */
  List<Fault> lostCalls(List<ClientAction> acts) {
    List<Fault> faults = new ArrayList<>();
    if (kind != ScenarioKind.NETWORK && kind != ScenarioKind.MIXED) {
      return faults;
    }
    List<Fault.CallFault.Call> calls =
        List.of(
            Fault.CallFault.Call.DECLARATION,
            Fault.CallFault.Call.TASK_UPDATE,
            Fault.CallFault.Call.SLOT_REQUEST,
            Fault.CallFault.Call.OFFER,
            Fault.CallFault.Call.DEPLOYMENT);
    if (random.nextInt(3) == 0) {
      faults.add(
          new Fault.CallFault(
              drawing.whileJobsRun(acts, random.nextBoolean() ? 1 : 8_000),
              calls.get(random.nextInt(calls.size())),
              random.nextBoolean()
                  ? Fault.CallFault.Effect.CALL_LOST
                  : Fault.CallFault.Effect.ANSWER_LOST,
              Duration.ZERO));
    }
    for (ClientAction act : acts) {
      if (act instanceof ClientAction.DeleteResults) {
        faults.add(
            new Fault.CallFault(
                FaultGenerator.before(act),
                Fault.CallFault.Call.RESULT_RELEASE,
                Fault.CallFault.Effect.CALL_LOST,
                Duration.ZERO));
      }
    }
    return faults;
  }

  /** Calls of a JobMaster to a ResourceManager in another process, lost on living connections. */
  List<Fault> lostBetweenJobManagers(List<ClientAction> acts) {
    List<Fault> faults = new ArrayList<>();
    if (kind != ScenarioKind.CALM && shape.jobManagers() > 1 && random.nextInt(3) > 0) {
      faults.add(
          new Fault.CallFault(
              drawing.whileJobsRun(acts, 1),
              random.nextBoolean()
                  ? Fault.CallFault.Call.DECLARATION
                  : Fault.CallFault.Call.JOB_END_REPORT,
              Fault.CallFault.Effect.CALL_LOST,
              Duration.ZERO));
    }
    return faults;
  }

  /**
   * Outcomes of checkpoints that are lost on living connections. That of a stop matters most: no
   * later checkpoint makes up for it.
   */
  List<Fault> lostOutcomes(List<ClientAction> acts) {
    List<Fault> faults = new ArrayList<>();
    if (kind != ScenarioKind.NETWORK
        && kind != ScenarioKind.MIXED
        && kind != ScenarioKind.JOBMANAGERS) {
      return faults;
    }
    if (random.nextInt(4) == 0) {
      faults.add(lost(drawing.whileJobsRun(acts, 20_000), Fault.CallFault.Call.CHECKPOINT_OUTCOME));
    }
    for (ClientAction act : acts) {
      if (act instanceof ClientAction.Stop) {
        faults.add(lost(FaultGenerator.before(act), Fault.CallFault.Call.STOP_OUTCOME));
        if (random.nextInt(3) > 0) {
          // The savepoint expires before the snapshots are sent again.
          faults.add(
              new Fault.CallFault(
                  FaultGenerator.before(act),
                  Fault.CallFault.Call.STOP_SNAPSHOTS,
                  Fault.CallFault.Effect.CALL_LOST,
                  Duration.ZERO));
        }
      }
    }
    return faults;
  }

  private Fault lost(Duration at, Fault.CallFault.Call call) {
    return new Fault.CallFault(
        at,
        call,
        random.nextInt(3) > 0
            ? Fault.CallFault.Effect.CALL_LOST
            : Fault.CallFault.Effect.ANSWER_LOST,
        Duration.ZERO);
  }

  private Fault atCall(List<ClientAction> acts) {
    Fault.CallFault.Call call = AT_CALLS.get(random.nextInt(AT_CALLS.size()));
    Fault.CallFault.Effect effect =
        switch (random.nextInt(4)) {
          case 0 -> Fault.CallFault.Effect.CONNECTION_LOST;
          case 1 -> Fault.CallFault.Effect.HALF_OPEN;
          case 2 -> Fault.CallFault.Effect.RECEIVER_ENDS;
          default ->
              mayBeRepeated(call)
                  ? Fault.CallFault.Effect.DUPLICATED
                  : Fault.CallFault.Effect.CONNECTION_LOST;
        };
    return new Fault.CallFault(
        drawing.whileJobsRun(acts, 12_000), call, effect, drawing.time(10, 8_000));
  }

  /** Whether a call may be repeated at any time. */
  private static boolean mayBeRepeated(Fault.CallFault.Call call) {
    return switch (call) {
      case DEPLOYMENT,
          CANCELLATION,
          TASK_UPDATE,
          SLOT_RETURN,
          JOB_END,
          JOB_END_REPORT,
          RESULT_RELEASE,
          CHECKPOINT_OUTCOME,
          STOP_OUTCOME,
          STOP_SNAPSHOTS ->
          true;
      case SLOT_REQUEST, OFFER, SLOT_REPORT, DECLARATION -> false;
    };
  }

  /** The calls that JobManagers send. */
  private Fault replacedAtCall(List<ClientAction> acts) {
    Fault.CallFault.Call call =
        switch (random.nextInt(6)) {
          case 0, 1, 2 -> Fault.CallFault.Call.JOB_END;
          case 3, 4 -> Fault.CallFault.Call.DECLARATION;
          default ->
              random.nextBoolean()
                  ? Fault.CallFault.Call.DEPLOYMENT
                  : Fault.CallFault.Call.SLOT_REQUEST;
        };
    return new Fault.CallFault(
        drawing.whileJobsRun(acts, 3_000),
        call,
        Fault.CallFault.Effect.SENDER_REPLACED,
        drawing.time(1_000, 9_000));
  }
}

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
          new Fault.AtCall(
              drawing.whileJobsRun(acts, random.nextBoolean() ? 1 : 8_000),
              random.nextBoolean() ? Fault.AtCall.Call.OFFER : Fault.AtCall.Call.TASK_UPDATE,
              Fault.AtCall.Trouble.SENDER_RESTARTS,
              drawing.time(1_000, 10_000)));
    }
    if ((kind == ScenarioKind.WORKERS || kind == ScenarioKind.MIXED) && random.nextInt(3) == 0) {
      faults.add(
          new Fault.AtCall(
              drawing.whileJobsRun(acts, 3_000),
              Fault.AtCall.Call.CANCELLATION,
              Fault.AtCall.Trouble.RECEIVER_ENDS,
              drawing.time(10, 4_000)));
    }
    if ((kind == ScenarioKind.WORKERS || kind == ScenarioKind.NETWORK || kind == ScenarioKind.MIXED)
        && random.nextInt(3) == 0) {
      faults.add(
          new Fault.AtCall(
              drawing.whileJobsRun(acts, 3_000),
              Fault.AtCall.Call.DEPLOYMENT,
              Fault.AtCall.Trouble.REPEATED,
              drawing.time(200, 12_000)));
    }
    boolean aboutRemovals = kind == ScenarioKind.WORKERS || kind == ScenarioKind.STORAGE;
    if ((aboutRemovals && random.nextInt(3) == 0) || queues) {
      faults.add(
          new Fault.SlowRemoval(
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
          new Fault.LoseBeforeStart(
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
            new Fault.AtCall(
                FaultGenerator.before(act),
                Fault.AtCall.Call.RESULT_RELEASE,
                Fault.AtCall.Trouble.LOST,
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
    List<Fault.AtCall.Call> calls =
        List.of(
            Fault.AtCall.Call.DECLARATION,
            Fault.AtCall.Call.TASK_UPDATE,
            Fault.AtCall.Call.SLOT_REQUEST,
            Fault.AtCall.Call.OFFER,
            Fault.AtCall.Call.DEPLOYMENT);
    if (random.nextInt(3) == 0) {
      faults.add(
          new Fault.AtCall(
              drawing.whileJobsRun(acts, random.nextBoolean() ? 1 : 8_000),
              calls.get(random.nextInt(calls.size())),
              random.nextBoolean() ? Fault.AtCall.Trouble.UNHEARD : Fault.AtCall.Trouble.UNANSWERED,
              Duration.ZERO));
    }
    for (ClientAction act : acts) {
      if (act instanceof ClientAction.DeleteResults) {
        faults.add(
            new Fault.AtCall(
                FaultGenerator.before(act),
                Fault.AtCall.Call.RESULT_RELEASE,
                Fault.AtCall.Trouble.UNHEARD,
                Duration.ZERO));
      }
    }
    return faults;
  }

  private Fault atCall(List<ClientAction> acts) {
    Fault.AtCall.Call[] calls = Fault.AtCall.Call.values();
    Fault.AtCall.Call call = calls[random.nextInt(calls.length)];
    Fault.AtCall.Trouble trouble =
        switch (random.nextInt(4)) {
          case 0 -> Fault.AtCall.Trouble.LOST;
          case 1 -> Fault.AtCall.Trouble.HALF_OPEN;
          case 2 -> Fault.AtCall.Trouble.RECEIVER_ENDS;
          default ->
              mayBeRepeated(call) ? Fault.AtCall.Trouble.REPEATED : Fault.AtCall.Trouble.LOST;
        };
    return new Fault.AtCall(
        drawing.whileJobsRun(acts, 12_000), call, trouble, drawing.time(10, 8_000));
  }

  /** Whether a call may be repeated at any time. */
  private static boolean mayBeRepeated(Fault.AtCall.Call call) {
    return switch (call) {
      case DEPLOYMENT, CANCELLATION, TASK_UPDATE, SLOT_RETURN, JOB_END, RESULT_RELEASE -> true;
      case SLOT_REQUEST, OFFER, SLOT_REPORT, DECLARATION -> false;
    };
  }

  /** The calls that JobManagers send. */
  private Fault replacedAtCall(List<ClientAction> acts) {
    Fault.AtCall.Call call =
        switch (random.nextInt(6)) {
          case 0, 1, 2 -> Fault.AtCall.Call.JOB_END;
          case 3, 4 -> Fault.AtCall.Call.DECLARATION;
          default ->
              random.nextBoolean() ? Fault.AtCall.Call.DEPLOYMENT : Fault.AtCall.Call.SLOT_REQUEST;
        };
    return new Fault.AtCall(
        drawing.whileJobsRun(acts, 3_000),
        call,
        Fault.AtCall.Trouble.SENDER_REPLACED,
        drawing.time(1_000, 9_000));
  }
}

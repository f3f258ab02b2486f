package io.millrace.sim.scenario;

import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Draws what clients do in a scenario. */
final class ClientActionGenerator {
  private final Shape shape;
  private final Random random;
  private final int windowMillis;

  /**
   * @param windowMillis the time in which faults happen
   */
  ClientActionGenerator(Shape shape, Random random, int windowMillis) {
    this.shape = shape;
    this.random = random;
    this.windowMillis = windowMillis;
  }

  /**
   * Submits each job, and submits it again, cancels it, deletes its results or limits the workers
   * at times.
   */
  List<ClientAction> actions(int jobs) {
    List<ClientAction> acts = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      int at = random.nextInt(oneIn(3) ? windowMillis : 8_000);
      acts.add(new ClientAction.Submit(millis(at), job));
      if (oneIn(4)) {
        acts.add(new ClientAction.Submit(millis(at + random.nextInt(oneIn(2) ? 50 : 20_000)), job));
      }
      if (oneIn(2)) {
        acts.add(new ClientAction.AwaitResult(millis(at + random.nextInt(5_000)), job));
      }
      if (oneIn(4)) {
        acts.add(
            new ClientAction.Cancel(millis(at + random.nextInt(oneIn(3) ? 500 : 30_000)), job));
      }
      if (shape.elastic() && oneIn(3)) {
        // The job is cancelled while its workers are still being started.
        acts.add(new ClientAction.Cancel(millis(at + 100 + random.nextInt(2_500)), job));
      }
      if (oneIn(6)) {
        acts.add(new ClientAction.DeleteResults(millis(at + random.nextInt(30_000)), job));
      }
      if (oneIn(2)) {
        acts.add(new ClientAction.Describe(millis(at + random.nextInt(30_000)), job));
      }
    }
    if (oneIn(3)) {
      acts.add(new ClientAction.ListJobs(millis(random.nextInt(windowMillis))));
    }
    if (shape.elastic() && oneIn(3)) {
      acts.add(new ClientAction.Limit(millis(random.nextInt(windowMillis)), random.nextInt(4)));
      acts.add(new ClientAction.Limit(millis(windowMillis), shape.most()));
    }
    if (oneIn(5)) {
      String worker =
          (shape.elastic() ? "elastic-" : "worker-") + (1 + random.nextInt(shape.workers()));
      int at = random.nextInt(windowMillis);
      acts.add(new ClientAction.Block(millis(at), worker, millis(1_000 + random.nextInt(20_000))));
      if (oneIn(2)) {
        acts.add(new ClientAction.Unblock(millis(at + random.nextInt(10_000)), worker));
      }
    }
    if (shape.elastic() && oneIn(3)) {
      acts.add(new ClientAction.Deregister(millis(windowMillis)));
    }
    acts.sort(Comparator.comparing(ClientAction::at));
    return acts;
  }

  /** Moves some actions to the moments after faults, where they are most likely to be affected. */
  List<ClientAction> aimed(List<ClientAction> acts, List<Fault> faults, int jobs) {
    List<ClientAction> aimed = new ArrayList<>(acts);
    for (Fault fault : faults) {
      if (fault instanceof Fault.Freeze freeze
          && freeze.process().startsWith("jobmanager")
          && oneIn(3)) {
        // The process reads it when another JobManager may lead.
        aimed.add(
            new ClientAction.Cancel(
                fault.at().plusMillis(random.nextInt(3_000)), random.nextInt(jobs)));
      }
      if (oneIn(3)) {
        int which = random.nextInt(aimed.size());
        Duration at = fault.at().plusMillis(random.nextInt(oneIn(2) ? 50 : 3_000));
        if (aimed.get(which) instanceof ClientAction.Submit submit) {
          aimed.set(which, new ClientAction.Submit(at, submit.job()));
        } else if (aimed.get(which) instanceof ClientAction.Cancel cancel) {
          aimed.set(which, new ClientAction.Cancel(at, cancel.job()));
        }
      }
    }
    aimed.sort(Comparator.comparing(ClientAction::at));
    return aimed;
  }

  /** Some blocks are renewed before they end. */
  static void blockAgain(List<ClientAction> acts, Random latest) {
    for (ClientAction act : new ArrayList<>(acts)) {
      if (act instanceof ClientAction.Block block && latest.nextInt(3) > 0) {
        acts.add(
            new ClientAction.Block(
                block.at().plus(block.time().dividedBy(2)),
                block.worker(),
                block.time().plus(millis(latest.nextInt(10_000)))));
      }
    }
    acts.sort(Comparator.comparing(ClientAction::at));
  }

  /** Cached data sets are deleted while jobs run, too. */
  static void deleteResults(
      List<SimJob> jobs, List<ClientAction> acts, Random moments, int windowMillis) {
    for (int job = 0; job < jobs.size(); job++) {
      if (!jobs.get(job).dataSets().isEmpty() && moments.nextBoolean()) {
        acts.add(
            new ClientAction.DeleteResults(
                millis(10_000 + moments.nextInt(windowMillis - 10_000)), job));
      }
    }
    acts.sort(Comparator.comparing(ClientAction::at));
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}

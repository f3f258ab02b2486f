package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.Found.OPTIONS;
import static io.millrace.sim.cluster.Found.assertHolds;
import static io.millrace.sim.cluster.Found.job;

import io.millrace.sim.SimTaskHost.Behaviour;
import io.millrace.sim.scenario.Act;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.JobPlan;
import io.millrace.sim.scenario.Kind;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What only 20,000 seeds have found, each as the scenario that showed it. */
class FoundByNightTest {
  /**
   * A worker that had been cut off took its job's leader for gone, ended its tasks and registered
   * there again. The leader had never missed it, and deployed into a slot where tasks of before
   * were still ending.
   */
  @Test
  void leaderThatWasOutOfSightDeploysIntoNoSlotWhereItsTasksAreEnding() {
    JobPlan slow =
        new JobPlan(
            job(2, Duration.ZERO).graph(), new Behaviour(Duration.ZERO, 0, Duration.ofSeconds(4)));
    for (int millis = 20_000; millis < 26_000; millis += 200) {
      assertHolds(
          new Scenario(
              millis,
              Kind.NETWORK,
              new Shape(1, false, 2, 1, 1),
              OPTIONS,
              List.of(slow),
              List.of(new Act.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.Isolate(
                      Duration.ofMillis(30_000), "worker-1", Duration.ofMillis(millis))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }
}

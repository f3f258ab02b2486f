package io.millrace.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.graph.Partitioning;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SeedsTest {
  private static final int SEEDS = 300;

  /** More seeds of elastic clusters, because drivers have many kinds of faults. */
  private static final int ELASTIC = 100;

  /** Seeds of JobManagers at ZooKeeper, which are not in the turn of the other kinds. */
  private static final int ZOOKEEPER = 60;

  /** One test, because the seeds run once: all invariants hold, and each kind of fault happened. */
  @Test
  @Behaviour("C1: a new leader runs the jobs that the store holds")
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  @Behaviour("C3: the next leader shows ended jobs with their details and history")
  @Behaviour("C3: a job with a stored result never runs again")
  @Behaviour(
      "D5: a TaskManager whose driver reports it gone is told so by its own ResourceManager and"
          + " ends")
  @Behaviour("D9: jobs finish and workers end whatever errors the driver reports")
  @Behaviour(
      "G1: JobManagers that ZooKeeper does not hear of stop to lead before their sessions time out")
  @Behaviour("G2: only the JobManager that has taken over last changes the nodes of ZooKeeper")
  @Behaviour("G3: a JobManager that lives and can be reached is not removed by a standby")
  @Behaviour("Simulation: each kind of fault happens in the tested seeds")
  void invariantsHoldInAllSeedsAndEachFaultHappens() {
    List<RunOutcome> outcomes =
        LongStream.range(0, SEEDS + ELASTIC + ZOOKEEPER)
            .parallel()
            .mapToObj(SeedsTest::run)
            .toList();

    assertThat(outcomes.stream().filter(outcome -> !outcome.passed()).map(SeedsTest::failure))
        .isEmpty();
    Map<String, Integer> effective = new TreeMap<>();
    outcomes.forEach(
        outcome ->
            outcome.effective().forEach((what, n) -> effective.merge(what, n, Integer::sum)));
    List<String> faults =
        new ArrayList<>(
            Arrays.stream(Fault.class.getPermittedSubclasses()).map(Class::getSimpleName).toList());
    faults.addAll(
        List.of(
            "a broken connection",
            "a call that came twice",
            "a slow start",
            "a refused request",
            "a worker that never registers",
            "a worker that dies early",
            "a worker too many",
            "a worker after its request was cancelled",
            "an end not told",
            "an end never told",
            "data set kept",
            "data set released",
            "token obtained",
            "token not renewed",
            "client lost",
            "a larger worker",
            "a larger worker lost",
            "a larger worker of an earlier JobManager",
            "a call on a new connection first",
            "a call of a replaced connection",
            "a damaged blob read",
            "a jar of two jobs",
            "several regions of several tasks",
            "a configured minimum",
            "something lost with the power",
            "a worker found by a later JobManager",
            "an earlier run of a job",
            "a worker that is deaf to SIGTERM",
            "a process that could not be started",
            "a session that ended",
            "a stale read",
            "a removed contender",
            "a refusal of a living process",
            "a JobManager killed as it started a worker"));
    for (Scenario.StoreType type : Scenario.StoreType.values()) {
      faults.add("a store " + type);
    }
    for (Partitioning kind : Partitioning.values()) {
      faults.add("an edge " + kind);
    }
    for (Fault.WorkerLostAtSlotRequest.Cause cause : Fault.WorkerLostAtSlotRequest.Cause.values()) {
      faults.add("a slot pending at a worker " + cause);
    }
    for (Fault.CallFault.Effect effect : Fault.CallFault.Effect.values()) {
      faults.add("a call " + effect);
    }
    for (Fault.StaleWrite.Moment moment : Fault.StaleWrite.Moment.values()) {
      faults.add("a stale write at the moment of " + moment);
    }
    assertThat(faults).allSatisfy(fault -> assertThat(effective.get(fault)).as(fault).isPositive());
  }

  private static RunOutcome run(long seed) {
    return ScenarioRun.of(Scenario.draw(seed, kind(seed)), new SimWiring(), new Trace());
  }

  private static ScenarioKind kind(long seed) {
    if (seed < SEEDS) {
      return ScenarioKind.ofSeed(seed);
    }
    return seed < SEEDS + ELASTIC ? ScenarioKind.ELASTIC : ScenarioKind.ZOOKEEPER;
  }

  private static String failure(RunOutcome outcome) {
    return "seed " + outcome.scenario().seed() + ": " + outcome.violation().orElseThrow();
  }
}

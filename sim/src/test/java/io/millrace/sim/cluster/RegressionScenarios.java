package io.millrace.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.sim.SimTaskHost.Behaviour;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Parts of the scenarios of regression tests. */
final class RegressionScenarios {
  static final Configuration OPTIONS =
      Configuration.EMPTY
          .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
          .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1000)
          .with(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(100));

  private RegressionScenarios() {}

  static RunOutcome assertHolds(Scenario scenario) {
    return assertHolds(scenario, new SimWiring());
  }

  static RunOutcome assertHolds(Scenario scenario, SimWiring wiring) {
    RunOutcome outcome = ScenarioRun.of(scenario, wiring, new Trace());
    assertThat(outcome.violation()).isEmpty();
    scenario
        .faults()
        .forEach(
            fault -> assertThat(outcome.effective()).as("%s", fault).containsKey(fault.kind()));
    return outcome;
  }

  static SimJob job(int parallelism, Duration longestRun) {
    return job(parallelism, longestRun, Map.of());
  }

  static SimJob job(int parallelism, Duration longestRun, Map<String, ResourceProfile> resources) {
    Random random = new Random(31L * parallelism + resources.size());
    JobVertex vertex =
        new JobVertex(
            VertexId.random(random),
            "only",
            parallelism,
            128,
            "default",
            List.of(new ChainedOperator(OperatorId.random(random), "only", -1, Bytes.EMPTY)));
    return new SimJob(
        new JobGraph(
                JobId.random(random),
                "job",
                JobType.STREAMING,
                List.of(vertex),
                List.of(),
                List.of(),
                Configuration.EMPTY)
            .withResources(resources),
        new Behaviour(longestRun, 0, Duration.ofMillis(50)));
  }
}

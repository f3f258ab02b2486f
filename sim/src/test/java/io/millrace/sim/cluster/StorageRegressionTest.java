package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.sim.SimStore.FailureMode;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Scenarios in which stored jobs lost their graphs or jars. */
class StorageRegressionTest {
  private static final Bytes JAR = Bytes.utf8("program.jar");

  /**
   * The store wrote a job and reported a failure. Before the client submitted the job again,
   * another job with the same jar ended, and the jar was deleted.
   */
  @Test
  @Behaviour("C3: a job whose storing had an unclear outcome keeps its graph and its jars")
  void jobThatMayBeStoredKeepsItsJar() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          scenario(
              seed,
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(Duration.ofMillis(2_000 + 100L * seed), 1)),
              List.of(
                  new Fault.StorageFailure(
                      Duration.ofMillis(1_990 + 100L * seed),
                      "jobmanager-1",
                      FailureMode.OUTCOME_UNKNOWN,
                      Duration.ofMillis(60)))));
    }
  }

  /**
   * The storage failed for nine seconds when an ended job was about to be removed. The Dispatcher
   * gave up after six attempts, and the job stayed stored.
   */
  @Test
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void endedJobIsRemovedWhenTheStorageIsBack() {
    AtomicLong archived = new AtomicLong();
    Trace trace =
        new Trace() {
          @Override
          protected void onDecision(Decision decision) {
            if (decision.entry().event() instanceof JobArchived) {
              archived.compareAndSet(0, decision.nanos());
            }
          }
        };
    List<ClientAction> actions = List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0));
    assertThat(ScenarioRun.of(scenario(1, actions, List.of()), new SimWiring(), trace).violation())
        .isEmpty();
    assertThat(archived.get()).isPositive();
    for (int tenths = 0; tenths < 40; tenths++) {
      assertHolds(
          scenario(
              1,
              actions,
              List.of(
                  new Fault.StorageFailure(
                      Duration.ofNanos(archived.get() + tenths * 100_000L),
                      "jobmanager-1",
                      FailureMode.UNAVAILABLE,
                      Duration.ofSeconds(9)))));
    }
  }

  /**
   * A client submitted a job again that had ended and was still stored. The submission was refused,
   * and the graph of the stored job was deleted with it.
   */
  @Test
  void endedJobKeepsItsGraphUntilItIsRemoved() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          scenario(
              seed,
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(Duration.ofMillis(6_000), 1),
                  new ClientAction.Submit(Duration.ofMillis(6_200 + 100L * seed), 0)),
              List.of(
                  new Fault.SlowStorage(
                      Duration.ofMillis(1_500 + 100L * seed),
                      "jobmanager-1",
                      Duration.ofSeconds(3),
                      Duration.ofSeconds(20)))));
    }
  }

  private static Scenario scenario(int seed, List<ClientAction> actions, List<Fault> faults) {
    return new Scenario(
        seed,
        ScenarioKind.STORAGE,
        new Shape(1, false, 1, 2, 1),
        OPTIONS,
        List.of(job(1, Duration.ofSeconds(3)), job(2, Duration.ofSeconds(30))),
        actions,
        faults,
        Duration.ofSeconds(60),
        List.of());
  }

  private static SimJob job(int number, Duration longestRun) {
    Random random = new Random(number);
    JobVertex vertex =
        new JobVertex(
            VertexId.random(random),
            "only",
            1,
            128,
            "default",
            List.of(new ChainedOperator(OperatorId.random(random), "only", -1, Bytes.EMPTY)));
    JobGraph graph =
        new JobGraph(
                JobId.random(random),
                "job",
                JobType.STREAMING,
                List.of(vertex),
                List.of(),
                List.of(),
                Configuration.EMPTY)
            .withJars(List.of(new JarFile("job.jar", BlobKey.of(JAR))));
    return new SimJob(
        graph, new SimTaskHost.Behaviour(longestRun, 0, Duration.ofMillis(50)), List.of(JAR));
  }
}

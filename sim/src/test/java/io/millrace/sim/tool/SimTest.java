package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.task.ClusterPartition;
import io.millrace.graph.task.Deployment;
import io.millrace.graph.task.TaskCounters;
import io.millrace.graph.task.TaskHost;
import io.millrace.graph.task.TaskListener;
import io.millrace.sim.SimProcess;
import io.millrace.sim.Trace;
import io.millrace.sim.cluster.Outcome;
import io.millrace.sim.cluster.Run;
import io.millrace.sim.cluster.Wiring;
import io.millrace.sim.scenario.Kind;
import io.millrace.sim.scenario.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimTest {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @Test
  void closesWithTheNumbersAndSucceedsWhereEverythingHeld() throws Exception {
    assertThat(sim("--seeds", "2", "--from", "1")).isZero();
    assertThat(text().lines().toList()).last().isEqualTo("2 passed, 0 failed");
  }

  @Test
  void replayShowsMessagesFaultsAndDecisions() throws Exception {
    assertThat(sim("--replay", "1")).isZero();
    assertThat(text())
        .contains("client -> jobmanager-", "SubmitJob", "!! calm", "[jobmaster] job RUNNING");
  }

  @Test
  void drawsARunAsAPageOfItsOwn(@TempDir Path directory) throws Exception {
    Path page = directory.resolve("run.html");
    assertThat(sim("--replay", "1", "--html", page.toString())).isZero();
    assertThat(Files.readString(page))
        .startsWith("<!doctype html>")
        .contains("\"jobmanager-1\"", "SubmitJob", "everything held")
        .doesNotContain("/*DATA*/", "https://");
  }

  @Test
  void saysAfterHowManySeedsASabotageWasCaughtAndByWhichRule() throws Exception {
    assertThat(sim("--sabotage", "request-taken-twice", "--seeds", "20")).isZero();
    assertThat(text())
        .contains("not recognised", "tools/sim --replay", "--sabotage request-taken-twice")
        .endsWith(" by OffersWereGiven\n");
  }

  @Test
  void failsWhereASabotageIsNotCaught() throws Exception {
    // Nobody leads twice where nothing goes wrong.
    assertThat(sim("--sabotage", "terms-reserved-once", "--scenario", "calm", "--seeds", "2"))
        .isEqualTo(1);
    assertThat(text().lines().toList()).last().isEqualTo("NOT caught in 2 seeds");
  }

  @Test
  void saysWhatItDoesNotUnderstandAndWhatItWould() throws Exception {
    assertThat(sim("--sedes", "3")).isEqualTo(2);
    assertThat(text()).contains("no option '--sedes'", "tools/sim --seeds N", "Example");
    assertThat(sim("--scenario", "peace")).isEqualTo(2);
    assertThat(text()).contains("no scenario 'peace'", "calm, workers");
  }

  @Test
  void shrinksAFailureToWhatItTakes() {
    Scenario whole = Scenario.draw(4, Kind.MIXED);
    Outcome failed = Run.of(whole, new Twice(), new Trace());
    assertThat(failed.violation().orElseThrow().sentence()).contains("deployed at most once");

    Outcome shrunk =
        new Shrinker(scenario -> Run.of(scenario, new Twice(), new Trace())).shrink(failed);

    assertThat(shrunk.violation().orElseThrow().sentence())
        .isEqualTo(failed.violation().orElseThrow().sentence());
    assertThat(shrunk.scenario().faults()).isEmpty();
    assertThat(shrunk.scenario().acts()).hasSize(1);
    Outcome again = Run.of(whole.without(shrunk.scenario().removed()), new Twice(), new Trace());
    assertThat(again.digest()).isEqualTo(shrunk.digest());
  }

  /** Deploys everything twice. */
  private static final class Twice extends Wiring {
    @Override
    public TaskHost taskHost(SimProcess process, TaskHost real) {
      return new TaskHost() {
        @Override
        public String dataAddress() {
          return real.dataAddress();
        }

        @Override
        public void deploy(Deployment deployment, ClassLoader classes, TaskListener listener) {
          real.deploy(deployment, classes, listener);
          real.deploy(deployment, classes, listener);
        }

        @Override
        public void cancel(ExecutionId execution) {
          real.cancel(execution);
        }

        @Override
        public List<TaskCounters> counters(JobId job) {
          return real.counters(job);
        }

        @Override
        public void release(JobId job) {
          real.release(job);
        }

        @Override
        public boolean hasResultsOf(JobId job) {
          return real.hasResultsOf(job);
        }

        @Override
        public void keep(long term, List<ExecutionId> executions) {
          real.keep(term, executions);
        }

        @Override
        public List<ClusterPartition> kept() {
          return real.kept();
        }

        @Override
        public void drop(List<ClusterPartition> partitions) {
          real.drop(partitions);
        }

        @Override
        public void close() {
          real.close();
        }
      };
    }
  }

  private int sim(String... arguments) throws Exception {
    try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
      return Sim.run(arguments, out);
    }
  }

  private String text() {
    return output.toString(StandardCharsets.UTF_8);
  }
}

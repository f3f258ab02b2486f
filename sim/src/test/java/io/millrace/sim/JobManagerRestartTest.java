package io.millrace.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.JobStatus;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.task.TaskSpec;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.DispatcherGateway.JobEvents;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.Messages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A JobManager is killed and another one is started on what it stored. */
class JobManagerRestartTest {
  private static final int SEEDS = 100;
  private static final int SLOTS = 2;
  private static final List<String> WORKERS = List.of("worker-1", "worker-2");
  private static final RecordCodec CODEC = Messages.codec();
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Test
  void jobFinishesWithTheWorkersThatLivedOnAndNoAttemptRunsTwice() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Scenario scenario = new Scenario(seed);
      JobId job = scenario.submit();
      int kills = 1 + scenario.random.nextInt(3);
      for (int i = 0; i < kills; i++) {
        scenario.run(Duration.ofMillis(scenario.random.nextInt(3000)));
        scenario.restart(Duration.ofMillis(scenario.random.nextInt(500)));
      }
      scenario.run(Duration.ofSeconds(20));
      assertThat(SmallCluster.result(scenario.cluster, job))
          .as("seed %d", seed)
          .hasValueSatisfying(result -> assertThat(result.status()).isEqualTo(JobStatus.FINISHED));
      scenario.assertSound();
      assertThat(scenario.freeSlots()).as("seed %d", seed).containsExactly(SLOTS, SLOTS);
    }
  }

  @Test
  void jobWhoseEndWasToldNeverRunsAgainAndIsToldOfAsBefore() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Scenario scenario = new Scenario(seed);
      JobId job = scenario.submit();
      assertThat(SmallCluster.result(scenario.cluster, job)).as("seed %d", seed).isPresent();
      JobOverview before = scenario.list().get(0);
      String told = scenario.told(job);
      int deployed = scenario.cluster.deployed();
      // Killed while it cleans up, or after that.
      scenario.run(Duration.ofMillis(scenario.random.nextInt(20)));
      scenario.restart(Duration.ofMillis(100));
      scenario.run(Duration.ofSeconds(30));

      assertThat(scenario.cluster.deployed()).as("seed %d", seed).isEqualTo(deployed);
      assertThat(scenario.list()).as("seed %d", seed).containsExactly(before);
      assertThat(scenario.told(job)).as("seed %d", seed).isEqualTo(told);
      scenario.assertSound();
    }
  }

  private static final class Scenario {
    final long seed;
    final Random random;
    final SimCluster cluster;
    private final Set<String> wrong = new LinkedHashSet<>();

    Scenario(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.cluster =
          new SimCluster(
              seed,
              Configuration.EMPTY
                  .with(Options.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
                  .with(Options.RESTART_ATTEMPTS, 1000)
                  .with(Options.RESTART_DELAY, Duration.ofMillis(100)));
      var behaviour = new SimTaskHost.Behaviour(Duration.ofSeconds(5), 0, Duration.ofSeconds(3));
      WORKERS.forEach(worker -> cluster.startWorker(worker, SLOTS, behaviour));
    }

    JobId submit() {
      JobGraph graph =
          SmallCluster.graph(random, 1 + random.nextInt(4), Configuration.EMPTY, Map.of());
      CompletableFuture<?> submitted = cluster.submit(graph);
      cluster.simulation().runUntil(submitted::isDone, PATIENCE);
      submitted.join();
      return graph.id();
    }

    void restart(Duration pause) {
      cluster.killJobManager();
      run(pause);
      cluster.startJobManager();
    }

    /** Looks after every event. */
    void run(Duration time) {
      cluster
          .simulation()
          .runUntil(
              () -> {
                look();
                return false;
              },
              time);
    }

    private void look() {
      Set<ExecutionId> executions = new LinkedHashSet<>();
      for (String worker : WORKERS) {
        Map<VertexId, Integer> tasks = new LinkedHashMap<>();
        for (TaskSpec task : cluster.tasksOn(worker)) {
          if (!executions.add(task.execution())) {
            wrong.add("attempt " + task + " runs twice");
          }
          // A slot has at most one task of a vertex, whoever deployed it.
          if (tasks.merge(task.vertex(), 1, Integer::sum) > SLOTS) {
            wrong.add(worker + " has more tasks of " + task.vertex() + " than slots");
          }
        }
      }
    }

    List<JobOverview> list() {
      CompletableFuture<List<JobOverview>> jobs =
          cluster.ask(
              gateway -> gateway.listJobs(new ListJobs()).thenApply(answer -> answer.jobs()));
      cluster.simulation().runUntil(jobs::isDone, PATIENCE);
      return jobs.join();
    }

    /** All that is told of a job, as the bytes it is sent as. */
    String told(JobId job) {
      CompletableFuture<JobAnswer> details =
          cluster.ask(gateway -> gateway.describeJob(new DescribeJob(job)));
      CompletableFuture<JobEvents> journal =
          cluster.ask(gateway -> gateway.readJournal(new ReadJournal(job)));
      cluster.simulation().runUntil(() -> details.isDone() && journal.isDone(), PATIENCE);
      assertThat(details.join().job().orElseThrow().vertices())
          .allSatisfy(vertex -> assertThat(vertex.subtasks()).isNotEmpty());
      return HexFormat.of().formatHex(CODEC.encode(details.join()))
          + HexFormat.of().formatHex(CODEC.encode(journal.join()));
    }

    List<Integer> freeSlots() {
      CompletableFuture<Map<String, Integer>> free = cluster.freeSlots();
      cluster.simulation().runUntil(free::isDone, PATIENCE);
      return new ArrayList<>(free.join().values());
    }

    void assertSound() {
      assertThat(wrong).as("seed %d", seed).isEmpty();
      assertThat(cluster.deaths()).as("seed %d", seed).isEmpty();
    }
  }
}

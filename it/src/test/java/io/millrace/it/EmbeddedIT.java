package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.ExitsAfterItsJob;
import com.example.ExitsAtOnce;
import com.example.ExitsEarly;
import com.example.Idle;
import com.example.ManyJobs;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobOverview;
import io.millrace.task.TaskState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Programs that run with their cluster in one process. */
class EmbeddedIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  /** No environment is bound: the embedded cluster is found on the class path. */
  @Test
  @Behaviour("A5: in an IDE the program runs on the embedded cluster")
  void programWithoutLauncherRunsEmbedded() throws Exception {
    StreamEnvironment env = StreamEnvironment.current().parallelism(3);
    List<String> lengths =
        env.fromElements("grain", "stone", "water", "mill", "weir", "flour")
            .rebalance()
            .keyBy(String::length)
            .reduce((a, b) -> a.compareTo(b) < 0 ? a : b)
            .collect("as in an IDE")
            .toList();
    assertThat(lengths).contains("flour", "mill");

    Idle.build(env);
    JobClient job = env.executeAsync("until cancelled");
    job.cancel().get(30, TimeUnit.SECONDS);
    assertThat(job.result().get(30, TimeUnit.SECONDS).status()).isEqualTo(JobStatus.CANCELED);
  }

  private static long half(long number) {
    if (number == 7) {
      throw new IllegalStateException("an odd number");
    }
    return number / 2;
  }

  /** The stack trace contains the failing line of the program. */
  @Test
  void thrownFailureHasTheExceptionOfTheTaskAsItsCause() {
    StreamEnvironment env = StreamEnvironment.current().parallelism(2);
    var halves = env.generate(index -> index, 10).map(EmbeddedIT::half);
    assertThatThrownBy(() -> halves.collect("fails").toList())
        .hasMessageContaining("IllegalStateException: an odd number")
        .cause()
        .hasToString("java.lang.IllegalStateException: an odd number")
        .satisfies(
            cause -> {
              StackTraceElement first = cause.getStackTrace()[0];
              assertThat(first.getClassName()).isEqualTo(EmbeddedIT.class.getName());
              assertThat(first.getMethodName()).isEqualTo("half");
              assertThat(first.getLineNumber()).isPositive();
            });
  }

  @Test
  @Behaviour(
      "A6: execute clears the collected transformations, so that one main can run several jobs")
  void oneProgramRunsManyJobs() throws Exception {
    Path jar = ProgramJar.of(directory, ManyJobs.class);
    assertThat(SHELL.millrace("run", "-p", "2", jar.toString(), "30").succeeded().out())
        .containsExactly("30 jobs have finished");
    assertThat(SHELL.temporaryFiles()).isEmptyDirectory();
  }

  /** Ctrl-C ends an unbounded job. */
  @Test
  void interruptedRunLeavesNothing() throws Exception {
    Command run = SHELL.start(Map.of(), "run", Shell.example("rate-counter.jar").toString());
    run.awaitLine(line -> line.contains(" is RUNNING"));
    assertThat(SHELL.temporaryFiles()).isNotEmptyDirectory();
    run.terminate();
    assertThat(run.await().code()).isNotZero();
    assertThat(SHELL.temporaryFiles()).isEmptyDirectory();
  }

  @Test
  void systemExitBeforeTheEndOfTheJobIsAFailure() throws Exception {
    Path jar = ProgramJar.of(directory, ExitsEarly.class);
    Outcome outcome = SHELL.millrace("run", jar.toString());
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(5);
    assertThat(outcome.refusedInOneLine()).contains("System.exit", "'endless'");
    assertThat(SHELL.temporaryFiles()).isEmptyDirectory();
  }

  @Test
  void systemExitWithoutAJobIsAFailure() throws Exception {
    Outcome outcome = SHELL.millrace("run", ProgramJar.of(directory, ExitsAtOnce.class).toString());
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
    assertThat(outcome.refusedInOneLine()).contains("System.exit without running a job");
    assertThat(SHELL.temporaryFiles()).isEmptyDirectory();
  }

  @Test
  void systemExitAfterTheJobSetsTheExitCodeDespiteAHangingHook() throws Exception {
    Path jar = ProgramJar.of(directory, ExitsAfterItsJob.class);
    Outcome outcome = SHELL.millrace("run", jar.toString(), "7", "hook");
    assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
    assertThat(outcome.err())
        .anyMatch(line -> line.startsWith("Shutdown hooks of millrace run have not ended"));
    assertThat(SHELL.temporaryFiles()).isEmptyDirectory();
  }

  @Test
  void thousandIdleSubtasksRunAndCancel() throws Exception {
    int parallelism = 1000;
    Configuration configuration =
        Configuration.EMPTY
            .with(CoreOptions.DEFAULT_PARALLELISM, parallelism)
            .with(TaskManagerOptions.NUM_TASK_SLOTS, parallelism)
            .with(CoreOptions.TMP_DIRS, directory.toString());
    int threads = Thread.activeCount();
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      long submitted = System.nanoTime();
      JobClient job =
          new ProgramContext(executor, configuration)
              .during(
                  () -> {
                    StreamEnvironment env = StreamEnvironment.current();
                    Idle.build(env);
                    return env.executeAsync("idle");
                  });
      awaitTasks(cluster, job, TaskState.RUNNING, 2 * parallelism);
      Duration running = Duration.ofNanos(System.nanoTime() - submitted);
      assertThat(Thread.activeCount() - threads).as("threads for idle tasks").isLessThan(100);

      long asked = System.nanoTime();
      job.cancel().get(30, TimeUnit.SECONDS);
      assertThat(job.result().get(60, TimeUnit.SECONDS).status()).isEqualTo(JobStatus.CANCELED);
      awaitTasks(cluster, job, TaskState.CANCELED, 2 * parallelism);
      System.out.printf(
          "Parallelism 1000: all RUNNING after %d ms, CANCELED after %d ms%n",
          running.toMillis(), Duration.ofNanos(System.nanoTime() - asked).toMillis());
    }
    assertThat(directory).isEmptyDirectory();
  }

  private static void awaitTasks(
      EmbeddedCluster cluster, JobClient job, TaskState state, int count) {
    Wait.untilTrue(
        "all tasks are " + state,
        () -> {
          Optional<JobOverview> now = cluster.job(job.id());
          return now.isPresent() && now.get().tasks().getOrDefault(state, 0) == count;
        });
  }
}

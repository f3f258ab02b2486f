package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.cli.CommandLineHarness;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.PackagedProgram;
import io.millrace.client.RecordDecoder;
import io.millrace.client.SubmittedJob;
import io.millrace.client.UnreachableException;
import io.millrace.client.testing.FakeClusterClient;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Jobs that have not ended when main has thrown. Signals and System.exit need processes. */
@ResourceLock("ProgramContext")
class InterruptHandlerTest {
  private final FakeClusterClient cluster = new FakeClusterClient();
  private final ClusterJobExecutor executor =
      new ClusterJobExecutor(cluster, List.of(), RecordDecoder::onClassPath, JobListener.NONE);

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private PackagedProgram program;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    program = PackagedProgram.open(Path.of(cli.program()), Configuration.EMPTY);
    cluster.runJobs();
  }

  @AfterEach
  void close() {
    program.close();
  }

  @Test
  void openJobContinuesAndItsCancelCommandIsPrinted() {
    SubmittedJob job = submit();
    handler(false).leaveOpenJobs();
    assertThat(cli.err())
        .isEqualTo(
            "Job " + job.id() + " continues. End it with: millrace cancel " + job.id() + "\n");
    assertThat(cluster.cancelled()).isEmpty();
  }

  @Test
  @Behaviour("A8: with shut-down-on-exit a command that ends before its jobs cancels them")
  void openJobOfATiedClientIsCancelled() {
    SubmittedJob job = submit();
    handler(true).leaveOpenJobs();
    assertThat(cluster.cancelled()).containsExactly(job.id());
    assertThat(cli.err())
        .isEqualTo(
            "Job "
                + job.id()
                + " was cancelled because execution.shutdown-on-attached-exit is set.\n");
  }

  @Test
  void jobThatCannotBeCancelledIsReportedWithItsCancelCommand() {
    SubmittedJob job = submit();
    cluster.onCancel(
        id -> {
          throw new UnreachableException("No JobManager\nanswers.", null);
        });
    handler(true).leaveOpenJobs();
    assertThat(cli.err().lines())
        .containsExactly(
            "millrace: No JobManager answers.",
            "Job " + job.id() + " continues. End it with: millrace cancel " + job.id());
  }

  @Test
  void endedJobIsNotCancelled() {
    submit();
    cluster.end(JobStatus.FAILED);
    handler(true).leaveOpenJobs();
    assertThat(cluster.cancelled()).isEmpty();
    assertThat(cli.err()).isEmpty();
  }

  @Test
  void jobOfAClusterThatDoesNotAnswerCountsAsOpen() {
    SubmittedJob job = submit();
    cluster.thenThrows(new UnreachableException("No JobManager answers.", null));
    handler(false).leaveOpenJobs();
    assertThat(cli.err()).contains("millrace cancel " + job.id());
  }

  @Test
  void handlerThatIsClosedDoesNotRunAtTheEndOfTheProcess() {
    InterruptHandler handler = handler(false);
    handler.watch();
    handler.close();
    // A hook that is still registered could not be registered again.
    handler.watch();
    handler.close();
    assertThat(cli.err()).isEmpty();
  }

  private SubmittedJob submit() {
    TestJobs.submit(executor, "job");
    return executor.jobs().get(0);
  }

  private InterruptHandler handler(boolean cancelOnExit) {
    return new InterruptHandler(cli.console(), cluster, program, executor, cancelOnExit);
  }
}

package io.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.program.Program;
import io.millrace.cli.run.PlanningExecutor.PlanIncompleteError;
import io.millrace.client.testing.TestJobs;
import io.millrace.core.testing.Behaviour;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("ProgramContext")
class PlanningExecutorTest {
  private final PlanningExecutor planner = new PlanningExecutor();

  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void eachJobAppearsToFinishAtOnce() {
    JobClient job = TestJobs.submit(planner, "job");
    assertThat(job.status().join()).isEqualTo(JobStatus.FINISHED);
    assertThat(job.result().join().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(job.result().join().name()).isEqualTo("job");
    assertThat(job.cancel()).isCompleted();
    assertThat(planner.jobs()).extracting(Program::name).containsExactly("job");
  }

  @Test
  void idsAreTheSameForEachRunOfTheProgram() {
    assertThat(TestJobs.submit(planner, "first").id()).isEqualTo(PlanningExecutor.id(0));
    assertThat(TestJobs.submit(planner, "second").id()).isEqualTo(PlanningExecutor.id(1));
    assertThat(TestJobs.submit(new PlanningExecutor(), "other").id())
        .isEqualTo(PlanningExecutor.id(0));
  }

  @Test
  void readingCollectedRecordsEndsThePlan() {
    Iterator<Object> records = TestJobs.submit(planner, "job").collected("out");
    assertThatThrownBy(records::hasNext)
        .isInstanceOf(PlanIncompleteError.class)
        .hasMessage("it needs records of job 'job'");
    assertThatThrownBy(records::next).isInstanceOf(PlanIncompleteError.class);
  }

  @Test
  void endlessMainIsEndedAfterTheLargestNumberOfJobs() {
    for (int i = 0; i < PlanningExecutor.MAX_JOBS; i++) {
      TestJobs.submit(planner, "job " + i);
    }
    assertThatThrownBy(() -> TestJobs.submit(planner, "one more"))
        .isInstanceOf(PlanIncompleteError.class)
        .hasMessage("it executes more than 100 jobs");
    assertThat(planner.jobs()).hasSize(PlanningExecutor.MAX_JOBS);
  }
}

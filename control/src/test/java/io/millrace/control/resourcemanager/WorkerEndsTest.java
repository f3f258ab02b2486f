package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.ResourceManagerGateway.AwaitWorkerEnd;
import io.millrace.protocol.ResourceManagerGateway.WorkerEnd;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the ResourceManager answers about ended workers, and how far it says that jobs are. */
class WorkerEndsTest extends ResourceManagerTestBase {
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  @Test
  @Behaviour("D5: a JobMaster learns from the driver why a worker ended, before or after it asks")
  void reasonOfTheDriverIsAwaited() {
    FakeJobMaster jobMaster = jobWithWorker();
    CompletableFuture<WorkerEnd> early = ask(jobMaster);
    env.settle();
    assertThat(early).isNotDone();
    driver.events.ended(WORKER, words("killed"));
    env.settle();
    assertThat(early).isCompletedWithValue(new WorkerEnd(Optional.of(words("killed"))));
    CompletableFuture<WorkerEnd> late = ask(jobMaster);
    env.settle();
    assertThat(late).isCompletedWithValue(new WorkerEnd(Optional.of(words("killed"))));
  }

  @Test
  void releasedWorkerHasNoFurtherReason() {
    FakeJobMaster jobMaster = jobWithWorker();
    CompletableFuture<WorkerEnd> asked = ask(jobMaster);
    driver.events.ended(WORKER, new WorkerReleased(new WorkerStops()));
    env.settle();
    assertThat(asked).isCompletedWithValue(new WorkerEnd(Optional.empty()));
  }

  @Test
  @Behaviour("D5: a JobMaster learns why the ResourceManager released a worker that it used")
  void reasonOfADrainedWorkerIsThatOfItsDriver() {
    FakeJobMaster jobMaster = jobWithWorker();
    driver.events.draining(WORKER, words("its node is decommissioned"), Duration.ZERO);
    env.settle();
    driver.events.ended(WORKER, new WorkerReleased(new WorkerStops()));
    env.settle();
    CompletableFuture<WorkerEnd> asked = ask(jobMaster);
    env.settle();
    assertThat(asked)
        .isCompletedWithValue(new WorkerEnd(Optional.of(words("its node is decommissioned"))));
  }

  @Test
  void questionIsAnsweredInTimeAlsoIfTheDriverIsSilent() {
    FakeJobMaster jobMaster = jobWithWorker();
    CompletableFuture<WorkerEnd> asked = ask(jobMaster);
    env.advance(PATIENCE);
    assertThat(asked).isCompletedWithValue(new WorkerEnd(Optional.empty()));
  }

  @Test
  @Behaviour("D9: the driver learns how far the jobs are; a running task counts half")
  void driverLearnsTheProgressOfJobs() {
    FakeJobMaster jobMaster = jobWithWorker();
    jobMaster.report = new JobMasterReport(4, 2, 1);
    env.advance(Duration.ofMinutes(1));
    assertThat(driver.progress).isEqualTo(0.5);
  }

  private FakeJobMaster jobWithWorker() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    startWorker(WORKER.value());
    return jobMaster;
  }

  private CompletableFuture<WorkerEnd> ask(FakeJobMaster jobMaster) {
    return jobMaster.at(leader()).awaitWorkerEnd(new AwaitWorkerEnd(WORKER, PATIENCE));
  }
}

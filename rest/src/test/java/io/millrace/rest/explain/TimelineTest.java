package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.journal.ClientEvent.JobSent;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TaskFailed;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersRequested;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.JobRestarted;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.rest.Timeline.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static final Reason NO_MEMORY = new JobFailure(ErrorKind.USER, "no memory");

  private final JobSnapshotBuilder job = new JobSnapshotBuilder();

  private static Step step(List<Step> steps, String name) {
    return steps.stream().filter(step -> step.step().equals(name)).findFirst().orElseThrow();
  }

  @Test
  @Behaviour("I2: timeline shows the life of a job from client to end")
  void showsTheLifeOfAJobFromClientToEnd() {
    List<Step> steps =
        job.started(4)
            .at(50)
            .slotsOf("w1", 4)
            .complete(4)
            .deployed(8)
            .append(new JobSent(false).entry().forJob(JobSnapshotBuilder.JOB).taking(200))
            .at(500)
            .event(new StatusChanged(JobStatus.FINISHED, new TasksEnded()))
            .at(510)
            .event(new JobArchived(JobStatus.FINISHED))
            .is(JobStatus.FINISHED)
            .snapshot()
            .timeline()
            .steps();

    assertThat(steps)
        .extracting(
            Step::step,
            Step::process,
            step -> step.start() - JobSnapshotBuilder.BEGAN,
            step -> step.end() - step.start(),
            Step::count)
        .containsExactly(
            tuple("Submit", "client", -100L, 200L, 0),
            tuple("Store and accept", "jobmanager", 0L, 10L, 0),
            tuple("Start JobMaster", "jobmanager", 10L, 10L, 0),
            tuple("Register at ResourceManager", "jobmanager", 20L, 10L, 0),
            tuple("Wait for slots", "jobmanager", 20L, 50L, 4),
            tuple("Declare slots", "jobmanager", 40L, 0L, 4),
            tuple("Grant slots", "w1", 50L, 10L, 4),
            tuple("Register at JobMaster", "w1", 50L, 15L, 1),
            tuple("Offer and accept slots", "w1", 65L, 5L, 4),
            tuple("Deploy tasks", "jobmanager", 70L, 5L, 8),
            tuple("First task running", "w1", 70L, 20L, 0),
            tuple("All tasks running", "w1", 70L, 30L, 8),
            tuple("Run", "w1", 100L, 400L, 8),
            tuple("FINISHED", "jobmanager", 500L, 0L, 0),
            tuple("Store result", "jobmanager", 500L, 10L, 0));
  }

  @Test
  void showsOnlyWorkersOfTheJob() {
    List<Step> steps =
        job.worker(new TaskManagerRegistered(JobSnapshotBuilder.ADDRESS), "before")
            .started(2)
            .at(50)
            .worker(new WorkersRequested("process", 1, Optional.empty()), "")
            .at(60)
            .worker(new WorkerStarted(), "w1")
            .worker(new WorkerStarted(), "of another job")
            .at(80)
            .worker(new TaskManagerRegistered(JobSnapshotBuilder.ADDRESS), "w1")
            .worker(new TaskManagerRegistered(JobSnapshotBuilder.ADDRESS), "of another job")
            .at(85)
            .worker(new SlotsReported(2), "w1")
            .slotsOf("w1", 2)
            .complete(2)
            .at(1000)
            .worker(new TaskManagerRegistered(JobSnapshotBuilder.ADDRESS), "w1")
            .snapshot()
            .timeline()
            .steps();

    assertThat(step(steps, "Request workers").process()).isEqualTo("jobmanager");
    assertThat(step(steps, "Start workers"))
        .returns("w1", Step::process)
        .returns(JobSnapshotBuilder.BEGAN + 50, Step::start)
        .returns(JobSnapshotBuilder.BEGAN + 60, Step::end);
    assertThat(step(steps, "Register workers"))
        .returns("w1", Step::process)
        .returns(JobSnapshotBuilder.BEGAN + 80, Step::end);
    assertThat(step(steps, "Report slots").end()).isEqualTo(JobSnapshotBuilder.BEGAN + 85);
  }

  @Test
  @Behaviour("I2: explanations and timelines say where their history begins")
  void saysWhereItsHistoryBegins() {
    String sentence =
        "The history of the job begins at 1970-01-01T00:16:40Z, when its JobManager was restarted;"
            + " earlier events are not available.";
    JobSnapshot recovered = job.event(new JobRecovered()).started(2).snapshot();
    assertThat(recovered.timeline().notes()).containsExactly(sentence);
    assertThat(recovered.explain().notes()).contains(sentence);

    JobSnapshot whole = new JobSnapshotBuilder().event(new JobSubmitted("counts")).snapshot();
    assertThat(whole.timeline().notes()).isEmpty();
    assertThat(whole.explain().notes()).noneMatch(note -> note.contains("history"));

    JobSnapshot nothing = new JobSnapshotBuilder().is(JobStatus.FINISHED).snapshot();
    assertThat(nothing.timeline().notes())
        .containsExactly("The history of the job is no longer available.");
  }

  @Test
  void stepInProgressHasNoEnd() {
    List<Step> steps =
        job.started(4).at(50).slotsOf("w1", 2).at(5000).snapshot().timeline().steps();
    assertThat(step(steps, "Wait for slots").isOpen()).isTrue();
    assertThat(step(steps, "Grant slots").isOpen()).isFalse();
    assertThat(steps).noneMatch(step -> step.step().equals("Deploy tasks"));
  }

  @Test
  void showsLaterSlotRequestsAsSeparateSteps() {
    List<Step> steps =
        job.started(4)
            .at(50)
            .slotsOf("w1", 2)
            .at(5000)
            .slotsOf("w2", 2)
            .snapshot()
            .timeline()
            .steps();
    assertThat(steps)
        .filteredOn(step -> step.step().equals("Grant slots"))
        .extracting(Step::process, step -> step.end() - step.start())
        .containsExactly(tuple("w1", 10L), tuple("w2", 10L));
  }

  @Test
  void restartsAreFurtherRounds() {
    List<Step> steps =
        job.started(2)
            .at(50)
            .slotsOf("w1", 2)
            .complete(2)
            .deployed(2)
            .at(900)
            // The ResourceManager notices the loss first.
            .slotsOf("w2", 2)
            .at(990)
            .event(new WorkerLost(new WorkerStops()), "w1")
            .at(1000)
            .event(new TaskFailed(new JobFailure(ErrorKind.EXTERNAL, "w1 is lost")))
            .event(new RestartScheduled(1, 1, Duration.ofMillis(10)))
            .at(1010)
            .event(new StatusChanged(JobStatus.RUNNING, new JobRestarted()))
            .deployed(2)
            .snapshot()
            .timeline()
            .steps();

    assertThat(steps)
        .filteredOn(step -> step.round() == 1)
        .extracting(Step::step)
        .containsExactly(
            "Grant slots",
            "Register at JobMaster",
            "Offer and accept slots",
            "Restart 1",
            "Deploy tasks",
            "First task running",
            "All tasks running",
            "Run");
    assertThat(step(steps, "Run").end()).isEqualTo(JobSnapshotBuilder.BEGAN + 1000);
    assertThat(step(steps, "Restart 1").end()).isEqualTo(JobSnapshotBuilder.BEGAN + 1010);
  }

  @Test
  void showsSlotsHeldForRecoveredJob() {
    List<Step> steps =
        job.started(4)
            .at(50)
            .event(new WorkerRegistered(1), "w1")
            .at(60)
            .event(new SlotsAccepted(2, 2, 2), "w1")
            .at(70)
            .slotsOf("w2", 2)
            .complete(4)
            .snapshot()
            .timeline()
            .steps();
    assertThat(steps)
        .filteredOn(step -> step.step().contains("slots") && !step.process().equals("jobmanager"))
        .extracting(
            Step::step, Step::process, step -> step.start() - JobSnapshotBuilder.BEGAN, Step::count)
        .containsExactly(
            tuple("Offer and accept slots", "w1", 50L, 2),
            tuple("Grant slots", "w2", 70L, 2),
            tuple("Offer and accept slots", "w2", 85L, 2));
  }

  @Test
  void omitsRunningStepsOfTasksThatNeverRan() {
    List<Step> steps =
        job.started(2)
            .at(50)
            .slotsOf("w1", 2)
            .complete(2)
            .event(new TasksDeployed(2, 1))
            .at(90)
            .event(new StatusChanged(JobStatus.FAILING, NO_MEMORY))
            .at(95)
            .event(new StatusChanged(JobStatus.FAILED, NO_MEMORY))
            .is(JobStatus.FAILED)
            .snapshot()
            .timeline()
            .steps();
    assertThat(steps).extracting(Step::step).contains("Deploy tasks", "Fail", "FAILED");
    assertThat(steps).extracting(Step::step).noneMatch(name -> name.contains("running"));
  }

  @Test
  void jobWithoutEventsHasNoSteps() {
    assertThat(job.snapshot().timeline().steps()).isEmpty();
  }
}

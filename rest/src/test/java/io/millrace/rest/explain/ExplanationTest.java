package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.ShortageReported;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TaskFailed;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersRequested;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason.ClientTimeout;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import io.millrace.task.TaskSplits;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private static final Reason BOOM = new JobFailure(ErrorKind.USER, "boom");

  private final JobSnapshotBuilder job = new JobSnapshotBuilder();

  private static List<String> sentences(List<Said> said) {
    return said.stream().map(Said::sentence).toList();
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  @Behaviour("I2: explain shows on one screen why a job waits")
  void showsRequestsAnswersAndFixes() {
    Explanation explanation =
        job.started(8)
            .at(50)
            .slotsOf("w1", 5)
            .worker(new WorkersRequested("process", 2, Optional.empty()), "")
            .worker(new WorkerStartFailed(new ErrorReason("no java")), "")
            .at(90)
            .worker(new WorkerStartFailed(new ErrorReason("still no java")), "")
            .at(4050)
            .waits(8, 3, "The job needs 8 slots and has 5.")
            .holds("w1", 5)
            .snapshot()
            .explain();

    assertThat(explanation.summary()).isEqualTo("The job waits for 3 of 8 slots, for 4.0 s now.");
    Unmet unmet = explanation.unmet().get(0);
    assertThat(unmet.required()).isEqualTo(8);
    assertThat(unmet.missing()).isEqualTo(3);
    assertThat(unmet.answer()).isEqualTo("The job needs 8 slots and has 5.");
    assertThat(sentences(unmet.asked()))
        .satisfiesExactly(
            one ->
                assertThat(one)
                    .isEqualTo(
                        "The JobMaster asked the ResourceManager: 8 slots required, 8 of them"
                            + " missing; the job waits for 5 min without new ones"
                            + " (slot.request.timeout)."),
            one -> assertThat(one).startsWith("The ResourceManager asked TaskManagers: 5 slots"),
            one -> assertThat(one).isEqualTo("TaskManagers answered: 5 slots granted by 1 worker."),
            one ->
                assertThat(one)
                    .isEqualTo("Workers requested: Asked the driver 'process' for 2 workers."),
            one ->
                assertThat(one)
                    .isEqualTo(
                        "Worker start failed: still no java. This is the last of 2 such events."));
    assertThat(unmet.asked().get(0).time()).isEqualTo(JobSnapshotBuilder.BEGAN + 40);
    assertThat(unmet.fixes())
        .containsExactly(
            "Correct the cause of the failed start; workers are started again automatically.",
            "3 more slots, from further TaskManagers or from jobs that end. No other job holds"
                + " slots.",
            "Or a parallelism for which 5 slots are enough: the job has that many already.");
  }

  @Test
  @Behaviour("F5: own threads are capped, and a task that needs one beyond the cap says so")
  void showsOwnThreadsAndTheirLimit() {
    String reason = "held its core for 35 ms in com.example.Slow.map(Slow.java:12)";
    job.task("w1", TaskState.RUNNING)
        .task(
            "w1", new TaskThread(TaskThread.Kind.OWN, JobSnapshotBuilder.BEGAN + 500, reason, 4, 4))
        .task(
            "w1",
            new TaskThread(TaskThread.Kind.DENIED, JobSnapshotBuilder.BEGAN + 1000, reason, 4, 4));
    for (int i = 0; i < 5; i++) {
      job.task(
          "w2",
          new TaskThread(TaskThread.Kind.OWN, JobSnapshotBuilder.BEGAN, "waited for room", 5, 256));
    }
    assertThat(job.at(2500).snapshot().explain().notes())
        .contains(
            "Task Source (2/1) on w1 has a thread of its own, for 2 s now: it " + reason + ".",
            "Task Source (3/1) on w1 should have a thread of its own, for 1.5 s now: it "
                + reason
                + ".",
            "… and 2 more tasks like these.",
            "TaskManager w1 has 4 own threads for tasks that hold core threads for long, and may"
                + " have 4 (taskmanager.own-threads.max), so further such tasks delay the tasks"
                + " that share a core thread with them. Raise the limit, or block less in"
                + " functions.");
  }

  @Test
  void showsHowFarAnEnumeratorIs() {
    job.task("w1", new TaskSplits(true, 12, 3)).task("w1", new TaskSplits(false, 6, 1));
    assertThat(job.at(2500).snapshot().explain().notes())
        .contains("'Source' has assigned 12 splits to readers; 3 wait until a reader is free.");
  }

  @Test
  void showsTaskThatHoldsCoreThread() {
    String reason = "held its core for 35 ms in com.example.Slow.map(Slow.java:12)";
    job.task(
        "w1", new TaskThread(TaskThread.Kind.CORE, JobSnapshotBuilder.BEGAN + 500, reason, 0, 4));
    assertThat(job.at(2500).snapshot().explain().notes())
        .contains(
            "Task Source (1/1) on w1 holds a core thread that no other task waits for, for 2 s"
                + " now: it "
                + reason
                + ".")
        .noneMatch(note -> note.contains("taskmanager.own-threads.max"));
  }

  @Test
  @Behaviour(
      "F5: a task that ignores its cancellation ends its TaskManager; the job names the line")
  void showsReasonOfLostWorkerDuringCancellation() {
    Explanation explanation =
        job.at(10)
            .event(new WorkerLost(new ErrorReason("killed")), "w0")
            .at(20)
            .event(new CancelRequested(false))
            .at(30)
            .event(new WorkerLost(new ErrorReason("It is in A.b(A.java:1)")), "w1")
            .is(JobStatus.CANCELED)
            .snapshot()
            .explain();
    assertThat(sentences(explanation.causes()))
        .containsExactly(
            "The user cancels the job.", "TaskManager w1 is lost: It is in A.b(A.java:1).");
  }

  @Test
  @Behaviour(
      "A8: a job that is tied to its client is cancelled, with the reason, after"
          + " client.heartbeat.timeout without a heartbeat")
  void showsLossOfClientAsReasonOfCancellation() {
    String why =
        "Its client was last heard of 3 min ago; client.heartbeat.timeout is 3 min, and the job"
            + " ends with its client (execution.shutdown-on-attached-exit)";
    job.at(10)
        .event(
            new ClientLost(new ClientTimeout(true, Duration.ofMinutes(3), Duration.ofMinutes(3))))
        .event(new CancelRequested(true));
    assertThat(job.is(JobStatus.CANCELLING).snapshot().explain().summary())
        .isEqualTo("The job is cancelled; its tasks are being ended. " + why + ".");
    Explanation explanation = job.is(JobStatus.CANCELED).snapshot().explain();
    assertThat(explanation.summary()).startsWith("The job was cancelled").endsWith(why + ".");
    assertThat(sentences(explanation.causes())).containsExactly("The job ends with its client.");
  }

  @Test
  void omitsRequestsOfEarlierWait() {
    Explanation explanation =
        job.started(2)
            .at(50)
            .slotsOf("w1", 2)
            .complete(2)
            .deployed(2)
            .at(9000)
            .event(new SlotsWanted(2, 2))
            .at(9400)
            .event(new ShortageReported(new ErrorReason("No TaskManager is registered.")))
            .at(9500)
            .waits(2, 2, "No TaskManager is registered.")
            .snapshot()
            .explain();

    assertThat(explanation.summary()).isEqualTo("The job waits for 2 of 2 slots, for 500 ms now.");
    assertThat(sentences(explanation.unmet().get(0).asked()))
        .singleElement()
        .asString()
        .startsWith("The JobMaster asked the ResourceManager: 2 slots required");
    assertThat(explanation.unmet().get(0).answeredAt()).isEqualTo(JobSnapshotBuilder.BEGAN + 9400);
    assertThat(explanation.unmet().get(0).fixes()).hasSize(1);
  }

  @Test
  void showsPlacementOfSlotsAndItsReason() {
    Explanation explanation =
        job.started(3)
            .at(50)
            .slotsOf("w1", 3)
            .complete(3)
            .waits(3, 0, "")
            .holds("w1", 3)
            .task("w1", TaskState.RUNNING)
            .task("w1", TaskState.RUNNING)
            .snapshot()
            .explain();

    assertThat(explanation.unmet()).isEmpty();
    assertThat(explanation.summary()).startsWith("The job runs in 3 slots of 1 TaskManager");
    assertThat(explanation.places()).hasSize(1);
    assertThat(explanation.places().get(0).sentence())
        .isEqualTo("TaskManager w1: 3 slots, 2 tasks; 3 slots granted in 10 ms.");
    assertThat(explanation.places().get(0).grantedAt()).isEqualTo(JobSnapshotBuilder.BEGAN + 60);
    assertThat(explanation.notes())
        .containsExactly(
            "Tasks: 2 RUNNING.",
            "Why there: filling one worker after the other (cluster.evenly-spread-out-slots:"
                + " false).");
  }

  @Test
  void showsSlotsHeldSinceBeforeJobManagerStarted() {
    Explanation explanation =
        job.event(new JobRecovered())
            .started(3)
            .at(50)
            .event(new SlotsAccepted(2, 2, 1), "w1")
            .at(60)
            .slotsOf("w2", 1)
            .complete(3)
            .holds("w1", 2)
            .holds("w2", 1)
            .snapshot()
            .explain();
    assertThat(explanation.places())
        .extracting(
            place -> place.sentence(), place -> place.grantedAt() - JobSnapshotBuilder.BEGAN)
        .containsExactly(
            tuple(
                "TaskManager w1: 2 slots, 0 tasks; held for the job since before the JobManager"
                    + " started.",
                50L),
            tuple("TaskManager w2: 1 slot, 0 tasks; 1 slot granted in 10 ms.", 70L));
  }

  @Test
  void showsTheChainFromTheFailureToTheEnd() {
    Explanation explanation =
        job.started(1)
            .at(100)
            .fails("Source (1/1)", "w1", "boom")
            .event(new TaskFailed(BOOM))
            .event(new RestartScheduled(1, 1, Duration.ofMillis(10)))
            .at(200)
            .fails("Source (1/1)", "w1", "boom")
            .event(
                new StatusChanged(
                    JobStatus.FAILING, new RestartRefused("boom", RestartRefusal.ATTEMPTS_USED, 1)))
            .event(new StatusChanged(JobStatus.FAILED, BOOM))
            .restarted(1)
            .is(JobStatus.FAILED)
            .snapshot()
            .explain();

    assertThat(explanation.summary())
        .isEqualTo("The job failed after 200 ms. Task Source (1/1) on w1 failed: boom.");
    assertThat(sentences(explanation.causes()))
        .containsExactly(
            "Task Source (1/1) on w1 failed: boom.",
            "Restart 1 of 1 region in 10 ms.",
            "Task Source (1/1) on w1 failed: boom.",
            "The job fails: No restart: the 1 restart of restart-strategy.fixed-delay.attempts"
                + " has been used.");
  }

  @Test
  @Behaviour("A2: explain says from which checkpoint a job goes on and why one failed")
  void showsFromWhichCheckpointARestartGoesOnAndWhyOneFailed() {
    Explanation explanation =
        job.started(1)
            .at(100)
            .event(new CheckpointFailed(3, new SnapshotFailed("Source (1/1)", "disk full")))
            .at(150)
            .fails("Source (1/1)", "w1", "boom")
            .event(new TaskFailed(BOOM))
            .event(new CheckpointFailed(4, new TasksEnding()))
            .event(new RestartScheduled(1, 1, Duration.ofMillis(10)))
            .at(200)
            .event(new StateRestored(2, "/checkpoints/chk-2"))
            .restarted(1)
            .snapshot()
            .explain();
    assertThat(sentences(explanation.causes()))
        .containsExactly(
            "Checkpoint 3 did not complete. Task Source (1/1) could not store its state: disk"
                + " full.",
            "Task Source (1/1) on w1 failed: boom.",
            "Restart 1 of 1 region in 10 ms.",
            "Tasks start with the state of checkpoint 2 in /checkpoints/chk-2.");
  }

  @Test
  void limitsLengthOfExplanation() {
    for (int i = 0; i < 100; i++) {
      job.at(100 + i)
          .fails("Source (1/1)", "w1", "x".repeat(5000))
          .event(new RestartScheduled(i, 1, Duration.ofMillis(10)));
    }
    for (int i = 0; i < 1000; i++) {
      job.holds("w" + i, 2);
    }
    Explanation explanation = job.snapshot().explain();
    assertThat(explanation.causes()).hasSize(11);
    assertThat(sentences(explanation.causes())).contains("… 190 more like these …");
    assertThat(sentences(explanation.causes())).allMatch(sentence -> sentence.length() < 500);
    assertThat(explanation.places()).hasSize(10);
    assertThat(explanation.notes()).contains("990 more TaskManagers with 1980 slots.");
  }

  @Test
  void reportsMissingResourceManager() {
    JobSnapshot known = job.started(1).snapshot();
    JobSnapshot silent =
        new JobSnapshot(known.job(), known.history(), Optional.empty(), known.now());
    assertThat(silent.explain().notes()).anyMatch(note -> note.contains("does not answer"));
  }
}

package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason.CancelledByUser;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.rest.Timeline.Step;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Explanations and timelines of histories that no job would have: events in any order, of any
 * worker, with a clock that may be set back. People ask for them when something is wrong.
 */
class AnyHistoryTest {
  private static final int SEEDS = 2_000;
  private static final Reason REASON = new ErrorReason("it broke");

  @Test
  @Behaviour("I2: a job can be explained and its timeline drawn whatever has happened to it")
  void timelineOfAnyHistoryIsInOrder() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Timeline timeline = anyJobSnapshot(seed).timeline();

      int round = 0;
      long start = Long.MIN_VALUE;
      for (Step step : timeline.steps()) {
        assertThat(step.round()).as("seed %d: %s", seed, step).isBetween(round, round + 50);
        if (step.round() == round) {
          assertThat(step.start()).as("seed %d: %s", seed, step).isGreaterThanOrEqualTo(start);
        }
        round = step.round();
        start = step.start();
        assertThat(step.step()).as("seed %d", seed).isNotBlank();
        assertThat(step.process()).as("seed %d: %s", seed, step).isNotBlank();
        assertThat(step.detail()).as("seed %d: %s", seed, step).isNotBlank();
        assertThat(step.count()).as("seed %d: %s", seed, step).isNotNegative();
      }
    }
  }

  @Test
  void nothingGoesOnInAJobThatHasEnded() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Timeline timeline =
          anyHistory(seed)
              .at(1_000_000)
              .event(new JobMasterEvent.StatusChanged(JobStatus.FINISHED, new TasksEnded()))
              .is(JobStatus.FINISHED)
              .snapshot()
              .timeline();

      assertThat(timeline.steps())
          .as("seed %d", seed)
          .noneMatch(Step::isOpen)
          .anyMatch(step -> step.step().equals("FINISHED"));
    }
  }

  @Test
  @Behaviour("I2: a job can be explained and its timeline drawn whatever has happened to it")
  void explanationOfAnyHistoryIsShortAndInSentences() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Explanation explanation = anyJobSnapshot(seed).explain();

      assertThat(explanation.summary()).as("seed %d", seed).isNotBlank();
      assertThat(explanation.causes()).as("seed %d", seed).hasSizeLessThanOrEqualTo(11);
      assertThat(explanation.places()).as("seed %d", seed).hasSizeLessThanOrEqualTo(10);
      assertThat(explanation.notes()).as("seed %d", seed).allMatch(note -> note.endsWith("."));
      List<Long> times =
          explanation.causes().stream().map(Said::time).filter(time -> time >= 0).toList();
      assertThat(times).as("seed %d: causes are in order", seed).isSorted();
      explanation
          .unmet()
          .forEach(
              unmet ->
                  assertThat(unmet.asked())
                      .extracting(Said::sentence)
                      .allMatch(sentence -> sentence.length() < 700));
    }
  }

  @Test
  void endedJobWaitsForNothing() {
    for (int seed = 0; seed < 300; seed++) {
      assertThat(
              anyHistory(seed)
                  .waits(4, 2, "No slots.")
                  .is(JobStatus.CANCELED)
                  .snapshot()
                  .explain()
                  .unmet())
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(JobStatus.class)
  void everyStatusHasASummary(JobStatus status) {
    assertThat(new JobSnapshotBuilder().is(status).snapshot().explain().summary())
        .endsWith(".")
        .isNotBlank();
    assertThat(new JobSnapshotBuilder().is(status).snapshot().timeline().notes()).hasSize(1);
  }

  /** Three at the beginning and seven at the end say how it began and where it stands. */
  @ParameterizedTest
  @CsvSource({"1, 1, 0", "11, 11, 0", "12, 11, 2", "13, 11, 3", "100, 11, 90"})
  void longChainsAreShortenedInTheMiddle(int restarts, int shown, int leftOut) {
    JobSnapshotBuilder job = new JobSnapshotBuilder();
    for (int i = 1; i <= restarts; i++) {
      job.at(i).event(new JobMasterEvent.RestartScheduled(i, 1, Duration.ofMillis(i)));
    }

    List<Said> causes = job.snapshot().explain().causes();

    assertThat(causes).hasSize(shown);
    assertThat(causes.get(0).time()).isEqualTo(JobSnapshotBuilder.BEGAN + 1);
    assertThat(causes.get(shown - 1).time()).isEqualTo(JobSnapshotBuilder.BEGAN + restarts);
    assertThat(causes).filteredOn(cause -> cause.time() < 0).hasSize(leftOut == 0 ? 0 : 1);
    if (leftOut > 0) {
      assertThat(causes.get(3).sentence()).contains(" " + leftOut + " ");
      assertThat(causes.get(3).time()).isEqualTo(-1);
      assertThat(causes.get(2).time()).isEqualTo(JobSnapshotBuilder.BEGAN + 3);
      assertThat(causes.get(4).time()).isEqualTo(JobSnapshotBuilder.BEGAN + restarts - 6);
    }
  }

  @Test
  void causesAreInTheOrderOfTheirTimes() {
    List<Said> causes =
        new JobSnapshotBuilder()
            .at(10)
            .fails("map (1/2)", "w1", "first")
            .event(new JobMasterEvent.RestartScheduled(1, 1, Duration.ZERO))
            .at(20)
            .fails("map (2/2)", "w2", "second")
            .event(new JobMasterEvent.RestartScheduled(2, 1, Duration.ZERO))
            .at(30)
            .event(new JobMasterEvent.CancelRequested(false))
            .snapshot()
            .explain()
            .causes();

    assertThat(causes)
        .extracting(Said::time)
        .containsExactly(
            JobSnapshotBuilder.BEGAN + 10,
            JobSnapshotBuilder.BEGAN + 10,
            JobSnapshotBuilder.BEGAN + 20,
            JobSnapshotBuilder.BEGAN + 20,
            JobSnapshotBuilder.BEGAN + 30);
    assertThat(causes.get(0).sentence()).contains("map (1/2)", "w1", "first");
    assertThat(causes.get(2).sentence()).contains("map (2/2)", "w2", "second");
  }

  @Test
  void sentencesOfOthersAreCutAndClosed() {
    assertThat(Phrases.sentence(" no stop ")).isEqualTo("no stop.");
    assertThat(Phrases.sentence("a question?")).isEqualTo("a question?");
    assertThat(Phrases.sentence("")).isEmpty();
    assertThat(Phrases.sentence("x".repeat(300))).isEqualTo("x".repeat(300) + ".");
    assertThat(Phrases.sentence("x".repeat(301))).isEqualTo("x".repeat(300) + "…");
  }

  @ParameterizedTest
  @CsvSource({"10, -1, -1", "10, 20, 20", "10, 10, 10", "10, 5, 10"})
  void endIsNotBeforeTheStart(long start, long end, long shown) {
    assertThat(Phrases.after(start, end)).isEqualTo(shown);
  }

  private static JobSnapshot anyJobSnapshot(int seed) {
    return anyHistory(seed).snapshot();
  }

  private static JobSnapshotBuilder anyHistory(int seed) {
    Random random = new Random(seed);
    JobSnapshotBuilder job = new JobSnapshotBuilder();
    int events = random.nextInt(60);
    long now = 0;
    for (int i = 0; i < events; i++) {
      now = Math.max(0, now + random.nextInt(random.nextInt(20) == 0 ? -500 : 0, 100));
      job.at(now);
      String worker = "w" + random.nextInt(14);
      if (random.nextInt(3) == 0) {
        job.worker(ofWorker(random), random.nextInt(4) == 0 ? "" : worker);
      } else if (random.nextBoolean()) {
        job.event(ofJob(random));
      } else {
        job.event(ofJob(random), worker);
      }
      if (random.nextInt(10) == 0) {
        job.fails("map (1/2)", worker, "failure " + i);
      }
    }
    List<TaskState> states = List.of(TaskState.values());
    for (int i = random.nextInt(14); i > 0; i--) {
      job.holds("w" + i, random.nextInt(1, 3));
      job.task("w" + i, states.get(random.nextInt(states.size())));
    }
    if (random.nextBoolean()) {
      int required = random.nextInt(1, 9);
      job.waits(required, random.nextInt(required + 1), "No slots are left.");
    }
    List<JobStatus> statuses = List.of(JobStatus.values());
    return job.is(statuses.get(random.nextInt(statuses.size()))).restarted(random.nextInt(3));
  }

  private static JournalEvent ofJob(Random random) {
    int n = random.nextInt(1, 5);
    return switch (random.nextInt(25)) {
      case 0 -> new DispatcherEvent.JobSubmitted("counts");
      case 1 -> new DispatcherEvent.JobRecovered();
      case 2 -> new DispatcherEvent.ClientLost(REASON);
      case 3 -> new JobMasterEvent.JobMasterStarted(n);
      case 4 -> new JobMasterEvent.StatusChanged(JobStatus.RUNNING, REASON);
      case 5 -> new JobMasterEvent.StatusChanged(JobStatus.FAILING, REASON);
      case 6 -> new JobMasterEvent.SlotsWanted(n, n);
      case 7 -> new JobMasterEvent.SlotsDeclared(n, n, Duration.ofMinutes(5));
      case 8 -> new ResourceManagerEvent.SlotsRequested(n, n, Optional.empty(), true);
      case 9 -> new ResourceManagerEvent.SlotsGranted(n);
      case 10 -> new ResourceManagerEvent.SlotRequestsAnswered(n, n, 0);
      case 11 -> new JobMasterEvent.WorkerRegistered(n);
      case 12 -> new JobMasterEvent.SlotsAccepted(n, n, 0);
      case 13 -> new JobMasterEvent.SlotsComplete(n, n);
      case 14 -> new JobMasterEvent.TasksDeployed(n, n);
      case 15 -> new JobMasterEvent.TasksTaken(n);
      case 16 -> new JobMasterEvent.FirstTaskRunning();
      case 17 -> new JobMasterEvent.TasksRunning(n);
      case 18 -> new JobMasterEvent.TaskFailed(REASON);
      case 19 -> new JobMasterEvent.RestartScheduled(n, n, Duration.ofMillis(n));
      case 20 -> new JobMasterEvent.CancelRequested(random.nextBoolean());
      case 21 -> new JobMasterEvent.WorkerLost(REASON);
      case 22 -> new JobMasterEvent.ShortageReported(REASON);
      case 23 -> new JobMasterEvent.WorkerLossExplained("w1 is lost.", REASON);
      default -> new JobMasterEvent.StatusChanged(JobStatus.CANCELED, new CancelledByUser());
    };
  }

  private static ResourceManagerEvent ofWorker(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> new ResourceManagerEvent.WorkersRequested("process", 1, Optional.empty());
      case 1 -> new ResourceManagerEvent.WorkerStarted();
      case 2 -> new ResourceManagerEvent.WorkerStartFailed(REASON);
      case 3 -> new ResourceManagerEvent.TaskManagerRegistered(JobSnapshotBuilder.ADDRESS);
      case 4 -> new ResourceManagerEvent.TaskManagerLost(REASON);
      default -> new ResourceManagerEvent.SlotsReported(2);
    };
  }
}

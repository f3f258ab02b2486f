package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.checkpoint.CheckpointAction.Answer;
import io.millrace.control.checkpoint.CheckpointAction.Discard;
import io.millrace.control.checkpoint.CheckpointAction.DiscardClaimed;
import io.millrace.control.checkpoint.CheckpointAction.DiscardShared;
import io.millrace.control.checkpoint.CheckpointAction.FailJob;
import io.millrace.control.checkpoint.CheckpointAction.Note;
import io.millrace.control.checkpoint.CheckpointAction.NotifyAborted;
import io.millrace.control.checkpoint.CheckpointAction.NotifyCompleted;
import io.millrace.control.checkpoint.CheckpointAction.Prepare;
import io.millrace.control.checkpoint.CheckpointAction.Retain;
import io.millrace.control.checkpoint.CheckpointAction.StopTasks;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointAction.SweepShared;
import io.millrace.control.checkpoint.CheckpointAction.Trigger;
import io.millrace.control.checkpoint.CheckpointEvent.Acknowledged;
import io.millrace.control.checkpoint.CheckpointEvent.BacklogChanged;
import io.millrace.control.checkpoint.CheckpointEvent.Declined;
import io.millrace.control.checkpoint.CheckpointEvent.JobEnded;
import io.millrace.control.checkpoint.CheckpointEvent.Prepared;
import io.millrace.control.checkpoint.CheckpointEvent.Requested;
import io.millrace.control.checkpoint.CheckpointEvent.Restoring;
import io.millrace.control.checkpoint.CheckpointEvent.StateUnusable;
import io.millrace.control.checkpoint.CheckpointEvent.StorageFailed;
import io.millrace.control.checkpoint.CheckpointEvent.Stored;
import io.millrace.control.checkpoint.CheckpointEvent.TasksAwait;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.control.checkpoint.CheckpointEvent.TriggerFailed;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.CheckpointReason;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.StopInterrupted;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.DeclineCause.SnapshotNotStored;
import io.millrace.task.checkpoint.DeclineCause.TaskIsEnding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CheckpointCoordinatorTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final FakeTasks tasks = new FakeTasks();
  private CheckpointSettings settings =
      new CheckpointSettings(
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ZERO,
          1,
          Duration.ofSeconds(60),
          0,
          1,
          CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
          Barriers.ALIGNED,
          1024,
          10);
  private CheckpointCoordinator coordinator;
  private long now = 5 * SECOND;

  private List<CheckpointAction> apply(CheckpointEvent event) {
    if (coordinator == null) {
      coordinator =
          new CheckpointCoordinator(tasks.graph, settings, tasks, CheckpointRecovery.NONE);
    }
    return coordinator.apply(event, now);
  }

  private List<CheckpointAction> after(long seconds) {
    now += seconds * SECOND;
    return apply(new Tick());
  }

  private static <A extends CheckpointAction> List<A> of(
      Class<A> type, List<CheckpointAction> actions) {
    return actions.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static String directory(long checkpoint) {
    return "/checkpoints/chk-" + checkpoint;
  }

  private List<CheckpointAction> prepared(long checkpoint) {
    return apply(new Prepared(checkpoint, directory(checkpoint), "/checkpoints/shared", 1_000));
  }

  private List<CheckpointAction> acknowledged(WorkerId worker, long checkpoint) {
    return apply(
        new Acknowledged(worker, checkpoint, tasks.snapshots(checkpoint, tasks.of(worker))));
  }

  private static Declined declined(ExecutionId task, long checkpoint, String message) {
    return new Declined(
        task, checkpoint, new SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, message)));
  }

  /** Takes a checkpoint that was triggered to the point where it is stored. */
  private Store storing(long checkpoint) {
    prepared(checkpoint);
    acknowledged(FakeTasks.ONE, checkpoint);
    return of(Store.class, acknowledged(FakeTasks.TWO, checkpoint)).get(0);
  }

  private List<CheckpointAction> complete(long checkpoint) {
    return apply(new Stored(storing(checkpoint).checkpoint()));
  }

  private static CheckpointReason abortReason(List<CheckpointAction> actions) {
    return of(CheckpointAction.Note.class, actions).stream()
        .map(CheckpointAction.Note::progress)
        .filter(CheckpointProgress.Aborted.class::isInstance)
        .map(aborted -> (CheckpointReason) ((CheckpointProgress.Aborted) aborted).reason())
        .findFirst()
        .orElseThrow();
  }

  private static CheckpointRecovery recovered(
      CompletedCheckpoint earlier, long lastNumber, String... sharedFiles) {
    Map<Long, Set<String>> files = new TreeMap<>();
    files.put(earlier.number(), new TreeSet<>(List.of(sharedFiles)));
    return new CheckpointRecovery(
        List.of(earlier), lastNumber, "/checkpoints/job", Optional.empty(), files, true);
  }

  @Test
  void triggersNothingBeforeAllTasksRun() {
    assertThat(after(100)).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
  }

  @Test
  void triggersPeriodicallyOnceAllTasksRun() {
    assertThat(apply(new TasksRunning())).isEmpty();
    assertThat(coordinator.nextWake()).isEqualTo(OptionalLong.of(now + 10 * SECOND));
    assertThat(of(Prepare.class, after(10)))
        .containsExactly(new Prepare(1, CheckpointRequest.Type.CHECKPOINT, Optional.empty()));
    complete(1);
    assertThat(of(Prepare.class, after(9))).isEmpty();
    assertThat(of(Prepare.class, after(1))).extracting(Prepare::checkpoint).containsExactly(2L);
  }

  @Test
  void sendsOneTriggerToEachTaskManagerWithItsTasksAndSources() {
    apply(new TasksRunning());
    after(10);
    List<Trigger> triggers = of(Trigger.class, prepared(1));
    assertThat(triggers).extracting(Trigger::worker).containsExactly(FakeTasks.ONE, FakeTasks.TWO);
    assertThat(triggers.get(0).tasks()).isEqualTo(tasks.of(FakeTasks.ONE));
    assertThat(triggers.get(0).sources()).containsExactly(tasks.of(FakeTasks.ONE).get(0));
    assertThat(triggers.get(0).request().directory()).isEqualTo(directory(1));
  }

  @Test
  void isCompleteOnlyWhenTheRecoveryStoreHasIt() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    assertThat(acknowledged(FakeTasks.ONE, 1)).isEmpty();
    List<CheckpointAction> all = acknowledged(FakeTasks.TWO, 1);
    assertThat(of(NotifyCompleted.class, all)).isEmpty();
    assertThat(coordinator.latest()).isEmpty();
    Store store = of(Store.class, all).get(0);
    assertThat(store.retained()).containsExactly(store.checkpoint());
    assertThat(of(NotifyCompleted.class, apply(new Stored(store.checkpoint()))))
        .containsExactly(new NotifyCompleted(1, List.of(FakeTasks.ONE, FakeTasks.TWO)));
    assertThat(coordinator.latest()).contains(store.checkpoint());
  }

  @Test
  void storesTheStateOfEverySubtaskAtItsPlace() {
    apply(new TasksRunning());
    after(10);
    Store store = storing(1);
    assertThat(store.metadata().vertices()).hasSize(2);
    store
        .metadata()
        .vertices()
        .forEach(
            vertex -> {
              assertThat(vertex.subtasks()).hasSize(2);
              for (int i = 0; i < 2; i++) {
                assertThat(vertex.subtasks().get(i).finished()).isFalse();
                assertThat(vertex.subtasks().get(i).operators().get(0).lists().get(0).handle())
                    .hasToString(
                        tasks.snapshots(1, List.copyOf(tasks.running.keySet())).stream()
                            .filter(
                                snapshot ->
                                    tasks
                                        .running
                                        .get(snapshot.execution())
                                        .vertex()
                                        .equals(vertex.vertex()))
                            .toList()
                            .get(i)
                            .operators()
                            .get(0)
                            .lists()
                            .get(0)
                            .handle()
                            .toString());
              }
            });
  }

  @Test
  void storesSubtasksThatHaveFinishedAsFinished() {
    apply(new TasksRunning());
    tasks.running.remove(tasks.of(FakeTasks.ONE).get(0));
    after(10);
    Store store = storing(1);
    assertThat(store.metadata().vertices().get(0).subtasks().get(0).finished()).isTrue();
    assertThat(store.metadata().vertices().get(0).subtasks().get(1).finished()).isFalse();
    assertThat(store.metadata().vertices().get(0).isFinished()).isFalse();
  }

  @Test
  void repeatedAcknowledgementCountsOnce() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    acknowledged(FakeTasks.ONE, 1);
    assertThat(acknowledged(FakeTasks.ONE, 1)).isEmpty();
    assertThat(of(Store.class, acknowledged(FakeTasks.TWO, 1))).hasSize(1);
    assertThat(acknowledged(FakeTasks.TWO, 1)).isEmpty();
  }

  @Test
  void ignoresSnapshotsOfTasksThatAnotherTaskManagerRuns() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    acknowledged(FakeTasks.ONE, 1);
    apply(new Acknowledged(FakeTasks.ONE, 1, tasks.snapshots(1, tasks.of(FakeTasks.TWO))));
    assertThat(of(Store.class, acknowledged(FakeTasks.TWO, 1))).hasSize(1);
  }

  @Test
  void deletesWhatIsBeyondTheRetainedOnesAfterTheNextIsDurable() {
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    Store second = storing(2);
    assertThat(second.retained()).extracting(CompletedCheckpoint::number).containsExactly(2L);
    assertThat(of(Discard.class, apply(new Stored(second.checkpoint()))))
        .containsExactly(new Discard(directory(1)));
  }

  @Test
  void keepsACheckpointThatTasksStillRestore() {
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    Store second = storing(2);
    apply(new TasksStopping());
    apply(new Restoring(1));
    assertThat(of(Discard.class, apply(new Stored(second.checkpoint())))).isEmpty();
    assertThat(coordinator.latest()).contains(second.checkpoint());
    assertThat(of(Discard.class, apply(new TasksRunning())))
        .containsExactly(new Discard(directory(1)));
  }

  @Test
  void failedSnapshotAbortsAndFailsTheJobIfNoFailureIsTolerated() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    List<CheckpointAction> actions =
        apply(declined(tasks.of(FakeTasks.TWO).get(1), 1, "disk full"));
    assertThat(of(NotifyAborted.class, actions)).hasSize(1);
    assertThat(of(Discard.class, actions)).containsExactly(new Discard(directory(1)));
    SnapshotFailed reason = new SnapshotFailed("sink (2/2)", "disk full");
    assertThat(abortReason(actions)).isEqualTo(reason);
    assertThat(of(FailJob.class, actions))
        .containsExactly(new FailJob(new TooManyFailedCheckpoints(1, 0, reason)));
    assertThat(acknowledged(FakeTasks.ONE, 1)).isEmpty();
  }

  @Test
  void triggerThatIsNotAcceptedFailsTheCheckpoint() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    assertThat(abortReason(apply(new TriggerFailed(FakeTasks.ONE, 1, "No answer"))))
        .isEqualTo(new TriggerNotAccepted(FakeTasks.ONE, "No answer"));
    assertThat(apply(new TriggerFailed(FakeTasks.TWO, 1, "No answer"))).isEmpty();
  }

  @Test
  void taskThatEndsAbortsTheCheckpointAndDoesNotCountAsAFailure() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    List<CheckpointAction> actions =
        apply(new Declined(tasks.of(FakeTasks.ONE).get(0), 1, new TaskIsEnding("it ends")));
    assertThat(of(FailJob.class, actions)).isEmpty();
    assertThat(of(CheckpointAction.NotifyAborted.class, actions)).hasSize(1);
    after(10);
    prepared(2);
    assertThat(of(FailJob.class, apply(declined(tasks.of(FakeTasks.ONE).get(0), 2, "full"))))
        .hasSize(1);
  }

  @Test
  void toleratesTheConfiguredNumberOfConsecutiveFailures() {
    settings = with(settings, 1, 1);
    apply(new TasksRunning());
    after(10);
    prepared(1);
    assertThat(of(FailJob.class, apply(declined(tasks.of(FakeTasks.ONE).get(0), 1, "a"))))
        .isEmpty();
    after(10);
    complete(2);
    after(10);
    prepared(3);
    assertThat(of(FailJob.class, apply(declined(tasks.of(FakeTasks.ONE).get(0), 3, "b"))))
        .isEmpty();
    after(10);
    prepared(4);
    assertThat(of(FailJob.class, apply(declined(tasks.of(FakeTasks.ONE).get(0), 4, "c"))))
        .hasSize(1);
  }

  @Test
  void expiresAndNamesTheTasksThatAreMissing() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    acknowledged(FakeTasks.ONE, 1);
    assertThat(coordinator.nextWake()).isEqualTo(OptionalLong.of(now + 60 * SECOND));
    assertThat(abortReason(after(60)))
        .isEqualTo(
            new CheckpointExpired(
                Duration.ofSeconds(60), List.of("source (2/2)", "sink (2/2)"), 2));
  }

  @Test
  void doesNotExpireWhileItIsBeingStored() {
    apply(new TasksRunning());
    after(10);
    Store store = storing(1);
    assertThat(of(CheckpointAction.Note.class, after(100))).isEmpty();
    assertThat(of(NotifyCompleted.class, apply(new Stored(store.checkpoint())))).hasSize(1);
  }

  @Test
  void failedStorageDeletesTheFilesUnlessTheRecoveryStoreMayHaveThem() {
    apply(new TasksRunning());
    after(10);
    storing(1);
    CheckpointStorageFailed reason = new CheckpointStorageFailed("no space");
    assertThat(of(Discard.class, apply(new StorageFailed(1, reason, false))))
        .containsExactly(new Discard(directory(1)));
    apply(new TasksRunning());
    after(10);
    storing(2);
    List<CheckpointAction> undecided = apply(new StorageFailed(2, reason, true));
    assertThat(of(Discard.class, undecided)).isEmpty();
    assertThat(of(NotifyAborted.class, undecided)).hasSize(1);
  }

  @Test
  @Behaviour("H4: files of a checkpoint whose record failed are deleted when the next is complete")
  void directoryOfAnUndecidedCheckpointIsDeletedWhenTheNextOneHasReplacedItsRecord() {
    apply(new TasksRunning());
    after(10);
    storing(1);
    apply(new StorageFailed(1, new CheckpointStorageFailed("no answer"), true));
    tasks.sharedFiles = List.of("2-b");
    apply(new TasksRunning());
    after(10);
    List<CheckpointAction> actions = complete(2);
    assertThat(of(Discard.class, actions)).containsExactly(new Discard(directory(1)));
    assertThat(of(SweepShared.class, actions))
        .containsExactly(new SweepShared(1, 1, List.of("2-b")));

    apply(new TasksRunning());
    after(10);
    assertThat(of(Discard.class, complete(3))).containsExactly(new Discard(directory(2)));
  }

  @Test
  void savepointThatTheRecoveryStoreNeverHasIsDeletedIfItsRecordFails() {
    apply(new TasksRunning());
    apply(new Requested(1, CheckpointRequest.Type.SAVEPOINT, Optional.of("/savepoints")));
    storing(1);
    assertThat(
            of(
                Discard.class,
                apply(new StorageFailed(1, new CheckpointStorageFailed("no answer"), true))))
        .containsExactly(new Discard(directory(1)));
  }

  @Test
  void failureOfTasksAbortsWhatIsNotYetBeingStored() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    List<CheckpointAction> actions = apply(new TasksStopping());
    assertThat(abortReason(actions)).isEqualTo(new TasksEnding());
    assertThat(of(FailJob.class, actions)).isEmpty();
    assertThat(after(100)).isEmpty();
  }

  @Test
  void checkpointThatIsBeingStoredCompletesAlthoughTasksFail() {
    apply(new TasksRunning());
    after(10);
    Store store = storing(1);
    assertThat(apply(new TasksStopping())).isEmpty();
    apply(new Stored(store.checkpoint()));
    assertThat(coordinator.latest()).contains(store.checkpoint());
  }

  @Test
  void directoryThatExistsTooLateIsDeleted() {
    apply(new TasksRunning());
    after(10);
    apply(new TasksStopping());
    assertThat(of(Discard.class, prepared(1))).containsExactly(new Discard(directory(1)));
    assertThat(of(Trigger.class, prepared(1))).isEmpty();
  }

  @Test
  void waitsForTheMinimumPauseAfterACompletedCheckpoint() {
    settings =
        new CheckpointSettings(
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            1,
            Duration.ofSeconds(60),
            0,
            1,
            CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
            Barriers.ALIGNED,
            1024,
            10);
    apply(new TasksRunning());
    after(10);
    now += 5 * SECOND;
    complete(1);
    assertThat(of(Prepare.class, after(19))).isEmpty();
    assertThat(of(Prepare.class, after(1))).hasSize(1);
  }

  @Test
  void doesNotBeginBeyondTheAllowedConcurrency() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    assertThat(of(Prepare.class, after(30))).isEmpty();
    acknowledged(FakeTasks.ONE, 1);
    Store store = of(Store.class, acknowledged(FakeTasks.TWO, 1)).get(0);
    assertThat(of(Prepare.class, apply(new Stored(store.checkpoint())))).hasSize(1);
  }

  @Test
  void laterCheckpointThatCompletesEndsEarlierOnes() {
    settings = with(settings, 2, 0);
    apply(new TasksRunning());
    after(10);
    prepared(1);
    after(10);
    List<CheckpointAction> actions = complete(2);
    assertThat(abortReason(actions)).isEqualTo(new CheckpointSubsumed(2));
    assertThat(of(Discard.class, actions)).containsExactly(new Discard(directory(1)));
    assertThat(of(FailJob.class, actions)).isEmpty();
  }

  @Test
  @Behaviour("H4: a checkpoint of earlier attempts that fails does not restart their successors")
  void checkpointOfTasksThatWereStoppedFailsWithoutConsequence() {
    settings = with(settings, 2, 0);
    apply(new TasksRunning());
    after(10);
    storing(1);
    apply(new TasksStopping());
    apply(new TasksRunning());
    Reason reason = new CheckpointStorageFailed("no answer");
    List<CheckpointAction> actions = apply(new StorageFailed(1, reason, false));
    assertThat(of(FailJob.class, actions)).isEmpty();
    assertThat(abortReason(actions)).isEqualTo(reason);
    after(10);
    storing(2);
    assertThat(of(FailJob.class, apply(new StorageFailed(2, reason, false))))
        .containsExactly(new FailJob(new TooManyFailedCheckpoints(1, 0, reason)));
  }

  @Test
  void recordsAreWrittenOneAfterTheOther() {
    settings = with(settings, 2, 0);
    apply(new TasksRunning());
    after(10);
    prepared(1);
    after(10);
    Store second = storing(2);
    acknowledged(FakeTasks.ONE, 1);
    assertThat(of(Store.class, acknowledged(FakeTasks.TWO, 1))).isEmpty();
    assertThat(abortReason(apply(new Stored(second.checkpoint()))))
        .isEqualTo(new CheckpointSubsumed(2));
  }

  @Test
  void answersARequestWithTheSavepointAndNotifiesNoTask() {
    apply(new TasksRunning());
    assertThat(
            of(
                Prepare.class,
                apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT, Optional.of("/sp")))))
        .containsExactly(new Prepare(1, CheckpointRequest.Type.SAVEPOINT, Optional.of("/sp")));
    Store store = storing(1);
    assertThat(store.retained()).isEmpty();
    List<CheckpointAction> actions = apply(new Stored(store.checkpoint()));
    assertThat(of(Answer.class, actions))
        .containsExactly(new Answer(77, Optional.of(store.checkpoint()), Optional.empty()));
    assertThat(of(NotifyCompleted.class, actions)).isEmpty();
    assertThat(coordinator.latest()).isEmpty();
  }

  @Test
  @Behaviour("H4: savepoints are aligned")
  void alignsSavepointsAndTheCheckpointsBesideThem() {
    settings =
        new CheckpointSettings(
            settings.interval(),
            settings.backlogInterval(),
            settings.minPause(),
            settings.maxConcurrent(),
            settings.timeout(),
            settings.tolerableFailures(),
            settings.retained(),
            settings.retention(),
            Barriers.UNALIGNED,
            settings.inlineThreshold(),
            settings.history());
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT, Optional.empty()));
    assertThat(barriersOf(prepared(1))).containsOnly(Barriers.ALIGNED);
    after(10);
    assertThat(barriersOf(prepared(2))).containsOnly(Barriers.ALIGNED);
    acknowledged(FakeTasks.ONE, 1);
    acknowledged(FakeTasks.TWO, 1);
    apply(
        new Stored(
            new CompletedCheckpoint(1, 1_000, CheckpointRequest.Type.SAVEPOINT, directory(1), 0)));
    acknowledged(FakeTasks.ONE, 2);
    apply(new Stored(of(Store.class, acknowledged(FakeTasks.TWO, 2)).get(0).checkpoint()));
    after(10);
    assertThat(barriersOf(prepared(3))).containsOnly(Barriers.UNALIGNED);
  }

  private static List<Barriers> barriersOf(List<CheckpointAction> actions) {
    return of(CheckpointAction.Trigger.class, actions).stream()
        .map(trigger -> trigger.request().barriers())
        .toList();
  }

  @Test
  void refusesARequestWhileTasksDoNotRun() {
    tasks.ready = false;
    assertThat(
            of(
                Answer.class,
                apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT, Optional.empty()))))
        .containsExactly(
            new Answer(77, Optional.empty(), Optional.of(new TaskNotRunning("source (1/2)"))));
  }

  @Test
  void failedSavepointIsAnsweredAndDoesNotFailTheJob() {
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT, Optional.empty()));
    prepared(1);
    List<CheckpointAction> actions =
        apply(declined(tasks.of(FakeTasks.ONE).get(0), 1, "read-only"));
    assertThat(of(FailJob.class, actions)).isEmpty();
    assertThat(of(Answer.class, actions)).hasSize(1);
  }

  @Test
  void stopWithSavepointPausesPeriodicCheckpointsAndIsWhatAFailureGoesBackTo() {
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT_SUSPEND, Optional.of("/sp")));
    assertThat(of(Prepare.class, after(30))).isEmpty();
    assertThat(
            of(
                Answer.class,
                apply(new Requested(78, CheckpointRequest.Type.SAVEPOINT, Optional.empty()))))
        .containsExactly(new Answer(78, Optional.empty(), Optional.of(new StopInProgress())));
    List<CheckpointAction> actions = complete(1);
    assertThat(of(NotifyCompleted.class, actions)).hasSize(1);
    assertThat(coordinator.latest()).isPresent();
  }

  @Test
  void takesNoCheckpointAfterTheSavepointOfAStopAlsoIfTasksAwaitOne() {
    apply(new TasksRunning());
    List<ExecutionId> sinks = ofVertex("sink");
    apply(new TasksAwait(sinks));
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT_DRAIN, Optional.of("/sp")));
    complete(1);
    // The stop has ended the sources. A checkpoint would have them as finished.
    sourcesFinish();
    assertThat(of(Prepare.class, apply(new TasksAwait(sinks)))).isEmpty();
    assertThat(of(Prepare.class, after(30))).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
    assertThat(coordinator.latest()).hasValueSatisfying(x -> assertThat(x.number()).isEqualTo(1));
  }

  @Test
  void tellsThatTasksFinishBeforeTheyHearOfTheSavepointOfAStop() {
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT_SUSPEND, Optional.of("/sp")));
    assertThat(complete(1))
        .filteredOn(action -> action instanceof StopTasks || action instanceof NotifyCompleted)
        .hasSize(2)
        .first()
        .isEqualTo(new StopTasks());
  }

  @Test
  void stopWhoseTasksFailWhileItsSavepointIsStoredRestartsTheJob() {
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT_SUSPEND, Optional.of("/sp")));
    Store store = storing(1);
    assertThat(apply(new TasksStopping())).isEmpty();

    List<CheckpointAction> actions = apply(new Stored(store.checkpoint()));
    StopInterrupted reason = new StopInterrupted(directory(1));
    assertThat(of(NotifyCompleted.class, actions)).as("no task finishes").isEmpty();
    assertThat(of(FailJob.class, actions)).containsExactly(new FailJob(reason));
    assertThat(of(Answer.class, actions))
        .containsExactly(new Answer(77, Optional.empty(), Optional.of(reason)));
    assertThat(coordinator.latest()).contains(store.checkpoint());

    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).as("the job goes on").hasSize(1);
  }

  @Test
  void neverDeletesASavepoint() {
    apply(new TasksRunning());
    apply(new Requested(77, CheckpointRequest.Type.SAVEPOINT_SUSPEND, Optional.of("/sp")));
    complete(1);
    assertThat(of(Discard.class, apply(new JobEnded()))).isEmpty();
  }

  @Test
  void endOfTheJobAbortsWhatIsInProgressAndKeepsWhatIsComplete() {
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    prepared(2);
    assertThat(of(Discard.class, apply(new JobEnded()))).containsExactly(new Discard(directory(2)));
    assertThat(after(100)).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
    assertThat(coordinator.completed()).hasSize(1);
  }

  @Test
  void filesOfACheckpointThatIsBeingStoredAtTheEndStay() {
    apply(new TasksRunning());
    after(10);
    Store store = storing(1);
    assertThat(of(Discard.class, apply(new JobEnded()))).isEmpty();
    assertThat(apply(new Stored(store.checkpoint()))).isEmpty();
  }

  @Test
  void numbersContinueAfterThoseOfEarlierLeaders() {
    CompletedCheckpoint earlier =
        new CompletedCheckpoint(17, 1, CheckpointRequest.Type.CHECKPOINT, directory(17), 10);
    coordinator = new CheckpointCoordinator(tasks.graph, settings, tasks, recovered(earlier, 19));
    assertThat(coordinator.latest()).contains(earlier);
    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).extracting(Prepare::checkpoint).containsExactly(20L);
  }

  @Test
  void deletesASharedFileWithTheLastCheckpointThatNeedsIt() {
    apply(new TasksRunning());
    tasks.sharedFiles = List.of("1-a", "1-b");
    after(10);
    complete(1);
    tasks.sharedFiles = List.of("1-b", "2-c");
    after(10);
    assertThat(of(DiscardShared.class, complete(2)))
        .containsExactly(new DiscardShared(List.of("1-a")));
    tasks.sharedFiles = List.of("3-d");
    after(10);
    assertThat(of(DiscardShared.class, complete(3)))
        .containsExactly(new DiscardShared(List.of("1-b", "2-c")));
  }

  @Test
  void keepsSharedFilesOfACheckpointThatTasksRestore() {
    apply(new TasksRunning());
    tasks.sharedFiles = List.of("1-a");
    after(10);
    complete(1);
    after(10);
    Store second = storing(2);
    tasks.sharedFiles = List.of("2-b");
    apply(new Restoring(1));
    assertThat(of(DiscardShared.class, apply(new Stored(second.checkpoint())))).isEmpty();
  }

  @Test
  void sweepsTheSharedFilesOfAnAbortedCheckpoint() {
    apply(new TasksRunning());
    after(10);
    prepared(1);
    acknowledged(FakeTasks.ONE, 1);
    assertThat(of(SweepShared.class, apply(new TasksStopping())))
        .containsExactly(new SweepShared(1, 1, List.of()));
  }

  @Test
  void sharedFilesOfACheckpointWhoseRecordIsUndecidedStay() {
    apply(new TasksRunning());
    after(10);
    storing(1);
    List<CheckpointAction> actions =
        apply(new StorageFailed(1, new CheckpointStorageFailed("no answer"), true));
    assertThat(of(SweepShared.class, actions)).isEmpty();
    assertThat(of(DiscardShared.class, actions)).isEmpty();
  }

  @Test
  void sweepsOnceWhatEarlierLeadersLeft() {
    CompletedCheckpoint earlier =
        new CompletedCheckpoint(17, 1, CheckpointRequest.Type.CHECKPOINT, directory(17), 10);
    coordinator =
        new CheckpointCoordinator(tasks.graph, settings, tasks, recovered(earlier, 19, "16-a"));
    assertThat(of(SweepShared.class, apply(new TasksRunning())))
        .containsExactly(new SweepShared(1, 19, List.of("16-a")));
    assertThat(of(SweepShared.class, apply(new TasksRunning()))).isEmpty();
    tasks.sharedFiles = List.of("20-b");
    after(10);
    assertThat(of(DiscardShared.class, complete(20)))
        .containsExactly(new DiscardShared(List.of("16-a")));
  }

  @Test
  void triggersNothingAfterTheSavepointOfAStop() {
    apply(new TasksRunning());
    apply(new Requested(1, CheckpointRequest.Type.SAVEPOINT_SUSPEND, Optional.of("/savepoints")));
    complete(1);
    assertThat(of(Prepare.class, after(100))).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
    List<CheckpointAction> refused =
        apply(new Requested(2, CheckpointRequest.Type.CHECKPOINT, Optional.empty()));
    assertThat(of(CheckpointAction.Answer.class, refused).get(0).failed())
        .contains(new StopInProgress());
    // A task failed instead of finishing: the job continues from the savepoint.
    apply(new TasksStopping());
    apply(new Restoring(1));
    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).hasSize(1);
  }

  private void retain(int checkpoints) {
    settings =
        new CheckpointSettings(
            settings.interval(),
            settings.backlogInterval(),
            settings.minPause(),
            settings.maxConcurrent(),
            settings.timeout(),
            settings.tolerableFailures(),
            checkpoints,
            settings.retention(),
            settings.barriers(),
            settings.inlineThreshold(),
            settings.history());
  }

  @Test
  @Behaviour("H4: recovery falls back to the previous checkpoint if the newest is damaged")
  void fallsBackToTheEarlierCheckpointIfTheNewestIsUnusable() {
    retain(2);
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    complete(2);
    CompletedCheckpoint first = coordinator.completed().get(0);
    CompletedCheckpoint second = coordinator.completed().get(1);
    apply(new TasksStopping());
    apply(new Restoring(2));
    List<CheckpointAction> actions = apply(new StateUnusable(2, "it ends early"));
    assertThat(actions)
        .containsExactly(
            new Note(new CheckpointProgress.Abandoned(second, 1, "it ends early")),
            new Retain(List.of(first), List.of(second)));
    assertThat(coordinator.latest()).contains(first);
    assertThat(apply(new StateUnusable(2, "it ends early"))).as("another task says so").isEmpty();
    apply(new Restoring(1));
    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).extracting(Prepare::checkpoint).containsExactly(3L);
    Store next = storing(3);
    assertThat(next.retained()).containsExactly(first, next.checkpoint());
    assertThat(next.abandoned()).containsExactly(second);
  }

  @Test
  void lateReportAboutAnUnusableCheckpointDoesNotCostTheOneBeforeIt() {
    retain(3);
    apply(new TasksRunning());
    for (int number = 1; number <= 3; number++) {
      after(10);
      complete(number);
    }
    apply(new TasksStopping());
    apply(new Restoring(3));
    apply(new StateUnusable(3, "of the first region"));
    apply(new Restoring(2));
    assertThat(apply(new StateUnusable(3, "of the second region"))).isEmpty();
    assertThat(coordinator.latest()).map(CompletedCheckpoint::number).contains(2L);
    apply(new StateUnusable(2, "it is damaged, too"));
    assertThat(coordinator.latest()).map(CompletedCheckpoint::number).contains(1L);
  }

  @Test
  void newestCheckpointStaysIfAnEarlierOneIsUnusable() {
    retain(2);
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    complete(2);
    CompletedCheckpoint first = coordinator.completed().get(0);
    CompletedCheckpoint second = coordinator.completed().get(1);
    assertThat(of(Retain.class, apply(new StateUnusable(1, "of tasks that started with it"))))
        .containsExactly(new Retain(List.of(second), List.of(first)));
    assertThat(coordinator.latest()).contains(second);
  }

  @Test
  @Behaviour("G2: a checkpoint that is being stored while an earlier one is abandoned stays")
  void recordOfAnAbandonedCheckpointWaitsForTheOneThatIsBeingStored() {
    CompletedCheckpoint third = abandonsTheSecondWhileTheThirdIsStored();
    CompletedCheckpoint first = coordinator.completed().get(0);
    assertThat(of(Retain.class, apply(new Stored(third))))
        .extracting(Retain::retained)
        .containsExactly(List.of(first, third));
    assertThat(coordinator.latest()).contains(third);
  }

  @Test
  void recordOfAnAbandonedCheckpointIsWrittenIfTheOneThatWasBeingStoredFailed() {
    CompletedCheckpoint third = abandonsTheSecondWhileTheThirdIsStored();
    CompletedCheckpoint first = coordinator.completed().get(0);
    StorageFailed failed =
        new StorageFailed(third.number(), new CheckpointStorageFailed("full"), false);
    assertThat(of(Retain.class, apply(failed)))
        .extracting(Retain::retained)
        .containsExactly(List.of(first));
  }

  private CompletedCheckpoint abandonsTheSecondWhileTheThirdIsStored() {
    retain(2);
    apply(new TasksRunning());
    after(10);
    complete(1);
    after(10);
    complete(2);
    after(10);
    CompletedCheckpoint third = storing(3).checkpoint();
    apply(new TasksStopping());
    apply(new Restoring(2));
    assertThat(of(Retain.class, apply(new StateUnusable(2, "it is damaged")))).isEmpty();
    return third;
  }

  @Test
  void keepsTheOnlyCheckpointAlthoughItIsUnusable() {
    apply(new TasksRunning());
    after(10);
    complete(1);
    apply(new TasksStopping());
    apply(new Restoring(1));
    assertThat(apply(new StateUnusable(1, "it ends early"))).isEmpty();
    assertThat(coordinator.latest()).map(CompletedCheckpoint::number).contains(1L);
  }

  private static final RestoredCheckpoint CLAIMED =
      new RestoredCheckpoint(7, "/savepoints/one", "/savepoints/one");

  @Test
  @Behaviour("A2: a job deletes a savepoint that it has claimed after its first checkpoint")
  void deletesWhatItHasClaimedAfterItsFirstCheckpoint() {
    coordinator =
        new CheckpointCoordinator(
            tasks.graph,
            settings,
            tasks,
            new CheckpointRecovery(
                List.of(),
                7,
                "",
                Optional.of(CLAIMED),
                new TreeMap<>(),
                true,
                Optional.of(CLAIMED),
                List.of(),
                List.of()));
    apply(new Restoring(7));
    assertThat(of(DiscardClaimed.class, apply(new TasksRunning()))).isEmpty();
    after(10);
    assertThat(of(DiscardClaimed.class, complete(8))).containsExactly(new DiscardClaimed(CLAIMED));
    after(10);
    assertThat(of(DiscardClaimed.class, complete(9))).isEmpty();
  }

  @Test
  void keepsWhatItHasClaimedWhileTasksRestoreIt() {
    coordinator =
        new CheckpointCoordinator(
            tasks.graph,
            settings,
            tasks,
            new CheckpointRecovery(
                List.of(),
                7,
                "",
                Optional.of(CLAIMED),
                new TreeMap<>(),
                true,
                Optional.of(CLAIMED),
                List.of(),
                List.of()));
    apply(new Restoring(7));
    apply(new TasksRunning());
    after(10);
    Store first = storing(8);
    // Tasks fail, and are deployed again before the checkpoint is known to be complete.
    apply(new TasksStopping());
    apply(new Restoring(7));
    assertThat(of(DiscardClaimed.class, apply(new Stored(first.checkpoint())))).isEmpty();
    assertThat(of(DiscardClaimed.class, apply(new TasksRunning())))
        .containsExactly(new DiscardClaimed(CLAIMED));
  }

  @Test
  void deletesWhatAnEarlierLeaderHasClaimedAndMayNotHaveDeleted() {
    CompletedCheckpoint own =
        new CompletedCheckpoint(17, 1, CheckpointRequest.Type.CHECKPOINT, directory(17), 10);
    coordinator =
        new CheckpointCoordinator(
            tasks.graph,
            settings,
            tasks,
            new CheckpointRecovery(
                List.of(own),
                17,
                "/checkpoints/job",
                Optional.empty(),
                new TreeMap<>(),
                true,
                Optional.of(CLAIMED),
                List.of(),
                List.of()));
    assertThat(of(DiscardClaimed.class, apply(new TasksRunning())))
        .containsExactly(new DiscardClaimed(CLAIMED));
  }

  @Test
  void triggersAgainWhenTasksThatDidNotRunRunAgain() {
    apply(new TasksRunning());
    tasks.ready = false;
    assertThat(of(Prepare.class, after(10))).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
    tasks.ready = true;
    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).hasSize(1);
  }

  @Test
  void requestsBesidePeriodicCheckpointsKeepTheirOrder() {
    apply(new TasksRunning());
    List<Long> numbers = new ArrayList<>();
    of(Prepare.class, after(10)).forEach(prepare -> numbers.add(prepare.checkpoint()));
    of(Prepare.class, apply(new Requested(1, CheckpointRequest.Type.SAVEPOINT, Optional.empty())))
        .forEach(prepare -> numbers.add(prepare.checkpoint()));
    assertThat(numbers).containsExactly(1L, 2L);
  }

  private void backlogInterval(int seconds) {
    settings =
        new CheckpointSettings(
            settings.interval(),
            Duration.ofSeconds(seconds),
            settings.minPause(),
            settings.maxConcurrent(),
            settings.timeout(),
            settings.tolerableFailures(),
            settings.retained(),
            settings.retention(),
            settings.barriers(),
            settings.inlineThreshold(),
            settings.history());
  }

  private ExecutionId anyTask() {
    return ((CheckpointPlan.Ready) tasks.plan()).tasks().get(0).execution();
  }

  @Test
  @Behaviour("H4: checkpoints have another interval while a source processes backlog")
  void takesCheckpointsLessOftenDuringBacklog() {
    backlogInterval(60);
    apply(new TasksRunning());
    apply(new BacklogChanged(anyTask(), true));
    assertThat(of(Prepare.class, after(59))).isEmpty();
    assertThat(of(Prepare.class, after(1))).hasSize(1);
    complete(1);
    apply(new BacklogChanged(anyTask(), false));
    assertThat(of(Prepare.class, after(9))).isEmpty();
    assertThat(of(Prepare.class, after(1))).hasSize(1);
  }

  @Test
  void takesNoPeriodicCheckpointDuringBacklogIfTheIntervalIsZero() {
    backlogInterval(0);
    apply(new TasksRunning());
    apply(new BacklogChanged(anyTask(), true));
    assertThat(of(Prepare.class, after(1000))).isEmpty();
    assertThat(coordinator.nextWake()).isEmpty();
    // What a user asks for is taken nevertheless.
    assertThat(
            of(
                Prepare.class,
                apply(new Requested(1, CheckpointRequest.Type.CHECKPOINT, Optional.empty()))))
        .hasSize(1);
  }

  @Test
  void forgetsTheBacklogOfTasksThatWereReplaced() {
    backlogInterval(0);
    apply(new TasksRunning());
    ExecutionId replaced = new ExecutionId(new Id128(77, 77));
    apply(new BacklogChanged(replaced, true));
    apply(new TasksStopping());
    apply(new TasksRunning());
    assertThat(of(Prepare.class, after(10))).hasSize(1);
  }

  private List<ExecutionId> ofVertex(String vertex) {
    return tasks.running.values().stream()
        .filter(task -> task.name().startsWith(vertex))
        .map(CheckpointPlan.Participant::execution)
        .toList();
  }

  private static CheckpointPlan.Participant atSource(CheckpointPlan.Participant task) {
    return new CheckpointPlan.Participant(
        task.vertex(), task.subtask(), task.execution(), task.worker(), task.name(), true);
  }

  /** The sources have finished, so that barriers start at the sinks. */
  private List<ExecutionId> sourcesFinish() {
    ofVertex("source").forEach(tasks.running::remove);
    tasks.running.replaceAll((execution, task) -> atSource(task));
    return ofVertex("sink");
  }

  @Test
  @Behaviour("H4: the last checkpoint of bounded input is taken at once")
  void takesACheckpointAtOnceWhenAllThatIsLeftAwaitsIt() {
    apply(new TasksRunning());
    List<ExecutionId> sinks = sourcesFinish();
    assertThat(of(Prepare.class, apply(new TasksAwait(sinks.subList(0, 1))))).isEmpty();
    assertThat(of(Prepare.class, apply(new TasksAwait(sinks.subList(1, 2))))).hasSize(1);
  }

  @Test
  void takesACheckpointAtOnceWhenTheLastOtherTaskFinishes() {
    apply(new TasksRunning());
    List<ExecutionId> sources = ofVertex("source");
    tasks.running.remove(sources.get(0));
    ofVertex("sink")
        .forEach(sink -> tasks.running.computeIfPresent(sink, (x, task) -> atSource(task)));
    assertThat(of(Prepare.class, apply(new TasksAwait(ofVertex("sink"))))).isEmpty();
    tasks.running.remove(sources.get(1));
    assertThat(of(Prepare.class, apply(new TasksAwait(List.of())))).hasSize(1);
  }

  @Test
  void takesACheckpointAtOnceIfTasksBehindThoseThatAwaitItWaitForThem() {
    apply(new TasksRunning());
    // The tasks at which barriers start await one. Those behind them get no record before.
    assertThat(of(Prepare.class, apply(new TasksAwait(ofVertex("source"))))).hasSize(1);
  }

  @Test
  void awaitedCheckpointWaitsForTheOneInProgressAndNotForThePause() {
    settings = withPause(settings, Duration.ofSeconds(100));
    apply(new TasksRunning());
    after(10);
    prepared(1);
    acknowledged(FakeTasks.ONE, 1);
    Store store = of(Store.class, acknowledged(FakeTasks.TWO, 1)).get(0);
    List<ExecutionId> sinks = sourcesFinish();
    assertThat(of(Prepare.class, apply(new TasksAwait(sinks)))).isEmpty();
    assertThat(of(Prepare.class, apply(new Stored(store.checkpoint()))))
        .extracting(Prepare::checkpoint)
        .containsExactly(2L);
  }

  @Test
  void awaitedCheckpointThatFailsIsRepeatedAfterAShortPause() {
    settings = with(settings, 1, 5);
    apply(new TasksRunning());
    List<ExecutionId> sinks = sourcesFinish();
    apply(new TasksAwait(sinks));
    prepared(1);
    assertThat(of(Prepare.class, apply(declined(sinks.get(0), 1, "full")))).isEmpty();
    assertThat(coordinator.nextWake()).isEqualTo(OptionalLong.of(now + SECOND));
    assertThat(of(Prepare.class, after(1))).hasSize(1);
  }

  @Test
  void awaitedCheckpointIsRepeatedIfItsCompletionWasNotEnough() {
    apply(new TasksRunning());
    List<ExecutionId> sinks = sourcesFinish();
    apply(new TasksAwait(sinks));
    assertThat(of(Prepare.class, complete(1))).as("tasks finish now").isEmpty();
    assertThat(of(Prepare.class, apply(new TasksAwait(sinks)))).as("they do not").hasSize(1);
    complete(2);
    tasks.running.remove(sinks.get(0));
    assertThat(of(Prepare.class, after(1))).as("one has not heard of it").hasSize(1);
  }

  @Test
  void tasksOfAnotherRegionStillAwaitACheckpointAfterAFailOver() {
    apply(new TasksRunning());
    List<ExecutionId> sinks = sourcesFinish();
    CheckpointPlan.Participant replaced = tasks.running.remove(sinks.get(1));
    tasks.ready = false;
    apply(new TasksAwait(sinks));
    apply(new TasksStopping());
    ExecutionId next = new ExecutionId(new Id128(8, 8));
    tasks.running.put(
        next,
        new CheckpointPlan.Participant(
            replaced.vertex(), 1, next, FakeTasks.TWO, replaced.name(), true));
    tasks.ready = true;
    assertThat(of(Prepare.class, apply(new TasksRunning()))).isEmpty();
    assertThat(of(Prepare.class, apply(new TasksAwait(List.of(next))))).hasSize(1);
  }

  @Test
  void takesNoAwaitedCheckpointOfAJobWithoutPeriodicOnes() {
    settings =
        new CheckpointSettings(
            Duration.ZERO,
            Duration.ZERO,
            settings.minPause(),
            settings.maxConcurrent(),
            settings.timeout(),
            settings.tolerableFailures(),
            settings.retained(),
            settings.retention(),
            settings.barriers(),
            settings.inlineThreshold(),
            settings.history());
    apply(new TasksRunning());
    assertThat(apply(new TasksAwait(sourcesFinish()))).isEmpty();
  }

  private static CheckpointSettings withPause(CheckpointSettings settings, Duration pause) {
    return new CheckpointSettings(
        settings.interval(),
        settings.backlogInterval(),
        pause,
        settings.maxConcurrent(),
        settings.timeout(),
        settings.tolerableFailures(),
        settings.retained(),
        settings.retention(),
        settings.barriers(),
        settings.inlineThreshold(),
        settings.history());
  }

  private static CheckpointSettings with(
      CheckpointSettings settings, int concurrent, int tolerated) {
    return new CheckpointSettings(
        settings.interval(),
        settings.backlogInterval(),
        settings.minPause(),
        concurrent,
        settings.timeout(),
        tolerated,
        settings.retained(),
        settings.retention(),
        settings.barriers(),
        settings.inlineThreshold(),
        settings.history());
  }
}

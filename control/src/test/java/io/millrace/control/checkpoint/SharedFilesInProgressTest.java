package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.checkpoint.CheckpointAction.DiscardShared;
import io.millrace.control.checkpoint.CheckpointAction.FailJob;
import io.millrace.control.checkpoint.CheckpointAction.Store;
import io.millrace.control.checkpoint.CheckpointEvent.Acknowledged;
import io.millrace.control.checkpoint.CheckpointEvent.JobEnded;
import io.millrace.control.checkpoint.CheckpointEvent.Prepared;
import io.millrace.control.checkpoint.CheckpointEvent.Restoring;
import io.millrace.control.checkpoint.CheckpointEvent.StorageFailed;
import io.millrace.control.checkpoint.CheckpointEvent.Stored;
import io.millrace.control.checkpoint.CheckpointEvent.TasksRunning;
import io.millrace.control.checkpoint.CheckpointEvent.TasksStopping;
import io.millrace.control.checkpoint.CheckpointEvent.Tick;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.SharedFilesDeleted;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.SharedFileName;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shared files of checkpoints while others, which may refer to them, are in progress. */
class SharedFilesInProgressTest {
  private final FakeTasks tasks = new FakeTasks();
  private final CheckpointCoordinator coordinator =
      new CheckpointCoordinator(
          tasks.graph,
          new CheckpointSettings(
              Duration.ofSeconds(10),
              Duration.ofSeconds(10),
              Duration.ZERO,
              2,
              Duration.ofSeconds(600),
              0,
              1,
              CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
              Barriers.ALIGNED,
              1024,
              10),
          tasks,
          CheckpointRecovery.NONE);
  private long now;

  private List<CheckpointAction> apply(CheckpointEvent event) {
    return coordinator.apply(event, now);
  }

  private static <A extends CheckpointAction> List<A> of(
      Class<A> type, List<CheckpointAction> actions) {
    return actions.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** A file that a checkpoint has written. */
  private static String file(long checkpoint) {
    return SharedFileName.of(checkpoint, 0);
  }

  /** Begins the next checkpoint. */
  private void begin(long checkpoint) {
    now += Duration.ofSeconds(10).toNanos();
    apply(new Tick());
    apply(new Prepared(checkpoint, "/checkpoints/chk-" + checkpoint, "/checkpoints/shared", 1_000));
  }

  /** All tasks have stored their state in files of these checkpoints. */
  private List<CheckpointAction> snapshots(long checkpoint, long... filesOf) {
    tasks.sharedFiles = Arrays.stream(filesOf).mapToObj(SharedFilesInProgressTest::file).toList();
    acknowledged(FakeTasks.ONE, checkpoint);
    return acknowledged(FakeTasks.TWO, checkpoint);
  }

  private List<CheckpointAction> acknowledged(WorkerId worker, long checkpoint) {
    return apply(
        new Acknowledged(worker, checkpoint, tasks.snapshots(checkpoint, tasks.of(worker))));
  }

  private Store storing(long checkpoint, long... filesOf) {
    return of(Store.class, snapshots(checkpoint, filesOf)).get(0);
  }

  private List<String> discardedBy(Store store) {
    return discarded(apply(new Stored(store.checkpoint())));
  }

  private static List<String> discarded(List<CheckpointAction> actions) {
    return of(DiscardShared.class, actions).stream()
        .flatMap(discard -> discard.files().stream())
        .toList();
  }

  /** Tasks hear of checkpoint 1 after they have written 2 and before they write 3. */
  private void completeTwoBesideTheThird() {
    apply(new TasksRunning());
    begin(1);
    begin(2);
    discardedBy(storing(1, 1));
    begin(3);
    assertThat(discardedBy(storing(2, 2))).isEmpty();
  }

  @Test
  @Behaviour(
      "H4: with several incremental checkpoints at a time, none completes without a file that it"
          + " shares with an earlier one")
  void filesOfASupersededCheckpointStayForThoseInProgress() {
    completeTwoBesideTheThird();
    assertThat(discardedBy(storing(3, 1, 3))).containsExactly(file(2));
    begin(4);
    assertThat(discardedBy(storing(4, 4))).containsExactlyInAnyOrder(file(1), file(3));
  }

  @Test
  void filesOfASupersededCheckpointAreDeletedWithTheNextOneThatBegan() {
    completeTwoBesideTheThird();
    discardedBy(storing(3, 2, 3));
    begin(4);
    assertThat(discardedBy(storing(4, 2, 3, 4))).containsExactly(file(1));
  }

  @Test
  @Behaviour(
      "H4: an incremental checkpoint that refers to a deleted file of an earlier one fails instead"
          + " of completing")
  void failsIfItRefersToAFileThatIsDeleted() {
    apply(new TasksRunning());
    begin(1);
    begin(2);
    discardedBy(storing(1, 1));
    assertThat(discardedBy(storing(2, 2))).containsExactly(file(1));
    begin(3);
    List<CheckpointAction> actions = snapshots(3, 1, 2, 3);
    assertThat(of(Store.class, actions)).isEmpty();
    assertThat(of(FailJob.class, actions))
        .containsExactly(
            new FailJob(new TooManyFailedCheckpoints(1, 0, new SharedFilesDeleted(file(1), 1))));
    begin(4);
    assertThat(discardedBy(storing(4, 2, 4))).isEmpty();
  }

  /** Tasks are restored from checkpoint 1 while 2 is being stored, and know the files of 1. */
  @Test
  void filesOfTheCheckpointThatTasksWereRestoredFromStayForTheirFirstOne() {
    apply(new TasksRunning());
    begin(1);
    discardedBy(storing(1, 1));
    begin(2);
    Store second = storing(2, 2);
    apply(new TasksStopping());
    apply(new Restoring(1));
    assertThat(discardedBy(second)).isEmpty();
    assertThat(discarded(apply(new TasksRunning()))).isEmpty();
    begin(3);
    assertThat(discardedBy(storing(3, 1, 3))).containsExactly(file(2));
  }

  @Test
  void filesStayIfTheRecordOfACheckpointThatRefersToThemIsUndecided() {
    completeTwoBesideTheThird();
    storing(3, 1, 3);
    StorageFailed failed = new StorageFailed(3, new CheckpointStorageFailed("no answer"), true);
    assertThat(discarded(apply(failed))).isEmpty();
    assertThat(discarded(apply(new JobEnded()))).isEmpty();
  }

  @Test
  void filesAreDeletedAtTheEndOfTheJob() {
    completeTwoBesideTheThird();
    assertThat(discarded(apply(new JobEnded()))).containsExactly(file(1));
  }

  @Test
  void filesStayAtTheEndIfACheckpointIsBeingStored() {
    completeTwoBesideTheThird();
    storing(3, 1, 3);
    assertThat(discarded(apply(new JobEnded()))).isEmpty();
  }
}

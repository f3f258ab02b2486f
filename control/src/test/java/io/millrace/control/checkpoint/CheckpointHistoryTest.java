package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.SharedFileName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CheckpointHistoryTest {
  private final FakeTasks tasks = new FakeTasks();
  private final CheckpointHistory history = new CheckpointHistory(3);

  private void trigger(long number, CheckpointRequest.Type type, long at) {
    history.progress(
        new CheckpointProgress.Triggered(number, type, new ArrayList<>(tasks.running.values())),
        at);
  }

  private void acknowledge(long number, List<ExecutionId> executions, long at) {
    history.acknowledged(number, tasks.snapshots(number, executions), at);
  }

  private void complete(long number, CheckpointRequest.Type type, long at) {
    trigger(number, type, at);
    acknowledge(number, tasks.of(FakeTasks.ONE), at + 10);
    acknowledge(number, tasks.of(FakeTasks.TWO), at + 30);
    history.progress(
        new CheckpointProgress.Completed(
            new CompletedCheckpoint(number, at, type, "dir-" + number, 1), 30_000_000),
        at + 31);
  }

  private void abort(long number, long at) {
    trigger(number, CheckpointRequest.Type.CHECKPOINT, at);
    history.progress(new CheckpointProgress.Aborted(number, new TasksEnding()), at + 5);
  }

  @Test
  void filesOfEarlierCheckpointsCountAsStateButNotAsWritten() {
    tasks.sharedFiles = List.of(SharedFileName.of(1, 7));
    complete(1, CheckpointRequest.Type.CHECKPOINT, 0);
    tasks.sharedFiles = List.of(SharedFileName.of(1, 7), SharedFileName.of(2, 8));
    complete(2, CheckpointRequest.Type.CHECKPOINT, 100);
    CheckpointRecord record = history.statistics().latestCompleted().orElseThrow();
    // Each of the four subtasks has a file of one byte from each checkpoint.
    assertThat(record.totals().bytes() - record.totals().newBytes()).isEqualTo(4);
    assertThat(history.statistics().summary().newBytes().min())
        .isEqualTo(history.statistics().summary().bytes().min());
  }

  @Test
  void completedCheckpointHasSizesAndTimesOfItsSubtasks() {
    complete(1, CheckpointRequest.Type.CHECKPOINT, 1_000);
    CheckpointRecord record = history.statistics().latestCompleted().orElseThrow();
    assertThat(record.status()).isEqualTo(Status.COMPLETED);
    assertThat(record.durationMillis()).isEqualTo(30);
    assertThat(record.path()).contains("dir-1");
    assertThat(record.totals().subtasks()).isEqualTo(4);
    assertThat(record.totals().acknowledged()).isEqualTo(4);
    assertThat(record.vertices()).hasSize(2);
    VertexRecord source = record.vertices().get(0);
    assertThat(source.vertex()).isEqualTo(tasks.graph.vertices().get(0).id());
    assertThat(source.acknowledged())
        .extracting(CheckpointRecord.SubtaskRecord::acknowledgedAt)
        .containsExactly(1_010L, 1_030L);
    assertThat(source.totals().bytes()).isEqualTo(2L * "1 of source (1/2)".length());
  }

  @Test
  void countsAndKeepsTheLatestOfEachOutcomeBeyondTheHistory() {
    history.restored(new RestoredState(7, 1, true, "from"));
    complete(8, CheckpointRequest.Type.SAVEPOINT, 100);
    abort(9, 200);
    for (long number = 10; number < 14; number++) {
      complete(number, CheckpointRequest.Type.CHECKPOINT, number * 100);
    }
    trigger(14, CheckpointRequest.Type.CHECKPOINT, 2_000);
    CheckpointStatistics statistics = history.statistics();
    assertThat(statistics.counts()).isEqualTo(new CheckpointCounts(1, 7, 1, 5, 1));
    assertThat(statistics.history())
        .extracting(CheckpointRecord::number)
        .containsExactly(14L, 13L, 12L, 11L);
    assertThat(statistics.latestSavepoint()).map(CheckpointRecord::number).contains(8L);
    assertThat(statistics.latestCompleted()).map(CheckpointRecord::number).contains(13L);
    assertThat(statistics.find(9).orElseThrow().failure().orElseThrow())
        .isEqualTo(new CheckpointRecord.CheckpointFailure(205, new TasksEnding()));
    assertThat(statistics.find(10)).isEmpty();
    assertThat(statistics.restored()).map(RestoredState::checkpoint).contains(7L);
  }

  @Test
  void summaryCoversCompletedCheckpointsOnly() {
    assertThat(history.statistics().summary().bytes().p50()).isNaN();
    abort(1, 0);
    assertThat(history.statistics().summary().durationMillis().max()).isZero();
    complete(2, CheckpointRequest.Type.CHECKPOINT, 0);
    assertThat(history.statistics().summary().durationMillis().average()).isEqualTo(30);
    assertThat(history.statistics().summary().durationMillis().p99()).isEqualTo(30.0);
  }

  @Test
  void checkpointInProgressShowsWhichSubtasksHaveStoredTheirState() {
    trigger(1, CheckpointRequest.Type.CHECKPOINT, 50);
    acknowledge(1, tasks.of(FakeTasks.TWO), 70);
    acknowledge(1, tasks.of(FakeTasks.TWO), 90);
    CheckpointRecord record = history.statistics().history().get(0);
    assertThat(record.status()).isEqualTo(Status.IN_PROGRESS);
    assertThat(record.totals().acknowledged()).isEqualTo(2);
    assertThat(record.durationMillis()).as("a repeated snapshot changes nothing").isEqualTo(20);
    assertThat(record.vertices().get(1).acknowledged().get(0).index()).isEqualTo(1);
  }

  @Test
  void discardedCheckpointIsMarked() {
    complete(1, CheckpointRequest.Type.CHECKPOINT, 0);
    complete(2, CheckpointRequest.Type.CHECKPOINT, 0);
    history.discarded("dir-1");
    assertThat(history.statistics().find(1)).map(CheckpointRecord::discarded).contains(true);
    assertThat(history.statistics().find(2)).map(CheckpointRecord::discarded).contains(false);
    assertThat(history.statistics().withoutVertices().find(2))
        .map(CheckpointRecord::vertices)
        .isEqualTo(Optional.of(List.of()));
  }
}

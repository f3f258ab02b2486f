package io.millrace.worker.taskexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.OperatorId;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckpointSnapshotsTest {
  private static TaskSnapshot snapshot(int number, int inlineBytes) {
    OperatorSnapshot operator =
        new OperatorSnapshot(
            new OperatorId(new Id128(1, number)),
            List.of(),
            List.of(
                new OperatorSnapshot.ListState(
                    "s",
                    OperatorSnapshot.Redistribution.SPLIT,
                    1,
                    new StateHandle.Inline(Bytes.wrap(new byte[inlineBytes])))));
    return new TaskSnapshot(
        new ExecutionId(new Id128(2, number)),
        List.of(operator),
        List.of(),
        TaskSnapshot.Timing.NONE);
  }

  @Test
  void snapshotsOfATaskManagerFitIntoOneMessage() {
    List<TaskSnapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      snapshots.add(snapshot(i, 1000));
    }
    assertThat(CheckpointSnapshots.parts(snapshots)).containsExactly(snapshots);
  }

  @Test
  void snapshotsThatAreTooLargeForAMessageAreSentInParts() {
    List<TaskSnapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      snapshots.add(snapshot(i, 20_000));
    }
    List<List<TaskSnapshot>> parts = CheckpointSnapshots.parts(snapshots);
    assertThat(parts).hasSizeGreaterThan(1);
    assertThat(parts.stream().flatMap(List::stream)).containsExactlyElementsOf(snapshots);
    assertThat(parts)
        .allSatisfy(
            part ->
                assertThat(part.stream().mapToLong(TaskSnapshot::size).sum()).isLessThan(1 << 20));
  }
}

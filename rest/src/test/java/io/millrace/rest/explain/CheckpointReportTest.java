package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointFailure;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CheckpointReportTest {
  private static CheckpointRecord pending(long number, long latestAcknowledgement) {
    return new CheckpointRecord(
        number,
        CheckpointRequest.Type.CHECKPOINT,
        Status.IN_PROGRESS,
        1_000,
        new CheckpointTotals(4, 3, latestAcknowledgement, 2_048, 0, 0),
        Optional.empty(),
        false,
        Optional.empty(),
        List.of());
  }

  @Test
  void jobWithoutCheckpointsHasNoNotes() {
    assertThat(CheckpointReport.notes(CheckpointStatistics.NONE, 5)).isEmpty();
  }

  @Test
  void saysWhatIsSlowAndWhatFailed() {
    CheckpointRecord failed =
        pending(7, -1)
            .failed(new CheckpointFailure(2_000, new CheckpointStorageFailed("disk full")));
    CheckpointStatistics statistics =
        new CheckpointStatistics(
            new CheckpointCounts(0, 3, 1, 1, 1),
            CheckpointStatistics.NONE.summary(),
            Optional.of(pending(6, 1_050).completed("/chk-6")),
            Optional.of(failed),
            Optional.empty(),
            Optional.empty(),
            List.of(pending(8, 1_010)),
            List.of());
    assertThat(CheckpointReport.notes(statistics, 31_000))
        .containsExactly(
            "1 checkpoint completed, 1 failed. The last one, 6, stored 2048 bytes in 50 ms.",
            "Checkpoint 8 is in progress for 30 s: 3 of 4 tasks have stored their state.",
            "Checkpoint 7 failed: The checkpoint could not be stored: disk full.");
  }
}

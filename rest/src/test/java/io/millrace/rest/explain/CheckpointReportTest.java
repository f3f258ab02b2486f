package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointFailure;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CheckpointReportTest {
  private static final VertexId COUNT = new VertexId(new Id128(1, 2));
  private static final JobGraph GRAPH =
      new JobGraph(
          new JobId(new Id128(3, 4)),
          "job",
          JobType.STREAMING,
          List.of(
              new JobVertex(
                  COUNT,
                  "count",
                  4,
                  128,
                  "default",
                  List.of(
                      new ChainedOperator(
                          new OperatorId(new Id128(5, 6)), "count", -1, Bytes.EMPTY)))),
          List.of(),
          List.of(),
          Configuration.EMPTY);

  private static CheckpointRecord pending(long number, long latestAcknowledgement) {
    return new CheckpointRecord(
        number,
        CheckpointRequest.Type.CHECKPOINT,
        Status.IN_PROGRESS,
        1_000,
        new CheckpointTotals(4, 3, latestAcknowledgement, 2_048, 2_048, 0, 0),
        Optional.empty(),
        false,
        Optional.empty(),
        List.of());
  }

  @Test
  void jobWithoutCheckpointsHasNoNotes() {
    assertThat(CheckpointReport.notes(CheckpointStatistics.NONE, GRAPH, 5)).isEmpty();
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
    assertThat(CheckpointReport.notes(statistics, GRAPH, 31_000))
        .containsExactly(
            "1 checkpoint completed, 1 failed. The last one, 6, stored 2048 bytes in 50 ms.",
            "Checkpoint 8 is in progress for 30 s: 3 of 4 tasks have stored their state.",
            "Checkpoint 7 failed: The checkpoint could not be stored: disk full.");
  }

  private static CheckpointStatistics of(CheckpointRecord completed, CheckpointRecord... pending) {
    return new CheckpointStatistics(
        new CheckpointCounts(0, 1, 0, 1, 0),
        CheckpointStatistics.NONE.summary(),
        Optional.of(completed),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(pending),
        List.of());
  }

  private static CheckpointRecord withSubtasks(TaskSnapshot.Timing slow) {
    List<SubtaskRecord> subtasks =
        List.of(
            new SubtaskRecord(0, 1_500, 10, 10, 0, TaskSnapshot.Timing.NONE),
            new SubtaskRecord(2, 6_000, 2_048, 2_048, 0, slow));
    return new CheckpointRecord(
        6,
        CheckpointRequest.Type.CHECKPOINT,
        Status.IN_PROGRESS,
        1_000,
        CheckpointTotals.of(4, subtasks),
        Optional.empty(),
        false,
        Optional.empty(),
        List.of(new VertexRecord(COUNT, 4, subtasks)));
  }

  @Test
  void namesTheSlowestTaskAndTheLongestPart() {
    assertThat(
            CheckpointReport.notes(
                of(
                    withSubtasks(new TaskSnapshot.Timing(4_000, 500, 10, 20, 0, false))
                        .completed("/chk-6")),
                GRAPH,
                31_000))
        .contains(
            "The slowest task of checkpoint 6 was count (3/4): the first barrier came after 4 s,"
                + " alignment took 500 ms, the synchronous part 10 ms, writing 2048 bytes 20 ms."
                + " The first barrier came late: it waited behind records, because there is back"
                + " pressure or a slow task before it.");
    assertThat(
            CheckpointReport.notes(
                of(
                    withSubtasks(new TaskSnapshot.Timing(1, 0, 10, 4_900, 0, false))
                        .completed("/chk-6")),
                GRAPH,
                31_000))
        .anyMatch(note -> note.endsWith("it is large, or the storage /chk-6 is slow."));
    assertThat(
            CheckpointReport.notes(
                of(
                    withSubtasks(new TaskSnapshot.Timing(1, 3_000, 10, 20, 0, false))
                        .completed("/chk-6")),
                GRAPH,
                31_000))
        .anyMatch(
            note ->
                note.contains("Alignment took longest: one of its inputs has back pressure.")
                    && note.contains("execution.checkpointing.unaligned.enabled: true"));
    assertThat(
            CheckpointReport.notes(
                of(
                    withSubtasks(new TaskSnapshot.Timing(1, 0, 3_000, 20, 0, false))
                        .completed("/chk-6")),
                GRAPH,
                31_000))
        .anyMatch(note -> note.contains("The synchronous part took longest"));
  }

  @Test
  void namesTheSlowestTaskAlthoughItsTaskManagerReportsAllTogether() {
    List<SubtaskRecord> subtasks =
        List.of(
            new SubtaskRecord(0, 6_000, 10, 10, 0, new TaskSnapshot.Timing(1, 1, 1, 1, 0, false)),
            new SubtaskRecord(
                1, 6_000, 10, 10, 0, new TaskSnapshot.Timing(1, 1, 1, 4_000, 0, false)),
            new SubtaskRecord(2, 6_000, 10, 10, 0, new TaskSnapshot.Timing(1, 9, 1, 1, 0, false)));
    CheckpointRecord pending =
        new CheckpointRecord(
            6,
            CheckpointRequest.Type.CHECKPOINT,
            Status.IN_PROGRESS,
            1_000,
            CheckpointTotals.of(4, subtasks),
            Optional.empty(),
            false,
            Optional.empty(),
            List.of(new VertexRecord(COUNT, 4, subtasks)));
    CheckpointStatistics statistics = of(pending(5, 1_010).completed("/chk-5"), pending);
    assertThat(CheckpointReport.explained(statistics, 31_000)).containsExactly(6L);
    assertThat(CheckpointReport.notes(statistics, GRAPH, 31_000))
        .anyMatch(note -> note.startsWith("The slowest task of checkpoint 6 so far is count (2/4)"))
        .anyMatch(note -> note.endsWith("It waits for 1 of 4 of 'count' (4/4)."));
  }

  @Test
  void saysWhatTasksStartedWith() {
    CheckpointStatistics statistics =
        new CheckpointStatistics(
            new CheckpointCounts(1, 0, 0, 0, 0),
            CheckpointStatistics.NONE.summary(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new RestoredState(4, 1_000, false, "/checkpoints/chk-4")),
            List.of(),
            List.of());
    assertThat(CheckpointReport.notes(statistics, GRAPH, 31_000))
        .containsExactly(
            "Tasks last started with the state of checkpoint 4 in /checkpoints/chk-4, 30 s ago.");
  }

  @Test
  void namesTheTasksThatACheckpointWaitsFor() {
    assertThat(
            CheckpointReport.notes(
                of(pending(5, 1_010).completed("/chk-5"), withSubtasks(TaskSnapshot.Timing.NONE)),
                GRAPH,
                31_000))
        .contains(
            "Checkpoint 6 is in progress for 30 s: 2 of 4 tasks have stored their state. It waits"
                + " for 2 of 4 of 'count' (2/4, 4/4).");
  }
}

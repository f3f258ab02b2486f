package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.StatusHistory;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots;
import io.millrace.rpc.journal.Journal;
import io.millrace.task.InputSubtask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Three vertices in a row, two subtasks each: source, map, window. */
class EventTimeReportTest {
  private static final long MOMENT = 1_700_000_000_000L;
  private static final long NONE = TaskEventTime.NO_WATERMARK;

  private static VertexId id(int vertex) {
    return new VertexId(new Id128(2, vertex));
  }

  private static InputSubtask input(int vertex, int subtask) {
    return new InputSubtask(id(vertex), subtask);
  }

  private static JobVertex vertex(int number, String name) {
    return new JobVertex(
        id(number),
        name,
        2,
        128,
        "default",
        List.of(new ChainedOperator(new OperatorId(new Id128(3, number)), name, -1, Bytes.EMPTY)));
  }

  private static TaskEventTime time(
      long input, long output, long highest, Optional<InputSubtask> slowest) {
    return new TaskEventTime(input, output, highest, 0, slowest.isPresent() ? 2 : 0, 0, slowest);
  }

  private static TaskEventTime source(long output) {
    return time(NONE, output, NONE, Optional.empty());
  }

  /** A subtask of which there are two reports; it has emitted records between them or not. */
  private static SubtaskDetails task(TaskEventTime before, TaskEventTime now, boolean emits) {
    ExecutionId execution = new ExecutionId(new Id128(4, 4));
    return new SubtaskDetails(
        execution,
        0,
        TaskState.RUNNING,
        Optional.of(new WorkerId("w1")),
        new long[TaskState.values().length],
        Optional.of(new TaskCounters(execution, 0, emits ? 20 : 10, 0, 0, 0, 0, 9).at(now)),
        Optional.of(new TaskCounters(execution, 0, 10, 0, 0, 0, 0, 5).at(before)));
  }

  private static SubtaskDetails still(TaskEventTime time) {
    return task(time, time, false);
  }

  private static List<String> notes(
      List<SubtaskDetails> sources, List<SubtaskDetails> maps, List<SubtaskDetails> windows) {
    JobGraph graph =
        new JobGraph(
            Scene.JOB,
            "counts",
            JobType.STREAMING,
            List.of(vertex(0, "orders"), vertex(1, "parse"), vertex(2, "window")),
            List.of(),
            List.of(),
            Configuration.EMPTY);
    JobDetails details =
        new JobDetails(
            graph,
            new StatusHistory(JobStatus.RUNNING, 0, -1, Map.of(JobStatus.RUNNING, 0L)),
            JobSlots.NONE,
            Optional.empty(),
            0,
            List.of(
                new VertexDetails(id(0), sources),
                new VertexDetails(id(1), maps),
                new VertexDetails(id(2), windows)),
            List.of());
    JobSnapshot story =
        new JobSnapshot(
            details, new Journal(0, () -> 0L).history(Scene.JOB), Optional.of(List.of()), 0);
    List<String> notes = new EventTimeReport(story).notes();
    assertThat(story.explain().notes()).containsAll(notes);
    return notes;
  }

  @Test
  void theSubtaskIsNamedAtWhichTheWatermarkStandsStillNotThoseThatPassItOn() {
    List<SubtaskDetails> sources = List.of(still(source(MOMENT)), still(source(NONE)));
    List<SubtaskDetails> maps =
        List.of(
            still(time(MOMENT, MOMENT, MOMENT, Optional.of(input(0, 0)))),
            still(time(NONE, NONE, NONE, Optional.of(input(0, 1)))));
    TaskEventTime held = time(NONE, NONE, MOMENT, Optional.of(input(1, 1)));
    assertThat(notes(sources, maps, List.of(still(held), still(held))))
        .containsExactly(
            "Task orders (2/2) on w1 holds event time back in window: it has not emitted a"
                + " watermark, others are at 2023-11-14T22:13:20Z. It emits no records. If that may"
                + " last, say withIdleness on its WatermarkStrategy: then the others do not wait"
                + " for it.");
  }

  @Test
  void oneThatEmitsRecordsButNoWatermarksIsAskedForItsGenerator() {
    List<SubtaskDetails> sources = List.of(still(source(MOMENT)), task(source(5), source(5), true));
    TaskEventTime held = time(5, 5, MOMENT, Optional.of(input(0, 1)));
    assertThat(notes(sources, List.of(still(held)), List.of()))
        .containsExactly(
            "Task orders (2/2) on w1 holds event time back in parse: its watermark stays at"
                + " 1970-01-01T00:00:00.005Z, others are at 2023-11-14T22:13:20Z. It emits"
                + " records. Does the generator of its WatermarkStrategy emit watermarks?");
  }

  @Test
  void oneThatIsBehindButMovesIsNotNamed() {
    List<SubtaskDetails> sources = List.of(still(source(MOMENT)), still(source(5)));
    Optional<InputSubtask> slowest = Optional.of(input(0, 1));
    SubtaskDetails moves = task(time(4, 4, MOMENT, slowest), time(5, 5, MOMENT, slowest), true);
    assertThat(notes(sources, List.of(moves), List.of())).isEmpty();
  }

  @Test
  void lateRecordsAreToldOfPerVertex() {
    TaskEventTime late = new TaskEventTime(9, 9, 9, 7, 1, 0, Optional.of(input(0, 0)));
    assertThat(notes(List.of(still(source(9))), List.of(), List.of(still(late), still(late))))
        .containsExactly(
            "window has dropped 14 records that came too late. sideOutputLateData shows such"
                + " records; allowedLateness or a longer forBoundedOutOfOrderness keeps them.");
  }
}

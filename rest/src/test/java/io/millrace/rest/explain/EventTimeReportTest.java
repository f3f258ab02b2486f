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
  private static final long SOME_TIME = 1_700_000_000_000L;
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

  private static TaskEventTime time(long input, long output, long highest, InputSubtask slowest) {
    return new TaskEventTime(input, output, highest, 0, 2, 0, Optional.of(slowest));
  }

  private static TaskEventTime source(long output) {
    return new TaskEventTime(NONE, output, NONE, 0, 0, 0, Optional.empty());
  }

  /** A subtask with two reports. */
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

  private static SubtaskDetails unchanged(TaskEventTime time) {
    return task(time, time, false);
  }

  private static List<String> notes(
      List<SubtaskDetails> sources, List<SubtaskDetails> maps, List<SubtaskDetails> windows) {
    JobGraph graph =
        new JobGraph(
            JobSnapshotBuilder.JOB,
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
    JobSnapshot snapshot =
        new JobSnapshot(
            details,
            new Journal(0, () -> 0L).history(JobSnapshotBuilder.JOB),
            Optional.of(List.of()),
            0);
    List<String> notes = new EventTimeReport(snapshot).notes();
    assertThat(snapshot.explain().notes()).containsAll(notes);
    return notes;
  }

  @Test
  void namesSubtaskThatStopsWatermarkNotThoseThatForwardIt() {
    List<SubtaskDetails> sources = List.of(unchanged(source(SOME_TIME)), unchanged(source(NONE)));
    List<SubtaskDetails> maps =
        List.of(
            unchanged(time(SOME_TIME, SOME_TIME, SOME_TIME, input(0, 0))),
            unchanged(time(NONE, NONE, NONE, input(0, 1))));
    TaskEventTime held = time(NONE, NONE, SOME_TIME, input(1, 1));
    assertThat(notes(sources, maps, List.of(unchanged(held), unchanged(held))))
        .containsExactly(
            "Task orders (2/2) on w1 holds event time back in window: it has not emitted a"
                + " watermark, others are at 2023-11-14T22:13:20Z. It emits no records. If that may"
                + " last, call withIdleness on its WatermarkStrategy: then other subtasks do not"
                + " wait for it.");
  }

  @Test
  void suggestsGeneratorIfRecordsButNoWatermarksAreEmitted() {
    List<SubtaskDetails> sources =
        List.of(unchanged(source(SOME_TIME)), task(source(5), source(5), true));
    TaskEventTime held = time(5, 5, SOME_TIME, input(0, 1));
    assertThat(notes(sources, List.of(unchanged(held)), List.of()))
        .containsExactly(
            "Task orders (2/2) on w1 holds event time back in parse: its watermark stays at"
                + " 1970-01-01T00:00:00.005Z, others are at 2023-11-14T22:13:20Z. It emits"
                + " records. Does the generator of its WatermarkStrategy emit watermarks?");
  }

  @Test
  void ignoresSlowSubtaskWithProgress() {
    List<SubtaskDetails> sources = List.of(unchanged(source(SOME_TIME)), unchanged(source(5)));
    InputSubtask slowest = input(0, 1);
    SubtaskDetails moves =
        task(time(4, 4, SOME_TIME, slowest), time(5, 5, SOME_TIME, slowest), true);
    assertThat(notes(sources, List.of(moves), List.of())).isEmpty();
  }

  @Test
  void reportsLateRecordsPerVertex() {
    TaskEventTime late = new TaskEventTime(9, 9, 9, 7, 1, 0, Optional.of(input(0, 0)));
    assertThat(
            notes(
                List.of(unchanged(source(9))),
                List.of(),
                List.of(unchanged(late), unchanged(late))))
        .containsExactly(
            "window has dropped 14 records that came too late. sideOutputLateData shows such"
                + " records; allowedLateness or a longer forBoundedOutOfOrderness keeps them.");
  }
}

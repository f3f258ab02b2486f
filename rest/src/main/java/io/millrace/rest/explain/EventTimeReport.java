package io.millrace.rest.explain;

import io.millrace.core.id.VertexId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.text.Plural;
import io.millrace.task.InputSubtask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reports which subtasks hold event time back, and which vertices have dropped late records. */
final class EventTimeReport {
  private static final int SHOWN = 5;

  /** The year 9999. Watermarks beyond it are shown as numbers. */
  private static final long MAX_CALENDAR_MILLIS = 253_402_300_800_000L;

  private final JobSnapshot snapshot;
  private final Map<VertexId, List<SubtaskDetails>> tasks = new LinkedHashMap<>();

  EventTimeReport(JobSnapshot snapshot) {
    this.snapshot = snapshot;
    for (VertexDetails vertex : snapshot.job().vertices()) {
      tasks.put(vertex.id(), vertex.subtasks());
    }
  }

  List<String> notes() {
    List<String> sentences = new ArrayList<>();
    Map<InputSubtask, HeldBack> heldBack = heldBack();
    heldBack.entrySet().stream()
        .limit(SHOWN)
        .forEach(entry -> sentences.add(sentence(entry.getKey(), entry.getValue())));
    if (heldBack.size() > SHOWN) {
      sentences.add(
          "… and "
              + Plural.of(heldBack.size() - SHOWN, "more subtask")
              + " hold event time back like these.");
    }
    tasks.forEach((vertex, subtasks) -> late(vertex, subtasks).ifPresent(sentences::add));
    return sentences;
  }

  /**
   * The vertices whose event time one subtask holds back.
   *
   * @param watermark the watermark of the subtask
   * @param highest the highest watermark of the other subtasks
   */
  private record HeldBack(Set<VertexId> vertices, long watermark, long highest) {}

  private Map<InputSubtask, HeldBack> heldBack() {
    Map<InputSubtask, HeldBack> heldBack = new LinkedHashMap<>();
    tasks.forEach(
        (vertex, subtasks) -> {
          for (SubtaskDetails subtask : subtasks) {
            eventTime(subtask)
                .filter(time -> !subtask.state().isTerminal())
                .filter(time -> time.isHeldBack() && isUnchanged(subtask, time))
                .ifPresent(time -> add(heldBack, vertex, time));
          }
        });
    return heldBack;
  }

  private void add(Map<InputSubtask, HeldBack> heldBack, VertexId vertex, TaskEventTime time) {
    InputSubtask origin = origin(time.slowestInput().orElseThrow());
    HeldBack before = heldBack.get(origin);
    Set<VertexId> vertices = before == null ? new LinkedHashSet<>() : before.vertices();
    vertices.add(vertex);
    long highest = time.highestInputWatermark();
    heldBack.put(
        origin,
        before == null
            ? new HeldBack(vertices, time.inputWatermark(), highest)
            : new HeldBack(
                vertices,
                Math.min(before.watermark(), time.inputWatermark()),
                Math.max(before.highest(), highest)));
  }

  /**
   * Whether the watermark is the same in the last two reports. With one report, whether there is
   * none.
   */
  private static boolean isUnchanged(SubtaskDetails subtask, TaskEventTime now) {
    return subtask
        .earlier()
        .flatMap(TaskCounters::eventTime)
        .map(before -> before.inputWatermark() == now.inputWatermark())
        .orElse(now.inputWatermark() == TaskEventTime.NO_WATERMARK);
  }

  /** The first subtask, upstream from the input, whose own watermark is behind its input. */
  private InputSubtask origin(InputSubtask input) {
    InputSubtask at = input;
    for (int hops = 0; hops < tasks.size(); hops++) {
      Optional<InputSubtask> next =
          subtask(at)
              .flatMap(EventTimeReport::eventTime)
              .filter(time -> time.outputWatermark() == time.inputWatermark())
              .flatMap(TaskEventTime::slowestInput);
      if (next.isEmpty()) {
        return at;
      }
      at = next.get();
    }
    return at;
  }

  private static Optional<TaskEventTime> eventTime(SubtaskDetails subtask) {
    return subtask.counters().flatMap(TaskCounters::eventTime);
  }

  private Optional<SubtaskDetails> subtask(InputSubtask input) {
    List<SubtaskDetails> subtasks = tasks.getOrDefault(input.vertex(), List.of());
    return input.subtask() < subtasks.size()
        ? Optional.of(subtasks.get(input.subtask()))
        : Optional.empty();
  }

  private String sentence(InputSubtask origin, HeldBack heldBack) {
    JobVertex vertex = snapshot.job().graph().vertex(origin.vertex());
    Optional<SubtaskDetails> subtask = subtask(origin);
    boolean emits =
        subtask.flatMap(SubtaskDetails::counters).map(TaskCounters::recordsOut).orElse(0L)
            > subtask.flatMap(SubtaskDetails::earlier).map(TaskCounters::recordsOut).orElse(0L);
    return "Task "
        + vertex.name()
        + " ("
        + (origin.subtask() + 1)
        + "/"
        + vertex.parallelism()
        + ")"
        + subtask.flatMap(SubtaskDetails::worker).map(worker -> " on " + worker).orElse("")
        + " holds event time back in "
        + heldBack.vertices().stream()
            .map(id -> snapshot.job().graph().vertex(id).name())
            .collect(Collectors.joining(", "))
        + ": "
        + (heldBack.watermark() == TaskEventTime.NO_WATERMARK
            ? "it has not emitted a watermark"
            : "its watermark stays at " + formatted(heldBack.watermark()))
        + ", others are at "
        + formatted(heldBack.highest())
        + ". "
        + (emits
            ? "It emits records. Does the generator of its WatermarkStrategy emit watermarks?"
            : "It emits no records. If that may last, call withIdleness on its WatermarkStrategy:"
                + " then other subtasks do not wait for it.");
  }

  private static String formatted(long time) {
    boolean isCalendarTime = time > -MAX_CALENDAR_MILLIS && time < MAX_CALENDAR_MILLIS;
    return isCalendarTime ? Instant.ofEpochMilli(time).toString() : Long.toString(time);
  }

  private Optional<String> late(VertexId vertex, List<SubtaskDetails> subtasks) {
    long dropped =
        subtasks.stream()
            .flatMap(subtask -> eventTime(subtask).stream())
            .mapToLong(TaskEventTime::lateRecordsDropped)
            .sum();
    return dropped == 0
        ? Optional.empty()
        : Optional.of(
            snapshot.job().graph().vertex(vertex).name()
                + " has dropped "
                + Plural.of(dropped, "record")
                + " that came too late. sideOutputLateData shows such records; allowedLateness or"
                + " a longer forBoundedOutOfOrderness keeps them.");
  }
}

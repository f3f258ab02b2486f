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

/** Which subtasks hold event time back for others, and where records came too late. */
final class EventTimeReport {
  private static final int SHOWN = 5;

  /** Beyond the year 9999 in either direction a number is all that is worth telling. */
  private static final long FAR_MILLIS = 253_402_300_800_000L;

  private final JobSnapshot story;
  private final Map<VertexId, List<SubtaskDetails>> tasks = new LinkedHashMap<>();

  EventTimeReport(JobSnapshot story) {
    this.story = story;
    for (VertexDetails vertex : story.job().vertices()) {
      tasks.put(vertex.id(), vertex.subtasks());
    }
  }

  List<String> notes() {
    List<String> sentences = new ArrayList<>();
    Map<InputSubtask, Held> held = held();
    held.entrySet().stream()
        .limit(SHOWN)
        .forEach(entry -> sentences.add(sentence(entry.getKey(), entry.getValue())));
    if (held.size() > SHOWN) {
      sentences.add(
          "… and "
              + Plural.of(held.size() - SHOWN, "more subtask")
              + " hold event time back like these.");
    }
    tasks.forEach((vertex, subtasks) -> late(vertex, subtasks).ifPresent(sentences::add));
    return sentences;
  }

  /**
   * What one subtask holds back.
   *
   * @param by how far its watermark is
   * @param highest how far others are at most
   */
  private record Held(Set<VertexId> vertices, long by, long highest) {}

  private Map<InputSubtask, Held> held() {
    Map<InputSubtask, Held> held = new LinkedHashMap<>();
    tasks.forEach(
        (vertex, subtasks) -> {
          for (SubtaskDetails subtask : subtasks) {
            eventTime(subtask)
                .filter(time -> !subtask.state().isTerminal())
                .filter(time -> time.isHeldBack() && standsStill(subtask, time))
                .ifPresent(time -> add(held, vertex, time));
          }
        });
    return held;
  }

  private void add(Map<InputSubtask, Held> held, VertexId vertex, TaskEventTime time) {
    InputSubtask origin = origin(time.slowestInput().orElseThrow());
    Held before = held.get(origin);
    Set<VertexId> vertices = before == null ? new LinkedHashSet<>() : before.vertices();
    vertices.add(vertex);
    long highest = time.highestInputWatermark();
    held.put(
        origin,
        before == null
            ? new Held(vertices, time.inputWatermark(), highest)
            : new Held(
                vertices,
                Math.min(before.by(), time.inputWatermark()),
                Math.max(before.highest(), highest)));
  }

  /**
   * Whether it has not moved between the last two reports; with one report only the start tells.
   */
  private static boolean standsStill(SubtaskDetails subtask, TaskEventTime now) {
    return subtask
        .earlier()
        .flatMap(TaskCounters::eventTime)
        .map(before -> before.inputWatermark() == now.inputWatermark())
        .orElse(now.inputWatermark() == TaskEventTime.NO_WATERMARK);
  }

  /** The first subtask on the way back to the sources that does not only pass on what it gets. */
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

  private String sentence(InputSubtask origin, Held held) {
    JobVertex vertex = story.job().graph().vertex(origin.vertex());
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
        + held.vertices().stream()
            .map(id -> story.job().graph().vertex(id).name())
            .collect(Collectors.joining(", "))
        + ": "
        + (held.by() == TaskEventTime.NO_WATERMARK
            ? "it has not emitted a watermark"
            : "its watermark stays at " + moment(held.by()))
        + ", others are at "
        + moment(held.highest())
        + ". "
        + (emits
            ? "It emits records. Does the generator of its WatermarkStrategy emit watermarks?"
            : "It emits no records. If that may last, say withIdleness on its WatermarkStrategy:"
                + " then the others do not wait for it.");
  }

  private static String moment(long time) {
    boolean isOfCalendar = time > -FAR_MILLIS && time < FAR_MILLIS;
    return isOfCalendar ? Instant.ofEpochMilli(time).toString() : Long.toString(time);
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
            story.job().graph().vertex(vertex).name()
                + " has dropped "
                + Plural.of(dropped, "record")
                + " that came too late. sideOutputLateData shows such records; allowedLateness or"
                + " a longer forBoundedOutOfOrderness keeps them.");
  }
}

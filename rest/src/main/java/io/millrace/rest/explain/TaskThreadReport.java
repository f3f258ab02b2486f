package io.millrace.rest.explain;

import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.text.Plural;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskThread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which tasks are not on the core threads of their TaskManagers like others, and why. */
final class TaskThreadReport {
  private static final int SHOWN = 5;

  private final JobSnapshot story;
  private final List<String> sentences = new ArrayList<>();

  /** The TaskManagers that have no thread left for tasks that should have their own. */
  private final Map<WorkerId, TaskThread> exhausted = new LinkedHashMap<>();

  private int count;

  TaskThreadReport(JobSnapshot story) {
    this.story = story;
  }

  List<String> notes() {
    for (VertexDetails vertex : story.job().vertices()) {
      for (int i = 0; i < vertex.subtasks().size(); i++) {
        note(story.job().graph().vertex(vertex.id()), i, vertex.subtasks().get(i));
      }
    }
    if (count > SHOWN) {
      sentences.add("… and " + Plural.of(count - SHOWN, "more task") + " like these.");
    }
    exhausted.forEach(
        (worker, thread) ->
            sentences.add(
                "TaskManager "
                    + worker
                    + " has "
                    + thread.ownThreads()
                    + " threads for tasks that hold core threads for long and may have "
                    + thread.mostOwnThreads()
                    + " ("
                    + TaskManagerOptions.MAX_OWN_THREADS.key()
                    + "), so the others hold up whoever shares the core threads with them. Raise"
                    + " it, or wait for less in functions."));
    return sentences;
  }

  private void note(JobVertex vertex, int index, SubtaskDetails subtask) {
    if (subtask.state().isTerminal()) {
      return;
    }
    subtask
        .counters()
        .flatMap(TaskCounters::thread)
        .ifPresent(
            thread -> {
              if (thread.kind() == TaskThread.Kind.DENIED) {
                subtask.worker().ifPresent(worker -> exhausted.put(worker, thread));
              }
              if (count++ < SHOWN) {
                sentences.add(sentence(vertex, index, subtask, thread));
              }
            });
  }

  private String sentence(JobVertex vertex, int index, SubtaskDetails subtask, TaskThread thread) {
    return "Task "
        + vertex.name()
        + " ("
        + (index + 1)
        + "/"
        + vertex.parallelism()
        + ")"
        + subtask.worker().map(worker -> " on " + worker).orElse("")
        + switch (thread.kind()) {
          case OWN -> " has a thread of its own, for ";
          case DENIED -> " should have a thread of its own, for ";
          case CORE -> " holds a core thread that no other task waits for, for ";
        }
        + JobSnapshot.lasted(thread.since(), story.now())
        + " now: it "
        + Phrases.sentence(thread.reason());
  }
}

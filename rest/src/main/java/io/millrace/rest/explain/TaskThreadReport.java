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

/** Reports tasks that have their own thread, should have one, or hold a core thread for long. */
final class TaskThreadReport {
  private static final int SHOWN = 5;

  private final JobSnapshot snapshot;
  private final List<String> sentences = new ArrayList<>();

  /** The TaskManagers whose own threads are all in use. */
  private final Map<WorkerId, TaskThread> exhausted = new LinkedHashMap<>();

  private int count;

  TaskThreadReport(JobSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  List<String> notes() {
    for (VertexDetails vertex : snapshot.job().vertices()) {
      for (int i = 0; i < vertex.subtasks().size(); i++) {
        note(snapshot.job().graph().vertex(vertex.id()), i, vertex.subtasks().get(i));
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
                    + " own threads for tasks that hold core threads for long, and may have "
                    + thread.mostOwnThreads()
                    + " ("
                    + TaskManagerOptions.MAX_OWN_THREADS.key()
                    + "), so further such tasks delay the tasks that share a core thread with them."
                    + " Raise the limit, or block less in functions."));
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
        + JobSnapshot.lasted(thread.since(), snapshot.now())
        + " now: it "
        + Phrases.sentence(thread.reason());
  }
}

package io.millrace.rest.explain;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.text.Plural;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSplits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reports how far enumerators are with their splits. Sources whose splits are known from the start
 * are not worth a sentence.
 */
final class SplitReport {
  private final JobSnapshot snapshot;

  SplitReport(JobSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (VertexDetails vertex : snapshot.job().vertices()) {
      for (SubtaskDetails subtask : vertex.subtasks()) {
        splits(subtask)
            .filter(splits -> splits.enumerator() && !subtask.state().isTerminal())
            .ifPresent(
                splits ->
                    notes.add(
                        "'"
                            + snapshot.job().graph().vertex(vertex.id()).name()
                            + "' has assigned "
                            + Plural.of(splits.assigned(), "split")
                            + " to readers; "
                            + splits.pending()
                            + (splits.pending() == 1 ? " waits" : " wait")
                            + " until a reader is free."));
      }
    }
    return notes;
  }

  private static Optional<TaskSplits> splits(SubtaskDetails subtask) {
    return subtask.counters().flatMap(TaskCounters::splits);
  }
}

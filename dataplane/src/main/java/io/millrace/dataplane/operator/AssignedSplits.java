package io.millrace.dataplane.operator;

import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The splits of a reader that come from an enumerator. A reader that asks for its splits has one at
 * a time; further ones, which there are only after a restore, wait here. Belongs to the task's
 * step.
 */
final class AssignedSplits {
  private final TaskEnvironment task;
  private final SourceReader<Object, SourceSplit> reader;
  private final boolean onRequest;
  private final ArrayDeque<SourceSplit> waiting = new ArrayDeque<>();

  /** The number of splits that were received since the start. */
  private long received;

  /** The number of splits that were asked for since the start. */
  private long requested;

  private boolean ended;

  AssignedSplits(
      TaskEnvironment task,
      SourceReader<Object, SourceSplit> reader,
      EnumeratedSource.Assignment assignment) {
    this.task = task;
    this.reader = reader;
    this.onRequest = assignment == EnumeratedSource.Assignment.ON_REQUEST;
  }

  @SuppressWarnings("unchecked") // The enumerator is that of the same source.
  void receive(SplitAssignment assignment) throws Exception {
    received += assignment.splits().size();
    task.splitMetrics().received(assignment.splits().size());
    add((List<SourceSplit>) (List<?>) assignment.splits());
  }

  void add(List<SourceSplit> splits) throws Exception {
    if (onRequest) {
      waiting.addAll(splits);
    } else {
      give(splits);
    }
  }

  private void give(List<SourceSplit> splits) throws Exception {
    splits.forEach(split -> task.activeSplits().add(split.splitId()));
    reader.addSplits(splits);
  }

  /** No assignment follows. */
  void inputEnded() {
    ended = true;
  }

  /** The reader has read all its splits: gives it the next one, or asks for one. */
  PollingReader.Status next() throws Exception {
    if (!waiting.isEmpty()) {
      give(List.of(waiting.remove()));
      return PollingReader.Status.MORE;
    }
    if (ended) {
      return PollingReader.Status.END;
    }
    if (onRequest && requested <= received) {
      requested = received + 1;
      task.requestSplits(requested);
    }
    return PollingReader.Status.WAIT;
  }

  /** The number of splits that the reader does not have yet. */
  int waiting() {
    return waiting.size();
  }

  /** The splits of a snapshot. */
  List<SourceSplit> with(List<SourceSplit> unread) {
    List<SourceSplit> all = new ArrayList<>(unread);
    all.addAll(waiting);
    return all;
  }
}

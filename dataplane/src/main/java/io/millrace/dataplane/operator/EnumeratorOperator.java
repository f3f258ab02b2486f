package io.millrace.dataplane.operator;

import io.millrace.api.metric.MetricGroup;
import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Runs the enumerator of a source and assigns the splits that it finds. Assignments are records to
 * the readers, so that a barrier separates those that belong to a checkpoint from later ones: a
 * split is in the state of this operator or in that of a reader. Requests of readers come on
 * another way and are not part of checkpoints; a reader that restarts asks again.
 */
public final class EnumeratorOperator extends PolledOperator {
  /** The names of the operator states. */
  private static final String REMAINING = "remaining";

  private static final String ENUMERATOR = "enumerator";
  private static final String COMPLETE = "complete";

  private final OperatorContext context;
  private final StreamOperator readers;
  private final SplitRequests requests;
  private final boolean onRequest;
  private final SourceWakeups wakeups;
  private final SplitEnumerator<SourceSplit, Object> enumerator;

  /** Found and not assigned, in the order of discovery. */
  private final ArrayDeque<SourceSplit> remaining = new ArrayDeque<>();

  /** By reader, the number of splits that it got since the start. */
  private final long[] assigned;

  private final OperatorList remainingState;
  private final OperatorList enumeratorState;
  private final OperatorList completeState;

  /** Whether the enumerator is to be called; other threads set it. */
  private volatile boolean due = true;

  private boolean greeted;

  /** Whether the enumerator has found all splits. */
  private boolean complete;

  /** The reader at which the search for a request begins, so that all get their turn. */
  private int nextReader;

  @SuppressWarnings("unchecked") // An enumerator gets only state of its own source.
  EnumeratorOperator(
      OperatorContext context,
      EnumeratedSource<Object, ?, ?> source,
      int readers,
      StreamOperator next)
      throws Exception {
    this.context = context;
    this.readers = next;
    this.requests = context.task().splitRequests();
    this.onRequest = source.assignment() == EnumeratedSource.Assignment.ON_REQUEST;
    this.assigned = new long[readers];
    this.wakeups = new SourceWakeups(context.task(), () -> due = true);
    remainingState = context.operatorState().list(REMAINING, Redistribution.SPLIT);
    enumeratorState = context.operatorState().list(ENUMERATOR, Redistribution.SPLIT);
    completeState = context.operatorState().list(COMPLETE, Redistribution.SPLIT);
    EnumeratedSource<Object, SourceSplit, Object> typed =
        (EnumeratedSource<Object, SourceSplit, Object>) source;
    EnumeratorContext sourceContext = new Context(context, readers, wakeups);
    if (context.operatorState().isRestored()) {
      remainingState.elements().forEach(split -> remaining.add((SourceSplit) split));
      complete = !completeState.elements().isEmpty();
      enumerator = typed.restoreEnumerator(sourceContext, enumeratorState.elements());
    } else {
      enumerator = typed.createEnumerator(sourceContext);
    }
  }

  @Override
  public PollingReader.Status poll(int limit) {
    try {
      greet();
      discover();
      assign();
      context.task().splitMetrics().enumerated(LongStream.of(assigned).sum(), remaining.size());
      if (complete && remaining.isEmpty()) {
        return PollingReader.Status.END;
      }
      return due && !complete ? PollingReader.Status.MORE : PollingReader.Status.WAIT;
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  /** Sends the first assignment to each reader: a reader on another host answers it. */
  private void greet() {
    if (!greeted) {
      greeted = true;
      for (int reader = 0; reader < assigned.length; reader++) {
        readers.processElement(new SplitAssignment(reader, List.of()));
      }
    }
  }

  private void discover() throws Exception {
    if (complete || !due) {
      return;
    }
    // Before the call: a wake during the call leads to another one.
    due = false;
    PollingReader.Status status =
        enumerator.discover(
            split -> remaining.add(Objects.requireNonNull(split, "A split must not be null")));
    if (status == PollingReader.Status.END) {
      complete = true;
    } else if (status == PollingReader.Status.MORE) {
      due = true;
    }
  }

  private void assign() {
    while (!remaining.isEmpty()) {
      int reader = onRequest ? nextRequest() : leastLoaded();
      if (reader < 0) {
        return;
      }
      assigned[reader]++;
      readers.processElement(new SplitAssignment(reader, List.of(remaining.remove())));
    }
  }

  /** A reader that has asked for more splits than it got; -1 if there is none. */
  private int nextRequest() {
    for (int i = 0; i < assigned.length; i++) {
      int reader = (nextReader + i) % assigned.length;
      if (requests.of(reader) > assigned[reader]) {
        nextReader = (reader + 1) % assigned.length;
        return reader;
      }
    }
    return -1;
  }

  private int leastLoaded() {
    int least = 0;
    for (int reader = 1; reader < assigned.length; reader++) {
      if (assigned[reader] < assigned[least]) {
        least = reader;
      }
    }
    return least;
  }

  @Override
  public void processElement(Object record) {
    throw new IllegalStateException("An enumerator has no input");
  }

  // --- checkpoints

  @Override
  public void prepareSnapshot(long checkpoint) throws Exception {
    enumeratorState.update(enumerator.snapshot(checkpoint));
    remainingState.update(remaining);
    completeState.update(complete ? List.of(true) : List.of());
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    enumerator.checkpointCompleted(checkpoint);
  }

  @Override
  public void close() throws Exception {
    wakeups.close();
    enumerator.close();
  }

  private record Context(OperatorContext operator, int readers, SourceWakeups wakeups)
      implements EnumeratorContext {
    @Override
    public MetricGroup metrics() {
      return operator.metrics();
    }

    @Override
    public FileSystems files() {
      return operator.task().deployment().services().files();
    }

    @Override
    public void processingBacklog(boolean backlog) {
      TaskEnvironment task = operator.task();
      task.deployment().listener().backlogChanged(task.execution(), backlog);
    }

    @Override
    public void wake() {
      wakeups.wake();
    }

    @Override
    public void wakeAfter(Duration delay) {
      wakeups.wakeAfter(delay);
    }
  }
}

package io.millrace.dataplane.operator;

import io.millrace.api.metric.MetricGroup;
import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.process.OutputTag;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.time.Timestamps;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.metrics.SplitMetrics;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a source; always the head of its chain. Its splits are those that it starts with, or those
 * that an enumerator assigns, which arrive as records.
 */
public final class SourceOperator extends PolledOperator {
  private static final Logger LOG = LoggerFactory.getLogger(SourceOperator.class);

  /** The name of the operator state of a source without enumerator. */
  private static final String SPLITS = "splits";

  /** Another name, because this state is not complete without that of the enumerator. */
  private static final String ASSIGNED_SPLITS = "assigned-splits";

  private final OperatorContext context;
  private final SourceReader<Object, SourceSplit> reader;
  private final SourceWakeups wakeups;
  private final Output out;

  /** The splits of the last snapshot, or those that the operator starts with. */
  private final OperatorList splits;

  /** The splits that an enumerator assigned and the reader does not have yet; else null. */
  private final AssignedSplits assigned;

  private boolean polling;

  @SuppressWarnings("unchecked") // A reader gets only splits of its own source.
  SourceOperator(OperatorContext context, Source<Object, ?> source, OperatorOutputs outputs)
      throws Exception {
    this.context = context;
    this.wakeups = new SourceWakeups(context.task(), () -> {});
    this.out = new Output(context.task(), outputs);
    boolean enumerated = source instanceof EnumeratedSource;
    this.splits =
        context.operatorState().list(enumerated ? ASSIGNED_SPLITS : SPLITS, Redistribution.SPLIT);
    SourceContext sourceContext = new Context(context, wakeups);
    this.reader = (SourceReader<Object, SourceSplit>) source.createReader(sourceContext);
    List<SourceSplit> initial =
        (List<SourceSplit>)
            (context.operatorState().isRestored()
                ? splits.elements()
                : source.initialSplits(sourceContext));
    this.assigned =
        source instanceof EnumeratedSource<Object, ?, ?> from
            ? new AssignedSplits(context.task(), reader, from.assignment())
            : null;
    context.task().splitMetrics().received(initial.size());
    if (assigned == null) {
      initial.forEach(split -> context.task().activeSplits().add(split.splitId()));
      reader.addSplits(initial);
    } else {
      assigned.add(initial);
    }
  }

  @Override
  public PollingReader.Status poll(int limit) {
    ActiveSplits active = context.task().activeSplits();
    if (active.isAhead()) {
      return PollingReader.Status.WAIT;
    }
    polling = true;
    try {
      Optional<Set<String>> paused = active.takeNewlyPaused();
      if (paused.isPresent()) {
        reader.pauseSplits(paused.get());
      }
      PollingReader.Status status = reader.poll(out, limit);
      if (status != PollingReader.Status.END) {
        return status;
      }
      active.finishAll();
      context.task().splitMetrics().unread(assigned == null ? 0 : assigned.waiting());
      return assigned == null ? status : assigned.next();
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      polling = false;
    }
  }

  @Override
  public Optional<String> position() {
    try {
      return polling ? reader.position() : Optional.empty();
    } catch (RuntimeException e) {
      LOG.debug("The source failed to tell its position", e);
      return Optional.empty();
    }
  }

  /** Takes splits that the enumerator assigns. */
  @Override
  public void processElement(Object record) {
    if (assigned == null) {
      throw new IllegalStateException("A source without enumerator has no input");
    }
    try {
      assigned.receive((SplitAssignment) record);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public void inputEnded() {
    assigned.inputEnded();
  }

  // --- checkpoints

  @Override
  public void prepareSnapshot(long checkpoint) throws Exception {
    List<SourceSplit> unread = reader.snapshot(checkpoint);
    splits.update(assigned == null ? unread : assigned.with(unread));
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    reader.checkpointCompleted(checkpoint);
  }

  @Override
  public void close() throws Exception {
    wakeups.close();
    reader.close();
  }

  /** Passes records on, with the event time that the source gives them. */
  private static final class Output implements SourceOutput<Object> {
    private final OutputCollector collector;
    private final SideOutputs sideOutputs;
    private final TaskClock clock;
    private final ActiveSplits splits;
    private final SplitMetrics metrics;

    Output(TaskEnvironment task, OperatorOutputs outputs) {
      this.collector = new OutputCollector(task, outputs.main());
      this.sideOutputs = outputs.sideOutputs();
      this.clock = task.clock();
      this.splits = task.activeSplits();
      this.metrics = task.splitMetrics();
    }

    @Override
    public void split(String splitId) {
      splits.start(splitId);
    }

    @Override
    public void splitFinished(String splitId) {
      if (splits.finish(splitId)) {
        metrics.readToEnd();
      }
    }

    @Override
    public void emit(Object record) {
      collector.emit(record);
    }

    @Override
    public void emit(Object record, long timestamp) {
      clock.timestamp = timestamp;
      collector.emit(record);
      clock.timestamp = Timestamps.NONE;
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      sideOutputs.emit(tag, record);
    }
  }

  private record Context(OperatorContext operator, SourceWakeups wakeups) implements SourceContext {
    @Override
    public int subtask() {
      return operator.task().subtask();
    }

    @Override
    public int parallelism() {
      return operator.parallelism();
    }

    @Override
    public MetricGroup metrics() {
      return operator.metrics();
    }

    @Override
    public FileSystems files() {
      return operator.task().deployment().services().files();
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

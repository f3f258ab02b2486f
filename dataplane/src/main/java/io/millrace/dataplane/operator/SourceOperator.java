package io.millrace.dataplane.operator;

import io.millrace.api.source.PollingReader;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.time.Timestamps;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a source; always the head of its chain. */
public final class SourceOperator extends StreamOperator {
  private static final Logger LOG = LoggerFactory.getLogger(SourceOperator.class);

  /** The name of the operator state. */
  private static final String SPLITS = "splits";

  private final OperatorContext context;
  private final SourceReader<Object, SourceSplit> reader;
  private final Context sourceContext;
  private final Output out;

  /** The splits of the last snapshot, or those that the operator starts with. */
  private final OperatorList splits;

  private boolean polling;

  @SuppressWarnings("unchecked") // A reader gets only splits of its own source.
  SourceOperator(OperatorContext context, Source<Object, ?> source, StreamOperator next)
      throws Exception {
    this.context = context;
    this.sourceContext = new Context(context.task(), context.parallelism());
    this.out = new Output(context.task(), next);
    this.splits = context.operatorState().list(SPLITS, Redistribution.SPLIT);
    this.reader = (SourceReader<Object, SourceSplit>) source.createReader(sourceContext);
    reader.addSplits(
        (List<SourceSplit>)
            (context.operatorState().isRestored()
                ? splits.elements()
                : source.initialSplits(sourceContext)));
  }

  public PollingReader.Status poll(int limit) {
    polling = true;
    try {
      return reader.poll(out, limit);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      polling = false;
    }
  }

  /** The position of the record that the chain processes; empty outside of a poll. */
  public Optional<String> position() {
    try {
      return polling ? reader.position() : Optional.empty();
    } catch (RuntimeException e) {
      LOG.debug("The source failed to tell its position", e);
      return Optional.empty();
    }
  }

  @Override
  public void processElement(Object record) {
    throw new IllegalStateException("A source has no input");
  }

  // --- checkpoints

  @Override
  public void prepareSnapshot(long checkpoint) throws Exception {
    splits.update(reader.snapshot(checkpoint));
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    reader.checkpointCompleted(checkpoint);
  }

  @Override
  public void close() throws Exception {
    sourceContext.close();
    reader.close();
  }

  /** Passes records on, with the event time that the source gives them. */
  private static final class Output implements SourceOutput<Object> {
    private final OutputCollector collector;
    private final TaskClock clock;

    Output(TaskEnvironment task, StreamOperator next) {
      this.collector = new OutputCollector(task, next);
      this.clock = task.clock();
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
  }

  private static final class Context implements SourceContext {
    private final TaskEnvironment task;
    private final int parallelism;
    private Future<?> pending;
    private boolean closed;

    Context(TaskEnvironment task, int parallelism) {
      this.task = task;
      this.parallelism = parallelism;
    }

    @Override
    public int subtask() {
      return task.subtask();
    }

    @Override
    public int parallelism() {
      return parallelism;
    }

    @Override
    public FileSystems files() {
      return task.deployment().services().files();
    }

    @Override
    public void wake() {
      task.wake();
    }

    @Override
    public synchronized void wakeAfter(Duration delay) {
      if (!closed) {
        // Replaces the last timer, so that a reader that asks in every poll has one timer.
        cancelPending();
        pending = task.wakeAfter(delay);
      }
    }

    synchronized void close() {
      closed = true;
      cancelPending();
    }

    private void cancelPending() {
      if (pending != null) {
        pending.cancel(false);
      }
    }
  }
}

package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.core.fs.FileSystems;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a source; always the head of its chain. */
public final class SourceOperator extends StreamOperator {
  private static final Logger LOG = LoggerFactory.getLogger(SourceOperator.class);

  private final OperatorContext context;
  private final SourceReader<Object> reader;
  private final Context sourceContext;
  private final Collector<Object> out;
  private boolean polling;

  /** Opens the reader of a subtask. */
  interface ReaderSupplier {
    SourceReader<Object> open(SourceContext sourceContext) throws Exception;
  }

  SourceOperator(OperatorContext context, ReaderSupplier source, StreamOperator next)
      throws Exception {
    this.context = context;
    this.sourceContext = new Context(context.task(), context.parallelism());
    this.out = new OutputCollector(context.task(), next);
    this.reader = source.open(sourceContext);
    if (reader instanceof OperatorStateHooks hooks) {
      hooks.restoreState(context.operatorState());
    }
  }

  public SourceReader.Status poll(int limit) {
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
    if (reader instanceof OperatorStateHooks hooks) {
      hooks.snapshotState(checkpoint, context.operatorState());
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    if (reader instanceof OperatorStateHooks hooks) {
      hooks.checkpointCompleted(checkpoint);
    }
  }

  @Override
  public void checkpointAborted(long checkpoint) throws Exception {
    if (reader instanceof OperatorStateHooks hooks) {
      hooks.checkpointAborted(checkpoint);
    }
  }

  @Override
  public boolean awaitsCheckpoint() {
    return reader instanceof OperatorStateHooks hooks && hooks.awaitsCheckpoint();
  }

  @Override
  public void close() throws Exception {
    sourceContext.close();
    reader.close();
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

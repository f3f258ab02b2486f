package io.millrace.dataplane;

import io.millrace.api.function.Collector;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.core.fs.FileSystems;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The head of a chain that produces its own records. */
final class SourceOperator extends StreamOperator {
  private static final Logger LOG = LoggerFactory.getLogger(SourceOperator.class);

  private final OperatorContext context;
  private final SourceReader<Object> reader;
  private final Context sourceContext;
  private final Collector<Object> out;
  private boolean polling;

  /** Makes the reader of a subtask. */
  interface Opening {
    SourceReader<Object> open(SourceContext sourceContext) throws Exception;
  }

  SourceOperator(OperatorContext context, Opening source, int parallelism, StreamOperator next)
      throws Exception {
    this.context = context;
    this.sourceContext = new Context(context.task(), parallelism);
    this.out = new OutputCollector(context.task(), next);
    this.reader = source.open(sourceContext);
  }

  SourceReader.Status poll(int limit) {
    polling = true;
    try {
      return reader.poll(out, limit);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      polling = false;
    }
  }

  /** Where the record comes from that the chain is working on. */
  Optional<String> position() {
    try {
      return polling ? reader.position() : Optional.empty();
    } catch (RuntimeException e) {
      LOG.debug("The source does not know its position", e);
      return Optional.empty();
    }
  }

  @Override
  void processElement(Object record) {
    throw new IllegalStateException("A source reads from nobody");
  }

  @Override
  void close() throws Exception {
    sourceContext.close();
    reader.close();
  }

  private static final class Context implements SourceContext {
    private final Task task;
    private final int parallelism;
    private Future<?> pending;
    private boolean closed;

    Context(Task task, int parallelism) {
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
      return task.deployment().files();
    }

    @Override
    public void wake() {
      task.wake();
    }

    @Override
    public synchronized void wakeAfter(Duration delay) {
      if (!closed) {
        // Only the last one counts: a reader that asks on every poll must not pile up timers.
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

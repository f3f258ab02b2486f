package io.millrace.dataplane.operator;

import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.sink.StatefulSink;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.util.Optional;

/** Passes records to the {@link SinkWriter} of a sink, and commits its output with checkpoints. */
public final class SinkOperator extends StreamOperator {
  /** The names of the operator states. */
  private static final String WRITER = "writer";

  private static final String COMMITTABLES = "committables";

  private final OperatorContext context;
  private final SinkWriter<Object> writer;
  private final Instance instance;
  private final boolean isCheckpointing;
  private boolean ended;

  /** The parts of a parallel instance of a sink. */
  private record Instance(
      SinkWriter<Object> writer, Optional<WriterState> state, Optional<Committing> committing) {
    static Instance stateful(StatefulSinkWriter<Object, Object> writer, OperatorList list) {
      return new Instance(writer, Optional.of(new WriterState(writer, list)), Optional.empty());
    }

    @SuppressWarnings("unchecked") // The writer is that of a committing sink.
    Instance with(PendingCommits commits) {
      return new Instance(
          writer,
          state,
          Optional.of(new Committing((CommittingSinkWriter<Object, Object>) writer, commits)));
    }

    void flush(boolean endOfInput) throws Exception {
      writer.flush(endOfInput);
      if (committing.isPresent()) {
        committing.get().prepare();
      }
    }
  }

  /** The state of a stateful writer. */
  private record WriterState(StatefulSinkWriter<Object, Object> writer, OperatorList list) {}

  /** The second step of a committing sink. */
  private record Committing(CommittingSinkWriter<Object, Object> writer, PendingCommits commits) {
    void prepare() throws Exception {
      commits.add(writer.prepareCommit());
    }
  }

  private SinkOperator(OperatorContext context, Instance instance) {
    this.context = context;
    this.writer = instance.writer();
    this.instance = instance;
    this.isCheckpointing = isCheckpointing(context);
  }

  /** Commits what a restored checkpoint contains, then creates the writer. */
  @SuppressWarnings("unchecked") // A committer gets only committables of its own sink.
  static SinkOperator open(OperatorContext context, Sink<Object> sink) throws Exception {
    SinkContext sinkContext = new Context(context);
    if (!(sink instanceof CommittingSink<?, ?> committing)) {
      return new SinkOperator(context, createWriter(context, sink, sinkContext));
    }
    PendingCommits commits =
        new PendingCommits(
            context.operator(),
            ((CommittingSink<Object, Object>) committing).createCommitter(sinkContext),
            context.operatorState().list(COMMITTABLES, Redistribution.SPLIT));
    try {
      commits.commitRestored();
      return new SinkOperator(context, createWriter(context, sink, sinkContext).with(commits));
    } catch (Throwable thrown) {
      try {
        commits.close();
      } catch (Throwable closing) {
        thrown.addSuppressed(closing);
      }
      throw thrown;
    }
  }

  @SuppressWarnings("unchecked") // A writer gets only records and state of its own sink.
  private static Instance createWriter(
      OperatorContext context, Sink<Object> sink, SinkContext sinkContext) throws Exception {
    if (!(sink instanceof StatefulSink<?, ?> any)) {
      return new Instance(sink.createWriter(sinkContext), Optional.empty(), Optional.empty());
    }
    StatefulSink<Object, Object> stateful = (StatefulSink<Object, Object>) any;
    OperatorList list =
        context
            .operatorState()
            .list(
                WRITER,
                switch (stateful.redistribution()) {
                  case SPLIT -> Redistribution.SPLIT;
                  case UNION -> Redistribution.UNION;
                });
    return Instance.stateful(
        sinkContext.isRestored()
            ? stateful.restoreWriter(sinkContext, list.elements())
            : stateful.createWriter(sinkContext),
        list);
  }

  private static boolean isCheckpointing(OperatorContext context) {
    return !context
        .task()
        .deployment()
        .graph()
        .configuration()
        .get(CheckpointingOptions.INTERVAL)
        .isZero();
  }

  @Override
  public void processElement(Object record) {
    try {
      writer.write(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public EndStatus end() {
    if (!ended) {
      ended = true;
      try {
        instance.flush(true);
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
    }
    return EndStatus.DONE;
  }

  @Override
  public void finish() {
    // With checkpoints, the last one has committed everything. A savepoint that is not the job's
    // last one commits nothing, because a failure does not go back to it.
    if (instance.committing().isPresent() && !isCheckpointing) {
      try {
        instance.committing().get().commits().commitAll();
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
    }
  }

  // --- checkpoints

  @Override
  public void prepareSnapshot(long checkpoint) {
    // A failure fails the task: the writer may have lost records, which only a restart brings back.
    try {
      if (!ended) {
        instance.flush(false);
      }
      instance.committing().ifPresent(sink -> sink.commits().snapshot(checkpoint));
      if (instance.state().isPresent()) {
        WriterState state = instance.state().get();
        state.list().update(state.writer().snapshot(checkpoint));
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    if (instance.committing().isPresent()) {
      instance.committing().get().commits().checkpointCompleted(checkpoint);
    }
  }

  @Override
  public boolean awaitsCheckpoint() {
    return ended
        && isCheckpointing
        && instance.committing().isPresent()
        && !instance.committing().get().commits().isEmpty();
  }

  @Override
  public void close() throws Exception {
    try {
      writer.close();
    } finally {
      if (instance.committing().isPresent()) {
        instance.committing().get().commits().close();
      }
    }
  }

  private record Context(OperatorContext operator) implements SinkContext {
    @Override
    public int subtask() {
      return operator.task().subtask();
    }

    @Override
    public int parallelism() {
      return operator.parallelism();
    }

    @Override
    public int attempt() {
      return operator.task().attempt();
    }

    @Override
    public boolean isRestored() {
      return operator.operatorState().isRestored();
    }

    @Override
    public boolean isCheckpointing() {
      return SinkOperator.isCheckpointing(operator);
    }

    @Override
    public long currentProcessingTime() {
      return operator.task().deployment().services().clock().getAsLong();
    }

    @Override
    public FileSystems files() {
      return operator.task().deployment().services().files();
    }
  }
}

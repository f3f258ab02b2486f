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
import io.millrace.dataplane.snapshot.OperatorStateBackend;
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
  private final Optional<WriterState> state;
  private final Optional<Committing> committing;
  private final boolean isCheckpointing;
  private boolean ended;

  /** The state of a stateful writer. */
  private record WriterState(StatefulSinkWriter<Object, Object> writer, OperatorList list) {}

  /** The second step of a committing sink. */
  private record Committing(CommittingSinkWriter<Object, Object> writer, PendingCommits commits) {
    void prepare() throws Exception {
      commits.add(writer.prepareCommit());
    }
  }

  private SinkOperator(
      OperatorContext context,
      SinkWriter<Object> writer,
      Optional<WriterState> state,
      Optional<Committing> committing) {
    this.context = context;
    this.writer = writer;
    this.state = state;
    this.committing = committing;
    this.isCheckpointing = isCheckpointing(context);
  }

  /** Commits what a restored checkpoint contains, then creates the writer. */
  @SuppressWarnings("unchecked") // A sink gets only its own records, state and committables.
  static SinkOperator open(OperatorContext context, Sink<Object> sink) throws Exception {
    SinkContext sinkContext = new Context(context);
    if (!(sink instanceof CommittingSink<?, ?> any)) {
      return open(context, sink, sinkContext, Optional.empty());
    }
    PendingCommits commits =
        new PendingCommits(
            context.operator(),
            ((CommittingSink<Object, Object>) any).createCommitter(sinkContext),
            context.operatorState().list(COMMITTABLES, Redistribution.SPLIT));
    try {
      commits.commitRestored();
      return open(context, sink, sinkContext, Optional.of(commits));
    } catch (Throwable thrown) {
      try {
        commits.close();
      } catch (Throwable closing) {
        thrown.addSuppressed(closing);
      }
      throw thrown;
    }
  }

  @SuppressWarnings("unchecked")
  private static SinkOperator open(
      OperatorContext context,
      Sink<Object> sink,
      SinkContext sinkContext,
      Optional<PendingCommits> commits)
      throws Exception {
    SinkWriter<Object> writer;
    Optional<WriterState> state = Optional.empty();
    if (sink instanceof StatefulSink<?, ?> any) {
      StatefulSink<Object, Object> stateful = (StatefulSink<Object, Object>) any;
      OperatorStateBackend backend = context.operatorState();
      OperatorList list =
          backend.list(
              WRITER,
              switch (stateful.redistribution()) {
                case SPLIT -> Redistribution.SPLIT;
                case UNION -> Redistribution.UNION;
              });
      StatefulSinkWriter<Object, Object> created =
          backend.isRestored()
              ? stateful.restoreWriter(sinkContext, list.elements())
              : stateful.createWriter(sinkContext);
      state = Optional.of(new WriterState(created, list));
      writer = created;
    } else {
      writer = sink.createWriter(sinkContext);
    }
    return new SinkOperator(
        context,
        writer,
        state,
        commits.map(
            pending -> new Committing((CommittingSinkWriter<Object, Object>) writer, pending)));
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
        flush(true);
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
    }
    return EndStatus.DONE;
  }

  private void flush(boolean endOfInput) throws Exception {
    writer.flush(endOfInput);
    if (committing.isPresent()) {
      committing.get().prepare();
    }
  }

  @Override
  public void finish() {
    // With checkpoints, the last one has committed everything. A savepoint that is not the job's
    // last one commits nothing, because a failure does not go back to it.
    if (committing.isPresent() && !isCheckpointing) {
      try {
        committing.get().commits().commitAll();
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
        flush(false);
      }
      committing.ifPresent(sink -> sink.commits().snapshot(checkpoint));
      if (state.isPresent()) {
        state.get().list().update(state.get().writer().snapshot(checkpoint));
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    if (committing.isPresent()) {
      committing.get().commits().checkpointCompleted(checkpoint);
    }
  }

  @Override
  public boolean awaitsCheckpoint() {
    return ended
        && isCheckpointing
        && committing.isPresent()
        && !committing.get().commits().isEmpty();
  }

  @Override
  public void close() throws Exception {
    try {
      writer.close();
    } finally {
      if (committing.isPresent()) {
        committing.get().commits().close();
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

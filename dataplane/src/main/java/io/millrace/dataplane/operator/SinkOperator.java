package io.millrace.dataplane.operator;

import io.millrace.api.metric.MetricGroup;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.sink.StatefulSink;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.util.List;
import java.util.Optional;

/** Passes records to the {@link SinkWriter} of a sink, and commits its output with checkpoints. */
public final class SinkOperator extends StreamOperator {
  /** The names of the operator states. */
  private static final String WRITER = "writer";

  private static final String COMMITTABLES = "committables";

  private final OperatorContext context;
  private final SinkWriter<Object> writer;
  private final Instance instance;
  private final Optional<PendingCommits> pending;
  private final boolean isCheckpointing;
  private boolean ended;

  /** The parts of a parallel instance of a sink. */
  private record Instance(
      SinkWriter<Object> writer, Optional<WriterState> state, Optional<Committing> committing) {
    static Instance stateful(StatefulSinkWriter<Object, Object> writer, OperatorList list) {
      return new Instance(writer, Optional.of(new WriterState(writer, list)), Optional.empty());
    }

    @SuppressWarnings("unchecked") // The writer is that of a committing sink.
    Instance with(Optional<PendingCommits> commits, Optional<StreamOperator> globalCommitter) {
      return new Instance(
          writer,
          state,
          Optional.of(
              new Committing(
                  (CommittingSinkWriter<Object, Object>) writer, commits, globalCommitter)));
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

  /**
   * The second step of a committing sink.
   *
   * @param commits the committer of this subtask, if it has one
   * @param globalCommitter gets what is committed here, or prepared if nothing is committed here
   */
  private record Committing(
      CommittingSinkWriter<Object, Object> writer,
      Optional<PendingCommits> commits,
      Optional<StreamOperator> globalCommitter) {
    void prepare() throws Exception {
      List<Object> prepared = writer.prepareCommit();
      if (commits.isPresent()) {
        commits.get().add(prepared);
      } else {
        passOn(prepared);
      }
    }

    void passOn(List<Object> committables) {
      globalCommitter.ifPresent(next -> committables.forEach(next::processElement));
    }

    boolean isEmpty() {
      return commits.isEmpty() || commits.get().isEmpty();
    }
  }

  private SinkOperator(OperatorContext context, Instance instance) {
    this.context = context;
    this.writer = instance.writer();
    this.instance = instance;
    this.pending = instance.committing().flatMap(Committing::commits);
    this.isCheckpointing = isCheckpointing(context);
  }

  /** Commits what a restored checkpoint contains, then creates the writer. */
  @SuppressWarnings("unchecked") // A committer gets only committables of its own sink.
  static SinkOperator open(OperatorContext context, Sink<Object> sink, StreamOperator next)
      throws Exception {
    SinkContext sinkContext = new Context(context);
    Optional<StreamOperator> globalCommitter =
        sink instanceof GlobalCommittingSink ? Optional.of(next) : Optional.empty();
    if (!(sink instanceof CommittingSink<?, ?> committing)) {
      Instance instance = createWriter(context, sink, sinkContext);
      return new SinkOperator(
          context,
          globalCommitter.isPresent()
              ? instance.with(Optional.empty(), globalCommitter)
              : instance);
    }
    PendingCommits commits =
        new PendingCommits(
            context.operator(),
            ((CommittingSink<Object, Object>) committing).createCommitter(sinkContext),
            context.operatorState().list(COMMITTABLES, Redistribution.SPLIT));
    try {
      List<Object> restored = commits.commitRestored();
      Instance instance =
          createWriter(context, sink, sinkContext).with(Optional.of(commits), globalCommitter);
      // The committer may have failed before it had passed them on.
      instance.committing().orElseThrow().passOn(restored);
      return new SinkOperator(context, instance);
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

  /** Whether the job takes periodic checkpoints. */
  static boolean isCheckpointing(OperatorContext context) {
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
    if (pending.isPresent() && !isCheckpointing) {
      try {
        instance.committing().get().passOn(pending.get().commitAll());
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
      pending.ifPresent(commits -> commits.snapshot(checkpoint));
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
    if (pending.isPresent()) {
      instance.committing().get().passOn(pending.get().checkpointCompleted(checkpoint));
    }
  }

  @Override
  public boolean awaitsCheckpoint() {
    return ended
        && isCheckpointing
        && instance.committing().isPresent()
        && !instance.committing().get().isEmpty();
  }

  @Override
  public void close() throws Exception {
    try {
      writer.close();
    } finally {
      if (pending.isPresent()) {
        pending.get().close();
      }
    }
  }

  record Context(OperatorContext operator) implements SinkContext {
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
    public MetricGroup metrics() {
      return operator.metrics();
    }

    @Override
    public FileSystems files() {
      return operator.task().deployment().services().files();
    }
  }
}

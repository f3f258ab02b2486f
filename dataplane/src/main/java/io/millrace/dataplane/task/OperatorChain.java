package io.millrace.dataplane.task;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.source.PollingReader;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.exchange.RecordWriter;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.DiscardOperator;
import io.millrace.dataplane.operator.KeyedStateOperator;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorFailureException;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.operator.OperatorRuntimeContext;
import io.millrace.dataplane.operator.Operators;
import io.millrace.dataplane.operator.SourceOperator;
import io.millrace.dataplane.operator.StateNames;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.operator.TaskOutput;
import io.millrace.dataplane.operator.TaskStoppedError;
import io.millrace.dataplane.operator.TimedKeyedOperator;
import io.millrace.dataplane.operator.TimestampOperator;
import io.millrace.dataplane.operator.WatermarkTargets;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import io.millrace.dataplane.window.WindowOperator;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chained operators of a task; index 0 is the head. Belongs to the task's step. */
final class OperatorChain {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorChain.class);

  private final Task task;
  private final JobVertex vertex;
  private final StreamOperator[] operators;

  /** The rich functions of each operator that were opened, or whose opening failed. */
  private final List<List<RichFunction>> functions = new ArrayList<>();

  private final OperatorStateBackend[] operatorStates;
  private final List<TaskOutput> taskOutputs = new ArrayList<>();
  private final List<TimestampOperator> timestampOperators = new ArrayList<>();
  private WatermarkTargets watermarkTargets;

  /** The head if it is a keyed operator with timers, else null. */
  private TimedKeyedOperator keyed;

  /** The head if it is a source, else null. */
  private SourceOperator source;

  private int ending;

  /** Creates an empty chain, so that {@link #close} works even if {@link #open} fails half way. */
  OperatorChain(Task task, JobVertex vertex) {
    this.task = task;
    this.vertex = vertex;
    this.operators = new StreamOperator[vertex.operators().size()];
    this.operatorStates = new OperatorStateBackend[operators.length];
    vertex.operators().forEach(operator -> functions.add(new ArrayList<>()));
  }

  /**
   * Opens all operators, the last one first, because each needs its consumers.
   *
   * @param outputs the writers of the edges that leave the task, in the order of the graph
   */
  void open(List<RecordWriter> outputs) {
    taskOutputs.addAll(outputs);
    ChainWiring wiring = new ChainWiring(vertex, operators, outputs, task.eventTime());
    for (int i = operators.length - 1; i >= 0; i--) {
      ChainedOperator operator = vertex.operators().get(i);
      operatorStates[i] = new OperatorStateBackend();
      OperatorContext context =
          new OperatorContext(task, operator.name(), vertex.parallelism(), operatorStates[i]);
      try {
        Optional<RestoredState> restored = restored(operator);
        if (restored.isPresent()) {
          operatorStates[i].restore(restored.get());
        }
        OperatorSpec spec = (OperatorSpec) task.deployment().deserialize(operator.spec());
        Optional<HeapKeyedStateBackend> state = openFunctions(i, spec, context, restored);
        if (spec instanceof OperatorSpec.Timestamps) {
          wiring.startWatermarks(i);
        }
        OperatorOutputs outputsOf = wiring.outputsOf(task, i);
        operators[i] =
            spec instanceof OperatorSpec.Window window
                ? WindowOperator.open(context, window, outputsOf, state)
                : Operators.open(context, spec, outputsOf, state);
        if (restored.isPresent()) {
          operators[i].restore(restored.get());
        }
        if (operators[i] instanceof TimestampOperator timestamps) {
          timestampOperators.add(timestamps);
        } else if (operators[i] instanceof TaskOutput output) {
          taskOutputs.add(output);
        }
      } catch (Throwable thrown) {
        throw task.failed(operator.name(), thrown);
      }
    }
    watermarkTargets = wiring.targetsOfInput();
    keyed = operators[0] instanceof TimedKeyedOperator head ? head : null;
    source = operators[0] instanceof SourceOperator head ? head : null;
  }

  /** Opens the functions of an operator; returns their keyed state if they use any. */
  private Optional<HeapKeyedStateBackend> openFunctions(
      int operator, OperatorSpec spec, OperatorContext context, Optional<RestoredState> restored)
      throws Exception {
    Optional<HeapKeyedStateBackend> state = Operators.keyedState(spec, task);
    if (state.isPresent() && restored.isPresent()) {
      KeyedStateOperator.restore(state.get(), restored.get());
    }
    StateNames names = new StateNames();
    for (RichFunction function : Operators.richFunctions(spec)) {
      // Stored first, so that it is closed even if open throws.
      functions.get(operator).add(function);
      function.open(new OperatorRuntimeContext(context, function, state, names));
    }
    return spec instanceof OperatorSpec.KeyedProcessing
        ? state
        : state.filter(HeapKeyedStateBackend::opened);
  }

  /** The state of a checkpoint with which an operator starts; empty if it has none. */
  private Optional<RestoredState> restored(ChainedOperator operator) {
    return task.deployment()
        .descriptor()
        .restoreOf(task.execution())
        .flatMap(
            from ->
                from.operator(operator.id())
                    .map(
                        state ->
                            new RestoredState(
                                task.deployment().services().files(),
                                from,
                                state,
                                vertex.maxParallelism(),
                                task.deployment().stateCodecs().of(operator.id()))));
  }

  /** Opens no operator, because the subtask had finished in the checkpoint it starts with. */
  void openFinished(List<RecordWriter> outputs) {
    taskOutputs.addAll(outputs);
    for (int i = 0; i < operators.length; i++) {
      operators[i] = new DiscardOperator();
      operatorStates[i] = new OperatorStateBackend();
    }
    watermarkTargets = new WatermarkTargets(List.of(), Optional.empty());
  }

  StreamOperator head() {
    return operators[0];
  }

  boolean isSource() {
    return source != null;
  }

  /** The position of the source, if it is the source that feeds the chain now. */
  Optional<String> sourcePosition() {
    return source == null ? Optional.empty() : source.position();
  }

  PollingReader.Status poll(int limit) {
    return source.poll(limit);
  }

  // --- time

  /** Advances event time; the caller repeats the call until it returns true. */
  boolean eventTime(long watermark) {
    if (keyed != null && !keyed.eventTime(watermark)) {
      return false;
    }
    watermarkTargets.watermark(watermark);
    return true;
  }

  void idle(boolean idle) {
    watermarkTargets.idle(idle);
  }

  /** Whether an operator uses processing time. */
  boolean isTimed() {
    return keyed != null || !timestampOperators.isEmpty();
  }

  /** Advances processing time; the caller repeats the call until it returns true. */
  boolean processingTime(long now) {
    return keyed == null || keyed.nextProcessingTime() > now || keyed.processingTime(now);
  }

  /** Calls the watermark generators that are due; returns the nanoseconds until the next call. */
  long emitPeriodicWatermarks(long nanoTime) {
    long wait = Long.MAX_VALUE;
    for (int i = 0; i < timestampOperators.size(); i++) {
      wait = Math.min(wait, timestampOperators.get(i).emitPeriodicWatermark(nanoTime));
    }
    return wait;
  }

  /** When the next processing-time timer is due, {@link Long#MAX_VALUE} for never. */
  long nextProcessingTime() {
    return keyed == null ? Long.MAX_VALUE : keyed.nextProcessingTime();
  }

  // --- outputs

  void retry() {
    for (int i = 0; i < taskOutputs.size(); i++) {
      taskOutputs.get(i).retry();
    }
  }

  void flush() {
    for (int i = 0; i < taskOutputs.size(); i++) {
      taskOutputs.get(i).flush();
    }
  }

  void control(ControlElement control) {
    for (TaskOutput output : taskOutputs) {
      output.control(control);
    }
  }

  // --- checkpoints

  /** Lets the operators emit what belongs to a checkpoint, before its barrier. */
  void prepareSnapshot(long checkpoint) {
    for (int i = 0; i < operators.length; i++) {
      StreamOperator operator = operators[i];
      call(i, () -> operator.prepareSnapshot(checkpoint));
      callCheckpointed(i, function -> function.snapshotState(checkpoint));
    }
  }

  /** The state of all operators, without a copy; the order is that of the chain. */
  List<OperatorSnapshotBuilder> snapshot(long checkpoint) {
    List<OperatorSnapshotBuilder> all = new ArrayList<>();
    try {
      for (int i = 0; i < operators.length; i++) {
        OperatorSnapshotBuilder snapshot =
            new OperatorSnapshotBuilder(vertex.operators().get(i).id(), checkpoint);
        all.add(snapshot);
        operators[i].snapshot(snapshot);
        snapshot.operatorState(operatorStates[i]);
      }
    } catch (Throwable thrown) {
      all.forEach(OperatorSnapshotBuilder::release);
      throw new CheckpointHookException(vertex.operators().get(all.size() - 1).name(), thrown);
    }
    return all;
  }

  void checkpointCompleted(long checkpoint) {
    for (int i = 0; i < operators.length; i++) {
      StreamOperator operator = operators[i];
      call(i, () -> operator.checkpointCompleted(checkpoint));
      callCheckpointed(i, function -> function.checkpointCompleted(checkpoint));
    }
  }

  void checkpointAborted(long checkpoint) {
    for (int i = 0; i < operators.length; i++) {
      StreamOperator operator = operators[i];
      call(i, () -> operator.checkpointAborted(checkpoint));
    }
  }

  /** Whether an operator needs a checkpoint before the task finishes. */
  boolean awaitsCheckpoint() {
    for (StreamOperator operator : operators) {
      if (operator.awaitsCheckpoint()) {
        return true;
      }
    }
    return false;
  }

  /** Whether all operators have ended. */
  boolean hasEnded() {
    return ending == operators.length;
  }

  /** Ends event time, because the job stops. */
  void emitFinalWatermark() {
    if (source != null) {
      watermarkTargets.watermark(Long.MAX_VALUE);
    }
    timestampOperators.forEach(TimestampOperator::emitFinalWatermark);
  }

  private interface Hook {
    void run() throws Exception;
  }

  private interface FunctionHook {
    void accept(CheckpointedFunction function) throws Exception;
  }

  private void callCheckpointed(int operator, FunctionHook hook) {
    for (RichFunction function : functions.get(operator)) {
      if (function instanceof CheckpointedFunction checkpointed) {
        call(operator, () -> hook.accept(checkpointed));
      }
    }
  }

  private void call(int operator, Hook hook) {
    try {
      hook.run();
    } catch (OperatorFailureException | TaskStoppedError e) {
      throw e;
    } catch (Throwable thrown) {
      throw new CheckpointHookException(vertex.operators().get(operator).name(), thrown);
    }
  }

  /** Ends the operators in order; the caller repeats the call until it returns DONE. */
  StreamOperator.EndStatus end() {
    return end(StreamOperator::end);
  }

  /** As {@link #end}, without the results that a savepoint has the state for. */
  StreamOperator.EndStatus endSuspended() {
    return end(StreamOperator::endSuspended);
  }

  private StreamOperator.EndStatus end(Function<StreamOperator, StreamOperator.EndStatus> call) {
    while (ending < operators.length) {
      StreamOperator.EndStatus ended = call.apply(operators[ending]);
      if (ended != StreamOperator.EndStatus.DONE) {
        return ended;
      }
      ending++;
    }
    return StreamOperator.EndStatus.DONE;
  }

  /** Finishes the operators, which have ended and await no checkpoint. */
  void finish() {
    for (StreamOperator operator : operators) {
      operator.finish();
    }
  }

  /** Closes all operators that were opened, then throws the first failure. */
  void close() {
    MillraceException first = null;
    for (TaskOutput output : taskOutputs) {
      output.close();
    }
    for (int i = 0; i < operators.length; i++) {
      try {
        close(i);
      } catch (Throwable thrown) {
        String name = vertex.operators().get(i).name();
        // As text: a log appender must not call methods of a user exception.
        LOG.warn(
            "Closing operator '{}' failed: {}", name, Failure.of(thrown, ErrorKind.USER).stack());
        if (first == null) {
          first =
              new MillraceException(
                  ErrorKind.USER,
                  "Closing operator '" + name + "' failed: " + Failure.sentence(thrown),
                  thrown);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void close(int operator) throws Exception {
    try {
      if (operators[operator] != null) {
        operators[operator].close();
      }
    } finally {
      closeFunctions(functions.get(operator).iterator());
    }
  }

  /** Closes all functions, even if one of them throws. */
  private static void closeFunctions(Iterator<RichFunction> functions) throws Exception {
    while (functions.hasNext()) {
      try {
        functions.next().close();
      } catch (Throwable thrown) {
        closeFunctions(functions);
        throw thrown;
      }
    }
  }
}

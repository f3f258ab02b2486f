package io.millrace.dataplane.task;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.source.PollingReader;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.exchange.InFlightCapture;
import io.millrace.dataplane.exchange.RecordWriter;
import io.millrace.dataplane.operator.AsyncOperator;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.DiscardOperator;
import io.millrace.dataplane.operator.KeyedStateOperator;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorFailureException;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.operator.OperatorRuntimeContext;
import io.millrace.dataplane.operator.Operators;
import io.millrace.dataplane.operator.PolledOperator;
import io.millrace.dataplane.operator.SecondInput;
import io.millrace.dataplane.operator.StateNames;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.operator.TaskOutput;
import io.millrace.dataplane.operator.TaskStoppedError;
import io.millrace.dataplane.operator.TimedKeyedOperator;
import io.millrace.dataplane.operator.TimestampOperator;
import io.millrace.dataplane.operator.TwoInputs;
import io.millrace.dataplane.operator.WatermarkTargets;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.store.StoredState;
import io.millrace.dataplane.window.WindowOperator;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.UnclaimedStateException;
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

  /** The keyed state outside the heap; operators with a key are the head, so that there is one. */
  private Optional<StoredState> store = Optional.empty();

  private final List<TaskOutput> taskOutputs = new ArrayList<>();
  private final List<TimestampOperator> timestampOperators = new ArrayList<>();
  private WatermarkTargets watermarkTargets;

  /** The head if it is a keyed operator with timers, else null. */
  private TimedKeyedOperator keyed;

  /** The head if the task polls it, else null. */
  private PolledOperator polled;

  /** The second input of the head if it has two, else null. */
  private StreamOperator secondInput;

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
      try {
        Optional<RestoredState> restored = restored(operator);
        if (restored.isPresent()) {
          operatorStates[i].restore(restored.get());
        }
        OperatorSpec spec = (OperatorSpec) task.deployment().deserialize(operator.spec());
        if (Operators.hasKeyedState(spec)) {
          store = TaskStores.open(task, vertex, operator.id());
          if (store.isPresent() && restored.isPresent()) {
            store.get().restore(restored.get());
          }
        }
        OperatorContext context =
            new OperatorContext(
                task,
                operator.name(),
                vertex.parallelism(),
                vertex.maxParallelism(),
                operatorStates[i],
                Operators.hasKeyedState(spec) ? store : Optional.empty());
        Optional<KeyedStateBackend> state = openFunctions(i, spec, context, restored);
        if (Operators.emitsWatermarks(spec)) {
          wiring.startWatermarks(i);
        }
        OperatorOutputs outputsOf = wiring.outputsOf(task, i);
        operators[i] =
            spec instanceof OperatorSpec.Window window
                ? WindowOperator.open(context, window, outputsOf, state)
                : Operators.open(context, spec, outputsOf, state);
        if (restored.isPresent()) {
          operators[i].restore(restored.get());
          checkClaimed(i, spec, restored.get());
        }
        if (operators[i] instanceof TimestampOperator timestamps) {
          timestampOperators.add(timestamps);
        } else if (operators[i] instanceof AsyncOperator output) {
          // Before what it emits to, so that its results are flushed, too.
          taskOutputs.add(0, output);
        } else if (operators[i] instanceof TaskOutput output) {
          taskOutputs.add(output);
        }
      } catch (Throwable thrown) {
        throw task.failed(operator.name(), thrown);
      }
    }
    watermarkTargets = wiring.targetsOfInput();
    keyed = operators[0] instanceof TimedKeyedOperator head ? head : null;
    polled = operators[0] instanceof PolledOperator head ? head : null;
    secondInput = operators[0] instanceof TwoInputs head ? new SecondInput(head) : null;
    if (polled == null && timestampOperators.stream().anyMatch(TimestampOperator::isAligned)) {
      throw task.failed(
          vertex.name(),
          new MillraceException(
              ErrorKind.USER,
              "A WatermarkStrategy with alignment does not run in the task of its source, which it"
                  + " has to hold back. Give it to fromSource, or assign it before any keyBy,"
                  + " rebalance or change of parallelism."));
    }
  }

  /** Opens the functions of an operator; returns their keyed state if they use any. */
  private Optional<KeyedStateBackend> openFunctions(
      int operator, OperatorSpec spec, OperatorContext context, Optional<RestoredState> restored)
      throws Exception {
    Optional<KeyedStateBackend> state = Operators.keyedState(spec, context);
    if (state.isPresent() && restored.isPresent()) {
      KeyedStateOperator.restore(state.get(), restored.get());
    }
    StateNames names = new StateNames();
    for (RichFunction function : Operators.richFunctions(spec)) {
      // Stored first, so that it is closed even if open throws.
      functions.get(operator).add(function);
      function.open(new OperatorRuntimeContext(context, function, state, names));
    }
    return Operators.hasTimers(spec) ? state : state.filter(KeyedStateBackend::opened);
  }

  /** Refuses state of the checkpoint that the operator, which is open, does not use. */
  private void checkClaimed(int operator, OperatorSpec spec, RestoredState restored) {
    List<String> unclaimed = new ArrayList<>();
    if (!operators[operator].hasKeyedState()) {
      unclaimed.addAll(restored.keyedStates());
    }
    // This function may ask for its state later.
    if (!Operators.hasTimers(spec)) {
      unclaimed.addAll(operatorStates[operator].unclaimed());
    }
    if (unclaimed.isEmpty()) {
      return;
    }
    String name = vertex.operators().get(operator).name();
    if (!task.deployment().option(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE)) {
      throw new UnclaimedStateException(name, unclaimed, restored.checkpoint());
    }
    LOG.warn("Operator '{}' does not use state of its checkpoint: {}", name, unclaimed);
    operatorStates[operator].dropUnclaimed();
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
                                task.deployment().stateFiles(),
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

  /** Whether the head has two inputs. */
  boolean hasTwoInputs() {
    return secondInput != null;
  }

  /** An input of a head with two. */
  StreamOperator input(int input) {
    return input == 0 ? operators[0] : secondInput;
  }

  /** Whether the head creates records by itself. */
  boolean isPolled() {
    return polled != null;
  }

  /** The position of the source, if it is the source that feeds the chain now. */
  Optional<String> sourcePosition() {
    return polled == null ? Optional.empty() : polled.position();
  }

  PollingReader.Status poll(int limit) {
    return polled.poll(limit);
  }

  /** The input of the head, which the task polls, is complete. */
  void inputEnded() {
    polled.inputEnded();
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

  /** Whether a snapshot may be taken between two calls of {@link #eventTime} for a watermark. */
  boolean isInterruptible() {
    return keyed != null && keyed.isInterruptible();
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

  /**
   * Sends a barrier to all outputs, after all records that were processed so far.
   *
   * @param capture captures what the barrier overtakes, null if it overtakes nothing
   */
  void barrier(CheckpointRequest request, InFlightCapture capture) {
    for (TaskOutput output : taskOutputs) {
      if (output instanceof RecordWriter writer) {
        writer.barrier(request, capture);
      } else {
        output.control(new ControlElement.CheckpointBarrier(request));
      }
    }
  }

  /** Sends a barrier that waits in outputs before all that waits there. */
  void overtake(InFlightCapture capture) {
    for (TaskOutput output : taskOutputs) {
      if (output instanceof RecordWriter writer) {
        writer.overtake(capture);
      }
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

  /**
   * The state of all operators, without a copy; the order is that of the chain.
   *
   * @param isNative whether a backend outside the heap stores its own files
   */
  List<OperatorSnapshotBuilder> snapshot(long checkpoint, boolean isNative) {
    List<OperatorSnapshotBuilder> all = new ArrayList<>();
    try {
      for (int i = 0; i < operators.length; i++) {
        OperatorSnapshotBuilder snapshot =
            new OperatorSnapshotBuilder(vertex.operators().get(i).id(), checkpoint, isNative);
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
    store.ifPresent(state -> state.checkpointCompleted(checkpoint));
    for (int i = 0; i < operators.length; i++) {
      StreamOperator operator = operators[i];
      call(i, () -> operator.checkpointCompleted(checkpoint));
      callCheckpointed(i, function -> function.checkpointCompleted(checkpoint));
    }
  }

  void checkpointAborted(long checkpoint) {
    store.ifPresent(state -> state.checkpointAborted(checkpoint));
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
    if (polled != null) {
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
    store.ifPresent(StoredState::close);
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

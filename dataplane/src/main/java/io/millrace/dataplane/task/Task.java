package io.millrace.dataplane.task;

import io.millrace.api.source.PollingReader;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.VertexId;
import io.millrace.dataplane.cores.CoreScheduler;
import io.millrace.dataplane.cores.StepStack;
import io.millrace.dataplane.cores.ThreadPlacement;
import io.millrace.dataplane.exchange.DeploymentExchange;
import io.millrace.dataplane.exchange.ExchangeEdge;
import io.millrace.dataplane.exchange.ExchangeTask;
import io.millrace.dataplane.exchange.InputGate;
import io.millrace.dataplane.exchange.RecordBatch;
import io.millrace.dataplane.exchange.RecordWriter;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.operator.TaskOutput;
import io.millrace.graph.JobVertex;
import io.millrace.task.ObservedTask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskStack;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskRestore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subtask. Its fields belong to the step, except for the input queue, the credits of the
 * outputs and the request to stop, which other threads reach.
 *
 * <p>Phases and their transitions:
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>NEW</td><td>first step: the operators are opened</td><td>RUNNING</td></tr>
 * <tr><td>NEW</td><td>first step of a task without source and input</td><td>ENDING</td></tr>
 * <tr><td>RUNNING</td><td>the input is complete, or the savepoint that stops the job is
 * durable</td><td>ENDING</td></tr>
 * <tr><td>ENDING</td><td>the operators have emitted their last results and await no checkpoint;
 * end of input is sent</td><td>DRAINING</td></tr>
 * <tr><td>DRAINING</td><td>the outputs have sent all batches, and all snapshots are
 * written</td><td>CLOSED</td></tr>
 * <tr><td>any</td><td>the task is cancelled or fails</td><td>CLOSED</td></tr>
 * </table>
 */
public final class Task extends TaskEnvironment implements ExchangeTask {
  private static final Logger LOG = LoggerFactory.getLogger(Task.class);
  private static final long STEP_NANOS = 1_000_000;
  private static final long FLUSH_NANOS = 2_000_000;
  private static final int MAX_RECORDS_PER_CHECK = 32;
  private static final int MAX_RECORDS_PER_POLL = 256;

  private enum Phase {
    NEW,
    RUNNING,
    ENDING,
    DRAINING,
    CLOSED
  }

  private final RunningDeployment running;
  private final JobVertex vertex;
  private final OperatorChain chain;
  private final TaskCheckpoints checkpoints;
  private final WakeupTimer wakeupTimer = new WakeupTimer(this);
  private volatile boolean waitsForRoom;
  private volatile boolean closing;
  private volatile long closingSince;

  /** The parts that are still to be closed; null until the task closes. */
  private Queue<Runnable> toClose;

  /** The first exception that closing threw. */
  private Throwable closeFailure;

  /** Whether the deployment knows that the task has ended. */
  private boolean reportedEnd;

  private DeploymentExchange exchange;
  private RecordWriter[] outputs = new RecordWriter[0];
  private volatile InputProcessor inputProcessor;
  private Phase phase = Phase.NEW;

  // Both start small and grow while records are quick, so that slow records are flushed soon.
  private int recordsPerPoll = 4;
  private int recordsPerCheck = 1;

  private int recordsToCheck = 1;
  private long stepBegan;
  private long lastCheck;
  private long lastFlush;

  Task(RunningDeployment running, JobVertex vertex, TaskSpec spec) {
    super(running.context(), spec, label(vertex, spec));
    this.running = running;
    this.vertex = vertex;
    this.chain = new OperatorChain(this, vertex);
    this.checkpoints = new TaskCheckpoints(this, chain, vertex);
  }

  private static String label(JobVertex vertex, TaskSpec spec) {
    return "'"
        + vertex.name()
        + "' (%d/%d, attempt %d)"
            .formatted(spec.subtask() + 1, vertex.parallelism(), spec.attempt());
  }

  private TaskListener listener() {
    return deployment().listener();
  }

  /** Interval between the interrupts of a task that does not stop. */
  Duration cancellationInterval() {
    return running.cancellationInterval();
  }

  TaskCounters counters() {
    TaskCounters counted = metrics().read(execution(), System.nanoTime(), !hasEnded());
    TaskCounters timed = inputProcessor.eventTime().map(counted::at).orElse(counted);
    TaskCounters counters =
        splitMetrics().read().map(timed::with).orElse(timed).with(accumulators().read());
    ThreadPlacement placement = placement();
    if (placement.kind() == ThreadPlacement.Kind.CORE || closing) {
      return counters;
    }
    CoreScheduler cores = deployment().services().cores();
    return counters.on(
        new TaskThread(
            switch (placement.kind()) {
              case OWN -> TaskThread.Kind.OWN;
              case DENIED -> TaskThread.Kind.DENIED;
              case CORE, HOLDING -> TaskThread.Kind.CORE;
            },
            placement.since(),
            placement.reason(userFrame()),
            cores.ownThreads(),
            cores.mostOwnThreads()));
  }

  /** The task and its counters. Any thread may call it. */
  public ObservedTask observe() {
    return new ObservedTask(
        deployment().graph().id(), deployment().graph().name(), vertex.name(), spec(), counters());
  }

  /** Connects the input channels, before the first task of the deployment runs. */
  void connect(DeploymentExchange connected) {
    exchange = connected;
    inputProcessor =
        new InputProcessor(
            this, chain, new InputGate(this, connected.inputsOf(vertexId()), checkpoints));
  }

  private VertexId vertexId() {
    return vertex.id();
  }

  /** Where a task is with regard to a checkpoint that starts at it. */
  enum CheckpointPosition {
    /** The barrier can be injected now. */
    SOURCE,
    /** The barrier belongs behind the input that is not processed yet. */
    INPUT,
    /** The operators emit their last results, which a restored task would emit again. */
    ENDING,
    /** The operators have ended, and their last results wait for room. */
    OUTPUT
  }

  CheckpointPosition checkpointPosition() {
    return switch (phase) {
      case RUNNING ->
          chain.isPolled() && inputProcessor.isComplete()
              ? CheckpointPosition.SOURCE
              : CheckpointPosition.INPUT;
      case ENDING ->
          chain.hasEnded() && chain.awaitsCheckpoint()
              ? CheckpointPosition.SOURCE
              : CheckpointPosition.ENDING;
      case DRAINING -> CheckpointPosition.OUTPUT;
      case NEW, CLOSED -> CheckpointPosition.ENDING;
    };
  }

  TaskCheckpoints checkpoints() {
    return checkpoints;
  }

  InputProcessor input() {
    return inputProcessor;
  }

  /** Whether a snapshot can be taken now, before the input that has been received. */
  boolean canCapture() {
    return phase == Phase.RUNNING && inputProcessor.canCapture();
  }

  // ---- called by other threads

  /**
   * What the task does now.
   *
   * @param depth how many frames of its stack are kept
   */
  public TaskStack stack(int depth) {
    Optional<StepStack> step = stepStack();
    if (step.isPresent()) {
      List<String> frames = step.get().frames();
      return new TaskStack(
          execution(),
          step.get().onCpu() ? TaskStack.Activity.ON_CPU : TaskStack.Activity.OFF_CPU,
          frames.subList(0, Math.min(depth, frames.size())));
    }
    TaskStack.Activity waiting =
        waitsForRoom ? TaskStack.Activity.AWAITS_ROOM : TaskStack.Activity.AWAITS_INPUT;
    return new TaskStack(
        execution(), awaitsCore() ? TaskStack.Activity.AWAITS_CORE : waiting, List.of());
  }

  /** Starts a checkpoint at this task. */
  public void triggerCheckpoint(CheckpointRequest request) {
    checkpoints.trigger(request);
  }

  public void checkpointCompleted(long checkpoint) {
    checkpoints.completed(checkpoint);
  }

  public void checkpointAborted(long checkpoint) {
    checkpoints.aborted(checkpoint);
  }

  /** No checkpoint before this one will complete any more. */
  public void earlierCheckpointsAborted(long checkpoint) {
    checkpoints.earlierAborted(checkpoint);
  }

  @Override
  public void receive(RecordBatch batch) {
    inputProcessor.receive(batch);
    wake();
  }

  @Override
  public void credit(int output, int consumer, int count) {
    outputs[output].credit(consumer, count);
  }

  @Override
  public void requestSplits(int reader, long total) {
    splitRequests().request(reader, total);
    wake();
  }

  @Override
  public void inputHostLost(int host, Failure why) {
    if (!isStopping() && inputProcessor != null && inputProcessor.expects(host)) {
      fail(why);
    }
  }

  @Override
  public void outputHostLost(int host, Failure why) {
    if (exchange.outputsOf(vertexId()).stream().anyMatch(edge -> edge.leads(subtask(), host))) {
      fail(why);
    }
  }

  @Override
  public void roomMade() {
    if (waitsForRoom) {
      wake();
    }
  }

  @Override
  protected void stopRequested() {
    TaskInterrupter.start(this);
  }

  // ---- called in the step

  @Override
  protected StepResult step() {
    stepBegan = System.nanoTime();
    lastCheck = stepBegan;
    metrics().busy(stepBegan);
    StepResult result = isStopping() ? StepResult.ENDED : advance();
    if (result == StepResult.ENDED || isStopping()) {
      return StepResult.ENDED;
    }
    checkpoints.stepEnds();
    long now = System.nanoTime();
    if (result == StepResult.IDLE) {
      if (isFull()) {
        metrics().backPressured(now);
      } else {
        metrics().idle(now);
      }
    } else if (now - lastFlush > FLUSH_NANOS) {
      lastFlush = now;
      chain.flush();
    }
    return result;
  }

  private StepResult advance() {
    if (phase == Phase.NEW) {
      open();
    }
    if (!checkpoints.advance()) {
      return checkpoints.isWaiting() ? idle() : yielded();
    }
    while (true) {
      if (!hasRoom()) {
        return StepResult.IDLE;
      }
      Phase before = phase;
      StepResult result =
          switch (phase) {
            case RUNNING -> chain.isPolled() ? pollSource() : consume();
            case ENDING -> endOperators();
            // The thread that writes the last snapshot wakes the task.
            case DRAINING -> checkpoints.isWriting() ? StepResult.IDLE : StepResult.ENDED;
            case NEW, CLOSED ->
                throw new IllegalStateException("Task " + label() + " steps in phase " + phase);
          };
      if (phase == before) {
        return result;
      }
    }
  }

  private void open() {
    listener().stateChanged(execution(), TaskState.INITIALIZING, Optional.empty());
    List<RecordWriter> opened = new ArrayList<>();
    for (ExchangeEdge edge : exchange.outputsOf(vertexId())) {
      opened.add(exchange.openWriter(this, edge));
    }
    outputs = opened.toArray(new RecordWriter[0]);
    Optional<TaskRestore> restore = deployment().descriptor().restoreOf(execution());
    if (restore.map(TaskRestore::finished).orElse(false)) {
      chain.openFinished(opened);
    } else {
      chain.open(opened);
      restore.ifPresent(inputProcessor::restore);
    }
    phase = !chain.isPolled() && inputProcessor.isEmpty() ? Phase.ENDING : Phase.RUNNING;
    if (!isStopping()) {
      listener().stateChanged(execution(), TaskState.RUNNING, Optional.empty());
    }
  }

  /** Sends batches that wait for room; if some remain, the next credit wakes the task. */
  boolean hasRoom() {
    if (!isFull()) {
      return true;
    }
    waitsForRoom = true;
    chain.retry();
    if (isFull()) {
      return false;
    }
    waitsForRoom = false;
    return true;
  }

  /** Flushes open batches and sets the wake-up timer, because there is no work now. */
  StepResult idle() {
    if (chain.isTimed()) {
      wakeupTimer.set(chain.emitPeriodicWatermarks(clock().nanoTime()), chain.nextProcessingTime());
    }
    chain.flush();
    hasRoom();
    return StepResult.IDLE;
  }

  /** The result of a step in which an operator used up its budget. */
  StepResult yielded() {
    return isFull() && !hasRoom() ? StepResult.IDLE : StepResult.MORE;
  }

  @Override
  public void requestSplits(long total) {
    inputProcessor.requestSplits(total);
  }

  private StepResult pollSource() {
    if (!inputProcessor.isEmpty()) {
      if (!inputProcessor.consumeSplits()) {
        return checkpoints.isWaiting() ? idle() : yielded();
      }
      if (inputProcessor.isComplete()) {
        if (!checkpoints.endOfInput()) {
          return checkpoints.isWaiting() ? idle() : yielded();
        }
        chain.inputEnded();
      }
    }
    return poll();
  }

  private StepResult poll() {
    if (checkpoints.isStopped()) {
      if (!checkpoints.isStopCompleted()) {
        return idle();
      }
      phase = Phase.ENDING;
      return StepResult.MORE;
    }
    while (true) {
      long before = System.nanoTime();
      PollingReader.Status status = chain.poll(recordsPerPoll);
      long now = System.nanoTime();
      if (now - before > STEP_NANOS) {
        recordsPerPoll = Math.max(1, recordsPerPoll / 4);
      } else if (now - before < STEP_NANOS / 8) {
        recordsPerPoll = Math.min(MAX_RECORDS_PER_POLL, recordsPerPoll * 2);
      }
      if (chain.isTimed()) {
        chain.emitPeriodicWatermarks(clock().nanoTime());
      }
      switch (status) {
        case END -> {
          phase = Phase.ENDING;
          return StepResult.MORE;
        }
        case WAIT -> {
          return idle();
        }
        case MORE -> {
          if (isStopping()) {
            return StepResult.ENDED;
          }
          if (isFull() && !hasRoom()) {
            return StepResult.IDLE;
          }
          if (now - stepBegan > STEP_NANOS) {
            return StepResult.MORE;
          }
        }
      }
    }
  }

  private StepResult consume() {
    StepResult result = inputProcessor.consume();
    if (inputProcessor.isComplete()) {
      // The source has heard of the completion first, and this task has to hear of it, too.
      if (checkpoints.isStopped() && !checkpoints.isStopCompleted()) {
        return idle();
      }
      if (!checkpoints.endOfInput()) {
        return checkpoints.isWaiting() ? idle() : yielded();
      }
      phase = Phase.ENDING;
    }
    return result;
  }

  @Override
  public boolean isExhausted() {
    return isFull() || isDueForCheck() && isStepOver();
  }

  /** Counts a record; true when {@link #isStepOver} has to be asked. */
  boolean isDueForCheck() {
    return --recordsToCheck <= 0;
  }

  /** Reads the clock and adapts the number of records until the next check to their speed. */
  boolean isStepOver() {
    long now = System.nanoTime();
    long took = now - lastCheck;
    lastCheck = now;
    if (took > STEP_NANOS) {
      recordsPerCheck = 1;
    } else if (took < STEP_NANOS / 8) {
      recordsPerCheck = Math.min(MAX_RECORDS_PER_CHECK, recordsPerCheck * 2);
    }
    recordsToCheck = recordsPerCheck;
    return now - stepBegan > STEP_NANOS || isStopping();
  }

  private StepResult endOperators() {
    return switch (checkpoints.isStopped() ? chain.endSuspended() : chain.end()) {
      case WAITING -> idle();
      case YIELDED -> yielded();
      case DONE -> {
        if (chain.awaitsCheckpoint()) {
          checkpoints.reportAwaiting();
          yield idle();
        }
        chain.finish();
        chain.control(ControlElement.EndOfInput.INSTANCE);
        phase = Phase.DRAINING;
        yield StepResult.MORE;
      }
    };
  }

  @Override
  public void awaitRoom(TaskOutput output) {
    metrics().backPressured(System.nanoTime());
    waitsForRoom = true;
    block(
        "waited for room in its output in the middle of a call",
        () -> {
          chain.retry();
          return !output.isOverrun() || isStopping();
        });
    metrics().busy(System.nanoTime());
    checkStop();
  }

  @Override
  protected Optional<String> sourcePosition() {
    return chain.sourcePosition();
  }

  /** The {@link System#nanoTime} at which the task began to close its operators. */
  OptionalLong closingSince() {
    return closing ? OptionalLong.of(closingSince) : OptionalLong.empty();
  }

  /** Describes the task for the diagnosis of a hang; other threads may see stale values. */
  @Override
  public String toString() {
    return label()
        + " "
        + phase
        + (isFull() ? ", full" : "")
        + "; "
        + inputProcessor
        + "; "
        + Arrays.toString(outputs);
  }

  @Override
  protected void end() {
    if (toClose == null) {
      closingSince = System.nanoTime();
      closing = true;
      phase = Phase.CLOSED;
      // The step has reacted to the interrupt; closing may have to wait for files.
      Thread.interrupted();
      toClose =
          new ArrayDeque<>(
              List.of(
                  wakeupTimer::close,
                  checkpoints::close,
                  inputProcessor::close,
                  userMetrics()::close,
                  chain::close,
                  managedMemory()::close));
    }
    while (!toClose.isEmpty()) {
      close(toClose.remove());
    }
    // A stop that was requested while the task closed wins over FINISHED.
    Stop reason =
        stopWith(
            closeFailure == null
                ? new Stop(TaskState.FINISHED, Optional.empty())
                : new Stop(
                    TaskState.FAILED, Optional.of(Failure.of(closeFailure, ErrorKind.USER))));
    if (!reportedEnd) {
      reportedEnd = true;
      metrics().idle(System.nanoTime());
      LOG.debug("Task {} {} -> {}", label(), execution(), reason.state());
      running.taskEnded(this, reason.state());
    }
    listener().stateChanged(execution(), reason.state(), reason.failure());
  }

  /** Closes one part; the others are closed even if it throws. */
  private void close(Runnable part) {
    try {
      part.run();
    } catch (Throwable thrown) {
      if (closeFailure == null) {
        closeFailure = thrown;
      }
    }
  }
}

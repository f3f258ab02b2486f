package io.millrace.dataplane;

import io.millrace.api.source.SourceReader;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.cores.Tasklet;
import io.millrace.dataplane.cores.ThreadPlacement;
import io.millrace.graph.JobVertex;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subtask at work. Everything of it lives in its step, but for the inbox, the credits of its
 * outputs and the request to stop, which others reach.
 *
 * <p>Phases: NEW → WORKING (operators opened) → ENDING (input complete, operators emit what they
 * kept) → LEAVING (end of input sent, outputs drain) → GONE (operators closed). From each of them a
 * stop leads to GONE.
 */
final class Task extends Tasklet implements StepBudget {
  private static final Logger LOG = LoggerFactory.getLogger(Task.class);
  private static final long STEP_NANOS = 1_000_000;
  private static final long FLUSH_NANOS = 2_000_000;
  private static final int RECORDS_A_CHECK = 32;
  private static final int RECORDS_A_POLL = 256;

  private enum Phase {
    NEW,
    WORKING,
    ENDING,
    LEAVING,
    GONE
  }

  /** Why a task ends: finished, or failed with this, or cancelled. The first reason counts. */
  private record Stop(TaskState state, Optional<Failure> failure) {}

  private final RunningDeployment deployment;
  private final JobVertex vertex;
  private final TaskSpec spec;
  private final TaskIoMetrics metrics = new TaskIoMetrics(System.nanoTime());
  private final EventTimeMetrics eventTime = new EventTimeMetrics();
  private final AtomicReference<Stop> stop = new AtomicReference<>();
  private volatile boolean starved;
  private volatile boolean closing;
  private volatile long closingSince;

  /** What is still to be closed; there when it is closing. */
  private Queue<Runnable> toClose;

  /** The first thing that went wrong while closing, if something did. */
  private Throwable closeFailure;

  /** Whether its deployment knows that it runs no more. */
  private boolean left;

  private final ManagedMemory.Lease managed;
  private final OperatorChain chain;
  private RecordWriter[] outputs = new RecordWriter[0];
  private volatile InputProcessor inputProcessor;
  private final TaskClock clock;
  private final WakeupTimer wakeupTimer = new WakeupTimer(this);
  private Phase phase = Phase.NEW;

  // Both start small and grow where records are quick: the first slow ones must not be kept back.
  private int recordsAPoll = 4;
  private int recordsACheck = 1;

  private int recordsToCheck = 1;
  private long stepBegan;
  private long lastCheck;
  private long lastFlush;

  /** How many outlets have no room; they count themselves. */
  int fullOutputs;

  Task(RunningDeployment deployment, JobVertex vertex, TaskSpec spec) {
    super(deployment.cores(), deployment.userClassLoader());
    this.deployment = deployment;
    this.vertex = vertex;
    this.spec = spec;
    this.managed = deployment.descriptor().slotOf(execution()).managed().lease(label());
    this.clock = new TaskClock(deployment.clock());
    this.chain = new OperatorChain(this, vertex);
  }

  /** What it has of its slot's managed memory; it goes back when the task ends. */
  ManagedMemory.Lease managedMemory() {
    return managed;
  }

  RunningDeployment deployment() {
    return deployment;
  }

  TaskSpec spec() {
    return spec;
  }

  int subtask() {
    return spec.subtask();
  }

  ExecutionId execution() {
    return spec.execution();
  }

  TaskListener listener() {
    return deployment.listener();
  }

  TaskIoMetrics metrics() {
    return metrics;
  }

  EventTimeMetrics eventTime() {
    return eventTime;
  }

  TaskCounters counters() {
    TaskCounters counted = metrics.read(spec.execution(), System.nanoTime(), !hasEnded());
    TaskCounters counters = inputProcessor.eventTime(eventTime).map(counted::at).orElse(counted);
    ThreadPlacement placement = placement();
    if (placement.kind() == ThreadPlacement.Kind.CORE || closing) {
      return counters;
    }
    return counters.on(
        new TaskThread(
            switch (placement.kind()) {
              case OWN -> TaskThread.Kind.OWN;
              case DENIED -> TaskThread.Kind.DENIED;
              default -> TaskThread.Kind.CORE;
            },
            placement.since(),
            placement.reason(userFrame()),
            deployment.cores().ownThreads(),
            deployment.cores().mostOwnThreads()));
  }

  TaskClock clock() {
    return clock;
  }

  boolean isFull() {
    return fullOutputs > 0;
  }

  @Override
  public boolean isExhausted() {
    return fullOutputs > 0 || isDueForCheck() && isStepOver();
  }

  RecordWriter output(int index) {
    return outputs[index];
  }

  /** Fixes the task's channels; before the first of the deployment's tasks runs. */
  void connect() {
    inputProcessor =
        new InputProcessor(
            this, chain, new InputGate(deployment.inputsOf(vertex.id()), subtask(), eventTime));
  }

  // ---- from other threads

  /** Takes a batch in. */
  void arrive(RecordBatch batch) {
    inputProcessor.arrive(batch);
    wake();
  }

  /** The connection over which this host sends broke: fails the task if it still needs it. */
  void hostLost(int host, Failure why) {
    if (stop.get() == null && inputProcessor != null) {
      inputProcessor.lossOf(host, deployment.inputsOf(vertex.id()), why).ifPresent(this::fail);
    }
  }

  /** Whether some channel of this task leads to another host. */
  boolean sendsTo(int host) {
    return deployment.outputsOf(vertex.id()).stream().anyMatch(edge -> edge.leads(subtask(), host));
  }

  /** A consumer has taken something; what waits for room may go on. */
  void roomMade() {
    if (starved) {
      wake();
    }
  }

  void cancel() {
    stop(new Stop(TaskState.CANCELED, Optional.empty()));
  }

  void fail(Failure failure) {
    stop(new Stop(TaskState.FAILED, Optional.of(failure)));
  }

  /**
   * Where an exception of the user's code or of an operator is recorded already, this changes
   * nothing.
   */
  @Override
  protected void fail(Throwable cause) {
    if (stop.get() == null) {
      fail(Failure.of(cause, ErrorKind.BUG));
    }
  }

  private void stop(Stop reason) {
    if (stop.compareAndSet(null, reason)) {
      wake();
      TaskInterrupter.on(this);
    }
  }

  // ---- in the step

  @Override
  protected StepResult step() {
    stepBegan = System.nanoTime();
    lastCheck = stepBegan;
    metrics.busy(stepBegan);
    StepResult outcome = stop.get() == null ? advance() : StepResult.ENDED;
    if (outcome == StepResult.ENDED || stop.get() != null) {
      return StepResult.ENDED;
    }
    long now = System.nanoTime();
    if (outcome == StepResult.IDLE) {
      if (isFull()) {
        metrics.backPressured(now);
      } else {
        metrics.idle(now);
      }
    } else if (now - lastFlush > FLUSH_NANOS) {
      lastFlush = now;
      chain.flush();
    }
    return outcome;
  }

  private StepResult advance() {
    if (phase == Phase.NEW) {
      open();
    }
    while (true) {
      if (!hasRoom()) {
        return StepResult.IDLE;
      }
      Phase before = phase;
      StepResult outcome =
          switch (phase) {
            case WORKING -> chain.isSource() ? poll() : consume();
            case ENDING -> endOperators();
            case LEAVING -> StepResult.ENDED;
            default -> throw new IllegalStateException("Task " + label() + " steps in " + phase);
          };
      if (phase == before) {
        return outcome;
      }
    }
  }

  private void open() {
    listener().stateChanged(execution(), TaskState.INITIALIZING, Optional.empty());
    List<RecordWriter> opened = new ArrayList<>();
    for (ExchangeEdge edge : deployment.outputsOf(vertex.id())) {
      opened.add(RecordWriters.open(this, edge));
    }
    outputs = opened.toArray(new RecordWriter[0]);
    chain.open(opened);
    phase = !chain.isSource() && inputProcessor.isEmpty() ? Phase.ENDING : Phase.WORKING;
    if (stop.get() == null) {
      listener().stateChanged(execution(), TaskState.RUNNING, Optional.empty());
    }
  }

  /** Sends what waits for room; if some still does, the next credit wakes the task. */
  boolean hasRoom() {
    if (fullOutputs == 0) {
      return true;
    }
    starved = true;
    chain.retry();
    if (fullOutputs > 0) {
      return false;
    }
    starved = false;
    return true;
  }

  /** Nothing to do for now: nothing is kept back to fill a batch. */
  StepResult idle() {
    if (chain.isTimed()) {
      wakeupTimer.set(chain.emitPeriodicWatermarks(System.nanoTime()), chain.nextProcessingTime());
    }
    chain.flush();
    hasRoom();
    return StepResult.IDLE;
  }

  /** An operator stopped in the middle because its turn was over. */
  StepResult interrupted() {
    return isFull() && !hasRoom() ? StepResult.IDLE : StepResult.MORE;
  }

  private StepResult poll() {
    while (true) {
      long before = System.nanoTime();
      SourceReader.Status status = chain.poll(recordsAPoll);
      long now = System.nanoTime();
      if (now - before > STEP_NANOS) {
        recordsAPoll = Math.max(1, recordsAPoll / 4);
      } else if (now - before < STEP_NANOS / 8) {
        recordsAPoll = Math.min(RECORDS_A_POLL, recordsAPoll * 2);
      }
      if (chain.isTimed()) {
        chain.emitPeriodicWatermarks(now);
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
          if (stop.get() != null) {
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
    StepResult outcome = inputProcessor.consume();
    if (inputProcessor.isComplete()) {
      phase = Phase.ENDING;
    }
    return outcome;
  }

  boolean isDueForCheck() {
    return --recordsToCheck <= 0;
  }

  /** Asked after a number of records that is small where records are slow. */
  boolean isStepOver() {
    long now = System.nanoTime();
    long took = now - lastCheck;
    lastCheck = now;
    if (took > STEP_NANOS) {
      recordsACheck = 1;
    } else if (took < STEP_NANOS / 8) {
      recordsACheck = Math.min(RECORDS_A_CHECK, recordsACheck * 2);
    }
    recordsToCheck = recordsACheck;
    return now - stepBegan > STEP_NANOS || stop.get() != null;
  }

  private StepResult endOperators() {
    return switch (chain.end()) {
      case WAITING -> idle();
      case YIELDED -> interrupted();
      case DONE -> {
        chain.control(ControlElement.EndOfInput.INSTANCE);
        phase = Phase.LEAVING;
        yield StepResult.MORE;
      }
    };
  }

  /** Blocks in the middle of a user's call until an output has taken half of its overflow. */
  void awaitRoom(TaskOutput output) {
    metrics.backPressured(System.nanoTime());
    starved = true;
    block(
        "waited for room in its output in the middle of a call",
        () -> {
          chain.retry();
          return !output.isOverrun() || stop.get() != null;
        });
    metrics.busy(System.nanoTime());
    checkStop();
  }

  /** Leaves a user's call that emits on and on although the task is to end. */
  void checkStop() {
    if (stop.get() != null) {
      throw new TaskStoppedError();
    }
  }

  Error failed(String operator, Throwable thrown) {
    throw failed(operator, thrown, Optional.empty());
  }

  /** Records a failure of user code, at once, so that user code cannot hide it by catching it. */
  Error failed(String operator, Throwable thrown, Optional<FailureContext.Trigger> during) {
    if (thrown instanceof OperatorFailureException carried) {
      throw carried;
    }
    if (thrown instanceof TaskStoppedError || stop.get() != null) {
      throw new TaskStoppedError();
    }
    Failure cause = Failure.of(thrown, ErrorKind.USER);
    String message =
        new FailureContext(operator, label(), during, chain.position()).message(cause.message());
    fail(new Failure(cause.kind(), cause.type(), message, cause.stack()));
    throw new OperatorFailureException(message, thrown);
  }

  /**
   * Records that what user code emitted cannot be passed on, at once: user code may catch what it
   * gets, and the record would be missing from the result.
   */
  Error emitFailed(Throwable thrown) {
    if (thrown instanceof OperatorFailureException carried) {
      throw carried;
    }
    if (thrown instanceof TaskStoppedError signal) {
      throw signal;
    }
    fail(thrown);
    throw new OperatorFailureException(
        "A record cannot be passed on: " + Failure.sentence(thrown), thrown);
  }

  /** Since when its operators are being closed, in the terms of the nano time, if they are. */
  OptionalLong closingSince() {
    return closing ? OptionalLong.of(closingSince) : OptionalLong.empty();
  }

  /** Such as {@code 'Map -> Sink' (2/4, attempt 0)}. */
  String label() {
    return "'"
        + vertex.name()
        + "' (%d/%d, attempt %d)".formatted(subtask() + 1, vertex.parallelism(), spec.attempt());
  }

  /** How it stands, for people who look for what hangs; as exact as another thread can see. */
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
      phase = Phase.GONE;
      // The interrupt, if one came, has done its work; closing may need to wait for files.
      Thread.interrupted();
      toClose =
          new ArrayDeque<>(
              List.of(wakeupTimer::close, inputProcessor::close, chain::close, managed::close));
    }
    while (!toClose.isEmpty()) {
      close(toClose.remove());
    }
    // A stop that came while it closed comes first: then it has not simply finished.
    stop.compareAndSet(
        null,
        closeFailure == null
            ? new Stop(TaskState.FINISHED, Optional.empty())
            : new Stop(TaskState.FAILED, Optional.of(Failure.of(closeFailure, ErrorKind.USER))));
    Stop reason = stop.get();
    if (!left) {
      left = true;
      metrics.idle(System.nanoTime());
      LOG.debug("Task {} {} -> {}", label(), execution(), reason.state());
      deployment.taskEnded(this, reason.state());
    }
    listener().stateChanged(execution(), reason.state(), reason.failure());
  }

  /** Goes on with the rest whatever one of them throws. */
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

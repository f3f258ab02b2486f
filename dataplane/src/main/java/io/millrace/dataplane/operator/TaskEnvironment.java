package io.millrace.dataplane.operator;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.log.LogContext;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.cores.Tasklet;
import io.millrace.dataplane.metrics.EventTimeMetrics;
import io.millrace.dataplane.metrics.SplitMetrics;
import io.millrace.dataplane.metrics.TaskAccumulators;
import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.metrics.UserMetrics;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A task as its operators and outputs see it: identity, clock, metrics, services, the request to
 * stop and the room in its outputs. The subclass in package {@code task} adds the steps.
 *
 * <p>Operators call it from the task's step. Other threads may call {@link #cancel}, {@link
 * #fail(Failure)}, {@link #wake} and {@link #roomMade}.
 */
public abstract class TaskEnvironment extends Tasklet implements StepBudget {
  /** The final state that a task goes to. The first request counts. */
  public record Stop(TaskState state, Optional<Failure> failure) {}

  private final DeploymentContext deployment;
  private final TaskSpec spec;
  private final String label;
  private final LogContext logContext;
  private final TaskClock clock;
  private final TaskIoMetrics metrics = new TaskIoMetrics(System.nanoTime());
  private final EventTimeMetrics eventTime = new EventTimeMetrics();
  private final SplitMetrics splitMetrics = new SplitMetrics();
  private final TaskAccumulators accumulators = new TaskAccumulators();
  private final UserMetrics userMetrics;
  private final AtomicReference<Stop> stop = new AtomicReference<>();
  private final ManagedMemory.Lease managedMemory;
  private final ValueCopier valueCopier;
  private final SplitRequests splitRequests = new SplitRequests();
  private final ActiveSplits activeSplits = new ActiveSplits();
  private int fullOutputs;

  /**
   * @param label names the task in messages, such as {@code 'Map -> Sink' (2/4, attempt 0)}
   */
  protected TaskEnvironment(DeploymentContext deployment, TaskSpec spec, String label) {
    super(deployment.services().cores(), deployment.userClassLoader());
    this.deployment = deployment;
    this.spec = spec;
    this.label = label;
    this.logContext = LogContext.ofTask(deployment.graph().id(), label);
    this.userMetrics = new UserMetrics(label);
    this.clock = new TaskClock(deployment.services().clock(), deployment.services().ticker());
    this.managedMemory = slot().managed().lease(label);
    this.valueCopier = new ValueCopier(deployment.codecs());
  }

  @Override
  protected final LogContext logContext() {
    return logContext;
  }

  public final DeploymentContext deployment() {
    return deployment;
  }

  public final String label() {
    return label;
  }

  public final TaskSpec spec() {
    return spec;
  }

  public final int subtask() {
    return spec.subtask();
  }

  public final int attempt() {
    return spec.attempt();
  }

  public final ExecutionId execution() {
    return spec.execution();
  }

  public final CodecPool codecs() {
    return deployment.codecs();
  }

  /** The resources of the slot that the task runs in. */
  public final SlotResources slot() {
    return deployment.descriptor().slotOf(execution());
  }

  /** The task's lease of its slot's managed memory; the task closes it at its end. */
  public final ManagedMemory.Lease managedMemory() {
    return managedMemory;
  }

  /** Copies values that a program may change while a snapshot has them. */
  public final ValueCopier valueCopier() {
    return valueCopier;
  }

  public final TaskClock clock() {
    return clock;
  }

  public final TaskIoMetrics metrics() {
    return metrics;
  }

  public final EventTimeMetrics eventTime() {
    return eventTime;
  }

  public final TaskAccumulators accumulators() {
    return accumulators;
  }

  /** The metrics that functions have registered. */
  public final UserMetrics userMetrics() {
    return userMetrics;
  }

  public final SplitMetrics splitMetrics() {
    return splitMetrics;
  }

  // --- room in the outputs

  /** Whether an output has no room. */
  public final boolean isFull() {
    return fullOutputs > 0;
  }

  /**
   * Whether an output other than the one that asks has no room.
   *
   * @param own whether that one has no room
   */
  final boolean isAnotherFull(boolean own) {
    return fullOutputs > (own ? 1 : 0);
  }

  /** Counts an output that has no room any more, or has room again. */
  final void outputFull(boolean full) {
    fullOutputs += full ? 1 : -1;
  }

  /** Blocks inside a call of user code until an output has sent half of its overflow. */
  public abstract void awaitRoom(TaskOutput output);

  /** Tells the task that a consumer took a batch; wakes it if it waits for room. */
  public abstract void roomMade();

  // --- splits of a source

  /** The splits that this task reads, if it runs a reader. */
  final ActiveSplits activeSplits() {
    return activeSplits;
  }

  /** What the readers of a source have asked this task for, if it runs the enumerator. */
  public final SplitRequests splitRequests() {
    return splitRequests;
  }

  /**
   * Asks the enumerator of the source that this task reads for splits.
   *
   * @param total the number of splits that were requested since the start, with this request
   */
  public abstract void requestSplits(long total);

  // --- the request to stop

  public final void cancel() {
    stop(new Stop(TaskState.CANCELED, Optional.empty()));
  }

  public final void fail(Failure failure) {
    stop(new Stop(TaskState.FAILED, Optional.of(failure)));
  }

  /** Fails the task unless it is already stopping. */
  @Override
  protected final void fail(Throwable cause) {
    if (stop.get() == null) {
      fail(Failure.of(cause, ErrorKind.BUG));
    }
  }

  private void stop(Stop reason) {
    if (stop.compareAndSet(null, reason)) {
      wake();
      stopRequested();
      if (reason.state() == TaskState.FAILED) {
        deployment.listener().failing(execution());
      }
    }
  }

  /** Called once, by the thread that requested the stop. */
  protected abstract void stopRequested();

  public final boolean isStopping() {
    return stop.get() != null;
  }

  /** The request that came first; this one if there was none. */
  protected final Stop stopWith(Stop reason) {
    stop.compareAndSet(null, reason);
    return stop.get();
  }

  /** Leaves a call of user code that keeps emitting although the task is stopping. */
  public final void checkStop() {
    if (stop.get() != null) {
      throw new TaskStoppedError();
    }
  }

  // --- failures of user code

  /** The position of the record in its source, if the chain's source is reading now. */
  protected abstract Optional<String> sourcePosition();

  public final Error failed(String operator, Throwable thrown) {
    throw failed(operator, thrown, Optional.empty());
  }

  /**
   * Records a failure of user code immediately, so that user code cannot hide it by catching the
   * exception.
   */
  public final Error failed(
      String operator, Throwable thrown, Optional<FailureContext.Trigger> during) {
    if (thrown instanceof OperatorFailureException carried) {
      throw carried;
    }
    if (thrown instanceof TaskStoppedError || stop.get() != null) {
      throw new TaskStoppedError();
    }
    Failure cause = Failure.of(thrown, ErrorKind.USER);
    String message =
        new FailureContext(operator, label, during, sourcePosition()).message(cause.message());
    fail(new Failure(cause.kind(), cause.type(), message, cause.stack()));
    throw new OperatorFailureException(message, thrown);
  }

  /**
   * Records immediately that an emitted record cannot be passed on: user code may catch the
   * exception, and the record would be missing from the result.
   */
  public final Error emitFailed(Throwable thrown) {
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
}

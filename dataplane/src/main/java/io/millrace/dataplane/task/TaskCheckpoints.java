package io.millrace.dataplane.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.exchange.AlignmentListener;
import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The checkpoints of a task. Requests of other threads wait until the next step, so that a barrier
 * is never injected inside a call of user code. A checkpoint at a task:
 *
 * <ol>
 *   <li>The barrier has arrived on all channels, or is injected at a source.
 *   <li>The operators emit what belongs to the checkpoint; the barrier goes on to all outputs.
 *   <li>The operators hand over their state without a copy. The task processes records again.
 *   <li>An I/O thread writes the state and reports it.
 *   <li>The next step ends the protection of the state.
 * </ol>
 *
 * <p>Belongs to the task's step, except for {@link #trigger}, {@link #completed}, {@link #aborted}
 * and {@link Writing#run}.
 */
final class TaskCheckpoints implements AlignmentListener {
  /** More aborted checkpoints than this are not ahead of a task. */
  private static final int MAX_ABORTED = 64;

  private final Task task;
  private final OperatorChain chain;
  private final JobVertex vertex;
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

  /** Whether the task has ended, so that requests are answered by the thread that makes them. */
  private volatile boolean closed;

  /** Snapshots that I/O threads write now. */
  private final AtomicInteger writing = new AtomicInteger();

  private final List<Writing> inFlight = new ArrayList<>();

  /** Snapshots that are written and whose state is still protected. */
  private final Queue<Writing> written = new ConcurrentLinkedQueue<>();

  private final TreeSet<Long> abortedAhead = new TreeSet<>();

  /** Checkpoints that start here when the input, whose producers have finished, is processed. */
  private final ArrayDeque<CheckpointRequest> atEndOfInput = new ArrayDeque<>();

  /** The checkpoint that a source takes now, while its operators end; null if none. */
  private CheckpointRequest injected;

  private long alignmentBegan;
  private long alignmentBytes;
  private long alignmentOf;
  private long startDelay;

  /** The savepoint with which the task stops; null if none. */
  private CheckpointRequest stop;

  private boolean stopCompleted;
  private boolean waiting;

  TaskCheckpoints(Task task, OperatorChain chain, JobVertex vertex) {
    this.task = task;
    this.chain = chain;
    this.vertex = vertex;
  }

  /** What another thread asks of the step. */
  private sealed interface Request {
    record Trigger(CheckpointRequest checkpoint) implements Request {}

    record Completed(long checkpoint) implements Request {}

    record Aborted(long checkpoint) implements Request {}
  }

  // --- called by other threads

  /** Starts a checkpoint at this task. */
  void trigger(CheckpointRequest request) {
    request(new Request.Trigger(request));
  }

  void completed(long checkpoint) {
    request(new Request.Completed(checkpoint));
  }

  void aborted(long checkpoint) {
    request(new Request.Aborted(checkpoint));
  }

  private void request(Request request) {
    requests.add(request);
    task.wake();
    if (closed) {
      declineAll();
    }
  }

  // --- called in the step

  /**
   * Handles the requests of other threads and continues a checkpoint that takes several steps;
   * false if that is to be continued in another step.
   */
  boolean advance() {
    Writing done;
    while ((done = written.poll()) != null) {
      inFlight.remove(done);
      done.snapshots.forEach(OperatorSnapshotBuilder::release);
    }
    Request next;
    while ((next = requests.poll()) != null) {
      if (next instanceof Request.Trigger trigger) {
        inject(trigger.checkpoint());
      } else if (next instanceof Request.Completed completed) {
        complete(completed.checkpoint());
      } else if (next instanceof Request.Aborted aborted) {
        abort(aborted.checkpoint());
      } else {
        throw new IllegalStateException("Unknown request " + next);
      }
    }
    if (injected != null) {
      if (!barrier(injected)) {
        return false;
      }
      injected = null;
    }
    return true;
  }

  private void inject(CheckpointRequest request) {
    switch (task.checkpointPosition()) {
      case SOURCE -> {
        alignmentStarted(request);
        injected = request;
        if (barrier(request)) {
          injected = null;
        }
      }
      case INPUT -> atEndOfInput.add(request);
      case ENDING -> decline(request, "it is finishing");
    }
  }

  /** Takes the checkpoints that wait for the end of input, before the operators end. */
  boolean endOfInput() {
    while (!atEndOfInput.isEmpty()) {
      CheckpointRequest request = atEndOfInput.peek();
      alignmentStarted(request);
      if (!barrier(request)) {
        return false;
      }
      atEndOfInput.poll();
    }
    return true;
  }

  @Override
  public void alignmentStarted(CheckpointRequest request) {
    alignmentOf = request.checkpoint();
    alignmentBegan = System.nanoTime();
    alignmentBytes = task.metrics().value(TaskIoMetrics.BYTES_IN);
    startDelay =
        Math.max(0, task.deployment().services().clock().getAsLong() - request.timestamp());
  }

  @Override
  public void alignmentSuperseded(CheckpointRequest request, CheckpointRequest by) {
    decline(
        request,
        "the barrier of checkpoint "
            + by.checkpoint()
            + " came before all barriers of checkpoint "
            + request.checkpoint());
  }

  private void decline(CheckpointRequest request, String why) {
    failed(
        request,
        Failure.of(
            ErrorKind.EXTERNAL,
            "Task "
                + task.label()
                + " takes no part in checkpoint "
                + request.checkpoint()
                + ": "
                + why));
  }

  private void failed(CheckpointRequest request, Failure failure) {
    store().of(job(), request).leave(task.execution());
    report(request.checkpoint(), failure);
  }

  private void report(long checkpoint, Failure failure) {
    task.deployment().listener().snapshotFailed(task.execution(), checkpoint, failure);
  }

  private JobId job() {
    return task.deployment().graph().id();
  }

  private HostCheckpoints store() {
    return task.deployment().services().checkpoints();
  }

  /** Whether a checkpoint waits for something that wakes the task. */
  boolean isWaiting() {
    return waiting;
  }

  /** The barrier has arrived on all inputs. The caller repeats the call until it returns true. */
  boolean barrier(CheckpointRequest request) {
    long checkpoint = request.checkpoint();
    abortedAhead.headSet(checkpoint).clear();
    if (abortedAhead.contains(checkpoint)) {
      return true;
    }
    if (request.type() == CheckpointRequest.Type.SAVEPOINT_DRAIN) {
      StreamOperator.EndStatus ended = chain.end();
      waiting = ended == StreamOperator.EndStatus.WAITING;
      if (ended != StreamOperator.EndStatus.DONE) {
        return false;
      }
      chain.emitFinalWatermark();
    }
    if (request.type().stops()) {
      stop = request;
      stopCompleted = false;
    }
    take(request);
    return true;
  }

  private void take(CheckpointRequest request) {
    long checkpoint = request.checkpoint();
    long began = System.nanoTime();
    long alignment = alignmentOf == checkpoint ? began - alignmentBegan : 0;
    long bytes =
        alignmentOf == checkpoint
            ? task.metrics().value(TaskIoMetrics.BYTES_IN) - alignmentBytes
            : 0;
    Optional<Failure> failure = Optional.empty();
    try {
      chain.prepareSnapshot(checkpoint);
    } catch (CheckpointHookException e) {
      failure = Optional.of(describe(checkpoint, e));
    }
    // In any case: the tasks downstream need not wait until the checkpoint is aborted.
    chain.control(new ControlElement.CheckpointBarrier(request));
    if (failure.isPresent()) {
      failed(request, failure.get());
      return;
    }
    List<OperatorSnapshotBuilder> snapshots;
    try {
      snapshots = chain.snapshot(checkpoint);
    } catch (CheckpointHookException e) {
      failed(request, describe(checkpoint, e));
      return;
    }
    long now = System.nanoTime();
    Writing started =
        new Writing(
            store().of(job(), request),
            snapshots,
            new TaskSnapshot.Timing(
                startDelay, millis(alignment), millis(now - began), 0, bytes, false));
    inFlight.add(started);
    writing.incrementAndGet();
    store().execute(started);
  }

  private Failure describe(long checkpoint, CheckpointHookException thrown) {
    Failure cause = Failure.of(thrown.getCause(), ErrorKind.USER);
    return new Failure(
        cause.kind(),
        cause.type(),
        "Operator '"
            + thrown.operator()
            + "' of task "
            + task.label()
            + " failed in checkpoint "
            + checkpoint
            + ": "
            + cause.message(),
        cause.stack());
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  /**
   * A task that is cancelled has been or will be replaced: its output belongs to checkpoints that
   * do not contain it. The cancellation arrives before the completion of a checkpoint of its
   * successor.
   */
  private void complete(long checkpoint) {
    if (task.isStopping()) {
      return;
    }
    try {
      chain.checkpointCompleted(checkpoint);
    } catch (CheckpointHookException e) {
      throw task.failed(e.operator(), e.getCause());
    }
    if (stop != null && stop.checkpoint() == checkpoint) {
      stopCompleted = true;
    }
  }

  private void abort(long checkpoint) {
    abortedAhead.add(checkpoint);
    if (abortedAhead.size() > MAX_ABORTED) {
      abortedAhead.pollFirst();
    }
    task.abortAlignment(checkpoint);
    atEndOfInput.removeIf(request -> request.checkpoint() == checkpoint);
    for (Writing each : inFlight) {
      if (each.to.request().checkpoint() == checkpoint) {
        each.cancelled = true;
      }
    }
    try {
      chain.checkpointAborted(checkpoint);
    } catch (CheckpointHookException e) {
      throw task.failed(e.operator(), e.getCause());
    }
    if (stop != null && stop.checkpoint() == checkpoint) {
      if (stop.type() == CheckpointRequest.Type.SAVEPOINT_DRAIN) {
        task.fail(
            Failure.of(
                ErrorKind.EXTERNAL,
                "Savepoint "
                    + checkpoint
                    + " was aborted after task "
                    + task.label()
                    + " had ended its event time. The job goes on from its last checkpoint."));
      }
      stop = null;
    }
  }

  /** Whether a source must not emit: a savepoint stops the job. */
  boolean isStopped() {
    return stop != null;
  }

  /** Whether the savepoint that stops the job is durable, so that the task finishes. */
  boolean isStopCompleted() {
    return stop != null && stopCompleted;
  }

  /** Whether snapshots are still being written. */
  boolean isWriting() {
    return writing.get() > 0;
  }

  /** Gives up all snapshots, because the task ends; those that are written stay. */
  void close() {
    if (task.isStopping()) {
      inFlight.forEach(each -> each.cancelled = true);
    }
    closed = true;
    store().taskEnded(job(), task.execution());
    declineAll();
  }

  /** Answers requests that came too late. */
  private void declineAll() {
    // The task's end polls the requests, and so does a thread whose request came after that.
    Request next;
    while ((next = requests.poll()) != null) {
      if (next instanceof Request.Trigger late) {
        report(
            late.checkpoint().checkpoint(),
            Failure.of(ErrorKind.EXTERNAL, "Task " + task.label() + " has ended"));
      }
    }
  }

  /** Leaves the serialisation of a snapshot that is not needed any more. */
  private static final class SnapshotCancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A snapshot on its way to storage. An I/O thread runs it. */
  private final class Writing implements Runnable {
    final HostCheckpoints.HostCheckpoint to;
    final List<OperatorSnapshotBuilder> snapshots;
    private final TaskSnapshot.Timing timing;
    volatile boolean cancelled;

    Writing(
        HostCheckpoints.HostCheckpoint to,
        List<OperatorSnapshotBuilder> snapshots,
        TaskSnapshot.Timing timing) {
      this.to = to;
      this.snapshots = snapshots;
      this.timing = timing;
    }

    @Override
    public void run() {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(task.deployment().userClassLoader());
      try {
        write();
      } finally {
        thread.setContextClassLoader(before);
        writing.decrementAndGet();
        written.add(this);
        task.wake();
      }
    }

    private void write() {
      long began = System.nanoTime();
      List<OperatorSnapshot> operators = new ArrayList<>();
      try {
        for (OperatorSnapshotBuilder snapshot : snapshots) {
          snapshot
              .write(
                  KeyGroupRange.of(vertex.maxParallelism(), vertex.parallelism(), task.subtask()),
                  vertex.maxParallelism(),
                  task.deployment().stateCodecs().of(snapshot.operator()),
                  to,
                  this::checkCancelled)
              .ifPresent(operators::add);
        }
      } catch (SnapshotCancelledException e) {
        to.leave(task.execution());
        return;
      } catch (Throwable thrown) {
        to.leave(task.execution());
        fail(thrown);
        return;
      }
      TaskSnapshot snapshot =
          new TaskSnapshot(
              task.execution(),
              operators,
              List.of(),
              new TaskSnapshot.Timing(
                  timing.startDelay(),
                  timing.alignment(),
                  timing.synchronous(),
                  millis(System.nanoTime() - began),
                  timing.alignedBytes(),
                  timing.unaligned()));
      if (operators.stream().anyMatch(OperatorSnapshot::hasFiles)) {
        to.written(task.execution(), () -> stored(snapshot), this::fail);
      } else {
        to.leave(task.execution());
        stored(snapshot);
      }
    }

    private void checkCancelled() {
      if (cancelled) {
        throw new SnapshotCancelledException();
      }
    }

    private void stored(TaskSnapshot snapshot) {
      if (!cancelled) {
        task.deployment().listener().snapshotStored(to.request().checkpoint(), snapshot);
      }
    }

    private void fail(Throwable thrown) {
      if (cancelled) {
        return;
      }
      Failure cause = Failure.of(thrown, ErrorKind.EXTERNAL);
      report(
          to.request().checkpoint(),
          new Failure(
              cause.kind(),
              cause.type(),
              "The state of task "
                  + task.label()
                  + " cannot be written to "
                  + to.request().directory()
                  + ": "
                  + cause.message(),
              cause.stack()));
    }
  }
}

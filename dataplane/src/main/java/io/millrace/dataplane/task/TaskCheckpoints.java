package io.millrace.dataplane.task;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.exchange.AlignmentListener;
import io.millrace.dataplane.exchange.InFlightCapture;
import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.snapshot.AbortedCheckpoints;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.DeclineCause.SnapshotNotStored;
import io.millrace.task.checkpoint.DeclineCause.TaskIsEnding;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The checkpoints of a task. Requests of other threads wait until the next step, so that a barrier
 * is never injected inside a call of user code. A checkpoint at a task:
 *
 * <ol>
 *   <li>The barrier has arrived on all channels, or is injected at a source, or it overtakes the
 *       records before it.
 *   <li>The operators emit what belongs to the checkpoint; the barrier goes on to all outputs.
 *   <li>The operators hand over their state without a copy. The task processes records again.
 *   <li>An I/O thread writes the state. If barriers overtook records, these follow when the barrier
 *       has come on all inputs and left on all outputs.
 *   <li>The next step ends the protection of the state.
 * </ol>
 *
 * <p>Belongs to the task's step, except for {@link #trigger}, {@link #completed}, {@link #aborted}
 * .
 */
final class TaskCheckpoints implements AlignmentListener {
  private final Task task;
  private final OperatorChain chain;
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

  /** Whether the task has ended, so that requests are answered by the thread that makes them. */
  private volatile boolean closed;

  private final SnapshotWriter writer;

  /** Checkpoints whose barriers overtake records when their time has come, by number. */
  private final TreeMap<Long, OvertakingCheckpoint> overtaking = new TreeMap<>();

  private final AbortedCheckpoints abortedAhead = new AbortedCheckpoints();

  /** Checkpoints that start here when the input, whose producers have finished, is processed. */
  private final ArrayDeque<CheckpointRequest> atEndOfInput = new ArrayDeque<>();

  /** The checkpoint that a source takes now, while its operators end; null if none. */
  private CheckpointRequest injected;

  private long alignmentBegan;
  private long alignmentBytes;
  private long alignmentOf;
  private long startDelay;

  /** The lowest checkpoint that was taken; the highest long if none was. */
  private long firstTaken = Long.MAX_VALUE;

  /** The highest checkpoint that was taken. */
  private long lastTaken;

  /** The highest checkpoint whose completion the operators have heard of. */
  private long lastCompleted;

  /** The savepoint with which the task stops; null if none. */
  private CheckpointRequest stop;

  private boolean stopCompleted;
  private boolean waiting;

  /** Whether it is reported that the task awaits a checkpoint, since the last completed one. */
  private boolean awaitingReported;

  TaskCheckpoints(Task task, OperatorChain chain, JobVertex vertex) {
    this.task = task;
    this.chain = chain;
    this.writer = new SnapshotWriter(task, vertex);
  }

  /** What another thread asks of the step. */
  private sealed interface Request {
    record Trigger(CheckpointRequest checkpoint) implements Request {}

    record Completed(long checkpoint) implements Request {}

    record Aborted(long checkpoint) implements Request {}

    record EarlierAborted(long checkpoint) implements Request {}
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

  /** No checkpoint before this one will complete any more. */
  void earlierAborted(long checkpoint) {
    request(new Request.EarlierAborted(checkpoint));
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
    writer.releaseWritten();
    Request next;
    while ((next = requests.poll()) != null) {
      if (next instanceof Request.Trigger trigger) {
        inject(trigger.checkpoint());
      } else if (next instanceof Request.Completed completed) {
        complete(completed.checkpoint());
      } else if (next instanceof Request.Aborted aborted) {
        abort(aborted.checkpoint());
      } else if (next instanceof Request.EarlierAborted earlier) {
        abortStopBefore(earlier.checkpoint());
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
    overtake();
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
      case INPUT -> {
        atEndOfInput.add(request);
        announced(request);
      }
      case OUTPUT -> {
        if (request.barriers().unaligned()) {
          alignmentStarted(request);
          takeFinished(request.overtaking());
        } else {
          decline(request, finishing(request));
        }
      }
      case ENDING -> decline(request, finishing(request));
    }
  }

  // --- barriers that overtake records

  /** A barrier has been received, or belongs behind the input, and may overtake records. */
  private void announced(CheckpointRequest request) {
    if (!request.barriers().unaligned() || request.checkpoint() <= lastTaken) {
      return;
    }
    OvertakingCheckpoint known = overtaking.get(request.checkpoint());
    if (known == null) {
      overtaking.put(request.checkpoint(), new OvertakingCheckpoint(task, request));
    } else {
      // A producer that does not wait any longer announces it.
      known.announced(request);
    }
  }

  /**
   * Lets the barriers whose time has come overtake records, at the input or in the outputs. Those
   * of earlier checkpoints go first, so that barriers stay in order.
   */
  private void overtake() {
    CheckpointRequest next;
    while ((next = task.input().pollAnnounced()) != null) {
      if (!abortedAhead.contains(next.checkpoint())) {
        announced(next);
      }
    }
    if (overtaking.isEmpty()) {
      return;
    }
    task.input().advanceCaptures();
    long now = System.nanoTime();
    boolean isDue = overtaking.values().stream().anyMatch(checkpoint -> checkpoint.isDue(now));
    long last = isDue ? lastDue(now) : 0;
    for (OvertakingCheckpoint checkpoint : List.copyOf(overtaking.headMap(last, true).values())) {
      if (checkpoint.capture().isPresent()) {
        if (checkpoint.overtakeOutputs()) {
          chain.overtake(checkpoint.capture().get());
        }
      } else if (task.canCapture()) {
        takeInput(checkpoint);
      } else {
        break;
      }
    }
    overtaking.values().removeIf(OvertakingCheckpoint::finish);
  }

  /** The step may have found barriers that captures wait for, and nothing else wakes the task. */
  void stepEnds() {
    if (!overtaking.isEmpty()) {
      overtake();
    }
  }

  private long lastDue(long now) {
    long last = 0;
    for (OvertakingCheckpoint checkpoint : overtaking.values()) {
      if (checkpoint.isDue(now)) {
        last = checkpoint.number();
      }
    }
    return last;
  }

  /** Takes a checkpoint before the input that has been received. */
  private void takeInput(OvertakingCheckpoint checkpoint) {
    CheckpointRequest request = checkpoint.request().overtaking();
    if (alignmentOf != request.checkpoint()) {
      alignmentStarted(request);
    }
    atEndOfInput.removeIf(waiting -> waiting.checkpoint() == request.checkpoint());
    InFlightCapture capture = new InFlightCapture(request);
    task.input().capture(capture);
    checkpoint.captures(capture);
    checkpoint.overtakeOutputs();
    take(request, Optional.of(capture));
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
        new SnapshotNotStored(
            Failure.of(
                ErrorKind.EXTERNAL,
                noPart(
                    request,
                    "the barrier of checkpoint "
                        + by.checkpoint()
                        + " came before all barriers of checkpoint "
                        + request.checkpoint()))));
  }

  private DeclineCause finishing(CheckpointRequest request) {
    return new TaskIsEnding(noPart(request, "it is finishing"));
  }

  private String noPart(CheckpointRequest request, String why) {
    return "Task "
        + task.label()
        + " takes no part in checkpoint "
        + request.checkpoint()
        + ": "
        + why;
  }

  private void decline(CheckpointRequest request, DeclineCause cause) {
    forget(request.checkpoint());
    store().of(job(), request).leave(task.execution());
    report(request.checkpoint(), cause);
  }

  private void report(long checkpoint, DeclineCause cause) {
    task.deployment().listener().snapshotDeclined(task.execution(), checkpoint, cause);
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
    abortedAhead.removeBefore(checkpoint);
    if (abortedAhead.contains(checkpoint)) {
      return true;
    }
    if (request.type().drains()) {
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

  /** Takes a checkpoint whose barriers are aligned at the input. */
  private void take(CheckpointRequest request) {
    if (!request.barriers().unaligned()) {
      take(request, Optional.empty());
      return;
    }
    OvertakingCheckpoint checkpoint =
        overtaking.computeIfAbsent(
            request.checkpoint(), number -> new OvertakingCheckpoint(task, request));
    CheckpointRequest effective =
        checkpoint.isDue(System.nanoTime()) ? request.overtaking() : request;
    InFlightCapture capture = new InFlightCapture(effective);
    checkpoint.captures(capture);
    take(effective, Optional.of(capture));
  }

  /**
   * @param capture captures what the barriers overtake; empty if they overtake nothing
   */
  private void take(CheckpointRequest request, Optional<InFlightCapture> capture) {
    long checkpoint = request.checkpoint();
    long began = System.nanoTime();
    taken(checkpoint);
    Optional<DeclineCause> failure = Optional.empty();
    try {
      chain.prepareSnapshot(checkpoint);
    } catch (CheckpointHookException e) {
      failure = Optional.of(describe(checkpoint, e));
    }
    // In any case: the tasks downstream need not wait until the checkpoint is aborted.
    send(request, capture);
    if (failure.isPresent()) {
      decline(request, failure.get());
      return;
    }
    List<OperatorSnapshotBuilder> snapshots;
    try {
      snapshots = chain.snapshot(checkpoint, isNative(request));
    } catch (CheckpointHookException e) {
      decline(request, describe(checkpoint, e));
      return;
    }
    start(request, capture, new SnapshotWriter.Content(false, snapshots), began);
  }

  /** Takes a checkpoint of a task of which only the output is left. */
  private void takeFinished(CheckpointRequest request) {
    long began = System.nanoTime();
    taken(request.checkpoint());
    InFlightCapture capture = new InFlightCapture(request);
    overtaking
        .computeIfAbsent(request.checkpoint(), number -> new OvertakingCheckpoint(task, request))
        .captures(capture);
    send(request, Optional.of(capture));
    start(request, Optional.of(capture), new SnapshotWriter.Content(true, List.of()), began);
  }

  private void taken(long checkpoint) {
    firstTaken = Math.min(firstTaken, checkpoint);
    lastTaken = Math.max(lastTaken, checkpoint);
  }

  private void send(CheckpointRequest request, Optional<InFlightCapture> capture) {
    chain.barrier(request, capture.orElse(null));
    OvertakingCheckpoint checkpoint = overtaking.get(request.checkpoint());
    if (capture.isPresent() && request.barriers().alignmentTimeout().isZero()) {
      overtakeEarlier(request.checkpoint());
      checkpoint.overtakeOutputs();
      chain.overtake(capture.get());
    }
  }

  /** Barriers of earlier checkpoints that wait in outputs go before that of a later one. */
  private void overtakeEarlier(long number) {
    for (OvertakingCheckpoint earlier : overtaking.headMap(number).values()) {
      if (earlier.capture().isPresent() && earlier.overtakeOutputs()) {
        chain.overtake(earlier.capture().get());
      }
    }
  }

  private void start(
      CheckpointRequest request,
      Optional<InFlightCapture> capture,
      SnapshotWriter.Content content,
      long began) {
    boolean aligning = alignmentOf == request.checkpoint();
    long alignment = aligning ? began - alignmentBegan : 0;
    long bytes = aligning ? task.metrics().value(TaskIoMetrics.BYTES_IN) - alignmentBytes : 0;
    SnapshotWriter.Writing writing =
        writer.start(
            store().of(job(), request),
            content,
            new TaskSnapshot.Timing(
                startDelay,
                millis(alignment),
                millis(System.nanoTime() - began),
                0,
                bytes,
                capture.isPresent() && request.barriers().alignmentTimeout().isZero()),
            capture.isPresent());
    if (capture.isPresent()) {
      OvertakingCheckpoint checkpoint = overtaking.get(request.checkpoint());
      checkpoint.writes(writing, alignmentBegan);
      if (checkpoint.finish()) {
        overtaking.remove(request.checkpoint());
      }
    }
  }

  /** Whether a backend outside the heap stores its own files. */
  private boolean isNative(CheckpointRequest request) {
    return request.type().isSavepoint()
        ? request.type().isNativeSavepoint()
        : task.deployment().option(CheckpointingOptions.INCREMENTAL);
  }

  private DeclineCause describe(long checkpoint, CheckpointHookException thrown) {
    Failure cause = Failure.of(thrown.getCause(), ErrorKind.USER);
    return new SnapshotNotStored(
        new Failure(
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
            cause.stack()));
  }

  static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  /**
   * A task that is cancelled has been or will be replaced: its output belongs to checkpoints that
   * do not contain it. The cancellation arrives before the completion of a checkpoint of its
   * successor.
   *
   * <p>The JobMaster repeats a notice that is not acknowledged. It may come again, after that of a
   * later checkpoint, or to a task that was deployed in the meantime.
   */
  private void complete(long checkpoint) {
    if (task.isStopping() || checkpoint < firstTaken || checkpoint <= lastCompleted) {
      return;
    }
    lastCompleted = checkpoint;
    try {
      chain.checkpointCompleted(checkpoint);
    } catch (CheckpointHookException e) {
      throw task.failed(e.operator(), e.getCause());
    }
    awaitingReported = false;
    if (stop != null && stop.checkpoint() == checkpoint) {
      stopCompleted = true;
    }
  }

  private void abort(long checkpoint) {
    abortedAhead.add(checkpoint);
    task.input().abort(checkpoint);
    atEndOfInput.removeIf(request -> request.checkpoint() == checkpoint);
    forget(checkpoint);
    writer.cancel(checkpoint);
    try {
      chain.checkpointAborted(checkpoint);
    } catch (CheckpointHookException e) {
      throw task.failed(e.operator(), e.getCause());
    }
    if (stop != null && stop.checkpoint() == checkpoint) {
      if (stop.type().drains()) {
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

  /** A later checkpoint makes up for the outcome of each earlier one, except that of a stop. */
  private void abortStopBefore(long checkpoint) {
    if (stop != null && !stopCompleted && stop.checkpoint() < checkpoint) {
      abort(stop.checkpoint());
    }
  }

  /** Captures nothing any more for a checkpoint that fails. */
  private void forget(long checkpoint) {
    OvertakingCheckpoint forgotten = overtaking.remove(checkpoint);
    if (forgotten != null && forgotten.capture().isPresent()) {
      forgotten.close();
      task.input().abort(checkpoint);
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

  /** The operators have ended and the task finishes after a checkpoint. */
  void reportAwaiting() {
    if (!awaitingReported) {
      awaitingReported = true;
      task.deployment().listener().awaitsCheckpoint(task.execution());
    }
  }

  /** Whether snapshots are still being written. */
  boolean isWriting() {
    return writer.isWriting();
  }

  /** Gives up all snapshots, because the task ends; those that are written stay. */
  void close() {
    overtaking.values().forEach(OvertakingCheckpoint::close);
    if (task.isStopping()) {
      writer.cancelAll();
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
            new TaskIsEnding("Task " + task.label() + " has ended"));
      }
    }
  }
}

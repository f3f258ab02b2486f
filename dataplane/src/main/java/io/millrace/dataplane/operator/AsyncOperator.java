package io.millrace.dataplane.operator;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.operator.AsyncJoin;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.TimestampedValue;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;

/**
 * Runs an {@link AsyncFunction}. Records wait in the order in which they came, with the watermarks
 * between them. At its capacity the operator counts as a full output, so that the task takes no
 * more input. Other threads only put answers into a queue and wake the task, which emits the
 * results.
 *
 * <p>Ordered, only the first of the waiting elements may leave. Unordered, any record before the
 * first watermark may.
 */
public final class AsyncOperator extends TaskOutput {
  private static final String WAITING_RECORDS = "async.waiting";

  /** An element that waits. */
  private sealed interface Waiting {}

  private record WaitingWatermark(long time) implements Waiting {}

  private record WaitingStatus(boolean idle) implements Waiting {}

  /** A record whose request has not been answered, or whose results have not been emitted. */
  private static final class Request implements Waiting {
    final Object record;
    final long timestamp;
    final long deadline;
    int attempts;

    /** Null until the results are known. */
    Collection<?> results;

    Request(Object record, long timestamp, long deadline) {
      this.record = record;
      this.timestamp = timestamp;
      this.deadline = deadline;
    }
  }

  /**
   * An answer to an attempt, or the end of the delay before the next one.
   *
   * @param results null after a failure, and for the next attempt
   */
  private record Answer(
      Request request, int attempt, Collection<?> results, Throwable failure, boolean isRetry) {}

  /** The next attempt of a request, after its delay. */
  private record Retry(Answer answer, long at) {}

  private final OperatorContext context;
  private final OperatorSpec.Async spec;
  private final OperatorOutputs outputs;
  private final TaskClock clock;
  private final OperatorStateBackend.OperatorList state;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final List<Retry> retries = new ArrayList<>();
  private int requests;
  private Future<?> timer;
  private long timerAt;
  private boolean isEmitting;

  AsyncOperator(OperatorContext context, OperatorSpec.Async spec, OperatorOutputs outputs) {
    super(context.task());
    this.context = context;
    this.spec = spec;
    this.outputs = outputs;
    this.clock = context.task().clock();
    this.state = context.operatorState().list(WAITING_RECORDS, Redistribution.SPLIT);
    List<Object> restored = List.copyOf(state.elements());
    state.clear();
    for (Object element : restored) {
      TimestampedValue<?> value = (TimestampedValue<?>) element;
      add(value.value(), value.timestamp());
    }
  }

  // --- input

  @Override
  public void processElement(Object record) {
    add(record, clock.timestamp);
    advance();
    if (requests > spec.capacity()) {
      // The operator before emits several records in one call.
      task.awaitRoom(this);
    }
  }

  private void add(Object record, long timestamp) {
    Request request = new Request(record, timestamp, clock.nanoTime() + spec.timeout().toNanos());
    waiting.add(request);
    requests++;
    full(requests >= spec.capacity());
    setTimer();
    send(request);
  }

  /** They pass when the records before them have left. */
  @Override
  public boolean handlesWatermarks() {
    return true;
  }

  @Override
  public void watermark(long watermark) {
    waiting.add(new WaitingWatermark(watermark));
    advance();
  }

  @Override
  public void idle(boolean idle) {
    waiting.add(new WaitingStatus(idle));
    advance();
  }

  // --- requests

  private void send(Request request) {
    int attempt = ++request.attempts;
    CompletionStage<? extends Collection<?>> stage;
    try {
      stage = spec.function().asyncInvoke(request.record);
      if (stage == null) {
        throw new MillraceException(
            ErrorKind.USER, "The asynchronous function returned null instead of a stage.");
      }
    } catch (Throwable thrown) {
      answers.add(new Answer(request, attempt, null, thrown, false));
      return;
    }
    stage.whenComplete(
        (results, failure) -> {
          Throwable cause =
              failure != null || results != null
                  ? failure
                  : new MillraceException(
                      ErrorKind.USER,
                      "An asynchronous request was completed with null. Complete it with an empty"
                          + " list for a record without results.");
          answers.add(new Answer(request, attempt, results, cause, false));
          task.wake();
        });
  }

  /** Processes the answers that have come, and emits the results that may leave. */
  private void advance() {
    addDueRetries();
    Answer answer;
    while ((answer = answers.poll()) != null) {
      receive(answer);
    }
    expire();
    emit();
    full(requests >= spec.capacity());
  }

  private void addDueRetries() {
    if (retries.isEmpty()) {
      return;
    }
    long now = clock.nanoTime();
    retries.removeIf(
        retry -> {
          boolean isDue = retry.at() - now <= 0;
          if (isDue) {
            answers.add(retry.answer());
          }
          return isDue;
        });
  }

  private void receive(Answer answer) {
    Request request = answer.request();
    if (request.results != null || answer.attempt() != request.attempts) {
      return; // It was too late.
    }
    if (answer.isRetry()) {
      send(request);
      return;
    }
    AsyncRetryStrategy<Object> retry = spec.retry();
    boolean isRetried;
    try {
      isRetried =
          request.attempts < retry.maxAttempts()
              && (answer.failure() != null
                  ? retry.ifException().test(unwrapped(answer.failure()))
                  : retry.ifResult().test(answer.results()));
    } catch (Throwable thrown) {
      throw context.failed(thrown, request.record);
    }
    if (isRetried) {
      Duration delay = retry.delayAfter(request.attempts);
      retries.add(
          new Retry(
              new Answer(request, request.attempts, null, null, true),
              clock.nanoTime() + delay.toNanos()));
      task.wakeAfter(delay);
    } else if (answer.failure() != null) {
      throw context.failed(unwrapped(answer.failure()), request.record);
    } else {
      request.results = results(request, answer.results());
    }
  }

  /** The results of a record; a join computes them from what the request was answered with. */
  private Collection<?> results(Request request, Collection<?> values) {
    if (!(spec.function() instanceof AsyncJoin<Object, Object> join)) {
      return new ArrayList<>(values);
    }
    try {
      return join.join(request.record, values);
    } catch (Throwable thrown) {
      throw context.failed(thrown, request.record);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  // --- time-outs; requests wait in the order of their deadlines

  private void expire() {
    long now = clock.nanoTime();
    if (timer == null || timerAt - now > 0) {
      return;
    }
    timer = null;
    for (Waiting element : waiting) {
      if (element instanceof Request request && request.results == null) {
        if (request.deadline - now > 0) {
          break;
        }
        Collection<?> values;
        try {
          values = spec.function().timeout(request.record);
        } catch (Throwable thrown) {
          throw context.failed(thrown, request.record);
        }
        request.results = results(request, values);
      }
    }
    setTimer();
  }

  private void setTimer() {
    if (timer != null) {
      return;
    }
    for (Waiting element : waiting) {
      if (element instanceof Request request && request.results == null) {
        timerAt = request.deadline;
        timer = task.wakeAfter(Duration.ofNanos(Math.max(0, timerAt - clock.nanoTime())));
        return;
      }
    }
  }

  // --- results

  private void emit() {
    if (isEmitting) {
      return; // A consumer waits for room, and the task asks all outputs meanwhile.
    }
    isEmitting = true;
    long before = clock.timestamp;
    Iterator<Waiting> elements = waiting.iterator();
    boolean isFirst = true;
    while (elements.hasNext() && !task.isAnotherFull(isFull())) {
      Waiting element = elements.next();
      if (element instanceof Request request ? request.results != null : isFirst) {
        elements.remove();
        emit(element);
      } else if (spec.ordered() || !(element instanceof Request)) {
        break;
      } else {
        isFirst = false;
      }
    }
    clock.timestamp = before;
    isEmitting = false;
  }

  private void emit(Waiting element) {
    if (element instanceof Request request) {
      requests--;
      clock.timestamp = request.timestamp;
      for (Object result : request.results) {
        outputs.main().processElement(result);
      }
    } else if (element instanceof WaitingWatermark watermark) {
      outputs.watermarkTargets().watermark(watermark.time());
    } else if (element instanceof WaitingStatus status) {
      outputs.watermarkTargets().idle(status.idle());
    } else {
      throw new IllegalStateException("Unknown element " + element);
    }
  }

  /** Whether the first element could leave if the outputs had room. */
  private boolean isReady() {
    Waiting first = waiting.peek();
    return first instanceof Request request ? request.results != null : first != null;
  }

  // --- the output of the task that it is at its capacity

  @Override
  public int consumers() {
    return 1;
  }

  @Override
  public void retry() {
    advance();
  }

  /** The outputs behind this one are flushed next, which may make the room that is missing now. */
  @Override
  public void flush() {
    advance();
    if (isReady()) {
      task.wake();
    }
  }

  @Override
  public boolean isOverrun() {
    return requests > spec.capacity();
  }

  /** Barriers pass by: the snapshot has what waits. */
  @Override
  public void control(ControlElement control) {}

  // --- end and checkpoints

  @Override
  public EndStatus end() {
    advance();
    if (waiting.isEmpty()) {
      return EndStatus.DONE;
    }
    return isReady() ? EndStatus.YIELDED : EndStatus.WAITING;
  }

  @Override
  public void prepareSnapshot(long checkpoint) {
    List<Object> records = new ArrayList<>();
    for (Waiting element : waiting) {
      if (element instanceof Request request) {
        records.add(new TimestampedValue<>(request.record, request.timestamp));
      }
    }
    state.update(records);
  }

  @Override
  public void close() {
    if (timer != null) {
      timer.cancel(false);
    }
  }
}

package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerEvents;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Records the events of a driver in order. */
final class RecordedWorkerEvents implements WorkerEvents {
  private static final long TIMEOUT_SECONDS = 120;

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Consumer<WorkerId> atStart;

  /** One event; {@code request} is 0 if the event has none. */
  record Event(String what, long request, String worker, String reason) {}

  RecordedWorkerEvents() {
    this(worker -> {});
  }

  /**
   * @param atStart called for each started worker, inside the event
   */
  RecordedWorkerEvents(Consumer<WorkerId> atStart) {
    this.atStart = atStart;
  }

  @Override
  public void started(long request, WorkerId worker) {
    atStart.accept(worker);
    events.add(new Event("started", request, worker.value(), ""));
  }

  @Override
  public void failed(long request, Reason reason) {
    events.add(new Event("failed", request, "", ReasonText.of(reason)));
  }

  @Override
  public void ended(WorkerId worker, Reason reason) {
    events.add(new Event("ended", 0, worker.value(), ReasonText.of(reason)));
  }

  @Override
  public void waits(Optional<Reason> reason) {
    events.add(new Event("waits", 0, "", reason.map(ReasonText::of).orElse("")));
  }

  @Override
  public void draining(WorkerId worker, Reason reason, Duration within) {
    events.add(new Event("draining", 0, worker.value(), ReasonText.of(reason)));
  }

  @Override
  public void unreliable(String node, Reason reason, Duration time) {
    events.add(new Event("unreliable", 0, node, ReasonText.of(reason)));
  }

  @Override
  public void broken(Throwable cause) {
    events.add(new Event("broken", 0, "", cause.toString()));
  }

  Event next(String what) throws InterruptedException {
    Event next = events.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    if (next == null || !next.what().equals(what)) {
      throw new AssertionError("Awaited '" + what + "', but the next event is " + next);
    }
    return next;
  }

  List<Event> left() {
    return new ArrayList<>(events);
  }
}

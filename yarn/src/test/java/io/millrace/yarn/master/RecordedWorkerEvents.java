package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerEvents;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The events of a driver, in order. */
final class RecordedWorkerEvents implements WorkerEvents {
  private static final long BOUND_SECONDS = 120;

  private final BlockingQueue<Recorded> events = new LinkedBlockingQueue<>();

  /** An event; the request is 0 if it concerns none. */
  record Recorded(String what, long request, String worker, String reason) {}

  @Override
  public void started(long request, WorkerId worker) {
    events.add(new Recorded("started", request, worker.value(), ""));
  }

  @Override
  public void failed(long request, Reason reason) {
    events.add(new Recorded("failed", request, "", ReasonText.of(reason)));
  }

  @Override
  public void ended(WorkerId worker, Reason reason) {
    events.add(new Recorded("ended", 0, worker.value(), ReasonText.of(reason)));
  }

  @Override
  public void waits(Optional<Reason> reason) {
    events.add(new Recorded("waits", 0, "", reason.map(ReasonText::of).orElse("")));
  }

  @Override
  public void draining(WorkerId worker, Reason reason, Duration within) {
    events.add(new Recorded("draining", 0, worker.value(), ReasonText.of(reason)));
  }

  @Override
  public void unreliable(String node, Reason reason, Duration time) {
    events.add(new Recorded("unreliable", 0, node, ReasonText.of(reason)));
  }

  @Override
  public void broken(Throwable cause) {
    events.add(new Recorded("broken", 0, "", cause.toString()));
  }

  Recorded next(String what) throws InterruptedException {
    return next(List.of(what)).get(0);
  }

  /**
   * The next events, in any order. Skips reports about pending containers, which may occur at any
   * time on a busy machine.
   *
   * @return in the order of the parameter
   */
  List<Recorded> next(List<String> whats) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    Map<String, Recorded> found = new LinkedHashMap<>();
    while (found.size() < whats.size()) {
      Recorded next = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (next == null
          || (!next.what().equals("waits") && !whats.contains(next.what()))
          || found.containsKey(next.what())) {
        throw new AssertionError("Expected " + whats + ", but got " + found + " and " + next);
      }
      if (whats.contains(next.what())) {
        found.put(next.what(), next);
      }
    }
    return whats.stream().map(found::get).toList();
  }

  List<Recorded> remaining() {
    return events.stream().filter(event -> !event.what().equals("waits")).toList();
  }
}

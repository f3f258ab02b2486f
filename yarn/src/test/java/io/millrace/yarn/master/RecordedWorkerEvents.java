package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerEvents;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a driver told, in order. */
final class RecordedWorkerEvents implements WorkerEvents {
  private static final long BOUND_SECONDS = 120;

  private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();

  /** One piece of news; the request is 0 where it is about none. */
  record Told(String what, long request, String worker, String reason) {}

  @Override
  public void started(long request, WorkerId worker) {
    told.add(new Told("started", request, worker.value(), ""));
  }

  @Override
  public void failed(long request, Reason reason) {
    told.add(new Told("failed", request, "", ReasonText.of(reason)));
  }

  @Override
  public void ended(WorkerId worker, Reason reason) {
    told.add(new Told("ended", 0, worker.value(), ReasonText.of(reason)));
  }

  @Override
  public void waits(Optional<Reason> reason) {
    told.add(new Told("waits", 0, "", reason.map(ReasonText::of).orElse("")));
  }

  @Override
  public void broken(Throwable cause) {
    told.add(new Told("broken", 0, "", cause.toString()));
  }

  Told next(String what) throws InterruptedException {
    return next(List.of(what)).get(0);
  }

  /**
   * Those that are next, whatever their order. Passes over why something waits, which a busy
   * machine may have to say at any time.
   *
   * @return in the order of what was awaited
   */
  List<Told> next(List<String> whats) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    Map<String, Told> found = new LinkedHashMap<>();
    while (found.size() < whats.size()) {
      Told next = told.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (next == null
          || (!next.what().equals("waits") && !whats.contains(next.what()))
          || found.containsKey(next.what())) {
        throw new AssertionError("Awaited " + whats + " and was told " + found + " and " + next);
      }
      if (whats.contains(next.what())) {
        found.put(next.what(), next);
      }
    }
    return whats.stream().map(found::get).toList();
  }

  List<Told> left() {
    return told.stream().filter(one -> !one.what().equals("waits")).toList();
  }
}

package io.millrace.cluster.process;

import io.millrace.control.driver.WorkerEvents;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What a driver told, in order. */
final class RecordedWorkerEvents implements WorkerEvents {
  private static final long BOUND_SECONDS = 120;

  private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
  private final Consumer<WorkerId> atStart;

  /** One piece of news; the request is 0 where it is about none. */
  record Told(String what, long request, String worker, String reason) {}

  RecordedWorkerEvents() {
    this(worker -> {});
  }

  /**
   * @param atStart called while the driver tells that it has started a worker
   */
  RecordedWorkerEvents(Consumer<WorkerId> atStart) {
    this.atStart = atStart;
  }

  @Override
  public void started(long request, WorkerId worker) {
    atStart.accept(worker);
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
    Told next = told.poll(BOUND_SECONDS, TimeUnit.SECONDS);
    if (next == null || !next.what().equals(what)) {
      throw new AssertionError("Awaited '" + what + "' and was told " + next);
    }
    return next;
  }

  List<Told> left() {
    return new ArrayList<>(told);
  }
}

package io.millrace.sim.sabotage;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Delegates to another driver. */
class DelegatingDriver implements WorkerDriver {
  private final WorkerDriver real;

  DelegatingDriver(WorkerDriver real) {
    this.real = real;
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    return real.start(events);
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    real.request(request, spec);
  }

  @Override
  public void cancel(long request) {
    real.cancel(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    real.release(worker, reason);
  }

  @Override
  public void blocked(List<String> nodes) {
    real.blocked(nodes);
  }

  @Override
  public Reason advice() {
    return real.advice();
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination ending) {
    return real.stop(ending);
  }
}

package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Workers are started by somebody else: every one of them is welcome, and it can start none. */
public final class StandaloneDriver implements WorkerDriver {
  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    return CompletableFuture.completedFuture(DriverCapabilities.standalone());
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    throw new IllegalStateException("Workers come by themselves here");
  }

  @Override
  public void cancel(long request) {
    throw new IllegalStateException("Workers come by themselves here");
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    throw new IllegalStateException("Workers go by themselves here");
  }

  @Override
  public void blocked(List<String> nodes) {
    // Nothing is started here anyway.
  }

  @Override
  public Reason advice() {
    return new MoreWorkersNeeded();
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination ending) {
    return CompletableFuture.completedFuture(null);
  }
}

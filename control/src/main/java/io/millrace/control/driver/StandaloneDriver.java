package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Starts no workers. The cluster accepts all TaskManagers that register. */
public final class StandaloneDriver implements WorkerDriver {
  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    return CompletableFuture.completedFuture(DriverCapabilities.standalone());
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    throw new IllegalStateException("The standalone driver starts no workers");
  }

  @Override
  public void cancel(long request) {
    throw new IllegalStateException("The standalone driver starts no workers");
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    throw new IllegalStateException("The standalone driver ends no workers");
  }

  @Override
  public void blocked(List<String> nodes) {
    // This driver starts no workers.
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

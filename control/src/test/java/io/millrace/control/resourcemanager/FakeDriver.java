package io.millrace.control.resourcemanager;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A driver that records requests. The test reports the events of workers. */
final class FakeDriver implements WorkerDriver {
  static final WorkerSpec SPEC = new WorkerSpec(FakeTaskManager.SLOT.times(2), 2);

  final List<Long> requests = new ArrayList<>();
  final List<WorkerSpec> specs = new ArrayList<>();
  final List<Long> cancelled = new ArrayList<>();
  final List<WorkerId> released = new ArrayList<>();
  final List<DriverTermination> stops = new ArrayList<>();
  final List<DriverCapabilities.Previous> previous = new ArrayList<>();
  Optional<CustomWorkerSizes> larger = Optional.empty();
  int most = 4;
  List<String> blockedNodes = new ArrayList<>();
  double progress;
  WorkerEvents events;

  /** Completes when the driver has started. */
  CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents receiver) {
    events = receiver;
    DriverCapabilities capabilities =
        new DriverCapabilities(
            Optional.of(
                new DriverCapabilities.Startable(SPEC, most, "fake.max-taskmanagers", larger)),
            previous);
    return ready.thenApply(started -> capabilities);
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    requests.add(request);
    specs.add(spec);
  }

  @Override
  public void cancel(long request) {
    cancelled.add(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    released.add(worker);
  }

  @Override
  public void blocked(List<String> nodes) {
    blockedNodes = nodes;
  }

  @Override
  public void progress(double share) {
    progress = share;
  }

  @Override
  public Reason advice() {
    return new DriverReason("fake.advice", "Lower the parallelism.");
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination ending) {
    stops.add(ending);
    return CompletableFuture.completedFuture(null);
  }
}

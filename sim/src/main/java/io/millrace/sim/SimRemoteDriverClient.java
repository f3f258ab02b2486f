package io.millrace.sim;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A driver that requests workers from a simulated cluster manager, with the faults of the driver.
 */
final class SimRemoteDriverClient extends SimDriverClient {
  SimRemoteDriverClient(SimDriver driver, SimProcess process) {
    super(driver, process);
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents listener) {
    CompletableFuture<DriverCapabilities> capabilities = new CompletableFuture<>();
    connect(listener);
    process()
        .schedule(
            driver().millis(100),
            "driver starts",
            () -> {
              capabilities.complete(new DriverCapabilities(startable(), previousWorkers()));
              driver().reportDraining(this);
            });
    return capabilities;
  }

  private List<DriverCapabilities.Previous> previousWorkers() {
    List<SimDriver.Started> running =
        driver().alive().stream().filter(worker -> !worker.isReleased()).toList();
    running.forEach(worker -> worker.listed(process().name()));
    return running.stream()
        .map(
            worker ->
                new DriverCapabilities.Previous(
                    new WorkerId(worker.name()), Optional.of(worker.spec())))
        .toList();
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    opened(request, spec);
    if (!isServed()) {
      send(
          driver().millis(500),
          listener -> {
            if (pending().remove(request) != null) {
              driver().countEffect("a request of a JobManager that does not lead");
              reportFailure(
                  listener,
                  request,
                  new DriverReason("sim.superseded", "Another JobManager has taken over."));
            }
          });
      return;
    }
    driver().listener().requested(spec);
    Duration time = Duration.ofMillis(200 + driver().random().nextInt(3000));
    if (!driver().failureRates().slow().isZero()) {
      time = time.plus(driver().millis((int) driver().failureRates().slow().toMillis()));
      driver().countEffect("a slow start");
    }
    boolean tooLate =
        driver().random().nextDouble() < driver().failureRates().startsAfterCancellation();
    process()
        .schedule(
            time,
            "driver begins",
            () -> {
              if (!isServed()) {
                pending().remove(request);
              } else if (pending().remove(request) != null) {
                startWorker(request, spec);
                if (driver().random().nextDouble() < driver().failureRates().overDelivers()) {
                  driver().countEffect("a worker too many");
                  startWorker(request, spec);
                }
              } else if (tooLate) {
                driver().countEffect("a worker after its request was cancelled");
                startWorker(request, spec);
              }
            });
  }

  private void startWorker(long request, WorkerSpec spec) {
    if (driver().random().nextDouble() < driver().failureRates().refuses()) {
      driver().countEffect("a refused request");
      send(
          driver().millis(5),
          listener ->
              reportFailure(
                  listener, request, new DriverReason("sim.no-room", "The machine has no room.")));
      return;
    }
    if (driver().isLarger(spec)) {
      driver().countEffect("a larger worker");
    }
    WorkerId worker = driver().nextName();
    driver().add(worker.value(), spec);
    events().ifPresent(listener -> reportStart(listener, request, worker));
    driver().boot(worker.value(), spec, false);
  }

  @Override
  public void cancel(long request) {
    cancelled(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    Optional<SimDriver.Started> running =
        driver().find(worker.value()).filter(started -> !started.isReleased());
    if (running.isPresent() && !isServed()) {
      running.get().ignoreRelease(process().name());
    } else if (running.isPresent()) {
      running.get().release();
      driver().listener().released(worker.value());
      driver()
          .simulation()
          .schedule(driver().millis(100), "driver releases", () -> driver().end(worker.value()));
    }
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination termination) {
    boolean served = isServed();
    disconnect();
    if (termination.isForGood() && served) {
      driver().terminated(termination);
      driver().alive().forEach(worker -> driver().end(worker.name()));
    }
    return CompletableFuture.completedFuture(null);
  }
}

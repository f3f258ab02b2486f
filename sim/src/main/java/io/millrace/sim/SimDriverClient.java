package io.millrace.sim;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The driver of one JobManager: the common part of both types. */
abstract class SimDriverClient implements WorkerDriver {
  private final SimDriver driver;
  private final SimProcess process;
  private final Map<Long, WorkerSpec> pending = new LinkedHashMap<>();

  /** The requests that the JobManager has not cancelled and of which it knows no outcome. */
  private final Set<Long> open = new LinkedHashSet<>();

  private Optional<WorkerEvents> events = Optional.empty();

  SimDriverClient(SimDriver driver, SimProcess process) {
    this.driver = driver;
    this.process = process;
  }

  final SimDriver driver() {
    return driver;
  }

  final SimProcess process() {
    return process;
  }

  /** The requests that are neither answered nor cancelled. */
  final Map<Long, WorkerSpec> pending() {
    return pending;
  }

  final void opened(long request, WorkerSpec spec) {
    pending.put(request, spec);
    open.add(request);
  }

  final void cancelled(long request) {
    pending.remove(request);
    open.remove(request);
  }

  final void reportStart(WorkerEvents receiver, long request, WorkerId worker) {
    open.remove(request);
    receiver.started(request, worker);
  }

  final void reportFailure(WorkerEvents receiver, long request, Reason reason) {
    if (open.remove(request)) {
      driver.listener().startFailureReported(process);
    }
    receiver.failed(request, reason);
  }

  /** The listener of the JobManager; empty if the driver is not started. */
  final Optional<WorkerEvents> events() {
    return events;
  }

  final boolean isServed() {
    return process.isAlive() && events.isPresent() && driver.serves(process);
  }

  /** Sends an event to the JobManager, unless the driver is stopped before it arrives. */
  final void send(Duration delay, Consumer<WorkerEvents> event) {
    Optional<WorkerEvents> receiver = events;
    process.schedule(
        delay,
        "driver tells",
        () -> {
          if (events.equals(receiver)) {
            events.ifPresent(event);
          }
        });
  }

  final void connect(WorkerEvents listener) {
    events = Optional.of(listener);
    driver.connect(this);
  }

  final void disconnect() {
    events = Optional.empty();
    pending.clear();
    open.clear();
    driver.disconnect(this);
  }

  final Optional<DriverCapabilities.Startable> startable() {
    SimDriver.Offer offer = driver.offer();
    return Optional.of(
        new DriverCapabilities.Startable(
            offer.spec(), offer.most(), "sim.max-workers", Optional.of(offer.larger())));
  }

  @Override
  public final void blocked(List<String> nodes) {
    // Each worker is on its own node.
  }

  @Override
  public final Reason advice() {
    return new DriverReason("sim.wait", "Wait.");
  }
}

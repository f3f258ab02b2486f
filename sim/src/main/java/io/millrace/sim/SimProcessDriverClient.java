package io.millrace.sim;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor;
import io.millrace.control.driver.process.SupervisorLoop;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The production supervisor of the driver {@code process} with simulated processes. */
final class SimProcessDriverClient extends SimDriverClient {
  private final SimProcesses processes;
  private Optional<ProcessSupervisor> supervisor = Optional.empty();

  SimProcessDriverClient(SimDriver driver, SimProcesses processes, SimProcess process) {
    super(driver, process);
    this.processes = processes;
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents listener) {
    connect(listener);
    ProcessSupervisor started =
        new ProcessSupervisor(
            processes.of(process()),
            new SimLoop(process()),
            driver()::nextName,
            new ProcessSupervisor.Patience(Duration.ofSeconds(10), Duration.ofSeconds(3)),
            new ForwardedEvents());
    supervisor = Optional.of(started);
    return started.start().thenApply(previous -> new DriverCapabilities(startable(), previous));
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    opened(request, spec);
    driver().listener().requested(spec);
    supervisor.orElseThrow().request(request, spec);
  }

  @Override
  public void cancel(long request) {
    cancelled(request);
    supervisor.orElseThrow().cancel(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    driver()
        .find(worker.value())
        .ifPresent(
            started -> {
              started.release();
              driver().listener().released(started.name());
            });
    supervisor.orElseThrow().release(worker, reason);
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination termination) {
    boolean served = isServed();
    Optional<ProcessSupervisor> stopping = supervisor;
    supervisor = Optional.empty();
    disconnect();
    if (termination.isForGood() && served) {
      driver().terminated(termination);
    }
    return stopping
        .map(each -> each.stop(termination.isForGood()))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Forwards the events of the supervisor until the driver is stopped. */
  private final class ForwardedEvents implements WorkerEvents {
    @Override
    public void started(long request, WorkerId worker) {
      pending().remove(request);
      events().ifPresent(listener -> reportStart(listener, request, worker));
    }

    @Override
    public void failed(long request, Reason reason) {
      pending().remove(request);
      events().ifPresent(listener -> reportFailure(listener, request, reason));
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {
      events()
          .ifPresent(
              listener -> {
                driver().listener().endReported(process(), worker.value());
                listener.ended(worker, reason);
              });
    }

    @Override
    public void waits(Optional<Reason> reason) {
      events().ifPresent(listener -> listener.waits(reason));
    }

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {
      events().ifPresent(listener -> listener.draining(worker, reason, within));
    }

    @Override
    public void unreliable(String node, Reason reason, Duration time) {
      events().ifPresent(listener -> listener.unreliable(node, reason, time));
    }

    @Override
    public void broken(Throwable cause) {
      if (process().isAlive()) {
        events().ifPresent(listener -> listener.broken(cause));
      }
    }
  }

  /** The thread of the supervisor. */
  private static final class SimLoop implements SupervisorLoop {
    private final SimProcess process;
    private boolean closed;

    SimLoop(SimProcess process) {
      this.process = process;
    }

    @Override
    public void execute(Runnable work) {
      schedule(Duration.ofNanos(100_000), work);
    }

    @Override
    public void schedule(Duration delay, Runnable work) {
      process.schedule(
          delay,
          "process driver",
          () -> {
            if (!closed) {
              work.run();
            }
          });
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

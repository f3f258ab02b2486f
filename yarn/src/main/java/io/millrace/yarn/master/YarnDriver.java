package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks YARN for containers and starts TaskManagers in them. A process that is YARN's
 * ApplicationMaster registers there once, so this driver serves one term only: what follows is
 * another attempt, in another process.
 */
final class YarnDriver implements WorkerDriver {
  private final ApplicationMasterContext yarn;
  private final YarnDriverSettings settings;
  private final WorkerLauncher program;
  private Optional<YarnDriverLoop> serving = Optional.empty();

  YarnDriver(ApplicationMasterContext yarn, YarnDriverSettings settings, WorkerLauncher program) {
    this.yarn = yarn;
    this.settings = settings;
    this.program = program;
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    if (serving.isPresent()) {
      throw new IllegalStateException("The driver serves already, or has");
    }
    YarnDriverLoop begun = new YarnDriverLoop(yarn, settings, program, events);
    serving = Optional.of(begun);
    return begun.start();
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    current().request(request, spec);
  }

  @Override
  public void cancel(long request) {
    current().cancel(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    current().release(worker, reason);
  }

  @Override
  public void blocked(List<String> nodes) {
    current().block(nodes);
  }

  @Override
  public Reason advice() {
    return new DriverReason(
        "yarn.application-status",
        "See what YARN gives this application: yarn application -status "
            + yarn.application()
            + ".");
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination ending) {
    return serving
        .map(one -> one.stop(ending))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private YarnDriverLoop current() {
    return serving.orElseThrow(() -> new IllegalStateException("The driver does not serve"));
  }
}

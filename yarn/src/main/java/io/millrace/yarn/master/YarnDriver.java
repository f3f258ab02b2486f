package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Env;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks YARN for containers and starts TaskManagers in them. An ApplicationMaster registers at YARN
 * once in its life, so this driver serves one term only. The next term runs in the process of the
 * next attempt.
 */
final class YarnDriver implements WorkerDriver {
  private final Env env;
  private final YarnMasterClient yarn;
  private final YarnDriverSettings settings;
  private final WorkerLauncher launcher;
  private Optional<ContainerAllocatorRunner> runner = Optional.empty();

  YarnDriver(Env env, YarnMasterClient yarn, YarnDriverSettings settings, WorkerLauncher launcher) {
    this.env = env;
    this.yarn = yarn;
    this.settings = settings;
    this.launcher = launcher;
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    if (runner.isPresent()) {
      throw new IllegalStateException("The driver was started before");
    }
    ContainerAllocatorRunner created =
        new ContainerAllocatorRunner(env, yarn, settings, launcher, events);
    runner = Optional.of(created);
    return created.start();
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    runner().request(request, spec);
  }

  @Override
  public void cancel(long request) {
    runner().cancel(request);
  }

  @Override
  public void release(WorkerId worker, Reason reason) {
    runner().release(worker, reason);
  }

  @Override
  public void blocked(List<String> nodes) {
    // Workers among them have the names of containers.
    runner().block(nodes.stream().filter(node -> !node.startsWith("container_")).toList());
  }

  @Override
  public void progress(double share) {
    runner.ifPresent(running -> running.progress(share));
  }

  @Override
  public Reason advice() {
    return new DriverReason(
        "yarn.application-status",
        "See what YARN gives this application: yarn application -status "
            + settings.application()
            + ".");
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination ending) {
    return runner
        .map(running -> running.stop(ending))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private ContainerAllocatorRunner runner() {
    return runner.orElseThrow(() -> new IllegalStateException("The driver was not started"));
  }
}

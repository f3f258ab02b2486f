package io.millrace.cluster.process;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor;
import io.millrace.control.driver.process.ProcessSupervisor.Patience;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Starts TaskManager processes on this machine, and finds them again after a restart. */
public final class ProcessDriver implements WorkerDriver {
  private final Path directory;
  private final String node;
  private final Startable startable;
  private final WorkerProgram program;
  private final Patience patience;
  private Optional<ProcessSupervisor> supervisor = Optional.empty();

  /**
   * @param directory for the files of the driver; the same after a restart, and not shared with
   *     another driver
   * @param node the name of this machine in the blocklist
   */
  public ProcessDriver(Path directory, String node, Startable startable, WorkerProgram program) {
    // A JobManager that stops has 5 s for each service, and the driver is part of one.
    this(
        directory,
        node,
        startable,
        program,
        new Patience(Duration.ofSeconds(10), Duration.ofSeconds(3)));
  }

  ProcessDriver(
      Path directory, String node, Startable startable, WorkerProgram program, Patience patience) {
    this.directory = directory;
    this.node = node;
    this.startable = startable;
    this.program = program;
    this.patience = patience;
  }

  @Override
  public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
    if (supervisor.isPresent()) {
      throw new IllegalStateException("The driver has already started");
    }
    ProcessSupervisor started =
        new ProcessSupervisor(
            new LocalProcesses(new WorkerFiles(directory), program),
            new DriverThread(),
            names(),
            patience,
            events);
    supervisor = Optional.of(started);
    return started
        .start()
        .thenApply(previous -> new DriverCapabilities(Optional.of(startable), previous));
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
    current().block(nodes.contains(node));
  }

  @Override
  public Reason advice() {
    return new DriverReason(
        "process.logs",
        "The logs of its workers are in " + directory.resolve(WorkerFiles.LOGS) + ".");
  }

  @Override
  public CompletableFuture<Void> stop(DriverTermination termination) {
    Optional<ProcessSupervisor> stopping = supervisor;
    supervisor = Optional.empty();
    return stopping
        .map(each -> each.stop(termination.isForGood()))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Names contain a random number, so that they are not reused after a restart. */
  private static Supplier<WorkerId> names() {
    byte[] random = new byte[4];
    new SecureRandom().nextBytes(random);
    String attempt = HexFormat.of().formatHex(random);
    AtomicInteger drawn = new AtomicInteger();
    return () -> new WorkerId(WorkerFiles.PREFIX + attempt + "-" + drawn.incrementAndGet());
  }

  private ProcessSupervisor current() {
    return supervisor.orElseThrow(() -> new IllegalStateException("The driver is not running"));
  }
}

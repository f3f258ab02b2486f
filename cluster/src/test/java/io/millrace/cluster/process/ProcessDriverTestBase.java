package io.millrace.cluster.process;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor.Patience;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Process drivers with shell scripts as workers, which are ended after each test. */
abstract class ProcessDriverTestBase {
  static final DriverTermination FINAL =
      new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "");

  static final WorkerSpec SPEC =
      new WorkerSpec(new ResourceProfile(2, 1 << 20, 0, 1 << 20, 1 << 20), 2);
  static final Startable STARTABLE = new Startable(SPEC, 4, "process.max-taskmanagers");

  static final String NODE = "here";

  /** Creates the file `up` when it is running, and runs until it is terminated. */
  static final String RUNS = "touch up; while :; do sleep 0.05; done";

  static final String IGNORES_SIGTERM = "trap '' TERM; " + RUNS;
  static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir Path directory;
  private final List<ProcessDriver> serving = new ArrayList<>();

  @AfterEach
  void endAll() throws Exception {
    for (ProcessDriver driver : serving) {
      driver.stop(FINAL).get(30, TimeUnit.SECONDS);
    }
    for (WorkerFiles.Living left : new WorkerFiles(directory).living()) {
      left.process().handle().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  final ProcessDriver driver(String script) {
    return driver((worker, spec, paths) -> shell(script, paths));
  }

  final ProcessDriver driver(WorkerProgram program) {
    return driver(program, new Patience(Duration.ofSeconds(10), Duration.ofSeconds(3)));
  }

  final ProcessDriver driver(WorkerProgram program, Patience patience) {
    ProcessDriver driver = new ProcessDriver(directory, NODE, STARTABLE, program, patience);
    serving.add(driver);
    return driver;
  }

  static List<String> shell(String script, WorkerFiles.WorkerPaths paths) {
    return List.of("/bin/sh", "-c", "LOG=" + paths.log() + "; " + script);
  }

  static DriverCapabilities start(ProcessDriver driver, RecordedWorkerEvents events)
      throws Exception {
    return driver.start(events).get(30, TimeUnit.SECONDS);
  }

  final List<String> living() {
    try {
      return new WorkerFiles(directory).living().stream().map(one -> one.id().value()).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  final OsProcess process(String worker) throws IOException {
    Optional<OsProcess> process = new WorkerFiles(directory).process(new WorkerId(worker));
    return process.orElseThrow();
  }

  final List<String> workerDirectories() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("workers"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(WorkerFiles.PREFIX))
          .toList();
    }
  }

  static void awaitLatch(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException("Interrupted while waiting", e);
    }
  }

  final void awaitUp(String worker) throws InterruptedException {
    Path up = directory.resolve("work").resolve(worker).resolve("up");
    Path pid = directory.resolve("workers").resolve(worker).resolve("pid");
    await(() -> Files.exists(up) && Files.exists(pid));
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within " + TIMEOUT);
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}

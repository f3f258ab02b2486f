package io.millrace.sim;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessHost;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * The operating system and the disk of a machine on which the driver starts workers as processes.
 * Both outlive the JobManager.
 */
final class SimProcesses {
  private final SimDriver driver;

  /** The worker files on the disk: the specs of prepared workers. */
  private final Map<String, WorkerSpec> prepared = new TreeMap<>();

  /** Notifies the parents of workers of their exit. */
  private final Map<String, Runnable> exitListeners = new LinkedHashMap<>();

  private Optional<SimProcess> holder = Optional.empty();
  private boolean killAtStart;
  private boolean killBefore;

  SimProcesses(SimDriver driver) {
    this.driver = driver;
  }

  void killAtStart(boolean before) {
    killAtStart = true;
    killBefore = before;
  }

  void cancelKill() {
    killAtStart = false;
  }

  /** The process of a worker has ended. */
  void ended(String worker) {
    Optional.ofNullable(exitListeners.remove(worker)).ifPresent(Runnable::run);
  }

  ProcessHost of(SimProcess jobManager) {
    return new Host(jobManager);
  }

  private final class Host implements ProcessHost {
    private final SimProcess jobManager;

    Host(SimProcess jobManager) {
      this.jobManager = jobManager;
    }

    @Override
    public void acquire() {
      if (holder.filter(SimProcess::isAlive).filter(other -> other != jobManager).isPresent()) {
        throw new IllegalStateException(holder.get() + " supervises the same workers");
      }
      holder = Optional.of(jobManager);
    }

    @Override
    public void release() {
      holder = Optional.empty();
    }

    @Override
    public List<Found> find() {
      List<Found> found = new ArrayList<>();
      for (Map.Entry<String, WorkerSpec> entry : new ArrayList<>(prepared.entrySet())) {
        String name = entry.getKey();
        if (driver.isAlive(name)) {
          driver.found(name);
          found.add(
              new Found(
                  new WorkerId(name), Optional.of(entry.getValue()), new Handle(name, false)));
        } else {
          prepared.remove(name);
        }
      }
      return found;
    }

    @Override
    public Prepared prepare(WorkerId worker, WorkerSpec spec) throws IOException {
      prepared.put(worker.value(), spec);
      if (driver.random().nextDouble() < driver.failureRates().refuses()) {
        driver.countEffect("a refused request");
        throw new IOException("No space left on device");
      }
      return exit -> start(worker.value(), spec, exit);
    }

    private WorkerProcess start(String name, WorkerSpec spec, IntConsumer exit) throws IOException {
      killIfDue(true);
      if (driver.random().nextDouble() < driver.failureRates().overDelivers() / 2) {
        driver.countEffect("a process that could not be started");
        throw new IOException("error=11, Resource temporarily unavailable");
      }
      driver.start(name, spec);
      exitListeners.put(
          name,
          () -> jobManager.schedule(driver.millis(50), "child exits", () -> exit.accept(143)));
      killIfDue(false);
      return new Handle(name, true);
    }

    private void killIfDue(boolean before) {
      if (killAtStart && killBefore == before) {
        killAtStart = false;
        driver.countEffect("a JobManager killed as it started a worker");
        jobManager.kill();
        throw new SimProcess.Killed();
      }
    }

    @Override
    public void remove(WorkerId worker) {
      prepared.remove(worker.value());
    }

    @Override
    public void removeLogs(WorkerId worker) {
      // The simulation has no logs.
    }

    @Override
    public void removeAll() {
      prepared.clear();
    }

    @Override
    public String describeExit(WorkerId worker, OptionalInt code) {
      return "its process is gone";
    }

    @Override
    public boolean isFailure(OptionalInt code) {
      return false;
    }

    @Override
    public String toString() {
      return "the simulated machine";
    }
  }

  private final class Handle implements ProcessHost.WorkerProcess {
    private final String name;
    private final boolean child;

    Handle(String name, boolean child) {
      this.name = name;
      this.child = child;
    }

    @Override
    public boolean tellsItsExit() {
      return child;
    }

    @Override
    public boolean isAlive() {
      return driver.isAlive(name);
    }

    /** One in four processes ignores SIGTERM. */
    @Override
    public void terminate() {
      if (driver.random().nextInt(4) == 0) {
        driver.countEffect("a worker that is deaf to SIGTERM");
      } else {
        driver.simulation().schedule(driver.millis(100), "process ends", () -> driver.end(name));
      }
    }

    @Override
    public void kill() {
      driver.simulation().schedule(Duration.ZERO, "process killed", () -> driver.end(name));
    }
  }
}

package io.millrace.sim;

import io.millrace.control.driver.Ending;
import io.millrace.control.driver.LargerWorkers;
import io.millrace.control.driver.Supply;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Starts TaskManagers in a {@link Simulation}, as slowly and as badly as it is told. Its processes
 * outlive the JobManager, like those of a real driver.
 */
public final class SimDriver implements WorkerDriver {
  private final SimCluster cluster;
  private final Habits habits;
  private final Random random;
  private final TreeSet<Long> requested = new TreeSet<>();
  private final Map<String, WorkerSpec> alive = new TreeMap<>();

  /** Released and not gone yet: they count until they are. */
  private final TreeSet<String> released = new TreeSet<>();

  /** Cancelled too late and not released yet: nobody who asks for others knows of them. */
  private final TreeSet<String> stray = new TreeSet<>();

  private final Map<Long, String> begun = new LinkedHashMap<>();
  private final TreeSet<WorkerSpec> asked = new TreeSet<>();
  private Optional<WorkerEvents> listener = Optional.empty();
  private int started;
  private int term;

  /**
   * @param larger those it starts beside its usual workers
   * @param failing how likely a request fails
   * @param stillborn how likely a process starts and never registers
   * @param dying how likely a process ends soon after its start
   */
  public record Habits(
      WorkerSpec spec,
      int most,
      Optional<LargerWorkers> larger,
      double failing,
      double stillborn,
      double dying,
      SimTaskHost.Behaviour tasks) {
    /** Of one size only. */
    public Habits(
        WorkerSpec spec,
        int most,
        double failing,
        double stillborn,
        double dying,
        SimTaskHost.Behaviour tasks) {
      this(spec, most, Optional.empty(), failing, stillborn, dying, tasks);
    }
  }

  SimDriver(SimCluster cluster, Habits habits) {
    this.cluster = cluster;
    this.habits = habits;
    this.random = cluster.simulation().random("driver");
  }

  @Override
  public CompletableFuture<Supply> start(WorkerEvents events) {
    listener = Optional.of(events);
    // Whoever begins now has not heard of these.
    stray.addAll(released);
    released.clear();
    // What was not begun has ended with the process that asked for it.
    term++;
    requested.clear();
    begun.clear();
    List<Supply.Previous> previous = new ArrayList<>();
    alive.forEach(
        (name, spec) -> previous.add(new Supply.Previous(new WorkerId(name), Optional.of(spec))));
    return CompletableFuture.completedFuture(
        new Supply(
            Optional.of(
                new Supply.Startable(
                    habits.spec(), habits.most(), "sim.max-workers", habits.larger())),
            previous));
  }

  @Override
  public void request(long request, WorkerSpec spec) {
    requested.add(request);
    asked.add(spec);
    int asking = term;
    if (requested.size() + alive.size() + released.size() > habits.most()) {
      throw new AssertionError(
          "More workers than allowed: " + requested.size() + " asked for, " + alive() + " there");
    }
    later(
        Duration.ofMillis(200 + random.nextInt(3000)),
        "driver/request",
        () -> {
          if (asking == term && requested.remove(request)) {
            begin(request, spec);
          }
        });
  }

  private void begin(long request, WorkerSpec spec) {
    if (random.nextDouble() < habits.failing()) {
      listener.ifPresent(events -> events.failed(request, "The machine has no room."));
      return;
    }
    String name = "elastic-" + ++started;
    alive.put(name, spec);
    begun.put(request, name);
    listener.ifPresent(events -> events.started(request, new WorkerId(name)));
    if (random.nextDouble() < habits.stillborn()) {
      return;
    }
    cluster.startWorker(name, spec, habits.tasks());
    if (random.nextDouble() < habits.dying()) {
      later(Duration.ofMillis(random.nextInt(500)), "driver/dies", () -> kill(name));
    }
  }

  @Override
  public void cancel(long request) {
    requested.remove(request);
    // Too late for one that has begun: it counts no longer and is released when its name is heard.
    Optional.ofNullable(begun.get(request))
        .filter(name -> alive.remove(name) != null)
        .ifPresent(stray::add);
  }

  @Override
  public void release(WorkerId worker, String reason) {
    if (alive.remove(worker.value()) != null || stray.remove(worker.value())) {
      released.add(worker.value());
      later(Duration.ofMillis(random.nextInt(100)), "driver/release", () -> kill(worker.value()));
    }
  }

  @Override
  public void blocked(List<String> nodes) {
    // All workers are on nodes of their own.
  }

  @Override
  public String advice() {
    return "Wait.";
  }

  @Override
  public CompletableFuture<Void> stop(Ending ending) {
    listener = Optional.empty();
    requested.clear();
    if (ending.isForGood()) {
      alive().forEach(this::kill);
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Workers whose processes are there now. */
  public List<String> alive() {
    List<String> all = new ArrayList<>(alive.keySet());
    all.addAll(released);
    all.addAll(stray);
    return all;
  }

  /** What kinds of workers it was ever asked for. */
  public List<WorkerSpec> asked() {
    return new ArrayList<>(asked);
  }

  /** Ends a worker's process; the driver notices. */
  public void kill(String name) {
    if (alive.remove(name) != null || released.remove(name) || stray.remove(name)) {
      cluster.killWorker(name);
      listener.ifPresent(events -> events.ended(new WorkerId(name), "It was killed."));
    }
  }

  private void later(Duration delay, String what, Runnable action) {
    cluster.simulation().schedule(delay.toNanos(), what, action);
  }
}

package io.millrace.sim;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Starts and ends the workers of an elastic cluster, with injected faults. Its processes outlive
 * the JobManager, like those of a real driver. Each JobManager has its own {@link WorkerDriver}.
 * Only the leader is served, as a cluster manager serves one attempt of an application.
 */
public final class SimDriver {
  /**
   * The workers that the driver can start.
   *
   * @param most the maximum number of workers
   * @param larger the limits of workers larger than {@code spec}
   */
  public record Offer(WorkerSpec spec, int most, CustomWorkerSizes larger) {}

  /**
   * The faults of the driver; all except {@code slow} are probabilities.
   *
   * @param slow the maximum additional time of a start
   * @param refuses a request fails
   * @param neverRegisters a process starts and never registers
   * @param crashes a process ends soon after its start
   * @param overDelivers a request starts two workers
   * @param startsAfterCancellation a cancelled request starts its worker
   * @param endReportedLate the end of a process is reported when this fault is over
   * @param endNotReported the end of a process is never reported
   */
  public record FailureRates(
      Duration slow,
      double refuses,
      double neverRegisters,
      double crashes,
      double overDelivers,
      double startsAfterCancellation,
      double endReportedLate,
      double endNotReported) {
    /** No faults. */
    public static final FailureRates NONE = new FailureRates(Duration.ZERO, 0, 0, 0, 0, 0, 0, 0);
  }

  /** Receives what JobManagers and their drivers tell each other. */
  public interface Listener {
    void requested(WorkerSpec spec);

    /** A JobManager releases a worker. */
    void released(String worker);

    /** The driver reports the end of a worker to a JobManager. */
    void endReported(SimProcess jobManager, String worker);

    /** The driver reports to a JobManager that a request which is still open has failed. */
    void startFailureReported(SimProcess jobManager);

    /** The driver announces to a JobManager that a worker will be taken away within a time. */
    void drainingReported(SimProcess jobManager, String worker, Duration within);
  }

  /** Starts and ends the processes of workers. */
  public interface Machines {
    /** Whether this JobManager leads and may start and end workers. */
    boolean serves(SimProcess jobManager);

    void start(String worker, WorkerSpec spec);

    void end(String worker);
  }

  /** A worker whose process runs. */
  public static final class Started {
    private final String name;
    private final WorkerSpec spec;
    private boolean released;

    /** The JobManagers whose releases were ignored, because they did not lead any more. */
    private final Set<String> ignoredReleases = new TreeSet<>();

    Started(String name, WorkerSpec spec) {
      this.name = name;
      this.spec = spec;
    }

    public String name() {
      return name;
    }

    WorkerSpec spec() {
      return spec;
    }

    void release() {
      released = true;
    }

    /** Whether a JobManager has released it. */
    public boolean isReleased() {
      return released;
    }

    /** A JobManager has released it that does not lead any more. */
    void ignoreRelease(String jobManager) {
      ignoredReleases.add(jobManager);
    }

    /** The driver has listed it to a JobManager whose ResourceManager starts. */
    void listed(String jobManager) {
      ignoredReleases.remove(jobManager);
    }

    /** Whether this JobManager has released it and did not know that it does not lead any more. */
    public boolean isReleaseIgnored(String jobManager) {
      return ignoredReleases.contains(jobManager);
    }
  }

  /** The type of the driver. */
  public enum Type {
    /** Requests workers from a simulated cluster manager, as the driver of YARN does. */
    REMOTE,
    /** The production driver that starts processes on the machine of the JobManager. */
    PROCESS
  }

  private final Simulation simulation;
  private final Offer offer;
  private final Machines machines;
  private final Random random;
  private final Type type;
  private final Map<String, Started> alive = new TreeMap<>();

  /** The processes and files of workers, if the type is {@link Type#PROCESS}. */
  private final SimProcesses processes = new SimProcesses(this);

  /** Workers whose end is not reported until a fault is over. */
  private final List<String> unreported = new ArrayList<>();

  /** Until when the workers run that will be taken away, as it was announced. */
  private final Map<String, Long> draining = new TreeMap<>();

  private final List<SimDriverClient> clients = new ArrayList<>();
  private Listener listener =
      new Listener() {
        @Override
        public void requested(WorkerSpec spec) {}

        @Override
        public void released(String worker) {}

        @Override
        public void endReported(SimProcess jobManager, String worker) {}

        @Override
        public void startFailureReported(SimProcess jobManager) {}

        @Override
        public void drainingReported(SimProcess jobManager, String worker, Duration within) {}
      };
  private FailureRates failureRates = FailureRates.NONE;
  private Optional<DriverTermination> termination = Optional.empty();
  private int started;
  private final Map<String, Integer> effects = new TreeMap<>();

  public SimDriver(Simulation simulation, Type type, Offer offer, Machines machines) {
    this.simulation = simulation;
    this.type = type;
    this.offer = offer;
    this.machines = machines;
    this.random = simulation.random("driver");
  }

  public Offer offer() {
    return offer;
  }

  /**
   * Sets the faults. If ends of workers are not delayed any more, the delayed ones are reported.
   */
  public void failureRates(FailureRates now) {
    failureRates = now;
    if (now.endReportedLate() == 0) {
      unreported.forEach(this::reportEnd);
      unreported.clear();
    }
  }

  public void listener(Listener listener) {
    this.listener = listener;
  }

  /** How often each fault and each rare event has occurred. */
  public Map<String, Integer> effects() {
    return effects;
  }

  /** The driver of one JobManager. */
  public WorkerDriver of(SimProcess process) {
    return type == Type.PROCESS
        ? new SimProcessDriverClient(this, processes, process)
        : new SimRemoteDriverClient(this, process);
  }

  public Type type() {
    return type;
  }

  /** Kills the JobManager before or after it starts the next process. */
  public void killAtStart(boolean before) {
    processes.killAtStart(before);
  }

  /** Cancels {@link #killAtStart}. */
  public void cancelKill() {
    processes.cancelKill();
  }

  /** Workers whose processes run. */
  public List<Started> alive() {
    return new ArrayList<>(alive.values());
  }

  /** The number of pending requests of the leader. */
  public int requested() {
    return (int) requests().count();
  }

  /** The number of requested and running workers of a size, without released ones. */
  public int wanted(WorkerSpec spec) {
    return (int)
        (requests().filter(spec::equals).count()
            + alive.values().stream()
                .filter(worker -> !worker.released && worker.spec.equals(spec))
                .count());
  }

  private Stream<WorkerSpec> requests() {
    return clients.stream()
        .filter(SimDriverClient::isServed)
        .flatMap(client -> client.pending().values().stream());
  }

  /** How the application has ended, if it has. */
  public Optional<DriverTermination> ending() {
    return termination;
  }

  /**
   * The process of a worker has ended for any reason. Reports it, as far as no fault prevents it.
   */
  public void gone(String name) {
    draining.remove(name);
    Started lost = alive.remove(name);
    if (lost == null) {
      return;
    }
    if (type == Type.PROCESS) {
      processes.ended(name);
      return;
    }
    if (isLarger(lost.spec) && !lost.released) {
      countEffect("a larger worker lost");
    }
    if (random.nextDouble() < failureRates.endNotReported()) {
      countEffect("an end never told");
      return;
    }
    if (random.nextDouble() < failureRates.endReportedLate()) {
      countEffect("an end not told");
      unreported.add(name);
      return;
    }
    reportEnd(name);
  }

  /** Reports the end of a worker whose process may still run. */
  public void reportEnded(String name) {
    if (type == Type.PROCESS) {
      throw new IllegalStateException("An operating system knows which of its processes run");
    }
    draining.remove(name);
    alive.remove(name);
    reportEnd(name);
  }

  /** Announces that a worker will be taken away, now and to each JobManager that starts later. */
  public void drain(String name, Duration within) {
    draining.put(name, simulation.nanos() + within.toNanos());
    clients.forEach(client -> reportDraining(client, name));
  }

  /** Announces to a JobManager that has just started which workers will be taken away. */
  void reportDraining(SimDriverClient client) {
    draining.keySet().forEach(name -> reportDraining(client, name));
  }

  private void reportDraining(SimDriverClient client, String name) {
    client.send(
        millis(50),
        events -> {
          Long until = draining.get(name);
          if (until != null) {
            Duration left = Duration.ofNanos(Math.max(0, until - simulation.nanos()));
            listener.drainingReported(client.process(), name, left);
            events.draining(
                new WorkerId(name),
                new DriverReason("sim.node-leaves", "Its machine is shut down."),
                left);
          }
        });
  }

  private void reportEnd(String name) {
    for (SimDriverClient client : clients) {
      client.send(
          millis(50),
          events -> {
            listener.endReported(client.process(), name);
            events.ended(
                new WorkerId(name), new DriverReason("sim.process-gone", "Its process is gone."));
          });
    }
  }

  // --- used by the clients and the processes

  Simulation simulation() {
    return simulation;
  }

  Random random() {
    return random;
  }

  FailureRates failureRates() {
    return failureRates;
  }

  Listener listener() {
    return listener;
  }

  WorkerId nextName() {
    return new WorkerId("elastic-" + ++started);
  }

  boolean serves(SimProcess jobManager) {
    return machines.serves(jobManager);
  }

  void connect(SimDriverClient client) {
    clients.removeIf(other -> !other.process().isAlive());
    clients.add(client);
    if (alive.values().stream().anyMatch(worker -> isLarger(worker.spec) && !worker.released)) {
      countEffect("a larger worker of an earlier JobManager");
    }
  }

  void disconnect(SimDriverClient client) {
    clients.remove(client);
  }

  void terminated(DriverTermination how) {
    termination = Optional.of(how);
  }

  /** A later JobManager has found a worker. It does not know whether the worker was released. */
  void found(String worker) {
    countEffect("a worker found by a later JobManager");
    alive.get(worker).released = false;
  }

  Optional<Started> find(String worker) {
    return Optional.ofNullable(alive.get(worker));
  }

  boolean isAlive(String worker) {
    return alive.containsKey(worker);
  }

  boolean isLarger(WorkerSpec spec) {
    return !spec.equals(offer.spec());
  }

  Duration millis(int most) {
    return Duration.ofMillis(random.nextInt(most));
  }

  void countEffect(String what) {
    effects.merge(what, 1, Integer::sum);
  }

  /** Registers a worker whose process is started with {@link #boot}. */
  void add(String name, WorkerSpec spec) {
    alive.put(name, new Started(name, spec));
  }

  /** Starts the process of a prepared worker. */
  void start(String name, WorkerSpec spec) {
    if (isLarger(spec)) {
      countEffect("a larger worker");
    }
    add(name, spec);
    boot(name, spec, true);
  }

  /**
   * @param slowly whether {@link FailureRates#slow} delays the start
   */
  void boot(String name, WorkerSpec spec, boolean slowly) {
    if (random.nextDouble() < failureRates.neverRegisters()) {
      countEffect("a worker that never registers");
      return;
    }
    Duration slow =
        slowly && !failureRates.slow().isZero()
            ? millis((int) failureRates.slow().toMillis())
            : Duration.ZERO;
    simulation.schedule(
        millis(800).plus(slow),
        "worker boots",
        () -> {
          if (alive.containsKey(name)) {
            machines.start(name, spec);
          }
        });
    if (random.nextDouble() < failureRates.crashes()) {
      countEffect("a worker that dies early");
      simulation.schedule(millis(2000), "worker dies", () -> end(name));
    }
  }

  void end(String name) {
    if (alive.containsKey(name)) {
      machines.end(name);
      gone(name);
    }
  }
}

package io.millrace.sim;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor;
import io.millrace.control.driver.process.SupervisorLoop;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Where the workers of an elastic cluster come from, as slowly and as badly as it is told. Its
 * processes outlive the JobManager, like those of a real driver; each JobManager reaches it through
 * a {@link WorkerDriver} of its own. It serves the one that leads and nobody else, as a cluster
 * manager serves one attempt of an application.
 */
public final class SimDriver {
  /**
   * What a driver can do.
   *
   * @param larger workers it starts beside its usual ones
   */
  public record Offer(WorkerSpec spec, int most, CustomWorkerSizes larger) {}

  /**
   * How badly it does it; all are chances between 0 and 1.
   *
   * @param slow how much longer a start may take
   * @param refuses a request fails
   * @param stillborn a process starts and never registers
   * @param dies a process ends soon after its start
   * @param overDelivers a request brings two workers
   * @param tooLate a cancelled request brings its worker all the same
   * @param unnoticed the end of a process is not told while this lasts
   * @param untold the end of a process is never told
   */
  public record Mood(
      Duration slow,
      double refuses,
      double stillborn,
      double dies,
      double overDelivers,
      double tooLate,
      double unnoticed,
      double untold) {
    public static final Mood GOOD = new Mood(Duration.ZERO, 0, 0, 0, 0, 0, 0, 0);
  }

  /** Sees what a JobManager and its driver say to each other. */
  public interface Witness {
    void requested(WorkerSpec spec);

    /** A worker is told to go. */
    void released(String worker);

    /** A JobManager hears that a worker is gone. */
    void endTold(SimProcess jobManager, String worker);
  }

  /** Starts and ends the processes. */
  public interface Machines {
    /** Whether it is this JobManager that may have workers started and ended. */
    boolean serves(SimProcess jobManager);

    void start(String worker, WorkerSpec spec);

    void end(String worker);
  }

  /** A process that was started and is not gone. */
  public static final class Started {
    private final String name;
    private final WorkerSpec spec;
    private boolean released;

    Started(String name, WorkerSpec spec) {
      this.name = name;
      this.spec = spec;
    }

    public String name() {
      return name;
    }

    /** Whether it was told to go. */
    public boolean isReleased() {
      return released;
    }
  }

  private final Simulation simulation;
  private final Offer offer;
  private final Machines machines;
  private final Random random;
  private final Type type;
  private final Map<String, Started> alive = new TreeMap<>();

  /** What is kept of workers on the disk, where the driver supervises processes. */
  private final SimProcesses processes = new SimProcesses(this);

  private final List<String> untold = new ArrayList<>();
  private final List<JobManagerSide> clients = new ArrayList<>();
  private Witness witness =
      new Witness() {
        @Override
        public void requested(WorkerSpec spec) {}

        @Override
        public void released(String worker) {}

        @Override
        public void endTold(SimProcess jobManager, String worker) {}
      };
  private Mood mood = Mood.GOOD;
  private Optional<DriverTermination> ending = Optional.empty();
  private int started;
  private final Map<String, Integer> habits = new TreeMap<>();

  /** What kind of driver it is. */
  public enum Type {
    /** One that asks somebody else for workers, as that of YARN does, with bad habits. */
    REMOTE,
    /** The one of production that starts processes on the machine of the JobManager. */
    PROCESS
  }

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

  /** One that no longer keeps ends to itself tells of those that it did, as a new listing would. */
  public void mood(Mood now) {
    mood = now;
    if (now.unnoticed() == 0) {
      untold.forEach(this::tellOfEnd);
      untold.clear();
    }
  }

  /** Tells somebody what is said. */
  public void witness(Witness witness) {
    this.witness = witness;
  }

  /** How often it did what it should not, or does not usually. */
  public Map<String, Integer> habits() {
    return habits;
  }

  /** The driver as one JobManager has it. */
  public WorkerDriver of(SimProcess process) {
    return type == Type.PROCESS ? new SupervisedClient(process) : new Client(process);
  }

  public Type type() {
    return type;
  }

  /** The JobManager is killed right before or right after it next starts a process. */
  public void killAtStart(boolean before) {
    processes.killAtStart(before);
  }

  /** It lives on. */
  public void spare() {
    processes.spare();
  }

  Simulation simulation() {
    return simulation;
  }

  Random random() {
    return random;
  }

  Mood mood() {
    return mood;
  }

  WorkerId nextName() {
    return new WorkerId("elastic-" + ++started);
  }

  /** A later JobManager has found a worker, and does not know whether it was told to go. */
  void found(String worker) {
    habit("a worker found by a later JobManager");
    alive.get(worker).released = false;
  }

  boolean isAlive(String worker) {
    return alive.containsKey(worker);
  }

  /** Workers whose processes are there now. */
  public List<Started> alive() {
    return new ArrayList<>(alive.values());
  }

  /** Requests of the JobManager that leads that were neither answered nor cancelled. */
  public int requested() {
    return (int) requests().count();
  }

  /** Workers of a size that are there or on their way, without those that were told to go. */
  public int wanted(WorkerSpec spec) {
    return (int)
        (requests().filter(spec::equals).count()
            + alive.values().stream()
                .filter(worker -> !worker.released && worker.spec.equals(spec))
                .count());
  }

  private Stream<WorkerSpec> requests() {
    return clients.stream()
        .filter(JobManagerSide::isServed)
        .flatMap(client -> client.open.values().stream());
  }

  /** How the application was said to have ended. */
  public Optional<DriverTermination> ending() {
    return ending;
  }

  /** A process is gone, for whatever reason; the JobManager is told in time, if at all. */
  public void gone(String name) {
    Started lost = alive.remove(name);
    if (lost == null) {
      return;
    }
    if (type == Type.PROCESS) {
      processes.ended(name);
      return;
    }
    if (isLarger(lost.spec) && !lost.released) {
      habit("a larger worker lost");
    }
    if (random.nextDouble() < mood.untold()) {
      habit("an end never told");
      return;
    }
    if (random.nextDouble() < mood.unnoticed()) {
      habit("an end not told");
      untold.add(name);
      return;
    }
    tellOfEnd(name);
  }

  /**
   * Takes a process for gone which may not be; what becomes of it is not this driver's business.
   */
  public void countOut(String name) {
    if (type == Type.PROCESS) {
      throw new IllegalStateException("An operating system knows which of its processes live");
    }
    alive.remove(name);
    tellOfEnd(name);
  }

  private void tellOfEnd(String name) {
    for (JobManagerSide client : clients) {
      client.tell(
          millis(50),
          events -> {
            witness.endTold(client.process, name);
            events.ended(
                new WorkerId(name), new DriverReason("sim.process-gone", "Its process is gone."));
          });
    }
  }

  Duration millis(int most) {
    return Duration.ofMillis(random.nextInt(most));
  }

  private boolean isLarger(WorkerSpec spec) {
    return !spec.equals(offer.spec());
  }

  void habit(String what) {
    habits.merge(what, 1, Integer::sum);
  }

  void end(String name) {
    if (alive.containsKey(name)) {
      machines.end(name);
      gone(name);
    }
  }

  private interface News {
    void to(WorkerEvents events);
  }

  /** What both kinds of drivers have in a JobManager. */
  private abstract class JobManagerSide implements WorkerDriver {
    final SimProcess process;
    final Map<Long, WorkerSpec> open = new LinkedHashMap<>();
    Optional<WorkerEvents> events = Optional.empty();

    JobManagerSide(SimProcess process) {
      this.process = process;
    }

    boolean isServed() {
      return process.isAlive() && events.isPresent() && machines.serves(process);
    }

    void tell(Duration delay, News news) {
      Optional<WorkerEvents> now = events;
      process.schedule(
          delay,
          "driver tells",
          () -> {
            if (events.equals(now)) {
              events.ifPresent(news::to);
            }
          });
    }

    void serve(WorkerEvents listener) {
      clients.removeIf(client -> !client.process.isAlive());
      clients.add(this);
      events = Optional.of(listener);
      if (alive.values().stream().anyMatch(worker -> isLarger(worker.spec) && !worker.released)) {
        habit("a larger worker of an earlier JobManager");
      }
    }

    Optional<DriverCapabilities.Startable> startable() {
      return Optional.of(
          new DriverCapabilities.Startable(
              offer.spec(), offer.most(), "sim.max-workers", Optional.of(offer.larger())));
    }

    @Override
    public void blocked(List<String> nodes) {
      // All workers are on nodes of their own.
    }

    @Override
    public Reason advice() {
      return new DriverReason("sim.wait", "Wait.");
    }
  }

  private final class Client extends JobManagerSide {
    Client(SimProcess process) {
      super(process);
    }

    @Override
    public CompletableFuture<DriverCapabilities> start(WorkerEvents listener) {
      CompletableFuture<DriverCapabilities> supply = new CompletableFuture<>();
      serve(listener);
      process.schedule(
          millis(100),
          "driver starts",
          () ->
              supply.complete(
                  new DriverCapabilities(
                      startable(),
                      alive.values().stream()
                          .filter(worker -> !worker.released)
                          .map(
                              worker ->
                                  new DriverCapabilities.Previous(
                                      new WorkerId(worker.name), Optional.of(worker.spec)))
                          .toList())));
      return supply;
    }

    @Override
    public void request(long request, WorkerSpec spec) {
      open.put(request, spec);
      if (!isServed()) {
        tell(
            millis(500),
            listener -> {
              if (open.remove(request) != null) {
                habit("a request of a JobManager that does not lead");
                listener.failed(
                    request,
                    new DriverReason("sim.superseded", "Another JobManager has taken over."));
              }
            });
        return;
      }
      witness.requested(spec);
      Duration time = Duration.ofMillis(200 + random.nextInt(3000));
      if (!mood.slow().isZero()) {
        time = time.plus(millis((int) mood.slow().toMillis()));
        habit("a slow start");
      }
      boolean tooLate = random.nextDouble() < mood.tooLate();
      process.schedule(
          time,
          "driver begins",
          () -> {
            if (!isServed()) {
              open.remove(request);
            } else if (open.remove(request) != null) {
              begin(request, spec);
              if (random.nextDouble() < mood.overDelivers()) {
                habit("a worker too many");
                begin(request, spec);
              }
            } else if (tooLate) {
              habit("a worker after its request was cancelled");
              begin(request, spec);
            }
          });
    }

    private void begin(long request, WorkerSpec spec) {
      if (random.nextDouble() < mood.refuses()) {
        habit("a refused request");
        tell(
            millis(5),
            events ->
                events.failed(
                    request, new DriverReason("sim.no-room", "The machine has no room.")));
        return;
      }
      if (isLarger(spec)) {
        habit("a larger worker");
      }
      String name = nextName().value();
      alive.put(name, new Started(name, spec));
      events.ifPresent(listener -> listener.started(request, new WorkerId(name)));
      if (random.nextDouble() < mood.stillborn()) {
        habit("a worker that never registers");
        return;
      }
      simulation.schedule(
          millis(800),
          "worker boots",
          () -> {
            if (alive.containsKey(name)) {
              machines.start(name, spec);
            }
          });
      if (random.nextDouble() < mood.dies()) {
        habit("a worker that dies early");
        simulation.schedule(millis(2000), "worker dies", () -> end(name));
      }
    }

    @Override
    public void cancel(long request) {
      open.remove(request);
    }

    @Override
    public void release(WorkerId worker, Reason reason) {
      Started known = alive.get(worker.value());
      if (known != null && !known.released && isServed()) {
        known.released = true;
        witness.released(known.name);
        simulation.schedule(millis(100), "driver releases", () -> end(worker.value()));
      }
    }

    @Override
    public CompletableFuture<Void> stop(DriverTermination how) {
      boolean served = isServed();
      events = Optional.empty();
      open.clear();
      clients.remove(this);
      if (how.isForGood() && served) {
        ending = Optional.of(how);
        alive().forEach(worker -> end(worker.name));
      }
      return CompletableFuture.completedFuture(null);
    }
  }

  /** Runs the process of a worker that was prepared. */
  void begin(String name, WorkerSpec spec) {
    if (isLarger(spec)) {
      habit("a larger worker");
    }
    alive.put(name, new Started(name, spec));
    if (random.nextDouble() < mood.stillborn()) {
      habit("a worker that never registers");
      return;
    }
    Duration slow = mood.slow().isZero() ? Duration.ZERO : millis((int) mood.slow().toMillis());
    simulation.schedule(
        millis(800).plus(slow),
        "worker boots",
        () -> {
          if (alive.containsKey(name)) {
            machines.start(name, spec);
          }
        });
    if (random.nextDouble() < mood.dies()) {
      habit("a worker that dies early");
      simulation.schedule(millis(2000), "worker dies", () -> end(name));
    }
  }

  /** The supervisor of production, whose processes are simulated. */
  private final class SupervisedClient extends JobManagerSide {
    private Optional<ProcessSupervisor> supervisor = Optional.empty();

    SupervisedClient(SimProcess process) {
      super(process);
    }

    @Override
    public CompletableFuture<DriverCapabilities> start(WorkerEvents listener) {
      serve(listener);
      ProcessSupervisor begun =
          new ProcessSupervisor(
              processes.of(process),
              new SimLoop(process),
              SimDriver.this::nextName,
              new ProcessSupervisor.Patience(Duration.ofSeconds(10), Duration.ofSeconds(3)),
              new Told());
      supervisor = Optional.of(begun);
      return begun.start().thenApply(previous -> new DriverCapabilities(startable(), previous));
    }

    @Override
    public void request(long request, WorkerSpec spec) {
      open.put(request, spec);
      witness.requested(spec);
      supervisor.orElseThrow().request(request, spec);
    }

    @Override
    public void cancel(long request) {
      open.remove(request);
      supervisor.orElseThrow().cancel(request);
    }

    @Override
    public void release(WorkerId worker, Reason reason) {
      Started known = alive.get(worker.value());
      if (known != null) {
        known.released = true;
        witness.released(known.name);
      }
      supervisor.orElseThrow().release(worker, reason);
    }

    @Override
    public CompletableFuture<Void> stop(DriverTermination how) {
      boolean served = isServed();
      Optional<ProcessSupervisor> now = supervisor;
      supervisor = Optional.empty();
      events = Optional.empty();
      open.clear();
      clients.remove(this);
      if (how.isForGood() && served) {
        ending = Optional.of(how);
      }
      return now.map(one -> one.stop(how.isForGood()))
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /** Passes on what the supervisor tells, as long as somebody hears it. */
    private final class Told implements WorkerEvents {
      @Override
      public void started(long request, WorkerId worker) {
        open.remove(request);
        events.ifPresent(listener -> listener.started(request, worker));
      }

      @Override
      public void failed(long request, Reason reason) {
        open.remove(request);
        events.ifPresent(listener -> listener.failed(request, reason));
      }

      @Override
      public void ended(WorkerId worker, Reason reason) {
        events.ifPresent(
            listener -> {
              witness.endTold(process, worker.value());
              listener.ended(worker, reason);
            });
      }

      @Override
      public void waits(Optional<Reason> reason) {
        events.ifPresent(listener -> listener.waits(reason));
      }

      @Override
      public void broken(Throwable cause) {
        if (process.isAlive()) {
          events.ifPresent(listener -> listener.broken(cause));
        }
      }
    }
  }

  /** The thread of a supervisor. */
  private record SimLoop(SimProcess process, boolean[] closed) implements SupervisorLoop {
    SimLoop(SimProcess process) {
      this(process, new boolean[1]);
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
            if (!closed[0]) {
              work.run();
            }
          });
    }

    @Override
    public void close() {
      closed[0] = true;
    }
  }
}

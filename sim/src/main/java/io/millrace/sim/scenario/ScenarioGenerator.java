package io.millrace.sim.scenario;

import io.millrace.core.config.ClaimMode;
import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDriver;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.Scenario.StoreType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Draws a scenario from a seed. */
final class ScenarioGenerator {
  static final int WINDOW_MILLIS = 45_000;

  private final long seed;
  private final ScenarioKind kind;
  private final Random random;

  /** For what was added later, so that all other draws stay as they were. */
  private final Random later;

  /** For the graphs of jobs, their jars and the configured minimums, for the same reason. */
  private final Random shapes;

  ScenarioGenerator(long seed, ScenarioKind kind) {
    this.seed = seed;
    this.kind = kind;
    this.random = new Random(seed * 31 + kind.word().hashCode());
    this.later = new Random(seed * 37 + kind.word().hashCode());
    this.shapes = new Random(seed * 41 + kind.word().hashCode());
  }

  Scenario scenario() {
    Shape shape = withDriver(onStore(shape()));
    Configuration usual = configuration();
    List<SimJob> jobs = jobs(shape);
    Random latest = new Random(seed * 59 + kind.word().hashCode());
    Configuration configuration = withTimeouts(withMinimum(usual, shape, jobs), latest);
    quicken(jobs, latest);
    CheckpointOptionsGenerator.takeCheckpoints(
        jobs, new Random(seed * 61 + kind.word().hashCode()));
    Random queue = new Random(seed * 67 + kind.word().hashCode());
    boolean queues = queue(shape, jobs, queue);
    FaultGenerator drawing = new FaultGenerator(kind, shape, random);
    List<Fault> faults = drawing.faults(WINDOW_MILLIS);
    int drawn = queues ? jobs.size() - 1 : jobs.size();
    ClientActionGenerator clients = new ClientActionGenerator(shape, random, WINDOW_MILLIS);
    List<ClientAction> acts = clients.aimed(clients.actions(drawn), faults, drawn);
    ClientActionGenerator.blockAgain(acts, latest);
    if (queues) {
      acts.add(new ClientAction.Submit(millis(queue.nextInt(12_000)), jobs.size() - 1));
      acts.sort(Comparator.comparing(ClientAction::at));
    }
    loseNode(shape, faults);
    tieToClients(jobs, acts);
    faults.addAll(drawing.more(new Random(seed * 43 + kind.word().hashCode()), WINDOW_MILLIS));
    faults.addAll(
        drawing.moreStill(new Random(seed * 53 + kind.word().hashCode()), acts, WINDOW_MILLIS));
    Random moments = new Random(seed * 61 + kind.word().hashCode());
    ClientActionGenerator.deleteResults(jobs, acts, moments, WINDOW_MILLIS);
    faults.addAll(
        new TriggeredFaultGenerator(kind, shape, moments).faults(acts, queues, WINDOW_MILLIS));
    faults.addAll(
        new TriggeredFaultGenerator(kind, shape, new Random(seed * 71 + kind.word().hashCode()))
            .lostCalls(acts));
    Random state = new Random(seed * 73 + kind.word().hashCode());
    CheckpointOptionsGenerator.tolerateFewFailures(jobs, state);
    CheckpointOptionsGenerator.lengthenIntervals(
        jobs, new Random(seed * 79 + kind.word().hashCode()));
    Random stops = new Random(seed * 83 + kind.word().hashCode());
    resume(jobs, acts, drawn, state, stops);
    stop(jobs, acts, drawn, stops);
    faults.addAll(
        new TriggeredFaultGenerator(kind, shape, new Random(seed * 97 + kind.word().hashCode()))
            .lostOutcomes(acts));
    CheckpointFaultGenerator checkpoints = new CheckpointFaultGenerator(kind, shape);
    checkpoints.staleCheckpoint(jobs, faults, state);
    CheckpointOptionsGenerator.retainThree(jobs, new Random(seed * 89 + kind.word().hashCode()));
    CheckpointOptionsGenerator.overlap(jobs, new Random(seed * 101 + kind.word().hashCode()));
    configuration = keepTasks(configuration, new Random(seed * 103 + kind.word().hashCode()));
    checkpoints.damagedCheckpoint(jobs, faults, state);
    faults.addAll(
        new TriggeredFaultGenerator(kind, shape, new Random(seed * 107 + kind.word().hashCode()))
            .lostBetweenJobManagers(acts));
    checkpoints.restartDuringCheckpoint(
        jobs, acts, faults, new Random(seed * 109 + kind.word().hashCode()));
    drainWorkers(shape, faults, new Random(seed * 113 + kind.word().hashCode()));
    runBefore(jobs, acts, new Random(seed * 127 + kind.word().hashCode()));
    submitAtCleanUp(jobs, acts, faults, drawn, new Random(seed * 131 + kind.word().hashCode()));
    return new Scenario(
        seed,
        kind,
        shape,
        configuration,
        jobs,
        acts,
        faults,
        Duration.ofMillis(WINDOW_MILLIS + 15_000),
        List.of());
  }

  /**
   * Some elastic clusters have a configured minimum. Its workers of the default size may use up the
   * limit that a larger worker would need, so that no job needs a larger one there.
   */
  private Configuration withMinimum(Configuration usual, Shape shape, List<SimJob> jobs) {
    if (!shape.elastic()
        || shapes.nextInt(3) != 0
        || jobs.stream().anyMatch(job -> job.slotsBeyond(shape.worker()) > 0)) {
      return usual;
    }
    int slots = 1 + shapes.nextInt(shape.capacity());
    return shapes.nextBoolean()
        ? usual.with(ResourceManagerOptions.MIN_SLOT_NUM, slots)
        : usual.with(ResourceManagerOptions.MIN_TOTAL_CPU, (double) slots);
  }

  /** Some timeouts are so short that they expire within a run. */
  private Configuration withTimeouts(Configuration usual, Random latest) {
    Random timeouts = new Random(seed * 47 + kind.word().hashCode());
    Configuration configuration = usual;
    if (timeouts.nextInt(3) == 0) {
      configuration =
          configuration.with(TaskManagerOptions.REGISTRATION_TIMEOUT, Duration.ofMinutes(2));
    }
    if (timeouts.nextInt(3) == 0) {
      configuration =
          configuration.with(ResourceManagerOptions.JOB_TIMEOUT, Duration.ofSeconds(45));
    }
    if ((kind == ScenarioKind.ELASTIC || kind == ScenarioKind.WORKERS || kind == ScenarioKind.CALM)
        && latest.nextInt(5) == 0) {
      configuration =
          configuration.with(
              JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(8 + latest.nextInt(8)));
    }
    return configuration;
  }

  /** In some clusters tasks go on without a JobMaster, and the next one adopts them. */
  private static Configuration keepTasks(Configuration usual, Random adoption) {
    return adoption.nextInt(3) == 0
        ? usual
            .with(ExecutionOptions.ADOPT_TASKS, true)
            .with(
                ExecutionOptions.PREVIOUS_WORKER_TIMEOUT, millis(1_000 + adoption.nextInt(12_000)))
        : usual;
  }

  /** The tasks of some jobs end as soon as they have started. */
  private static void quicken(List<SimJob> jobs, Random latest) {
    for (int i = 0; i < jobs.size(); i++) {
      SimJob job = jobs.get(i);
      if (latest.nextInt(6) == 0 && !job.behaviour().isEndless()) {
        jobs.set(i, job.running(millis(1 + latest.nextInt(10))));
      }
    }
  }

  /** Some jobs that take checkpoints are stopped with a savepoint. */
  private static void stop(List<SimJob> jobs, List<ClientAction> acts, int drawn, Random stops) {
    for (int job = 0; job < drawn; job++) {
      if (SimDataflow.isCheckpointed(jobs.get(job).graph()) && stops.nextInt(6) == 0) {
        acts.add(
            new ClientAction.Stop(
                millis(3_000 + stops.nextInt(WINDOW_MILLIS - 3_000)), job, stops.nextInt(3) == 0));
      }
    }
    acts.sort(Comparator.comparing(ClientAction::at));
  }

  /**
   * Sometimes ends a job and continues with its state, after savepoints of it. The job is cancelled
   * or stopped with a savepoint, and the second one may claim the state.
   */
  private static void resume(
      List<SimJob> jobs, List<ClientAction> acts, int drawn, Random state, Random stops) {
    if (state.nextInt(5) != 0) {
      return;
    }
    int job = state.nextInt(drawn);
    Optional<ClientAction> submission =
        acts.stream()
            .filter(act -> act instanceof ClientAction.Submit submit && submit.job() == job)
            .findFirst();
    SimJob found = jobs.get(job);
    if (submission.isEmpty()
        || found.graph().edges().isEmpty()
        || !found.dataSets().isEmpty()
        || found.graph().clientTimeout().isPresent()) {
      return;
    }
    ResumedJob resumed = ResumedJob.of(found, state);
    jobs.set(job, resumed.before());
    jobs.add(
        stops.nextBoolean()
            ? resumed.after()
            : resumed
                .after()
                .with(
                    resumed
                        .after()
                        .graph()
                        .configuration()
                        .with(StateRecoveryOptions.CLAIM_MODE, ClaimMode.CLAIM)));
    Duration at = submission.get().at();
    boolean savepoint = state.nextBoolean();
    for (int i = 0; i < 1 + state.nextInt(3); i++) {
      acts.add(new ClientAction.Savepoint(at.plusMillis(2_000 + state.nextInt(10_000)), job));
    }
    Duration end = at.plusMillis(8_000 + state.nextInt(12_000));
    boolean stopped = stops.nextBoolean();
    if (stopped) {
      boolean drain = stops.nextInt(3) == 0;
      // The second one is for a first one that failed.
      acts.add(new ClientAction.Stop(end, job, drain));
      acts.add(new ClientAction.Stop(end.plusSeconds(6), job, drain));
    } else {
      acts.add(new ClientAction.Cancel(end, job));
    }
    acts.add(new ClientAction.Resume(end, jobs.size() - 1, job, savepoint || stopped));
    acts.sort(Comparator.comparing(ClientAction::at));
  }

  /**
   * Sometimes adds a job with the jars of the first one that has to wait for the slots of others.
   * Returns whether it did.
   */
  private boolean queue(Shape shape, List<SimJob> jobs, Random queue) {
    boolean isStatic = !shape.elastic() && kind != ScenarioKind.CALM;
    if (!isStatic || jobs.size() > 2 || queue.nextInt(8) > 0) {
      return false;
    }
    SimJob next =
        new JobGenerator(kind, shape, queue, queue)
            .job(jobs.size(), Math.max(1, Math.min(shape.capacity(), 5)));
    jobs.add(next.withJarsOf(jobs.get(0)).running(millis(500 + queue.nextInt(8_000))));
    return true;
  }

  private void loseNode(Shape shape, List<Fault> faults) {
    if (shape.elastic() && kind != ScenarioKind.CALM && later.nextInt(3) == 0) {
      faults.add(new Fault.NodeLoss(millis(later.nextInt(WINDOW_MILLIS)), later.nextInt(4)));
    }
  }

  /** Some applications are started again with the same ids of their jobs. */
  private static void runBefore(List<SimJob> jobs, List<ClientAction> acts, Random draws) {
    for (int job = 0; job < jobs.size(); job++) {
      if (SimDataflow.isCheckpointed(jobs.get(job).graph()) && draws.nextInt(6) == 0) {
        acts.add(0, new ClientAction.EarlierRun(Duration.ZERO, job));
      }
    }
  }

  /** Sometimes a job is submitted at the end of another one with which it shares a jar. */
  private void submitAtCleanUp(
      List<SimJob> jobs, List<ClientAction> acts, List<Fault> faults, int drawn, Random draws) {
    if ((kind != ScenarioKind.STORAGE && kind != ScenarioKind.MIXED)
        || drawn < 2
        || draws.nextInt(3) != 0) {
      return;
    }
    int ends = draws.nextInt(drawn);
    int starts = (ends + 1 + draws.nextInt(drawn - 1)) % drawn;
    boolean resumed = acts.stream().anyMatch(ClientAction.Resume.class::isInstance);
    if (resumed || jobs.get(ends).jars().stream().noneMatch(jobs.get(starts).jars()::contains)) {
      return;
    }
    acts.removeIf(act -> act instanceof ClientAction.Submit submit && submit.job() == starts);
    if (jobs.get(ends).behaviour().isEndless()) {
      acts.add(new ClientAction.Cancel(millis(10_000 + draws.nextInt(20_000)), ends));
      acts.sort(Comparator.comparing(ClientAction::at));
    }
    faults.add(
        new Fault.SubmissionAtCleanUp(
            Duration.ZERO, starts, millis(draws.nextInt(60)), draws.nextBoolean()));
  }

  /** Some workers are taken away after an announcement, perhaps two of them at the same time. */
  private void drainWorkers(Shape shape, List<Fault> faults, Random draws) {
    if (shape.elastic()
        && shape.driver() == SimDriver.Type.REMOTE
        && kind != ScenarioKind.CALM
        && draws.nextInt(3) == 0) {
      for (int i = 0; i < 1 + draws.nextInt(2); i++) {
        faults.add(
            new Fault.WorkerDraining(
                millis(3_000 + draws.nextInt(WINDOW_MILLIS - 10_000)),
                draws.nextInt(4),
                millis(draws.nextInt(4) == 0 ? 0 : 1_000 + draws.nextInt(25_000))));
      }
    }
  }

  /** Some jobs end with their clients, and some of these clients die. */
  private void tieToClients(List<SimJob> jobs, List<ClientAction> acts) {
    if (later.nextInt(3) != 0) {
      return;
    }
    for (int job = 0; job < jobs.size(); job++) {
      if (later.nextBoolean()) {
        jobs.set(job, jobs.get(job).endingWithItsClient(millis(12_000 + later.nextInt(13_000))));
        if (later.nextBoolean()) {
          acts.add(new ClientAction.ClientDies(millis(later.nextInt(WINDOW_MILLIS)), job));
        }
      }
    }
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private Shape shape() {
    boolean elastic =
        switch (kind) {
          case ELASTIC -> true;
          case CALM, MIXED -> oneIn(3);
          case WORKERS, NETWORK, JOBMANAGERS, STORAGE, ZOOKEEPER -> false;
        };
    int jobManagers =
        switch (kind) {
          case JOBMANAGERS -> 1 + random.nextInt(3);
          case ZOOKEEPER -> 2 + random.nextInt(2);
          case NETWORK, STORAGE, MIXED -> oneIn(3) ? 2 + random.nextInt(2) : 1;
          case CALM, WORKERS -> oneIn(5) ? 2 : 1;
          case ELASTIC -> oneIn(3) ? 2 : 1;
        };
    return new Shape(
        jobManagers,
        elastic,
        1 + random.nextInt(4),
        1 + random.nextInt(3),
        1 + random.nextInt(4),
        oneIn(5) ? Duration.ofSeconds(10 + random.nextInt(30)) : Duration.ZERO);
  }

  /**
   * A single JobManager without a coordinator may keep files; several share the store of a
   * coordinator.
   */
  private Shape onStore(Shape shape) {
    if (kind == ScenarioKind.ZOOKEEPER) {
      return shape.on(StoreType.ZOOKEEPER);
    }
    boolean files = shapes.nextInt(kind == ScenarioKind.STORAGE ? 2 : 4) == 0;
    boolean fenced = shapes.nextInt(3) == 0;
    return !files || shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS
        ? shape
        : shape.on(fenced ? StoreType.FENCED : StoreType.FILE);
  }

  /** Only a single JobManager uses the driver that starts processes on its machine. */
  private Shape withDriver(Shape shape) {
    boolean process = shapes.nextBoolean();
    return process && shape.elastic() && shape.jobManagers() == 1
        ? shape.with(SimDriver.Type.PROCESS)
        : shape;
  }

  private Configuration configuration() {
    Configuration configuration =
        Configuration.EMPTY
            .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
            .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1000)
            .with(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(100))
            .with(ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT, Duration.ofSeconds(60))
            // After a clock jump an ended job would look old enough to be forgotten.
            .with(JobManagerOptions.JOB_STORE_EXPIRATION_TIME, Duration.ofDays(7))
            .with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, oneIn(4) ? 1 : 0)
            .with(
                ResourceManagerOptions.TASK_MANAGER_TIMEOUT,
                Duration.ofSeconds(5 + random.nextInt(30)))
            .with(ClusterOptions.EVENLY_SPREAD_OUT_SLOTS, oneIn(2));
    if (oneIn(2)) {
      configuration =
          configuration
              .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
              .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8));
    }
    if (oneIn(2)) {
      configuration =
          configuration
              .with(ClusterOptions.ERROR_REGISTRATION_DELAY, Duration.ofSeconds(2))
              .with(ClusterOptions.REFUSED_REGISTRATION_DELAY, Duration.ofSeconds(3));
    }
    if (oneIn(3)) {
      configuration =
          configuration.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofSeconds(3));
    }
    if (oneIn(3)) {
      configuration =
          configuration.with(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT, Duration.ofSeconds(20));
    }
    if (oneIn(3)) {
      configuration =
          configuration.with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(60));
    }
    if (oneIn(3)) {
      configuration =
          configuration.with(
              ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT, Duration.ofSeconds(20));
    }
    return configuration;
  }

  /** Mostly all jobs fit at once; sometimes a job has to wait or cannot run at all. */
  private List<SimJob> jobs(Shape shape) {
    JobGenerator graphs = new JobGenerator(kind, shape, random, shapes);
    List<SimJob> jobs = new ArrayList<>();
    int left = oneIn(8) ? shape.capacity() + 2 : shape.capacity();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count && left > 0; i++) {
      SimJob job = graphs.job(i, 1 + random.nextInt(Math.min(left, 5)));
      // A worker for one large slot takes the place of one of the default size.
      int takes = job.slots() + job.slotsBeyond(shape.worker()) * (shape.slots() - 1);
      if (takes <= left) {
        jobs.add(job);
        left -= takes;
      }
    }
    if (jobs.isEmpty()) {
      jobs.add(graphs.job(0, 1));
    }
    return jobs;
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}

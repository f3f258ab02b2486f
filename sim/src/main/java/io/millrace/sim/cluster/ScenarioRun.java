package io.millrace.sim.cluster;

import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetKept;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotRenewed;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenObtained;
import io.millrace.protocol.text.JournalText;
import io.millrace.sim.SimDriver;
import io.millrace.sim.Simulation;
import io.millrace.sim.Trace;
import io.millrace.sim.check.Fact;
import io.millrace.sim.check.Invariant.Broken;
import io.millrace.sim.check.Invariants;
import io.millrace.sim.check.SettlingTime;
import io.millrace.sim.check.SimulatedWorld;
import io.millrace.sim.cluster.RunOutcome.Violation;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * One run of a scenario in three phases: faults; calm, in which every job must run or end and all
 * components agree; the end of all jobs, after which nothing may be left.
 */
public final class ScenarioRun {
  /** Time for messages to arrive. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  /** Longer than slot.idle.timeout and than two heartbeat intervals. */
  private static final Duration SETTLING = Duration.ofSeconds(65);

  private static final Duration QUESTIONS = Duration.ofSeconds(10);
  private static final Duration LEAVING = Duration.ofSeconds(30);

  private static final String JOBS_SETTLE =
      "In the calm phase every job that can run runs or ends within seconds, plus the time that"
          + " slow things in its scenario take.";
  private static final String APPLICATION_ENDS =
      "When the application is deregistered, its driver gets the outcome and all workers end.";
  private static final String NO_UNCAUGHT_EXCEPTION = "No task of a mailbox throws.";

  /** Decisions that are counted as effects of a run. */
  private static final List<Class<?>> TOLD =
      List.of(
          DataSetKept.class,
          DataSetReleased.class,
          TokenObtained.class,
          TokenNotRenewed.class,
          ClientLost.class);

  private final Duration bound;
  private final Map<String, Integer> decisions = new TreeMap<>();
  private final Scenario scenario;
  private final SimCluster cluster;
  private final Simulation simulation;
  private final Invariants invariants;
  private final FaultInjector faults;
  private Optional<Broken> first = Optional.empty();
  private long nextLook;
  private long nextQuestion;

  private ScenarioRun(Scenario scenario, SimWiring wiring, Trace trace) {
    this.scenario = scenario;
    this.bound = SettlingTime.bound(scenario);
    this.cluster = new SimCluster(scenario, wiring, trace);
    this.simulation = cluster.simulation();
    this.invariants = new Invariants(cluster);
    this.faults = new FaultInjector(cluster);
    cluster.observe(this::seen);
    simulation.afterEvent(this::afterEvent);
  }

  /** Runs a scenario in a wiring that was created for it, and records the trace. */
  public static RunOutcome of(Scenario scenario, SimWiring wiring, Trace trace) {
    ScenarioRun run = new ScenarioRun(scenario, wiring, trace);
    Optional<Violation> violation = run.violation();
    return new RunOutcome(
        scenario,
        trace.digest(),
        violation,
        run.effects(),
        run.simulation.events(),
        Duration.ofNanos(run.simulation.nanos()));
  }

  /** The names of all invariants by their sentences, with those that the run itself checks. */
  public static Map<String, String> rules() {
    Map<String, String> rules = new LinkedHashMap<>();
    new ScenarioRun(Scenario.draw(0, ScenarioKind.CALM), new SimWiring(), new Trace())
        .invariants
        .all()
        .forEach(rule -> rules.put(rule.sentence(), rule.getClass().getSimpleName()));
    rules.put(JOBS_SETTLE, "JobsSettle");
    rules.put(APPLICATION_ENDS, "ApplicationEnds");
    rules.put(NO_UNCAUGHT_EXCEPTION, "NoUncaughtException");
    return rules;
  }

  private Map<String, Integer> effects() {
    Map<String, Integer> effects = new TreeMap<>(faults.effective());
    effects.put("a broken connection", (int) simulation.network().breaks());
    effects.put("a call or an answer lost", (int) simulation.network().losses());
    effects.put("a call that came twice", (int) simulation.network().echoes());
    effects.put("a call on a new connection first", (int) simulation.network().overtakings());
    effects.put("a call of a replaced connection", (int) simulation.network().stragglers());
    effects.put("something lost with the power", cluster.disk().losses());
    effects.put("a store " + scenario.shape().storeType(), 1);
    effects.put("a damaged blob read", cluster.blobs().damagedReads());
    cluster.driver().ifPresent(driver -> effects.putAll(driver.effects()));
    cluster
        .zooKeeper()
        .ifPresent(
            servers -> {
              effects.put("a session that ended", servers.expirations());
              effects.put("a stale read", servers.staleReads());
              effects.put("a removed contender", servers.removals());
              effects.put("a refusal of a living process", servers.peers().refusalsOfLiving());
            });
    effects.putAll(decisions);
    submitted().forEach(job -> graphEffects(job, effects));
    effects.put("a jar of two jobs", jarsOfTwoJobs());
    effects.put("a configured minimum", scenario.leastWorkers());
    return effects;
  }

  private List<SimJob> submitted() {
    return scenario.jobs().stream()
        .filter(job -> cluster.client().submitted().contains(job.id()))
        .toList();
  }

  private static void graphEffects(SimJob job, Map<String, Integer> effects) {
    boolean pointwise = true;
    for (JobEdge edge : job.graph().edges()) {
      effects.merge("an edge " + edge.partitioning(), 1, Integer::sum);
      pointwise &=
          edge.partitioning() == Partitioning.FORWARD
              || edge.partitioning() == Partitioning.RESCALE;
    }
    boolean several =
        pointwise
            && !job.graph().edges().isEmpty()
            && job.graph().vertices().stream().allMatch(vertex -> vertex.parallelism() > 1);
    effects.merge("several regions of several tasks", several ? 1 : 0, Integer::sum);
  }

  private int jarsOfTwoJobs() {
    List<BlobKey> jars = new ArrayList<>();
    submitted().forEach(job -> job.graph().jars().forEach(jar -> jars.add(jar.blob())));
    return jars.size() - (int) jars.stream().distinct().count();
  }

  private Optional<Violation> violation() {
    try {
      play();
      return Optional.empty();
    } catch (Broken e) {
      return Optional.of(violation(first.orElse(e)));
    } catch (Simulation.EventBudgetExceeded e) {
      return Optional.of(violation(new Broken(JOBS_SETTLE, e.getMessage())));
    } catch (RuntimeException e) {
      if (first.isPresent()) {
        return Optional.of(violation(first.get()));
      }
      StringWriter stack = new StringWriter();
      e.printStackTrace(new PrintWriter(stack));
      return Optional.of(violation(new Broken(NO_UNCAUGHT_EXCEPTION, stack.toString())));
    }
  }

  private Violation violation(Broken broken) {
    return new Violation(
        broken.sentence(),
        broken.getMessage(),
        Duration.ofNanos(simulation.nanos()),
        simulation.trace().lastDecisions());
  }

  /** A future may swallow the exception, so it is also kept here. */
  private void seen(Fact fact) {
    if (fact instanceof Fact.Decided decided && TOLD.contains(decided.entry().event().getClass())) {
      String title = JournalText.title(JournalEvent.of(decided.entry()));
      decisions.merge(title, 1, Integer::sum);
    }
    faults.seen(fact);
    try {
      invariants.seen(fact);
    } catch (Broken e) {
      if (first.isEmpty()) {
        first = Optional.of(e);
      }
    }
  }

  private void afterEvent() {
    if (first.isPresent()) {
      throw first.get();
    }
    invariants.afterEvent();
  }

  private void play() {
    cluster.start();
    // A fault that waits for its moment may be armed so late that its time would be the calm phase.
    faults.schedule(
        scenario.faults().stream()
            .filter(fault -> fault.at().compareTo(scenario.calm()) < 0)
            .toList());
    scenario.acts().forEach(act -> simulation.schedule(act.at(), "act", () -> perform(act)));
    simulation.run(scenario.calm());
    simulation.trace().fault(simulation.nanos(), "calm");
    faults.end();
    cluster.calmDown();
    await(() -> !cluster.client().isSubmitting(), "submissions are not answered");
    cluster.client().submitted().forEach(cluster.client()::awaitResult);
    await(this::allRunOrEnded, "jobs neither run nor end");
    simulation.run(SETTLING);
    await(this::allRunOrEnded, "jobs neither run nor end");
    checkSettled();
    finish();
  }

  /**
   * A slot may be returned between the answer of the cluster and the check. A real violation is
   * still there at a second check.
   */
  private void checkSettled() {
    try {
      invariants.settled(clusterReport());
    } catch (Broken once) {
      simulation.trace().fault(simulation.nanos(), "asked again: " + once.getMessage());
      simulation.run(MOMENT);
      invariants.settled(clusterReport());
    }
  }

  private void finish() {
    cluster.client().submitted().stream()
        .filter(job -> cluster.client().result(job).isEmpty())
        .forEach(cluster.client()::cancel);
    await(this::allEnded, "cancelled jobs do not end");
    if (scenario.acts().stream().anyMatch(act -> act instanceof ClientAction.Deregister)) {
      deregister();
      return;
    }
    scenario.jobs().forEach(job -> job.dataSets().forEach(cluster.client()::delete));
    simulation.run(
        SETTLING.plus(scenario.configuration().get(ResourceManagerOptions.TASK_MANAGER_TIMEOUT)));
    invariants.over(clusterReport());
  }

  /** Checks that workers do not wait for another job. */
  private void deregister() {
    cluster.deregister();
    simulation.run(LEAVING);
    SimDriver driver = cluster.driver().orElseThrow();
    if (driver.ending().isEmpty() || !driver.alive().isEmpty()) {
      throw new Broken(
          APPLICATION_ENDS,
          driver.ending().isEmpty()
              ? "The driver got no outcome."
              : driver.alive().stream().map(SimDriver.Started::name).toList() + " still run.");
    }
  }

  private void perform(ClientAction act) {
    SimClient client = cluster.client();
    if (act instanceof ClientAction.Submit submit) {
      client.submit(scenario.jobs().get(submit.job()));
    } else if (act instanceof ClientAction.Cancel cancel) {
      client.cancel(scenario.jobs().get(cancel.job()).id());
    } else if (act instanceof ClientAction.ClientDies dies) {
      client.dies(scenario.jobs().get(dies.job()).id());
    } else if (act instanceof ClientAction.AwaitResult await) {
      client.awaitResult(scenario.jobs().get(await.job()).id());
    } else if (act instanceof ClientAction.Describe describe) {
      client.describe(scenario.jobs().get(describe.job()).id());
    } else if (act instanceof ClientAction.Savepoint savepoint) {
      client.savepoint(scenario.jobs().get(savepoint.job()).id(), CheckpointRequest.Type.SAVEPOINT);
    } else if (act instanceof ClientAction.Stop stop) {
      client.savepoint(
          scenario.jobs().get(stop.job()).id(),
          stop.drain()
              ? CheckpointRequest.Type.SAVEPOINT_DRAIN
              : CheckpointRequest.Type.SAVEPOINT_SUSPEND);
    } else if (act instanceof ClientAction.Resume resume) {
      client.awaitResult(scenario.jobs().get(resume.from()).id());
      resumeWhenEnded(resume);
    } else if (act instanceof ClientAction.EarlierRun run) {
      cluster.checkpoints().leaveEarlierRun(scenario.jobs().get(run.job()).id());
      decisions.merge("an earlier run of a job", 1, Integer::sum);
    } else if (act instanceof ClientAction.ListJobs) {
      client.list();
    } else if (act instanceof ClientAction.DeleteResults delete) {
      scenario.jobs().get(delete.job()).dataSets().forEach(client::delete);
    } else if (act instanceof ClientAction.Limit limit) {
      client.limit(limit.most());
    } else if (act instanceof ClientAction.Block block) {
      client.block(block.worker(), block.time());
    } else if (act instanceof ClientAction.Unblock unblock) {
      client.unblock(unblock.worker());
    } else if (!(act instanceof ClientAction.Deregister)) {
      // The end of the run deregisters the application.
      throw new IllegalArgumentException("Unknown act " + act);
    }
  }

  /** Gives up in the calm phase: jobs that run then have to end by themselves. */
  private void resumeWhenEnded(ClientAction.Resume resume) {
    JobId from = scenario.jobs().get(resume.from()).id();
    if (simulation.nanos() >= scenario.calm().toNanos()) {
      return;
    }
    if (cluster.client().result(from).isPresent()
        && !cluster.store().contains("checkpoints/" + from)) {
      stateOf(from, resume.savepoint())
          .ifPresent(
              path -> {
                decisions.merge(
                    resume.savepoint() ? "a job from a savepoint" : "a job from a checkpoint",
                    1,
                    Integer::sum);
                cluster.client().resume(scenario.jobs().get(resume.job()), path);
              });
    } else if (simulation.nanos() < scenario.calm().minus(MOMENT).toNanos()) {
      simulation.schedule(MOMENT, "act", () -> resumeWhenEnded(resume));
    }
  }

  /**
   * The last completed savepoint of an ended job, or its latest retained checkpoint. If a stop has
   * stored its savepoint after that checkpoint and has not ended the job, the user takes the
   * savepoint: sinks have committed what it has.
   */
  private Optional<String> stateOf(JobId job, boolean savepoint) {
    if (savepoint) {
      List<String> savepoints = cluster.client().savepoints(job);
      return savepoints.isEmpty()
          ? Optional.empty()
          : Optional.of(savepoints.get(savepoints.size() - 1));
    }
    return cluster.checkpoints().stored().entrySet().stream()
        .filter(stored -> stored.getValue().job().equals(job))
        .filter(
            stored -> !stored.getValue().type().isSavepoint() || stored.getValue().type().stops())
        .filter(stored -> !cluster.checkpoints().isDamaged(stored.getKey()))
        .max(Comparator.comparingLong(stored -> stored.getValue().checkpoint()))
        .map(Map.Entry::getKey);
  }

  /** Checks the condition only at intervals, because it takes a while to hold. */
  private void await(BooleanSupplier condition, String violation) {
    nextLook = 0;
    boolean[] met = {false};
    simulation.runUntil(
        () -> {
          if (simulation.nanos() >= nextLook) {
            nextLook = simulation.nanos() + Duration.ofMillis(200).toNanos();
            met[0] = condition.getAsBoolean();
          }
          return met[0];
        },
        bound);
    if (!condition.getAsBoolean()) {
      throw new Broken(
          JOBS_SETTLE, "After " + bound.toSeconds() + " s of calm " + violation + ": " + open());
    }
  }

  /** Jobs that wait for long are asked for their reason at intervals. */
  private boolean allRunOrEnded() {
    if (simulation.nanos() >= nextQuestion) {
      nextQuestion = simulation.nanos() + QUESTIONS.toNanos();
      cluster.client().submitted().stream()
          .filter(job -> cluster.client().result(job).isEmpty())
          .forEach(cluster.client()::describe);
    }
    for (SimJob job : scenario.jobs()) {
      if (cluster.client().submitted().contains(job.id())
          && cluster.client().result(job.id()).isEmpty()
          && !(job.behaviour().isEndless() && running(job.id()) == job.tasks())) {
        return false;
      }
    }
    return true;
  }

  private boolean allEnded() {
    return cluster.client().submitted().stream()
        .allMatch(job -> cluster.client().result(job).isPresent());
  }

  private int running(JobId job) {
    int running = 0;
    for (SimulatedWorld.Worker worker : cluster.workers()) {
      for (var task : worker.host().running()) {
        running += task.job().equals(job) && !task.isCancelled() ? 1 : 0;
      }
    }
    return running;
  }

  private List<String> open() {
    List<String> open = new ArrayList<>();
    for (SimJob job : scenario.jobs()) {
      if (cluster.client().submitted().contains(job.id())
          && cluster.client().result(job.id()).isEmpty()) {
        open.add(job.id() + " with " + running(job.id()) + " of " + job.tasks() + " tasks");
      }
    }
    return open;
  }

  private SimulatedWorld.ClusterReport clusterReport() {
    CompletableFuture<List<WorkerInfo>> workers = cluster.client().workers();
    CompletableFuture<List<DataSetInfo>> dataSets = cluster.client().dataSets();
    Map<JobId, CompletableFuture<Optional<JobDetails>>> asked = new LinkedHashMap<>();
    cluster.client().submitted().forEach(job -> asked.put(job, cluster.client().describe(job)));
    await(
        () ->
            workers.isDone()
                && dataSets.isDone()
                && asked.values().stream().allMatch(CompletableFuture::isDone),
        "requests are not answered");
    Map<JobId, JobDetails> jobs = new LinkedHashMap<>();
    asked.forEach((job, answer) -> answer.join().ifPresent(known -> jobs.put(job, known)));
    return new SimulatedWorld.ClusterReport(workers.join(), jobs, dataSets.join());
  }
}

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
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * One run of a scenario: first what it says, then calm, in which every job must run or end and all
 * sides agree, then the end of all jobs, after which nothing may be left.
 */
public final class ScenarioRun {
  /** For messages to arrive. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  /** Longer than slots that nobody wants are kept, and than two heartbeats. */
  private static final Duration SETTLING = Duration.ofSeconds(65);

  private static final Duration QUESTIONS = Duration.ofSeconds(10);
  private static final Duration LEAVING = Duration.ofSeconds(30);

  private static final String SETTLES =
      "When it is calm, every job that can run runs or ends within seconds, and the time that"
          + " something slow in its scenario takes.";
  private static final String GOES =
      "When the application is over, its driver hears how it ended and all workers go.";
  private static final String SOUND = "Nothing that runs in a mailbox throws.";

  /** Decisions that show what a run was about. */
  private static final List<Class<?>> TOLD =
      List.of(
          DataSetKept.class,
          DataSetReleased.class,
          TokenObtained.class,
          TokenNotRenewed.class,
          ClientLost.class);

  private final Duration patience;
  private final Map<String, Integer> decisions = new TreeMap<>();
  private final Scenario scenario;
  private final SimCluster cluster;
  private final Simulation simulation;
  private final Invariants invariants;
  private final FaultInjector calamities;
  private Optional<Broken> first = Optional.empty();
  private long nextLook;
  private long nextQuestion;

  private ScenarioRun(Scenario scenario, SimWiring wiring, Trace trace) {
    this.scenario = scenario;
    this.patience = SettlingTime.bound(scenario);
    this.cluster = new SimCluster(scenario, wiring, trace);
    this.simulation = cluster.simulation();
    this.invariants = new Invariants(cluster);
    this.calamities = new FaultInjector(cluster);
    cluster.observe(this::seen);
    simulation.afterEvent(this::afterEvent);
  }

  /** Runs a scenario in a wiring made for it, telling the trace what happens. */
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

  /**
   * The names of all rules by their sentences: those that are checked and those of a run itself.
   */
  public static Map<String, String> rules() {
    Map<String, String> rules = new LinkedHashMap<>();
    new ScenarioRun(Scenario.draw(0, ScenarioKind.CALM), new SimWiring(), new Trace())
        .invariants
        .all()
        .forEach(rule -> rules.put(rule.sentence(), rule.getClass().getSimpleName()));
    rules.put(SETTLES, "Settles");
    rules.put(GOES, "Goes");
    rules.put(SOUND, "Sound");
    return rules;
  }

  private Map<String, Integer> effects() {
    Map<String, Integer> effects = new TreeMap<>(calamities.effective());
    effects.put("a broken connection", (int) simulation.network().breaks());
    effects.put("a call or an answer lost", (int) simulation.network().losses());
    effects.put("a call that came twice", (int) simulation.network().echoes());
    effects.put("a call on a new connection first", (int) simulation.network().overtakings());
    effects.put("a call of a replaced connection", (int) simulation.network().stragglers());
    effects.put("something lost with the power", cluster.disk().losses());
    effects.put("a store " + scenario.shape().storeType(), 1);
    effects.put("a damaged blob read", cluster.blobs().damagedReads());
    cluster.driver().ifPresent(driver -> effects.putAll(driver.effects()));
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
      return Optional.of(violation(new Broken(SETTLES, e.getMessage())));
    } catch (RuntimeException e) {
      if (first.isPresent()) {
        return Optional.of(violation(first.get()));
      }
      StringWriter stack = new StringWriter();
      e.printStackTrace(new PrintWriter(stack));
      return Optional.of(violation(new Broken(SOUND, stack.toString())));
    }
  }

  private Violation violation(Broken broken) {
    return new Violation(
        broken.sentence(),
        broken.getMessage(),
        Duration.ofNanos(simulation.nanos()),
        simulation.trace().lastDecisions());
  }

  /** What is thrown may be swallowed by a future on its way: it is kept, too. */
  private void seen(Fact fact) {
    if (fact instanceof Fact.Decided decided && TOLD.contains(decided.entry().event().getClass())) {
      String title = JournalText.title(JournalEvent.of(decided.entry()));
      decisions.merge(title, 1, Integer::sum);
    }
    calamities.seen(fact);
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
    calamities.schedule(scenario.faults());
    scenario.acts().forEach(act -> simulation.schedule(act.at(), "act", () -> perform(act)));
    simulation.run(scenario.calm());
    simulation.trace().fault(simulation.nanos(), "calm");
    calamities.end();
    cluster.calmDown();
    await(() -> !cluster.client().isSubmitting(), "submissions have no answer");
    cluster.client().submitted().forEach(cluster.client()::awaitResult);
    await(this::allRunOrEnded, "jobs neither run nor end");
    simulation.run(SETTLING);
    await(this::allRunOrEnded, "jobs neither run nor end");
    checkSettled();
    finish();
  }

  /**
   * A slot may be given back in just the moment between a question and the look at what is: what is
   * wrong is so a second time, when that has had its time.
   */
  private void checkSettled() {
    try {
      invariants.settled(story());
    } catch (Broken once) {
      simulation.trace().fault(simulation.nanos(), "asked again: " + once.getMessage());
      simulation.run(MOMENT);
      invariants.settled(story());
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
    invariants.over(story());
  }

  /** Workers that could wait for another job do not. */
  private void deregister() {
    cluster.deregister();
    simulation.run(LEAVING);
    SimDriver driver = cluster.driver().orElseThrow();
    if (driver.ending().isEmpty() || !driver.alive().isEmpty()) {
      throw new Broken(
          GOES,
          driver.ending().isEmpty()
              ? "The driver was not told."
              : driver.alive().stream().map(SimDriver.Started::name).toList()
                  + " are still there.");
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
      // Deregistering ends the run and is done there.
      throw new IllegalArgumentException("Unknown act " + act);
    }
  }

  /** Looks now and then only: whoever waits for something waits for a while. */
  private void await(BooleanSupplier condition, String otherwise) {
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
        patience);
    if (!condition.getAsBoolean()) {
      throw new Broken(
          SETTLES, "After " + patience.toSeconds() + " s of calm " + otherwise + ": " + open());
    }
  }

  /** Whoever waits for long is asked now and then what for. */
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

  private SimulatedWorld.Story story() {
    CompletableFuture<List<WorkerInfo>> workers = cluster.client().workers();
    CompletableFuture<List<DataSetInfo>> dataSets = cluster.client().dataSets();
    Map<JobId, CompletableFuture<Optional<JobDetails>>> asked = new LinkedHashMap<>();
    cluster.client().submitted().forEach(job -> asked.put(job, cluster.client().describe(job)));
    await(
        () ->
            workers.isDone()
                && dataSets.isDone()
                && asked.values().stream().allMatch(CompletableFuture::isDone),
        "questions are not answered");
    Map<JobId, JobDetails> jobs = new LinkedHashMap<>();
    asked.forEach((job, answer) -> answer.join().ifPresent(known -> jobs.put(job, known)));
    return new SimulatedWorld.Story(workers.join(), jobs, dataSets.join());
  }
}

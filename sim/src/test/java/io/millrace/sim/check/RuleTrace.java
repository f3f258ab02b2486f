package io.millrace.sim.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimBlobs;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTaskState;
import io.millrace.sim.SimTokens;
import io.millrace.sim.SimWorkerBlobs;
import io.millrace.sim.Simulation;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.worker.slots.SlotTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Shows a trace to one invariant: facts that a test writes down, in a world whose store, workers
 * and tasks are those of the simulator.
 */
final class RuleTrace implements SimulatedWorld {
  static final RecordCodec CODEC = Messages.codec();
  static final SimTaskHost.Behaviour ENDLESS =
      new SimTaskHost.Behaviour(Duration.ZERO, 0, Duration.ofMillis(1));

  private final Invariant rule;
  private final Invariants invariants;
  private final Simulation simulation = new Simulation(1, CODEC, new Trace());
  private final Map<String, SimProcess> processes = new LinkedHashMap<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<SimJob> jobs = new ArrayList<>();
  private final List<ClientAction> acts = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private final SimStore store = new SimStore();
  private final SimBlobs blobs = new SimBlobs();
  private final SimCheckpointStorage checkpoints = new SimCheckpointStorage();
  private final SimDataflow dataflow = new SimDataflow(new TaskFacts());
  private final SimStore.View stored;
  private Configuration configuration = Configuration.EMPTY;
  private Optional<SimTokens> tokens = Optional.empty();
  private Optional<String> partitioned = Optional.empty();
  private long correlations;

  RuleTrace(Invariant rule) {
    this.rule = rule;
    this.invariants = new Invariants(this, List.of(rule));
    this.stored = store.of(process("store"));
    store.listen((key, value) -> show(new Fact.Stored(key, value)));
    checkpoints.onDeletion(path -> show(new Fact.CheckpointDeleted(path)));
  }

  // The world.

  /** Adds a job whose tasks run until they are cancelled. */
  RuleTrace plan(JobGraph graph) {
    return plan(new SimJob(graph, ENDLESS));
  }

  RuleTrace plan(SimJob job) {
    jobs.add(job);
    return this;
  }

  RuleTrace with(Configuration options) {
    configuration = configuration.overriddenBy(options);
    return this;
  }

  RuleTrace with(Fault fault) {
    faults.add(fault);
    return this;
  }

  RuleTrace with(ClientAction act) {
    acts.add(act);
    return this;
  }

  RuleTrace with(SimTokens service) {
    tokens = Optional.of(service);
    return this;
  }

  /** A fault after which a leader may drop a process that still runs. */
  RuleTrace unreachable() {
    return with(new Fault.Isolate(Duration.ZERO, "worker-1", Duration.ofSeconds(1)));
  }

  /** No message passes between this process and the others. */
  RuleTrace partition(String process) {
    partitioned = Optional.of(process);
    return this;
  }

  Simulation simulation() {
    return simulation;
  }

  /** The running process of this name, which is started if there is none. */
  SimProcess process(String name) {
    SimProcess known = processes.get(name);
    if (known == null || !known.isAlive()) {
      processes.put(name, simulation.process(name));
    }
    return processes.get(name);
  }

  /** A TaskManager with slots of one core each. */
  Worker worker(String name, int slots) {
    SimProcess process = process(name);
    Worker worker =
        new Worker(
            name,
            process,
            new SlotTable(
                slots,
                new ResourceProfile(slots, 0, 0, 0, 0),
                new LinkedHashMap<>(),
                Duration.ofMinutes(5)),
            new SimTaskHost(
                process,
                job -> planOf(job).behaviour(),
                new TaskFacts(),
                dataflow,
                checkpoints.of(process),
                SimDataflow.Flaw.NONE),
            new SimTokens.Held(),
            new SimWorkerBlobs());
    workers.put(name, worker);
    return worker;
  }

  private SimJob planOf(JobId id) {
    return jobs.stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
  }

  // The trace.

  private void show(Fact fact) {
    invariants.seen(fact);
  }

  /** A leader is elected. */
  LeaderToken grants(String process, String component, long term) {
    LeaderToken token = Samples.token(term);
    show(new Fact.Granted(process(process), component, token));
    return token;
  }

  void revokes(String process, String component, LeaderToken token) {
    show(new Fact.Revoked(process(process), component, token));
  }

  /** A message without a token leaves its process. */
  Envelope.Call sends(String from, String to, Record message) {
    return sends(from, to, "taskmanager", Optional.empty(), message);
  }

  Envelope.Call sends(
      String from, String to, String endpoint, Optional<LeaderToken> token, Record message) {
    Envelope.Call call =
        new Envelope.Call(endpoint, token, ++correlations, 10_000, correlations, message);
    show(new Fact.Sent(from, to, call));
    return call;
  }

  void arrives(String from, String to, Envelope.Call call) {
    show(new Fact.Called(from, process(to), call));
  }

  void answers(String by, String to, Envelope.Call call, Record answer) {
    show(new Fact.Answered(process(by), to, call, new Envelope.Reply(call.correlation(), answer)));
  }

  void refuses(String by, String to, Envelope.Call call) {
    show(new Fact.Answered(process(by), to, call, Samples.failed(call)));
  }

  void refuses(String by, String to, Envelope.Call call, Envelope.Failed how) {
    show(new Fact.Answered(process(by), to, call, how));
  }

  void hears(String at, String from, Envelope.Call call, Record answer) {
    show(new Fact.Heard(process(at), from, call, new Envelope.Reply(call.correlation(), answer)));
  }

  void hearsError(String at, String from, Envelope.Call call) {
    show(new Fact.Heard(process(at), from, call, Samples.failed(call)));
  }

  /** Sends a call, lets it arrive, and answers it. */
  void exchange(String from, String to, Optional<LeaderToken> token, Record message, Record reply) {
    Envelope.Call call = sends(from, to, "endpoint", token, message);
    arrives(from, to, call);
    answers(to, from, call, reply);
    hears(from, to, call, reply);
  }

  void losesConnection(String at, String peer) {
    show(new Fact.ConnectionLost(process(at), peer));
  }

  void decides(String process, Record event) {
    show(new Fact.Decided(process(process), JournalEntry.of(event)));
  }

  void decides(String process, JobId job, Record event) {
    show(new Fact.Decided(process(process), JournalEntry.of(event).forJob(job)));
  }

  void decidesOn(String process, String worker, Record event) {
    show(new Fact.Decided(process(process), JournalEntry.of(event).onWorker(new WorkerId(worker))));
  }

  void decidesOn(String process, JobId job, String worker, Record event) {
    show(
        new Fact.Decided(
            process(process), JournalEntry.of(event).forJob(job).onWorker(new WorkerId(worker))));
  }

  void dies(String process, Throwable cause) {
    show(new Fact.Died(process(process), cause));
  }

  void reportsWorkerEnd(String jobManager, String worker) {
    show(new Fact.WorkerEndReported(process(jobManager), worker));
  }

  void requestsWorker(WorkerSpec spec) {
    show(new Fact.WorkerRequested(spec));
  }

  void reportsDraining(String jobManager, String worker, Duration within) {
    show(new Fact.DrainingReported(process(jobManager), worker, within));
  }

  /** A value is written to the recovery store. */
  void stores(String key, Record value) {
    long version = stored.read(key).map(known -> known.version()).orElse(0L);
    stored.write(key, Bytes.wrap(CODEC.encode(value)), version, 1);
  }

  void removes(String key) {
    stored.delete(key, stored.read(key).orElseThrow().version(), 1);
  }

  /** A TaskManager starts tasks with this placement. */
  void deploys(Worker at, JobGraph graph, long number, Placement placement, TaskSpec... tasks) {
    at.host()
        .deploy(
            new Deployment(graph, number, List.of(tasks), placement),
            RuleTrace.class.getClassLoader(),
            new Unheard());
  }

  /** A TaskManager starts tasks that it exchanges no records of. */
  void deploys(Worker at, JobGraph graph, long number, TaskSpec... tasks) {
    deploys(at, graph, number, Samples.placement(at.name(), tasks), tasks);
  }

  void endsTask(Worker at, TaskSpec spec, TaskState state) {
    SimTaskHost.Task task =
        at.host().running().stream()
            .filter(running -> running.spec().equals(spec))
            .findFirst()
            .orElseThrow();
    show(new Fact.TaskEnded(at.host(), task, state));
  }

  /** Events happen for a time, and after the last one invariants check the world. */
  void passes(Duration time) {
    simulation.run(time);
    invariants.afterEvent();
  }

  void settles(ClusterReport report) {
    invariants.settled(report);
  }

  void isOver(ClusterReport report) {
    invariants.over(report);
  }

  /** The invariant finds that this step violates it. */
  AbstractThrowableAssert<?, ? extends Throwable> isBrokenBy(ThrowingCallable step) {
    return assertThatThrownBy(step)
        .isInstanceOfSatisfying(
            Invariant.Broken.class,
            broken -> assertThat(broken.sentence()).isEqualTo(rule.sentence()));
  }

  private final class TaskFacts implements SimTaskHost.Listener, SimDataflow.Listener {
    @Override
    public void deployed(SimTaskHost host, SimTaskHost.Task task) {
      show(new Fact.TaskDeployed(host, task));
    }

    @Override
    public void ended(SimTaskHost host, SimTaskHost.Task task, TaskState state) {
      show(new Fact.TaskEnded(host, task, state));
    }

    @Override
    public void started(SimDataflowTask task) {
      show(new Fact.StateRestored(task));
    }

    @Override
    public void unreadable(SimDataflowTask task, String cause) {
      show(new Fact.StateUnreadable(task, cause));
    }

    @Override
    public void committed(
        SimDataflowTask task,
        SimTaskState.Shard shard,
        SimTaskState.Committable committable,
        long under) {
      show(new Fact.Committed(task, shard.number(), committable, under));
    }
  }

  /** What tasks report is of no interest: the facts have it. */
  private static final class Unheard implements TaskListener {
    @Override
    public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {}

    @Override
    public void collected(
        ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
      accepted.run();
    }
  }

  // What invariants see of the world.

  @Override
  public Scenario scenario() {
    return new Scenario(
        1,
        ScenarioKind.CALM,
        new Scenario.Shape(1, false, 2, 2, 4),
        configuration,
        jobs,
        acts,
        faults,
        Duration.ofMinutes(1),
        List.of());
  }

  @Override
  public long nanos() {
    return simulation.nanos();
  }

  @Override
  public boolean isCalm() {
    return true;
  }

  @Override
  public int partitionedTaskManagers(long sinceNanos) {
    return partitioned.isPresent() ? 1 : 0;
  }

  @Override
  public boolean isPartitioned(String from, String to) {
    return partitioned.filter(cut -> cut.equals(from) || cut.equals(to)).isPresent();
  }

  @Override
  public boolean wasJobManagerPartitioned(long sinceNanos) {
    return false;
  }

  @Override
  public List<Worker> workers() {
    return new ArrayList<>(workers.values());
  }

  @Override
  public Optional<SimDriver> driver() {
    return Optional.empty();
  }

  @Override
  public SimStore store() {
    return store;
  }

  @Override
  public SimBlobs blobs() {
    return blobs;
  }

  @Override
  public SimCheckpointStorage checkpoints() {
    return checkpoints;
  }

  @Override
  public Optional<SimTokens> tokens() {
    return tokens;
  }
}

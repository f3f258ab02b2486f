package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.ha.HaStore;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.Messages;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.Coordination;
import io.millrace.sim.SimBlobs;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimElection;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTokens;
import io.millrace.sim.SimWorkerBlobs;
import io.millrace.sim.Simulation;
import io.millrace.sim.Trace;
import io.millrace.sim.check.Fact;
import io.millrace.sim.check.SimulatedWorld;
import io.millrace.sim.disk.SimDisk;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.SimJob;
import io.millrace.sim.zookeeper.SimZooKeeper;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.slots.SlotTable;
import io.millrace.worker.task.UserClassLoaders;
import io.millrace.worker.taskexecutor.TaskExecutor;
import io.millrace.worker.taskexecutor.TaskExecutorServices;
import io.millrace.worker.taskexecutor.WorkerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * JobManagers, TaskManagers and a client in a {@link Simulation}, each a process of its own,
 * composed of production classes. A process that terminates itself is started again after a while,
 * as by a supervisor.
 */
final class SimCluster implements SimulatedWorld {
  private static final RecordCodec CODEC = Messages.codec();
  private static final RecordCodec GRAPHS = Messages.graphCodec();

  private final Scenario scenario;

  /** Depends on the scenario alone, and is asked after each event. */
  private final boolean reachable;

  private final SimWiring wiring;
  private final Simulation simulation;
  private final SimStorage storage;
  private final Optional<SimElection> election;
  private final Optional<SimZooKeeper> zooKeeper;
  private final Optional<SimDriver> driver;
  private final Optional<SimTokens> tokens;
  private final Random random;
  private final Map<String, SimJobManager> managers = new LinkedHashMap<>();
  private final SimDataflow dataflow;
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final Map<String, TaskExecutor> executors = new LinkedHashMap<>();
  private final Map<JobId, SimTaskHost.Behaviour> behaviours = new LinkedHashMap<>();
  private final SimClient client;
  private final FactRecorder facts;

  /** The process whose Dispatcher became the leader last. */
  private Optional<SimProcess> dispatcher = Optional.empty();

  private boolean calm;

  SimCluster(Scenario scenario, SimWiring wiring, Trace trace) {
    this.scenario = scenario;
    this.reachable = SimulatedWorld.super.isReachable();
    this.wiring = wiring;
    this.simulation = new Simulation(scenario.seed(), CODEC, trace);
    this.random = simulation.random("supervisor");
    this.storage = new SimStorage(simulation, scenario.shape().storeType());
    this.facts = new FactRecorder(wiring);
    this.dataflow = new SimDataflow(facts);
    boolean nodes = scenario.shape().storeType() == Scenario.StoreType.ZOOKEEPER;
    this.zooKeeper = nodes ? Optional.of(new SimZooKeeper(simulation)) : Optional.empty();
    this.election =
        scenario.isCoordinated() && !nodes
            ? Optional.of(new SimElection(simulation))
            : Optional.empty();
    this.driver = scenario.shape().elastic() ? Optional.of(newDriver()) : Optional.empty();
    this.tokens =
        scenario.shape().needsTokens()
            ? Optional.of(new SimTokens(simulation, scenario.shape().tokenLife()))
            : Optional.empty();
    for (SimJob job : scenario.jobs()) {
      behaviours.put(job.id(), job.behaviour());
    }
    simulation.network().tap(facts);
    storage.checkpoints.onDeletion(
        directory -> facts.accept(new Fact.CheckpointDeleted(directory)));
    storage.store.listen((key, value) -> facts.accept(new Fact.Stored(key, value)));
    driver.ifPresent(known -> known.listener(facts));
    zooKeeper.ifPresent(known -> known.listener(facts));
    SimProcess process = simulation.process("client");
    Rpc rpc = rpc(process);
    client = new SimClient(rpc, leaders(process, rpc), GRAPHS, this::blobsAt);
  }

  /** Passes all facts to a listener. */
  void observe(Consumer<Fact> observer) {
    facts.observer(
        fact -> {
          if (fact instanceof Fact.Granted granted
              && granted.component().equals(ComponentNames.DISPATCHER)) {
            dispatcher = Optional.of(granted.process());
            manager(granted.process().name()).ifPresent(manager -> manager.blobs.beginTerm());
          }
          observer.accept(fact);
        });
  }

  void start() {
    scenario.shape().jobManagerNames().forEach(this::startJobManager);
    scenario.shape().workerNames().forEach(this::startWorker);
  }

  Simulation simulation() {
    return simulation;
  }

  SimClient client() {
    return client;
  }

  SimDisk disk() {
    return storage.disk;
  }

  /** The service that elects one of several JobManagers. */
  Optional<Coordination> coordination() {
    return election.<Coordination>map(known -> known).or(() -> zooKeeper);
  }

  Optional<SimZooKeeper> zooKeeper() {
    return zooKeeper;
  }

  Optional<SimJobManager> manager(String name) {
    return Optional.ofNullable(managers.get(name)).filter(found -> found.process.isAlive());
  }

  /** The components of the last process of a worker. */
  TaskExecutor executor(String worker) {
    return executors.get(worker);
  }

  /** The living process of this name. */
  Optional<SimProcess> process(String name) {
    return manager(name)
        .map(found -> found.process)
        .or(() -> Optional.ofNullable(workers.get(name)).map(Worker::process))
        .filter(SimProcess::isAlive);
  }

  /** From now on there are no faults, and no user code fails. */
  void calmDown() {
    calm = true;
    dataflow.calm();
    behaviours.replaceAll(
        (job, before) ->
            new SimTaskHost.Behaviour(before.longestRun(), 0, before.longestCancellation()));
    scenario.shape().jobManagerNames().forEach(this::startJobManager);
    scenario.shape().workerNames().forEach(this::startWorker);
  }

  /** Starts a JobManager on the stored data of its predecessors, unless it runs. */
  void startJobManager(String name) {
    if (manager(name).isPresent()) {
      return;
    }
    SimProcess process = simulation.process(name);
    process.onJournalEntry((who, event) -> facts.accept(new Fact.Decided(who, event)));
    Rpc rpc = rpc(process);
    try {
      Optional<SimContender> contender =
          zooKeeper.map(servers -> new SimContender(servers, process, wiring));
      SimJobManager manager =
          storage.open(process, contender, () -> dispatcher.equals(Optional.of(process)));
      managers.put(name, manager);
      HaStore ownStore = wiring.store(process, manager.store);
      JobManager.Leadership real =
          election
              .map(coordinator -> coordinator.of(process))
              .map(member -> new JobManager.Leadership(member, member))
              .or(() -> contender.map(SimContender::leadership))
              .orElseGet(() -> JobManager.Leadership.alone(process, ownStore));
      manager.services =
          Optional.of(
              new JobManager(
                  rpc,
                  wiring.configuration(process, configuration()),
                  new JobManager.Backing(
                      wiring.blobs(process, manager.blobs),
                      ownStore,
                      wiring.checkpoints(process, manager.checkpoints),
                      driverOf(process),
                      tokens(process, new SimTokens.Held()),
                      // Only a history server reads it; here only the time of the write matters.
                      new ArchiveTargets(
                          Optional.of(wiring.archive(process, manager.archive)),
                          Optional.of(job -> {}))),
                  new JobManager.Signals(() -> {}, cause -> died(process, cause)),
                  wiring.leadership(
                      process,
                      new JobManager.Leadership(
                          new ObservedElection(process, real.election(), facts), real.leaders()))));
      manager.services.get().start();
      contender.ifPresent(known -> known.contend(cause -> died(process, cause)));
    } catch (SimProcess.Killed e) {
      restartLater(name);
    } catch (IOException | RuntimeException e) {
      died(process, e);
    }
  }

  /** Starts a TaskManager process, unless it runs. */
  void startWorker(String name) {
    startWorker(name, defaultWorker());
  }

  private void startWorker(String name, WorkerSpec spec) {
    if (process(name).isPresent()) {
      return;
    }
    SimProcess process = simulation.process(name);
    process.onJournalEntry((who, event) -> facts.accept(new Fact.Decided(who, event)));
    Rpc rpc = rpc(process);
    SimCheckpointStorage.View ownCheckpoints = storage.checkpoints.of(process);
    SimTaskHost host =
        new SimTaskHost(
            process, behaviours::get, facts, dataflow, ownCheckpoints, wiring.flaw(process));
    SimTokens.Held held = new SimTokens.Held();
    WorkerSettings settings =
        new WorkerSettings(
            new WorkerId(name),
            spec.slots(),
            spec.total(),
            new LinkedHashMap<>(),
            new Hardware((int) Math.ceil(spec.total().cpuCores()), 0, 0, 0),
            () -> ProcessMetrics.NONE,
            UserClassLoaders.shared(SimCluster.class.getClassLoader()),
            tokens(process, held),
            configuration());
    SlotTable slotTable = wiring.slotTable(process, settings);
    SimWorkerBlobs blobs = new SimWorkerBlobs();
    workers.put(name, new Worker(name, process, slotTable, host, held, blobs));
    TaskExecutor executor =
        new TaskExecutor(
            rpc,
            leaders(process, rpc),
            settings,
            slotTable,
            new TaskExecutorServices(
                wiring.taskHost(process, host),
                new BlobCache(rpc, wiring.workerBlobs(process, blobs)),
                wiring.checkpoints(process, ownCheckpoints)),
            cause -> died(process, cause));
    executors.put(name, executor);
    executor.start();
  }

  /** Kills a process; the driver notices if it has started it. */
  void kill(String name) {
    process(name)
        .ifPresent(
            process -> {
              process.kill();
              driver.ifPresent(known -> known.gone(name));
            });
  }

  /** Deregisters the application at one JobManager, then stops all of them. */
  void deregister() {
    List<JobManager> all = new ArrayList<>();
    for (String name : scenario.shape().jobManagerNames()) {
      manager(name).flatMap(found -> found.services).ifPresent(all::add);
    }
    all.get(0)
        .deregister(ApplicationStatus.SUCCEEDED, "All jobs have ended.")
        .whenComplete((done, failure) -> all.forEach(JobManager::stop));
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public long nanos() {
    return simulation.nanos();
  }

  @Override
  public boolean isCalm() {
    return calm;
  }

  @Override
  public boolean isReachable() {
    return reachable;
  }

  @Override
  public int partitionedTaskManagers(long sinceNanos) {
    return (int)
        workers().stream()
            .filter(
                worker -> simulation.network().faults().wasPartitioned(worker.name(), sinceNanos))
            .count();
  }

  @Override
  public boolean isPartitioned(String from, String to) {
    return simulation.network().faults().isPartitioned(from, to);
  }

  @Override
  public boolean wasJobManagerPartitioned(long sinceNanos) {
    return scenario.shape().jobManagerNames().stream()
        .anyMatch(name -> simulation.network().faults().wasPartitioned(name, sinceNanos));
  }

  @Override
  public List<Worker> workers() {
    List<Worker> alive = new ArrayList<>();
    for (Worker worker : workers.values()) {
      if (worker.process().isAlive()) {
        alive.add(worker);
      }
    }
    return alive;
  }

  @Override
  public Optional<SimDriver> driver() {
    return driver;
  }

  @Override
  public Optional<SimTokens> tokens() {
    return tokens;
  }

  private DelegationTokens tokens(SimProcess process, SimTokens.Held held) {
    return tokens.map(service -> service.of(process, held)).orElse(DelegationTokens.NONE);
  }

  @Override
  public SimStore store() {
    return storage.store;
  }

  @Override
  public SimCheckpointStorage checkpoints() {
    return storage.checkpoints;
  }

  @Override
  public SimBlobs blobs() {
    return storage.blobs;
  }

  private Configuration configuration() {
    return scenario.configuration();
  }

  private Optional<BlobStore> blobsAt(String process) {
    return manager(process).map(found -> found.blobs);
  }

  private Rpc rpc(SimProcess process) {
    return new Rpc(
        process,
        wiring.transport(process, process.transport()),
        scenario.configuration().get(RpcOptions.ASK_TIMEOUT));
  }

  private LeaderRetrieval leaders(SimProcess process, Rpc rpc) {
    LeaderRetrieval real =
        election
            .<LeaderRetrieval>map(coordinator -> coordinator.of(process))
            .or(() -> zooKeeper.map(servers -> SimContender.followers(servers, process, rpc)))
            .orElseGet(
                () -> new DirectoryLeaderRetrieval(rpc, scenario.shape().jobManagerNames().get(0)));
    return wiring.leaders(process, real);
  }

  private WorkerDriver driverOf(SimProcess process) {
    return wiring.driver(
        process, driver.map(known -> known.of(process)).orElseGet(StandaloneDriver::new));
  }

  /** The workers of this cluster, unless jobs need larger ones. */
  private WorkerSpec defaultWorker() {
    return new WorkerSpec(scenario.shape().worker(), scenario.shape().slots());
  }

  private SimDriver newDriver() {
    return new SimDriver(
        simulation,
        scenario.shape().driver(),
        new SimDriver.Offer(
            defaultWorker(),
            scenario.shape().most(),
            new CustomWorkerSizes(
                DefaultProcessSizes.in(Configuration.EMPTY), 4, 8L << 30, "the simulation")),
        new SimDriver.Machines() {
          @Override
          public boolean serves(SimProcess jobManager) {
            return coordination()
                .map(known -> known.leads(jobManager, ComponentNames.RESOURCE_MANAGER))
                .orElse(true);
          }

          @Override
          public void start(String worker, WorkerSpec spec) {
            startWorker(worker, spec);
          }

          @Override
          public void end(String worker) {
            process(worker).ifPresent(SimProcess::kill);
          }
        });
  }

  private void died(SimProcess process, Throwable cause) {
    if (process.isAlive()) {
      facts.accept(new Fact.Died(process, cause));
      simulation
          .trace()
          .fault(simulation.nanos(), process.name() + " ends itself: " + cause.getMessage());
      kill(process.name());
      // A process that could not open its storage is not known yet.
      process.kill();
      restartLater(process.name());
    }
  }

  /** The ResourceManager replaces workers that it has requested. */
  void restartLater(String name) {
    if (!name.startsWith("elastic-")) {
      simulation.schedule(
          Duration.ofMillis(500 + random.nextInt(3_000)), "supervisor", () -> restart(name));
    }
  }

  void restart(String name) {
    if (name.startsWith("jobmanager-")) {
      startJobManager(name);
    } else if (scenario.shape().workerNames().contains(name)) {
      startWorker(name);
    }
  }
}

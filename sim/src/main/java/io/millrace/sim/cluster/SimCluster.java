package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.archive.FencedArchive;
import io.millrace.control.archive.FileArchive;
import io.millrace.control.archive.MemoryArchive;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FencedBlobStore;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.ha.FencedHaStore;
import io.millrace.control.ha.FileHaStore;
import io.millrace.control.ha.HaStore;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.Messages;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.MessageInterceptor;
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
import io.millrace.sim.disk.Mount;
import io.millrace.sim.disk.SimDisk;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.StoreType;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.TaskState;
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
 * JobManagers, TaskManagers and a client in a {@link Simulation}, each a process of its own, made
 * of production classes. Whoever ends by itself is started again after a while, as a supervisor
 * would.
 */
final class SimCluster implements SimulatedWorld {
  private static final RecordCodec CODEC = Messages.codec();
  private static final RecordCodec GRAPHS = Messages.graphCodec();

  private final Scenario scenario;
  private final SimWiring wiring;
  private final Simulation simulation;
  private final SimBlobs blobs = new SimBlobs();
  private final SimStore store = new SimStore();
  private final SimDisk disk;
  private final MemoryArchive archive = new MemoryArchive();
  private final Optional<SimElection> election;
  private final Optional<SimDriver> driver;
  private final Optional<SimTokens> tokens;
  private final Random random;
  private final Map<String, Manager> managers = new LinkedHashMap<>();
  private final SimCheckpointStorage checkpoints = new SimCheckpointStorage();
  private final SimDataflow dataflow = new SimDataflow(new DataflowWitness());
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final Map<String, TaskExecutor> executors = new LinkedHashMap<>();
  private final Map<JobId, SimTaskHost.Behaviour> behaviours = new LinkedHashMap<>();
  private final SimClient client;
  private Consumer<Fact> facts = fact -> {};

  /** Whose Dispatcher was made the leader last. */
  private Optional<SimProcess> dispatcher = Optional.empty();

  private boolean calm;

  /** A JobManager process and its storage. */
  static final class Manager {
    final SimProcess process;
    final SimStore.View store;
    final SimBlobs.View blobs;
    final ArchiveStore archive;
    final SimCheckpointStorage.View checkpoints;

    /** The disk under all of these, where there is one. */
    final Optional<Mount> mount;

    Optional<JobManager> services = Optional.empty();

    Manager(
        SimProcess process,
        SimStore.View store,
        SimBlobs.View blobs,
        ArchiveStore archive,
        SimCheckpointStorage.View checkpoints,
        Optional<Mount> mount) {
      this.process = process;
      this.store = store;
      this.blobs = blobs;
      this.archive = archive;
      this.checkpoints = checkpoints;
      this.mount = mount;
    }

    void trouble(SimStore.Trouble now) {
      store.trouble(now);
      checkpoints.trouble(now);
      if (mount.isEmpty()) {
        blobs.trouble(now);
      }
    }
  }

  SimCluster(Scenario scenario, SimWiring wiring, Trace trace) {
    this.scenario = scenario;
    this.wiring = wiring;
    this.simulation = new Simulation(scenario.seed(), CODEC, trace);
    this.random = simulation.random("supervisor");
    this.disk = new SimDisk(simulation);
    this.election =
        scenario.isCoordinated() ? Optional.of(new SimElection(simulation)) : Optional.empty();
    this.driver = scenario.shape().elastic() ? Optional.of(newDriver()) : Optional.empty();
    this.tokens =
        scenario.shape().needsTokens()
            ? Optional.of(new SimTokens(simulation, scenario.shape().tokenLife()))
            : Optional.empty();
    for (SimJob job : scenario.jobs()) {
      behaviours.put(job.id(), job.behaviour());
    }
    simulation.network().tap(new Wire());
    checkpoints.onDeletion(directory -> facts.accept(new Fact.CheckpointDeleted(directory)));
    store.listen((key, value) -> facts.accept(new Fact.Stored(key, value)));
    driver.ifPresent(known -> known.listener(new DriverWitness()));
    SimProcess process = simulation.process("client");
    Rpc rpc = rpc(process);
    client = new SimClient(rpc, leaders(process, rpc), GRAPHS, this::blobsAt);
  }

  /** Tells somebody of everything that is seen. */
  void observe(Consumer<Fact> observer) {
    facts =
        fact -> {
          if (fact instanceof Fact.Granted granted
              && granted.component().equals(ComponentNames.DISPATCHER)) {
            dispatcher = Optional.of(granted.process());
          }
          observer.accept(fact);
        };
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
    return disk;
  }

  Optional<SimElection> election() {
    return election;
  }

  Optional<Manager> manager(String name) {
    return Optional.ofNullable(managers.get(name)).filter(found -> found.process.isAlive());
  }

  /** What runs in the last process of a worker. */
  TaskExecutor executor(String worker) {
    return executors.get(worker);
  }

  /** Any process that lives. */
  Optional<SimProcess> process(String name) {
    return manager(name)
        .map(found -> found.process)
        .or(() -> Optional.ofNullable(workers.get(name)).map(Worker::process))
        .filter(SimProcess::isAlive);
  }

  /** From now on nothing goes wrong: also no user code fails. */
  void calmDown() {
    calm = true;
    dataflow.calm();
    behaviours.replaceAll(
        (job, before) ->
            new SimTaskHost.Behaviour(before.longestRun(), 0, before.longestCancellation()));
    scenario.shape().jobManagerNames().forEach(this::startJobManager);
    scenario.shape().workerNames().forEach(this::startWorker);
  }

  /** Starts a JobManager on what those before it stored, unless it runs. */
  void startJobManager(String name) {
    if (manager(name).isPresent()) {
      return;
    }
    SimProcess process = simulation.process(name);
    process.onJournalEntry((who, event) -> facts.accept(new Fact.Decided(who, event)));
    Rpc rpc = rpc(process);
    try {
      Manager manager = opened(process);
      managers.put(name, manager);
      HaStore ownStore = wiring.store(process, manager.store);
      JobManager.Leadership real =
          election
              .map(coordinator -> coordinator.of(process))
              .map(member -> new JobManager.Leadership(member, member))
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
                      // A history server reads what is written; only the time that takes matters.
                      new ArchiveTargets(
                          Optional.of(wiring.archive(process, manager.archive)),
                          Optional.of(job -> {}))),
                  new JobManager.Signals(() -> {}, cause -> died(process, cause)),
                  wiring.leadership(
                      process,
                      new JobManager.Leadership(
                          new ObservedElection(process, real.election(), facts), real.leaders()))));
      manager.services.get().start();
    } catch (SimProcess.Killed e) {
      restartLater(name);
    } catch (IOException | RuntimeException e) {
      died(process, e);
    }
  }

  /** A JobManager that has opened its storage, as production does it. */
  private Manager opened(SimProcess process) throws IOException {
    if (scenario.shape().storeType() == StoreType.MEMORY) {
      return new Manager(
          process,
          store.of(process),
          blobs.view(blobs.shared()),
          new FencedSimArchive(archive, () -> dispatcher.equals(Optional.of(process))),
          checkpoints.of(process),
          Optional.empty());
    }
    Mount mount = disk.mount(process);
    if (scenario.shape().storeType() == StoreType.FILE) {
      return new Manager(
          process,
          store.of(process, FileHaStore.open(mount.path("/cluster/store")), mount),
          blobs.view(new FileBlobStore(mount.path("/cluster/blobs"))),
          new FileArchive(mount.path("/cluster/archive")),
          checkpoints.of(process),
          Optional.of(mount));
    }
    FencedDirectory taken =
        FencedDirectory.take(
            mount.shared(), new FilePath("sim", "", "/cluster"), process.toString());
    FileBlobStore copies = new FileBlobStore(mount.path("/own/" + process + "/blobs"));
    return new Manager(
        process,
        store.of(process, new FencedHaStore(taken, "store"), mount),
        blobs.view(new FencedBlobStore(taken, "blobs", copies)),
        new FencedArchive(taken, "archive"),
        checkpoints.of(process),
        Optional.of(mount));
  }

  /** Starts a TaskManager process, unless it runs. */
  void startWorker(String name) {
    startWorker(name, usual());
  }

  private void startWorker(String name, WorkerSpec spec) {
    if (process(name).isPresent()) {
      return;
    }
    SimProcess process = simulation.process(name);
    process.onJournalEntry((who, event) -> facts.accept(new Fact.Decided(who, event)));
    Rpc rpc = rpc(process);
    SimCheckpointStorage.View ownCheckpoints = checkpoints.of(process);
    SimTaskHost host =
        new SimTaskHost(
            process,
            behaviours::get,
            new TaskWitness(),
            dataflow,
            ownCheckpoints,
            wiring.flaw(process));
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

  /** A process is killed; the driver notices where it is one of its own. */
  void kill(String name) {
    process(name)
        .ifPresent(
            process -> {
              process.kill();
              driver.ifPresent(known -> known.gone(name));
            });
  }

  /** The application is over: one JobManager says so, then all of them stop. */
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
  public int cutOff(long sinceNanos) {
    return (int)
        workers().stream()
            .filter(worker -> simulation.network().wasCutOff(worker.name(), sinceNanos))
            .count();
  }

  @Override
  public boolean isPartitioned(String from, String to) {
    return simulation.network().isPartitioned(from, to);
  }

  @Override
  public boolean isJobManagerCutOff(long sinceNanos) {
    return scenario.shape().jobManagerNames().stream()
        .anyMatch(name -> simulation.network().wasCutOff(name, sinceNanos));
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
    return store;
  }

  @Override
  public SimCheckpointStorage checkpoints() {
    return checkpoints;
  }

  @Override
  public SimBlobs blobs() {
    return blobs;
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
            .orElseGet(
                () -> new DirectoryLeaderRetrieval(rpc, scenario.shape().jobManagerNames().get(0)));
    return wiring.leaders(process, real);
  }

  private WorkerDriver driverOf(SimProcess process) {
    return wiring.driver(
        process, driver.map(known -> known.of(process)).orElseGet(StandaloneDriver::new));
  }

  /** The workers of this cluster, where no job asks for larger ones. */
  private WorkerSpec usual() {
    return new WorkerSpec(scenario.shape().worker(), scenario.shape().slots());
  }

  private SimDriver newDriver() {
    return new SimDriver(
        simulation,
        scenario.shape().driver(),
        new SimDriver.Offer(
            usual(),
            scenario.shape().most(),
            new CustomWorkerSizes(
                DefaultProcessSizes.in(Configuration.EMPTY), 4, 8L << 30, "the simulation")),
        new SimDriver.Machines() {
          @Override
          public boolean serves(SimProcess jobManager) {
            return election
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
      // One that could not open its storage is not known yet.
      process.kill();
      restartLater(process.name());
    }
  }

  /** Started workers are replaced by whoever asked for them. */
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

  private final class DriverWitness implements SimDriver.Listener {
    @Override
    public void requested(WorkerSpec spec) {
      facts.accept(new Fact.WorkerRequested(spec));
    }

    @Override
    public void released(String worker) {
      facts.accept(new Fact.WorkerReleased(worker));
    }

    @Override
    public void endReported(SimProcess jobManager, String worker) {
      facts.accept(new Fact.WorkerEndTold(jobManager, worker));
    }
  }

  private final class DataflowWitness implements SimDataflow.Listener {
    @Override
    public void started(SimDataflow.Task task) {
      facts.accept(new Fact.StateRestored(task));
    }

    @Override
    public void unreadable(SimDataflow.Task task, String cause) {
      facts.accept(new Fact.StateUnreadable(task, cause));
    }

    @Override
    public void committed(
        SimDataflow.Task task,
        SimDataflow.Shard shard,
        SimDataflow.Committable committable,
        long under) {
      facts.accept(new Fact.Committed(task, shard.number(), committable, under));
    }
  }

  private final class TaskWitness implements SimTaskHost.Listener {
    @Override
    public void deployed(SimTaskHost host, SimTaskHost.Task task) {
      facts.accept(new Fact.TaskDeployed(host, task));
    }

    @Override
    public void ended(SimTaskHost host, SimTaskHost.Task task, TaskState state) {
      facts.accept(new Fact.TaskEnded(host, task, state));
    }
  }

  /** Sees what is meant before the wiring may change it. */
  private final class Wire implements MessageInterceptor {
    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      if (envelope instanceof Envelope.Call call) {
        facts.accept(new Fact.Sent(from, to, call));
      }
      return wiring.sends(from, to, envelope);
    }

    @Override
    public void called(String from, SimProcess to, Envelope.Call call) {
      facts.accept(new Fact.Called(from, to, call));
    }

    @Override
    public void answers(SimProcess by, String to, Envelope.Call call, Envelope answer) {
      facts.accept(new Fact.Answered(by, to, call, answer));
    }

    @Override
    public void heard(SimProcess at, String from, Envelope.Call call, Envelope answer) {
      facts.accept(new Fact.Heard(at, from, call, answer));
    }

    @Override
    public void lost(SimProcess at, String peer) {
      facts.accept(new Fact.ConnectionLost(at, peer));
    }
  }
}

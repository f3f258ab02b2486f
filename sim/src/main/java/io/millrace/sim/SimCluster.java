package io.millrace.sim;

import io.millrace.control.JobManager;
import io.millrace.control.archive.Archives;
import io.millrace.control.archive.MemoryArchive;
import io.millrace.control.blob.MemoryBlobs;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.graph.JobGraph;
import io.millrace.graph.task.TaskSpec;
import io.millrace.protocol.Components;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryRetrieval;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.blobcache.BlobStore;
import io.millrace.worker.task.UserClasses;
import io.millrace.worker.taskexecutor.TaskExecutor;
import io.millrace.worker.taskexecutor.WorkerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A JobManager, TaskManagers and a client in a {@link Simulation}, each a process of its own. */
public final class SimCluster {
  private static final String JOB_MANAGER = "jobmanager";

  private final Simulation simulation;
  private final Configuration configuration;
  private final RecordCodec codec;
  private final MemoryBlobs blobs = new MemoryBlobs();
  private final MemoryHaStore store = new MemoryHaStore();
  private final MemoryArchive ended = new MemoryArchive();
  private SimProcess jobManager;
  private final Map<String, SimProcess> workers = new LinkedHashMap<>();
  private final Map<String, SimTaskHost> hosts = new LinkedHashMap<>();
  private final Optional<SimDriver> driver;
  private final List<String> deaths = new ArrayList<>();
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;

  /** A cluster whose TaskManagers are started by the test. */
  public SimCluster(long seed, Configuration configuration) {
    this(seed, configuration, Optional.empty());
  }

  /**
   * @param habits of a driver that starts TaskManagers on demand
   */
  public SimCluster(long seed, Configuration configuration, Optional<SimDriver.Habits> habits) {
    this.codec = Messages.codec();
    this.simulation = new Simulation(seed, codec);
    this.configuration = configuration;
    this.driver = habits.map(known -> new SimDriver(this, known));
    startJobManager();
    SimProcess client = simulation.process("client");
    Rpc clientRpc = rpc(client);
    Mailbox mailbox = client.mailbox("client");
    dispatcher =
        new LeaderGateway<>(
            clientRpc,
            new DirectoryRetrieval(clientRpc, JOB_MANAGER),
            DispatcherGateway.class,
            Components.DISPATCHER,
            mailbox);
    resourceManager =
        new LeaderGateway<>(
            clientRpc,
            new DirectoryRetrieval(clientRpc, JOB_MANAGER),
            ResourceManagerGateway.class,
            Components.RESOURCE_MANAGER,
            mailbox);
  }

  public Simulation simulation() {
    return simulation;
  }

  /** What starts its workers, where that is not the test. */
  public SimDriver driver() {
    return driver.orElseThrow();
  }

  /** Processes that ended themselves, with the reason. */
  public List<String> deaths() {
    return deaths;
  }

  /** Ends the JobManager as SIGKILL does; what it stored stays. */
  public void killJobManager() {
    jobManager.kill();
  }

  /** Starts a JobManager on what the one before stored. */
  public void startJobManager() {
    SimProcess process = simulation.process(JOB_MANAGER);
    jobManager = process;
    new JobManager(
            rpc(process),
            configuration,
            new JobManager.Backing(
                blobs,
                store,
                driver.<WorkerDriver>map(x -> x).orElseGet(StandaloneDriver::new),
                DelegationTokens.NONE,
                new Archives(Optional.of(ended), Optional.empty())),
            new JobManager.Signals(() -> {}, cause -> died(process, cause)))
        .start();
  }

  /** Starts a TaskManager process. */
  public void startWorker(String name, int slots, SimTaskHost.Behaviour behaviour) {
    startWorker(name, new WorkerSpec(new ResourceProfile(slots, 0, 0, 0, 0), slots), behaviour);
  }

  /** Starts a TaskManager process with so much for its slots. */
  public void startWorker(String name, WorkerSpec spec, SimTaskHost.Behaviour behaviour) {
    SimProcess process = simulation.process(name);
    Rpc rpc = rpc(process);
    SimTaskHost host = new SimTaskHost(process, name, behaviour);
    workers.put(name, process);
    hosts.put(name, host);
    new TaskExecutor(
            rpc,
            new DirectoryRetrieval(rpc, JOB_MANAGER),
            new WorkerSettings(
                new WorkerId(name),
                spec.slots(),
                spec.total(),
                new Hardware((int) Math.ceil(spec.total().cpuCores()), 0, 0, 0),
                () -> ProcessMetrics.NONE,
                UserClasses.shared(SimCluster.class.getClassLoader()),
                configuration),
            host,
            new BlobCache(rpc, BlobStore.inMemory()),
            cause -> died(process, cause))
        .start();
  }

  public void killWorker(String name) {
    Optional.ofNullable(workers.get(name)).ifPresent(SimProcess::kill);
  }

  /** How many tasks run on a worker now. */
  public int runningOn(String worker) {
    return tasksOn(worker).size();
  }

  /** The tasks that run on a worker now, those that are being cancelled included. */
  public List<TaskSpec> tasksOn(String worker) {
    return workers.get(worker).isAlive() ? hosts.get(worker).running() : List.of();
  }

  /** How many tasks were ever deployed. */
  public int deployed() {
    return hosts.values().stream().mapToInt(SimTaskHost::deployed).sum();
  }

  /** Puts the graph where the JobManager finds it and submits it. */
  public CompletableFuture<?> submit(JobGraph graph) {
    BlobKey key = blobs.put(Bytes.wrap(codec.encode(graph)));
    return ask(gateway -> gateway.submitJob(new DispatcherGateway.SubmitJob(graph.id(), key)));
  }

  /** Calls the Dispatcher as a client does. */
  public <T> CompletableFuture<T> ask(Function<DispatcherGateway, CompletableFuture<T>> call) {
    return dispatcher.find().thenCompose(call);
  }

  /** How many of its slots each registered worker has free. */
  public CompletableFuture<Map<String, Integer>> freeSlots() {
    return resourceManager
        .find()
        .thenCompose(gateway -> gateway.listWorkers(new ListWorkers()))
        .thenApply(
            answer -> {
              Map<String, Integer> free = new TreeMap<>();
              answer.workers().forEach(one -> free.put(one.worker().toString(), one.freeSlots()));
              return free;
            });
  }

  private Rpc rpc(SimProcess process) {
    return new Rpc(process, process.transport(), configuration.get(Options.ASK_TIMEOUT));
  }

  private void died(SimProcess process, Throwable cause) {
    deaths.add(process.name() + ": " + cause.getMessage());
    process.kill();
  }
}

package io.millrace.cluster;

import io.millrace.client.ClusterClient;
import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.metric.MetricReporters;
import io.millrace.core.metric.MetricSource;
import io.millrace.dataplane.DataPlaneSettings;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.StartOutcome;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A cluster in this process: a JobManager and a TaskManager that use the same messages as separate
 * processes, over an in-process transport. It opens no port, unless it is created with TaskManagers
 * of their own. Programs get it through {@link EmbeddedJobExecutor}, their tests through {@code
 * TestCluster} of the module {@code test}.
 */
public final class EmbeddedCluster implements ClusterClient {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
  private static final int DEFAULT_SLOTS = 512;
  private static final MemorySize DEFAULT_MANAGED_MEMORY = MemorySize.ofMebi(128);

  /** In one process no message is lost, so a missing answer means a busy component. */
  private static final Duration ASK_TIMEOUT = Duration.ofMinutes(1);

  private final Configuration configuration;
  private final LiveEnv env = new LiveEnv("embedded");
  private final InProcessNetwork network = new InProcessNetwork();
  private final Rpc rpc;
  private final JobManager jobManager;
  private final DispatcherClient client;
  private final ProcessDirectory directory;
  private final ProcessContext context;
  private final Optional<EmbeddedTaskManagers> taskManagers;
  private Optional<TaskManagerRunner> worker = Optional.empty();
  private Optional<EmbeddedMetrics> metrics = Optional.empty();
  private volatile Optional<Throwable> failure = Optional.empty();

  public EmbeddedCluster(Configuration configuration) {
    this(configuration, ProcessContext.create(configuration));
  }

  /** Takes over the context and closes it with the cluster. */
  EmbeddedCluster(Configuration given, ProcessContext context) {
    this(given, context, OptionalInt.empty());
  }

  /**
   * A cluster with TaskManagers that exchange records over ports of the loopback interface, as
   * separate processes do. They can be started and killed one by one.
   *
   * @param slots of each TaskManager
   */
  public static EmbeddedCluster withTaskManagers(
      Configuration configuration, int taskManagers, int slots) {
    EmbeddedCluster cluster =
        new EmbeddedCluster(
            configuration, ProcessContext.create(configuration), OptionalInt.of(slots));
    try {
      for (int i = 0; i < taskManagers; i++) {
        cluster.startTaskManager();
      }
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  private EmbeddedCluster(Configuration given, ProcessContext context, OptionalInt slots) {
    this.context = context;
    this.taskManagers =
        slots.isPresent()
            ? Optional.of(new EmbeddedTaskManagers(slots.getAsInt()))
            : Optional.empty();
    directory = ProcessDirectory.create(given, "embedded");
    directory.deleteOnExit();
    // Nothing outlives this process, so that its checkpoints need not either.
    this.configuration =
        Configuration.EMPTY
            .with(RpcOptions.ASK_TIMEOUT, ASK_TIMEOUT)
            .with(
                CheckpointingOptions.DIRECTORY, directory.path().resolve("checkpoints").toString())
            .overriddenBy(given);
    rpc = new Rpc(env, network.join("jobmanager"), configuration.get(RpcOptions.ASK_TIMEOUT));
    BlobStore blobs = new MemoryBlobStore();
    jobManager =
        new JobManager(
            rpc,
            configuration,
            new JobManager.Backing(
                blobs,
                new MemoryHaStore(),
                new FileCheckpointStorage(context.files()),
                new StandaloneDriver(),
                context.tokens(),
                ArchiveTargets.NONE),
            new JobManager.Signals(() -> {}, this::failed));
    client = new DispatcherClient(rpc, jobManager.leaders(), blobs, configuration);
    inSecurityContext(
        () -> {
          jobManager.start();
          return jobManager;
        });
  }

  @Override
  public String address() {
    return client.address();
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    ChannelMemoryCheck.check(graph, Runtime.getRuntime().maxMemory());
    if (taskManagers.isEmpty()) {
      startWorker(slotsOf(graph), declaredBy(graph));
    }
    client().submit(graph, jars);
  }

  @Override
  public List<JobOverview> jobs() {
    return client().jobs();
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration timeout) {
    return client().awaitResult(job, timeout);
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    return client().cancel(job);
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration timeout) {
    return client().collected(job, name, next, timeout);
  }

  @Override
  public Optional<CachedDataSet> dataSet(DataSetId id) {
    return client().dataSet(id);
  }

  @Override
  public void releaseDataSet(DataSetId id) {
    client().releaseDataSet(id);
  }

  @Override
  public synchronized void close() {
    metrics.ifPresent(EmbeddedMetrics::close);
    client.close();
    worker.ifPresent(started -> await(started.stop()));
    taskManagers.ifPresent(started -> started.stopAll().forEach(EmbeddedCluster::await));
    await(jobManager.stop());
    rpc.close();
    env.close();
    directory.delete();
    try {
      context.close();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The embedded cluster could not close its security context", e);
    }
  }

  // --- clusters with TaskManagers of their own

  private EmbeddedTaskManagers taskManagersOrThrow() {
    return taskManagers.orElseThrow(
        () -> new IllegalStateException("This cluster was created without TaskManagers"));
  }

  /** The TaskManagers that run, in the order of their start. */
  public List<WorkerId> taskManagers() {
    return taskManagersOrThrow().ids();
  }

  /** Starts a TaskManager; it registers soon. */
  public WorkerId startTaskManager() {
    return taskManagersOrThrow()
        .start(
            (id, slots, port) ->
                inSecurityContext(
                    () ->
                        worker(
                            id,
                            slots,
                            ResourceProfile.UNSPECIFIED,
                            DataPlaneSettings.listening(
                                TaskManagerRunner.cores(configuration), port))));
  }

  /** Ends a TaskManager like a process that is killed; its tasks are lost. */
  public void killTaskManager(WorkerId id) {
    await(taskManagersOrThrow().kill(id));
  }

  /** Fails a task; false if no TaskManager runs it. */
  public boolean failTask(ExecutionId task, Failure why) {
    return taskManagersOrThrow().fail(task, why);
  }

  /** The tasks of a job; empty if the cluster does not know the job. */
  public Optional<JobDetails> describe(JobId job) {
    return client().describe(job);
  }

  /** The metrics that functions and operators of a vertex have registered. */
  public JobMetrics metrics(JobId job, VertexId vertex) {
    return client().metrics(job, vertex);
  }

  /** All metrics of the JobManager, which the caller closes. */
  JobManagerMetrics jobManagerMetrics() {
    return new JobManagerMetrics("localhost", rpc, jobManager.leaders());
  }

  /** All metrics of the TaskManager. */
  MetricSource taskManagerMetrics() {
    return worker.orElseThrow().metrics("localhost");
  }

  /** Starts a checkpoint or a savepoint. */
  public StartOutcome startCheckpoint(StartJobCheckpoint request) {
    return client().startCheckpoint(request);
  }

  /** The checkpoints of a job; empty if the cluster does not know the job. */
  public Optional<CheckpointStatistics> checkpoints(JobId job) {
    return client().checkpoints(job);
  }

  /**
   * Starts the TaskManager with the first job. It has more slots than this job needs, because slots
   * are cheap here and the program may run further jobs. Its resources are those of the process
   * plus those that the job declares, because slots of one process do not divide them. The
   * configured number of slots can only raise the number. There is no second TaskManager, because
   * all tasks run in one data plane.
   */
  private synchronized void startWorker(int needed, ResourceProfile declared) {
    if (worker.isEmpty()) {
      int slots =
          Math.max(
              configuration.get(TaskManagerOptions.NUM_TASK_SLOTS),
              Math.max(needed, DEFAULT_SLOTS));
      worker =
          Optional.of(
              inSecurityContext(
                  () ->
                      worker(
                          new WorkerId("taskmanager"),
                          slots,
                          declared,
                          DataPlaneSettings.inProcess(TaskManagerRunner.cores(configuration)))));
      if (MetricReporters.areConfigured(configuration)) {
        metrics =
            Optional.of(
                EmbeddedMetrics.start(
                    configuration, context.plugins(), jobManagerMetrics(), taskManagerMetrics()));
      }
    } else if (worker.get().slots() < needed) {
      throw new MillraceException(
          ErrorKind.USER,
          "This job needs "
              + needed
              + " slots; the embedded cluster was started with "
              + worker.get().slots()
              + " for the program's first job. Set "
              + TaskManagerOptions.NUM_TASK_SLOTS.key()
              + " to at least "
              + needed
              + ".");
    }
  }

  private TaskManagerRunner worker(
      WorkerId id, int slots, ResourceProfile declared, DataPlaneSettings dataPlane) {
    Path own = directory.path().resolve(id.value());
    return new TaskManagerRunner(
        new Rpc(env, network.join(id.value()), configuration.get(RpcOptions.ASK_TIMEOUT)),
        jobManager.leaders(),
        configuration,
        new TaskManagerRunner.Identity(
            id,
            slots,
            HostResources.shared(configuration).with(declared),
            own.resolve("blobs"),
            context.tokens()),
        dataPlane
            .with(context.files())
            .with(configuration)
            .keepingIn(own.resolve("kept"))
            .with(StateBackends.of(context.plugins()), own.resolve("local-state"))
            // Not divided: most of its slots are never used.
            .with(ManagedMemory.share(managedMemory(), 1)),
        this::failed);
  }

  private long managedMemory() {
    return configuration.find(MemoryOptions.MANAGED_MEMORY).orElse(DEFAULT_MANAGED_MEMORY).bytes();
  }

  /** Threads inherit the security context, so components are started inside it. */
  private <T> T inSecurityContext(Callable<T> action) {
    try {
      return context.security().call(action);
    } catch (Exception e) {
      Throwable cause = Failure.unwrap(e);
      throw cause instanceof RuntimeException known
          ? known
          : new MillraceException(ErrorKind.EXTERNAL, Failure.sentence(cause), cause);
    }
  }

  /** A slot holds one subtask of each vertex of a slot sharing group. */
  static int slotsOf(JobGraph graph) {
    return parallelismPerGroup(graph).values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The sum of the declared resources of all slots of a job. */
  static ResourceProfile declaredBy(JobGraph graph) {
    ResourceProfile sum = ResourceProfile.UNSPECIFIED;
    for (Map.Entry<String, Integer> group : parallelismPerGroup(graph).entrySet()) {
      ResourceProfile slot =
          graph.resources().getOrDefault(group.getKey(), ResourceProfile.UNSPECIFIED);
      sum = sum.plus(slot.times(group.getValue()));
    }
    return sum;
  }

  private static Map<String, Integer> parallelismPerGroup(JobGraph graph) {
    Map<String, Integer> parallelismPerGroup = new LinkedHashMap<>();
    for (JobVertex vertex : graph.vertices()) {
      parallelismPerGroup.merge(vertex.slotSharingGroup(), vertex.parallelism(), Math::max);
    }
    return parallelismPerGroup;
  }

  private void failed(Throwable cause) {
    failure = Optional.of(cause);
  }

  private DispatcherClient client() {
    if (failure.isPresent()) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The embedded cluster has failed: " + Failure.sentence(failure.get()),
          failure.get());
    }
    return client;
  }

  private static void await(CompletableFuture<Void> stopped) {
    try {
      stopped.get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new MillraceException(
          ErrorKind.BUG, "The embedded cluster did not stop cleanly: " + e.getMessage(), e);
    }
  }
}

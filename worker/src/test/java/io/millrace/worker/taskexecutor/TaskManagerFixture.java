package io.millrace.worker.taskexecutor;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.Messages;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.blobcache.BlobCacheStore;
import io.millrace.worker.task.UserClassLoaders;
import io.millrace.worker.testing.FakeBlobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A TaskManager with fake peers, in virtual time. */
final class TaskManagerFixture {
  static final JobId JOB = new JobId(new Id128(0, 1));
  static final WorkerId WORKER = new WorkerId("w1");
  static final Duration SLOT_TIMEOUT = Duration.ofSeconds(10);
  static final Duration REGISTRATION_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration ASK = Duration.ofSeconds(10);

  final ManualEnv env = new ManualEnv();
  final InProcessNetwork network = new InProcessNetwork();
  final Rpc jobManager = new Rpc(env, network.join("jm"), ASK);
  final Rpc worker = new Rpc(env, network.join("tm"), ASK);
  final FakeLeaders leaders = new FakeLeaders();
  final FakeHost host = new FakeHost();
  final FakeBlobs blobs = new FakeBlobs(jobManager);
  final List<Throwable> fatal = new ArrayList<>();
  final List<ClassLoader> classLoaders = new ArrayList<>();
  final TaskExecutor executor;
  FakeResourceManager resourceManager;

  /** The configuration of the job. */
  Configuration jobConfiguration = Configuration.EMPTY;

  TaskManagerFixture() {
    this(Configuration.EMPTY);
  }

  TaskManagerFixture(Configuration configuration) {
    this(configuration, DelegationTokens.NONE);
  }

  TaskManagerFixture(Configuration configuration, DelegationTokens tokens) {
    blobs.start();
    executor = executor(configuration, tokens);
    resourceManager = resourceManager(1);
  }

  private TaskExecutor executor(Configuration configuration, DelegationTokens tokens) {
    UserClassLoaders shared = UserClassLoaders.shared(TaskManagerFixture.class.getClassLoader());
    WorkerSettings settings =
        new WorkerSettings(
            WORKER,
            4,
            new ResourceProfile(4, 400, 0, 0, 0),
            new LinkedHashMap<>(),
            new Hardware(4, 1000, 800, 0),
            () -> ProcessMetrics.NONE,
            (job, jars) -> {
              ClassLoader loader = shared.load(job, jars);
              classLoaders.add(loader);
              return loader;
            },
            tokens,
            configuration);
    return new TaskExecutor(
        worker,
        leaders,
        settings,
        new TaskExecutorServices(
            host,
            new BlobCache(worker, BlobCacheStore.inMemory()),
            new FileCheckpointStorage(FileSystems.withoutPlugins())),
        fatal::add);
  }

  static Configuration with(String key, String value) {
    return Configuration.EMPTY.with(key, value);
  }

  static Configuration registrationTimeout(String value) {
    return with(TaskManagerOptions.REGISTRATION_TIMEOUT.key(), value);
  }

  /** Starts the TaskManager and registers it at the ResourceManager. */
  TaskManagerFixture registered() {
    leadResourceManager(resourceManager);
    executor.start();
    env.settle();
    return this;
  }

  FakeResourceManager resourceManager(long term) {
    FakeResourceManager next = new FakeResourceManager(jobManager, token(term), blobs.address());
    next.start();
    return next;
  }

  void leadResourceManager(FakeResourceManager next) {
    resourceManager = next;
    leaders.lead(ComponentNames.RESOURCE_MANAGER, new Leader(next.address(), next.leaderToken()));
  }

  FakeJobMaster jobMaster(long term) {
    return jobMaster(jobManager, term);
  }

  FakeJobMaster jobMaster(Rpc at, long term) {
    FakeJobMaster next = new FakeJobMaster(at, JOB, token(term));
    next.start();
    return next;
  }

  /** Elects a new leader of the job. */
  FakeJobMaster leadJob(long term) {
    FakeJobMaster next = jobMaster(term);
    lead(next);
    return next;
  }

  void lead(FakeJobMaster next) {
    leaders.lead(ComponentNames.jobMaster(JOB), next.leader());
    env.settle();
  }

  TaskManagerGateway gateway() {
    return jobManager.gateway(
        TaskManagerGateway.class, executor.address(), Optional.empty(), env.mailbox("caller"));
  }

  SlotReply request(int slot, int allocation) {
    return env.answer(gateway().requestSlot(slotRequest(slot, JOB, allocation)));
  }

  RequestSlot slotRequest(int slot, JobId job, int allocation) {
    return new RequestSlot(
        resourceManager.leaderToken(),
        resourceManager.instance(),
        Optional.of(slot),
        job,
        allocation(allocation),
        ResourceProfile.UNSPECIFIED);
  }

  /** Requests a slot of the size without an index. */
  SlotReply carve(ResourceProfile size, int allocation) {
    return env.answer(
        gateway()
            .requestSlot(
                new RequestSlot(
                    resourceManager.leaderToken(),
                    resourceManager.instance(),
                    Optional.empty(),
                    JOB,
                    allocation(allocation),
                    size)));
  }

  /** Stores a graph with one jar as a blob. */
  BlobKey graph() {
    BlobKey jar = blobs.put(Bytes.utf8("a jar"));
    JobGraph graph =
        new JobGraph(
            JOB,
            "job",
            JobType.STREAMING,
            List.of(
                new JobVertex(
                    new VertexId(new Id128(0, 1)),
                    "Map",
                    4,
                    128,
                    "default",
                    List.of(
                        new ChainedOperator(
                            new OperatorId(new Id128(0, 1)), "map", -1, Bytes.EMPTY)))),
            List.of(),
            List.of(new JarFile("job.jar", jar)),
            jobConfiguration);
    return blobs.put(Bytes.wrap(RecordCodec.of(Messages.table()).encode(graph)));
  }

  /** A deployment of tasks with these numbers, all in one slot. */
  static DeployTasks deployment(FakeJobMaster from, BlobKey graph, int slot, int... tasks) {
    List<TaskInSlot> inSlot = new ArrayList<>();
    for (int task : tasks) {
      TaskSpec spec = new TaskSpec(new VertexId(new Id128(0, 1)), task, 0, execution(task));
      inSlot.add(new TaskInSlot(spec, allocation(slot)));
    }
    return new DeployTasks(
        JOB,
        from.leaderToken(),
        graph,
        1,
        inSlot,
        List.of(PlacementTable.of(new Placement(List.of("tm:7000"), new LinkedHashMap<>()))),
        Optional.empty());
  }

  /** Allocates slot 0 as allocation 10 and deploys the tasks there. */
  FakeJobMaster running(int... tasks) {
    return running(jobMaster(1), tasks);
  }

  /** As above, for a given leader. */
  FakeJobMaster running(FakeJobMaster jobMaster, int... tasks) {
    lead(jobMaster);
    request(0, 10);
    env.answer(gateway().deployTasks(deployment(jobMaster, graph(), 10, tasks)));
    return jobMaster;
  }

  Optional<Occupant> occupant(int slot) {
    TaskManagerGateway.WorkerReport report =
        env.answer(
            gateway()
                .heartbeatFromResourceManager(
                    new TaskManagerGateway.AskWorker(
                        resourceManager.leaderToken(), resourceManager.instance())));
    return report.slots().slots().get(slot).occupant();
  }

  String failureOf(CompletableFuture<?> call) {
    env.settle();
    if (!call.isCompletedExceptionally()) {
      throw new AssertionError("The call did not fail");
    }
    try {
      call.join();
      throw new AssertionError("unreachable");
    } catch (RuntimeException e) {
      return Failure.sentence(Failure.unwrap(e));
    }
  }

  /** Advances the time while the ResourceManager and the JobMasters send heartbeats. */
  void advanceWithHeartbeats(Duration by, FakeJobMaster... jobMasters) {
    Duration step = Duration.ofSeconds(5);
    for (Duration passed = Duration.ZERO; passed.compareTo(by) < 0; passed = passed.plus(step)) {
      env.advance(step);
      gateway()
          .heartbeatFromResourceManager(
              new TaskManagerGateway.AskWorker(
                  resourceManager.leaderToken(), resourceManager.instance()));
      for (FakeJobMaster jobMaster : jobMasters) {
        gateway()
            .heartbeatFromJobMaster(new TaskManagerGateway.AskTasks(JOB, jobMaster.leaderToken()));
      }
      env.settle();
    }
  }

  static LeaderToken token(long term) {
    return new LeaderToken(term, new Id128(7, term));
  }

  static AllocationId allocation(int number) {
    return new AllocationId(new Id128(1, number));
  }

  static ExecutionId execution(int number) {
    return new ExecutionId(new Id128(2, number));
  }
}

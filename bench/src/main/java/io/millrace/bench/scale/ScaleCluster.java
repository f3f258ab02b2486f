package io.millrace.bench.scale;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.JobManager;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.Messages;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.blobcache.BlobCacheStore;
import io.millrace.worker.task.UserClassLoaders;
import io.millrace.worker.taskexecutor.TaskExecutor;
import io.millrace.worker.taskexecutor.TaskExecutorServices;
import io.millrace.worker.taskexecutor.WorkerSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A JobManager, TaskManagers of four slots each and a client in a {@link VirtualWorld}. */
final class ScaleCluster {
  static final int SLOTS = 4;
  private static final CheckpointStorage CHECKPOINTS =
      new FileCheckpointStorage(FileSystems.withoutPlugins());
  private static final String JOB_MANAGER = "jobmanager";
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** TaskManagers of a cluster do not start at the same instant. */
  private static final Duration BETWEEN_STARTS = Duration.ofMillis(1);

  private final VirtualWorld world;
  private final RecordCodec codec = Messages.codec();
  private final Configuration configuration = Configuration.EMPTY;
  private final MemoryBlobStore blobs = new MemoryBlobStore();
  private final CostMeter jobManagerMeter = new CostMeter(true);
  private final CostMeter othersMeter = new CostMeter(false);
  private Optional<VirtualProcess> jobManager;
  private final Deque<Worker> workers = new ArrayDeque<>();
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private int started;
  private int running;

  private record Worker(VirtualProcess process, IdleTasks tasks) {}

  ScaleCluster() {
    world = new VirtualWorld(codec);
    VirtualProcess process = new VirtualProcess(world, JOB_MANAGER, jobManagerMeter);
    jobManager = Optional.of(process);
    new JobManager(
            rpc(process),
            configuration,
            new JobManager.Backing(blobs, new MemoryHaStore(), CHECKPOINTS, new StandaloneDriver()),
            new JobManager.Signals(() -> {}, ScaleCluster::failed))
        .start();
    VirtualProcess client = new VirtualProcess(world, "client", othersMeter);
    Rpc rpc = rpc(client);
    Mailbox mailbox = client.mailbox("client");
    dispatcher =
        new LeaderGateway<>(
            rpc,
            new DirectoryLeaderRetrieval(rpc, JOB_MANAGER),
            DispatcherGateway.class,
            ComponentNames.DISPATCHER,
            mailbox);
    world.run(Duration.ofSeconds(1));
  }

  VirtualWorld world() {
    return world;
  }

  /** The cost of the JobManager's process. */
  CostMeter jobManagerMeter() {
    return jobManagerMeter;
  }

  /** The cost of TaskManagers and the client. */
  CostMeter othersMeter() {
    return othersMeter;
  }

  /** The number of running tasks on all workers. */
  int running() {
    return running;
  }

  void startWorkers(int count) {
    for (int i = 0; i < count; i++) {
      startWorker(String.format("worker-%06d:6121", started++));
      world.run(BETWEEN_STARTS);
    }
  }

  private void startWorker(String name) {
    VirtualProcess process = new VirtualProcess(world, name, othersMeter);
    Rpc rpc = rpc(process);
    IdleTasks tasks = new IdleTasks(process, by -> running += by);
    workers.addLast(new Worker(process, tasks));
    new TaskExecutor(
            rpc,
            new DirectoryLeaderRetrieval(rpc, JOB_MANAGER),
            new WorkerSettings(
                new WorkerId(name),
                SLOTS,
                new ResourceProfile(SLOTS, 4L << 30, 0, 4L << 30, 1L << 30),
                new Hardware(SLOTS, 16L << 30, 8L << 30, 4L << 30),
                () -> ProcessMetrics.NONE,
                UserClassLoaders.shared(ScaleCluster.class.getClassLoader()),
                configuration),
            new TaskExecutorServices(
                tasks, new BlobCache(rpc, BlobCacheStore.inMemory()), CHECKPOINTS),
            ScaleCluster::failed)
        .start();
  }

  /** Kills workers at the same time. */
  void killWorkers(int count) {
    for (int i = 0; i < count; i++) {
      Worker worker = workers.removeFirst();
      worker.process().kill();
      worker.tasks().clear();
    }
  }

  void submit(List<JobGraph> graphs) {
    List<CompletableFuture<?>> accepted = new ArrayList<>();
    for (JobGraph graph : graphs) {
      var key = blobs.put(Bytes.wrap(Messages.graphCodec().encode(graph)));
      accepted.add(ask(gateway -> gateway.submitJob(new SubmitJob(graph.id(), key))));
    }
    await("submissions", accepted);
  }

  void cancel(List<JobGraph> graphs) {
    List<CompletableFuture<?>> cancelled = new ArrayList<>();
    graphs.forEach(
        graph -> cancelled.add(ask(gateway -> gateway.cancelJob(new CancelJob(graph.id())))));
    await("cancellations", cancelled);
  }

  /** Waits for the result of every job. */
  void awaitResults(List<JobGraph> graphs) {
    List<CompletableFuture<?>> results = new ArrayList<>();
    graphs.forEach(graph -> results.add(result(graph.id())));
    await("results", results);
  }

  private CompletableFuture<ResultAnswer> result(JobId job) {
    return ask(gateway -> gateway.awaitResult(new AwaitResult(job, Duration.ofSeconds(5))))
        .thenCompose(
            answer ->
                answer.result().isPresent()
                    ? CompletableFuture.completedFuture(answer)
                    : result(job));
  }

  /** Throws unless the JobManager reports that every job runs with all its tasks. */
  void checkAllRun(int tasks) {
    CompletableFuture<Jobs> jobs = ask(gateway -> gateway.listJobs(new ListJobs()));
    await("the list of jobs", List.of(jobs));
    int seen = 0;
    for (JobOverview job : jobs.join().jobs()) {
      if (job.status() != JobStatus.RUNNING) {
        throw new IllegalStateException("Job " + job.id() + " is " + job.status());
      }
      seen += job.tasks().getOrDefault(TaskState.RUNNING, 0);
    }
    if (seen != tasks) {
      throw new IllegalStateException(seen + " of " + tasks + " tasks run");
    }
  }

  /** Removes the JobManager, so that its heap can be measured. */
  void eraseJobManager() {
    jobManager.ifPresent(world::erase);
    jobManager = Optional.empty();
  }

  private <T> CompletableFuture<T> ask(Function<DispatcherGateway, CompletableFuture<T>> call) {
    return dispatcher.find().thenCompose(call);
  }

  private void await(String what, List<? extends CompletableFuture<?>> answers) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
    world.runUntil(what, all::isDone, TIMEOUT);
    all.join();
  }

  private Rpc rpc(VirtualProcess process) {
    return new Rpc(process, process.transport(), configuration.get(RpcOptions.ASK_TIMEOUT));
  }

  private static void failed(Throwable cause) {
    throw new IllegalStateException("A process ended itself", cause);
  }
}

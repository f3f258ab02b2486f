package io.millrace.cluster;

import io.millrace.cluster.inspect.ProcessEndpoint;
import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.metric.MetricSource;
import io.millrace.core.security.DelegationTokens;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneSettings;
import io.millrace.protocol.ThisProcess;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.PeerReason.ProgramExit;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.blobcache.BlobCacheStore;
import io.millrace.worker.task.CachedFileStore;
import io.millrace.worker.task.UserClassLoaders;
import io.millrace.worker.taskexecutor.TaskExecutor;
import io.millrace.worker.taskexecutor.TaskExecutorServices;
import io.millrace.worker.taskexecutor.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs a TaskManager: a TaskExecutor, a data plane for its tasks and a cache of blobs. */
final class TaskManagerRunner {
  private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

  private final Rpc rpc;
  private final TaskExecutor executor;
  private final DataPlane host;
  private final BlobCache blobs;
  private final ProcessEndpoint process;
  private final int slots;
  private final WorkerId id;

  /** The id and resources of a worker, its directory and its receivers of delegation tokens. */
  record Identity(
      WorkerId id, int slots, HostResources machine, Path directory, DelegationTokens tokens) {}

  TaskManagerRunner(
      Rpc rpc,
      LeaderRetrieval leaders,
      Configuration configuration,
      Identity identity,
      DataPlaneSettings dataPlane,
      Consumer<Throwable> fatal) {
    this.rpc = rpc;
    this.slots = identity.slots();
    this.id = identity.id();
    this.host = new DataPlane(dataPlane);
    this.blobs = new BlobCache(rpc, BlobCacheStore.inDirectory(identity.directory()));
    this.executor =
        new TaskExecutor(
            rpc,
            leaders,
            new WorkerSettings(
                identity.id(),
                identity.slots(),
                identity.machine().total(),
                identity.machine().external(),
                identity.machine().hardware(),
                () -> ThisProcess.metrics(networkUse()),
                UserClassLoaders.childFirst(
                    TaskManagerRunner.class.getClassLoader(),
                    ProgramClassLoader.parentFirst(configuration)),
                identity.tokens(),
                configuration),
            new TaskExecutorServices(
                host,
                blobs,
                new FileCheckpointStorage(dataPlane.files()),
                CachedFileStore.inDirectory(
                    identity.directory().resolveSibling("cached-files"), dataPlane.files())),
            cause -> end(cause, fatal));
    this.process = new ProcessEndpoint(rpc, configuration, ServerJvm.logFile(), host::stacks);
    process.start();
    executor.start();
  }

  /** All metrics of this TaskManager. */
  MetricSource metrics(String hostName) {
    return new TaskManagerMetrics(hostName, id, () -> ThisProcess.metrics(networkUse()), host);
  }

  /** The number of core threads. */
  static int cores(Configuration configuration) {
    int configured = configuration.get(TaskManagerOptions.CORE_THREADS);
    return configured > 0 ? configured : Runtime.getRuntime().availableProcessors();
  }

  int slots() {
    return slots;
  }

  private NetworkUse networkUse() {
    return host.networkPool()
        .map(pool -> new NetworkUse(pool.memory().segment(), pool.memory().buffers(), pool.free()))
        .orElse(NetworkUse.NONE);
  }

  String dataAddress() {
    return host.dataAddress();
  }

  /**
   * If a program is the cause, or the cluster has rejected this worker, the JobMasters with tasks
   * here are notified before the process ends.
   */
  private void end(Throwable cause, Consumer<Throwable> fatal) {
    if (cause instanceof MillraceException known
        && (known.kind() == ErrorKind.USER || known.kind() == ErrorKind.RESOURCE)) {
      executor
          .abandon(new ErrorReason(known.getMessage()))
          .orTimeout(ABANDON_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .whenComplete((nothing, late) -> fatal.accept(cause));
    } else {
      fatal.accept(cause);
    }
  }

  /** A task has called {@code System.exit}: notifies the JobMasters with tasks here. */
  CompletableFuture<Void> abandon() {
    return executor.abandon(new ProgramExit());
  }

  /** Fails a task of this TaskManager; false if it runs none with this id. */
  boolean fail(ExecutionId task, Failure why) {
    return host.fail(task, why);
  }

  /**
   * Ends like a process that is killed: its connections break first, so that nobody hears of the
   * end of its tasks.
   */
  CompletableFuture<Void> kill() {
    rpc.close();
    host.close();
    return stop();
  }

  CompletableFuture<Void> stop() {
    Mailbox mailbox = rpc.env().mailbox("stop");
    return executor
        .stop()
        .thenCompose(x -> process.stop())
        .thenCompose(x -> blobs.close(mailbox))
        .thenRun(
            () -> {
              host.close();
              rpc.close();
            });
  }
}

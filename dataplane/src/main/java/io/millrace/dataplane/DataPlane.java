package io.millrace.dataplane;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.metric.MetricReading;
import io.millrace.dataplane.cores.CoreScheduler;
import io.millrace.dataplane.cores.IoThreadPool;
import io.millrace.dataplane.exchange.BarrierEncoding;
import io.millrace.dataplane.partition.PartitionStore;
import io.millrace.dataplane.services.DataPlaneServices;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.snapshot.LocalStateCopies;
import io.millrace.dataplane.store.LocalStores;
import io.millrace.dataplane.task.EndedDeployment;
import io.millrace.dataplane.task.RunningDeployment;
import io.millrace.dataplane.task.Task;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Deployment;
import io.millrace.task.ObservedTask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskMetricReadings;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskStack;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.DeclineCause.SnapshotNotStored;
import io.millrace.task.checkpoint.DeclineCause.TaskIsEnding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks on the threads of this process. Any thread may call it.
 *
 * <p>A deployment is live from {@link #deploy} until its last task has ended; after that only its
 * counters stay, until a later deployment runs one of its subtasks again or the job is released.
 */
public final class DataPlane implements TaskHost {
  private static final Logger LOG = LoggerFactory.getLogger(DataPlane.class);
  private static final long CLOSE_MILLIS = 3_000;

  /** The number of threads that write snapshots, and so of files per checkpoint at most. */
  private static final int IO_THREADS = 4;

  private record DeploymentKey(JobId job, long number) {}

  private final DataPlaneServices services;
  private final Map<DeploymentKey, RunningDeployment> live = new ConcurrentHashMap<>();
  private final Map<ExecutionId, Task> tasks = new ConcurrentHashMap<>();

  /** The last counters of ended deployments; guarded by itself. */
  private final Map<DeploymentKey, EndedDeployment> ended = new LinkedHashMap<>();

  private volatile boolean closed;

  /** Starts the core threads and opens the data port if there is one. */
  public DataPlane(DataPlaneSettings settings) {
    this(settings, System::currentTimeMillis);
  }

  /**
   * @param clock processing time in milliseconds since the epoch
   */
  DataPlane(DataPlaneSettings settings, LongSupplier clock) {
    this(settings, clock, System::nanoTime);
  }

  /**
   * A data plane in a time of its own. Intervals of watermarks, idleness and time-outs of
   * asynchronous requests pass with the clock, too. A caller that has moved the clock calls {@link
   * #wakeTasks}.
   *
   * @param clock processing time in milliseconds since the epoch
   */
  public static DataPlane withClock(DataPlaneSettings settings, LongSupplier clock) {
    return new DataPlane(settings, clock, () -> TimeUnit.MILLISECONDS.toNanos(clock.getAsLong()));
  }

  private DataPlane(DataPlaneSettings settings, LongSupplier clock, LongSupplier ticker) {
    PartitionStore partitions = new PartitionStore(settings.partitionDirectory());
    // The transport is used in plain statements only: a method reference to it loads Netty.
    Optional<DataTransport> transport =
        settings.port().isPresent()
            ? Optional.of(
                new DataTransport(settings.port().get(), this::receiver, partitions::readAsync))
            : Optional.empty();
    Configuration configuration = settings.configuration();
    CoreScheduler cores =
        new CoreScheduler(settings.cores(), configuration.get(TaskManagerOptions.MAX_OWN_THREADS));
    LocalStores stores =
        new LocalStores(settings.backends(), settings.stateDirectory(), settings.commonMemory());
    services =
        new DataPlaneServices(
            clock,
            ticker,
            cores,
            configuration,
            settings.files(),
            partitions,
            new HostCheckpoints(
                settings.files(),
                new IoThreadPool(cores, IO_THREADS),
                new LocalStateCopies(stores::directory)),
            stores,
            transport);
  }

  private Optional<DataTransport.Receiver> receiver(JobId job, long number) {
    return Optional.ofNullable(live.get(new DeploymentKey(job, number)))
        .map(RunningDeployment::receiver);
  }

  /** The tasks that have not ended. */
  Collection<Task> tasks() {
    return tasks.values();
  }

  /** The tasks of deployments that have not ended, with their counters. */
  public List<ObservedTask> observe() {
    return tasks.values().stream().map(Task::observe).toList();
  }

  /**
   * The metrics that programs have registered in these tasks. Calls gauges, which are code of
   * programs and may not return.
   */
  public Map<ExecutionId, List<MetricReading>> readMetrics() {
    Map<ExecutionId, List<MetricReading>> readings = new LinkedHashMap<>();
    tasks.forEach((execution, task) -> readings.put(execution, task.userMetrics().read()));
    return readings;
  }

  /** Lets all tasks take a step, because the clock has moved. */
  public void wakeTasks() {
    tasks.values().forEach(Task::wake);
  }

  /**
   * Whether all tasks wait, and have waited at the same time: nothing happens until records,
   * answers of other systems or the time arrive.
   */
  public boolean isQuiescent() {
    Map<Task, Long> steps = new LinkedHashMap<>();
    for (Task task : tasks.values()) {
      long taken = task.stepsIfWaiting();
      if (taken < 0) {
        return false;
      }
      steps.put(task, taken);
    }
    // A task that has taken no step since then has waited all the time.
    return tasks.size() == steps.size()
        && steps.entrySet().stream()
            .allMatch(waited -> waited.getKey().stepsIfWaiting() == waited.getValue());
  }

  /** Fails a task from outside; false if it has ended. */
  public boolean fail(ExecutionId execution, Failure why) {
    Optional<Task> task = task(execution);
    task.ifPresent(running -> running.fail(why));
    return task.isPresent();
  }

  /** The number of checkpoints that tasks write now. */
  int openCheckpoints() {
    return services.checkpoints().open();
  }

  CoreScheduler cores() {
    return services.cores();
  }

  /** The memory for records from and to other hosts; empty without a data port. */
  public Optional<NetworkBufferPool> networkPool() {
    return services.networkBufferPool();
  }

  @Override
  public String dataAddress() {
    return services.dataAddress();
  }

  @Override
  public void deploy(Deployment descriptor, ClassLoader userClasses, TaskListener listener) {
    DeploymentKey key = new DeploymentKey(descriptor.graph().id(), descriptor.number());
    RunningDeployment deployment;
    try {
      if (closed) {
        throw new MillraceException(ErrorKind.EXTERNAL, "The TaskManager's data plane is closing");
      }
      deployment =
          new RunningDeployment(
              DeploymentContext.of(descriptor, userClasses, listener, services),
              () -> allEnded(key));
      if (live.putIfAbsent(key, deployment) != null) {
        deployment.close();
        throw new MillraceException(
            ErrorKind.BUG,
            "Deployment " + key.number() + " of job " + key.job() + " is running already");
      }
    } catch (RuntimeException | Error e) {
      Failure failure = Failure.of(e, ErrorKind.BUG);
      for (TaskSpec spec : descriptor.tasks()) {
        listener.stateChanged(spec.execution(), TaskState.FAILED, Optional.of(failure));
      }
      return;
    }
    LOG.info(
        "Job {} deployment {}: {} tasks start", key.job(), key.number(), descriptor.tasks().size());
    synchronized (ended) {
      ended
          .entrySet()
          .removeIf(
              older ->
                  older.getKey().job().equals(key.job())
                      && older.getValue().isReplacedBy(deployment));
    }
    if (deployment.context().option(StateRecoveryOptions.FROM_LOCAL)) {
      services.checkpoints().copies().enable(key.job());
    }
    for (Task task : deployment.tasks()) {
      tasks.put(task.execution(), task);
      services.checkpoints().taskStarted(key.job(), task.execution());
    }
    if (services.transport().isPresent()) {
      services.transport().get().deploymentStarted(key.job(), key.number());
    }
    deployment.tasks().forEach(Task::wake);
    if (deployment.tasks().isEmpty()) {
      allEnded(key);
    }
  }

  private void allEnded(DeploymentKey key) {
    RunningDeployment deployment = live.get(key);
    try {
      synchronized (ended) {
        ended.put(key, deployment.ended());
      }
      deployment.tasks().forEach(task -> tasks.remove(task.execution()));
      deployment.close();
      if (services.transport().isPresent()) {
        services.transport().get().deploymentEnded(key.job(), key.number());
      }
    } finally {
      synchronized (live) {
        live.remove(key);
        live.notifyAll();
      }
    }
    LOG.info("Job {} deployment {}: all tasks have ended", key.job(), key.number());
  }

  @Override
  public void cancel(ExecutionId execution) {
    task(execution).ifPresent(Task::cancel);
  }

  /** A task that has not ended. */
  Optional<Task> task(ExecutionId execution) {
    return Optional.ofNullable(tasks.get(execution));
  }

  @Override
  public void triggerCheckpoint(JobId job, CheckpointRequest request, List<ExecutionId> sources) {
    for (ExecutionId source : sources) {
      Optional<Task> task = task(source);
      Optional<DeclineCause> refused =
          task.isPresent()
              ? refusal(request)
              : Optional.of(new TaskIsEnding("Task " + source + " has ended"));
      if (refused.isEmpty()) {
        task.get().triggerCheckpoint(request);
      } else {
        // All deployments of a job on a host have listeners of the same JobMaster.
        deploymentsOf(job).stream()
            .findFirst()
            .ifPresent(
                deployment ->
                    deployment
                        .context()
                        .listener()
                        .snapshotDeclined(source, request.checkpoint(), refused.get()));
      }
    }
  }

  private static Optional<DeclineCause> refusal(CheckpointRequest request) {
    try {
      BarrierEncoding.check(request);
      return Optional.empty();
    } catch (MillraceException e) {
      return Optional.of(new SnapshotNotStored(Failure.of(e, ErrorKind.USER)));
    }
  }

  private List<RunningDeployment> deploymentsOf(JobId job) {
    return live.entrySet().stream()
        .filter(entry -> entry.getKey().job().equals(job))
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public void checkpointCompleted(JobId job, long checkpoint) {
    deploymentsOf(job)
        .forEach(
            deployment -> deployment.tasks().forEach(task -> task.checkpointCompleted(checkpoint)));
    services.checkpoints().completed(job, checkpoint);
  }

  @Override
  public void checkpointAborted(JobId job, long checkpoint) {
    deploymentsOf(job)
        .forEach(
            deployment -> deployment.tasks().forEach(task -> task.checkpointAborted(checkpoint)));
    services.checkpoints().aborted(job, checkpoint);
  }

  @Override
  public void earlierCheckpointsAborted(JobId job, long checkpoint) {
    deploymentsOf(job)
        .forEach(
            deployment ->
                deployment.tasks().forEach(task -> task.earlierCheckpointsAborted(checkpoint)));
  }

  @Override
  public Optional<String> whereabouts(ExecutionId execution) {
    return task(execution).flatMap(Task::userFrame);
  }

  @Override
  public List<TaskStack> stacks(List<ExecutionId> executions, int depth) {
    return executions.stream()
        .flatMap(execution -> task(execution).stream())
        .filter(task -> !task.hasEnded())
        .map(task -> task.stack(depth))
        .toList();
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    List<TaskCounters> all = new ArrayList<>();
    synchronized (ended) {
      ended.forEach(
          (key, deployment) -> {
            if (key.job().equals(job)) {
              all.addAll(deployment.counters());
            }
          });
    }
    live.forEach(
        (key, deployment) -> {
          if (key.job().equals(job)) {
            all.addAll(deployment.counters());
          }
        });
    return all;
  }

  @Override
  public List<TaskMetricReadings> metrics(JobId job) {
    return deploymentsOf(job).stream()
        .flatMap(deployment -> deployment.tasks().stream())
        .filter(task -> tasks.containsKey(task.execution()))
        .map(task -> new TaskMetricReadings(task.execution(), task.userMetrics().read()))
        .filter(task -> !task.readings().isEmpty())
        .toList();
  }

  @Override
  public boolean hasResultsOf(JobId job) {
    return services.partitions().hasResultsOf(job);
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    services.partitions().promote(term, executions);
  }

  @Override
  public List<ClusterPartition> kept() {
    return services.partitions().clusterPartitions();
  }

  @Override
  public void drop(List<ClusterPartition> unwanted) {
    services.partitions().drop(unwanted);
  }

  @Override
  public void release(JobId job) {
    services.partitions().release(job);
    services.checkpoints().released(job);
    for (RunningDeployment deployment : live.values()) {
      if (deployment.context().graph().id().equals(job)) {
        LOG.warn("Job {} is released while its tasks run; they are cancelled", job);
        deployment.tasks().forEach(Task::cancel);
      }
    }
    synchronized (ended) {
      ended.keySet().removeIf(key -> key.job().equals(job));
    }
  }

  @Override
  public void close() {
    closed = true;
    live.values().forEach(deployment -> deployment.tasks().forEach(Task::cancel));
    boolean interrupted = awaitEnd();
    // The transport first: a thread in a native select delays the exit of the process.
    if (services.transport().isPresent()) {
      services.transport().get().close();
    }
    services.cores().close();
    services.partitions().close();
    services.stores().close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean awaitEnd() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
    synchronized (live) {
      while (!live.isEmpty()) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          LOG.warn(
              "{} deployments have not ended after {} ms; the data plane closes without them",
              live.size(),
              CLOSE_MILLIS);
          return false;
        }
        try {
          live.wait(left);
        } catch (InterruptedException e) {
          return true;
        }
      }
    }
    return false;
  }
}

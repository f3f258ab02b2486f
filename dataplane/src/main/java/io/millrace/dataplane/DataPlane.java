package io.millrace.dataplane;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.cores.CoreScheduler;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.dataplane.partition.PartitionStore;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.LocalBufferPool;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.graph.JobGraph;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Deployment;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskHost;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks on the threads of this process. */
public final class DataPlane implements TaskHost {
  private static final Logger LOG = LoggerFactory.getLogger(DataPlane.class);
  private static final String IN_PROCESS = "in-process";
  private static final long CLOSE_MILLIS = 3_000;
  private static final int LOCAL_BYTES = 256 << 10;

  private record DeploymentKey(JobId job, long number) {}

  private final LongSupplier clock;
  private final CoreScheduler cores;
  private final Configuration configuration;
  private final FileSystems files;
  private final PartitionStore partitions;

  // Used in plain statements only: a method reference to it would load Netty where there is none.
  private final Optional<DataTransport> wire;

  private final Map<DeploymentKey, RunningDeployment> live = new ConcurrentHashMap<>();
  private final Map<ExecutionId, Task> tasks = new ConcurrentHashMap<>();

  /** Last counters of ended tasks, a list per deployment; guarded by itself. */
  private final Map<DeploymentKey, EndedDeployment> ended = new LinkedHashMap<>();

  private volatile boolean closed;

  /** Starts the host's threads and opens its port if it has one. */
  public DataPlane(DataPlaneSettings settings) {
    this(settings, System::currentTimeMillis);
  }

  /**
   * @param clock processing time, in milliseconds since 1970
   */
  DataPlane(DataPlaneSettings settings, LongSupplier clock) {
    this.clock = clock;
    partitions = new PartitionStore(settings.kept());
    wire =
        settings.port().isPresent()
            ? Optional.of(
                new DataTransport(settings.port().get(), this::receiver, partitions::readLater))
            : Optional.empty();
    configuration = settings.configuration();
    cores = new CoreScheduler(settings.cores(), configuration.get(Options.WORKER_OWN_THREADS));
    files = settings.files();
  }

  private Optional<DataTransport.Receiver> receiver(JobId job, long number) {
    return Optional.ofNullable(live.get(new DeploymentKey(job, number))).map(RemoteInput::new);
  }

  /** The tasks that have not ended. */
  Collection<Task> tasks() {
    return tasks.values();
  }

  CoreScheduler cores() {
    return cores;
  }

  /** What the job says, or else the process. */
  <T> T option(Option<T> option, JobGraph graph) {
    return graph.configuration().contains(option)
        ? graph.configuration().get(option)
        : configuration.get(option);
  }

  LongSupplier clock() {
    return clock;
  }

  FileSystems files() {
    return files;
  }

  PartitionStore partitions() {
    return partitions;
  }

  /** A piece of a partition that is kept at the host with this data address. */
  CompletableFuture<PartitionChunk> read(ClusterPartition partition, String place, long offset) {
    if (!place.equals(dataAddress())) {
      return wire(place).fetch(place, partition, offset);
    }
    try {
      return CompletableFuture.completedFuture(partitions.read(partition, offset, LOCAL_BYTES));
    } catch (UncheckedIOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  DataTransport wire(String peer) {
    return wire.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.BUG, "A host without a data port cannot send records to " + peer));
  }

  /** The memory for records from and to other hosts; none for a host that works alone. */
  public Optional<NetworkBufferPool> networkPool() {
    return wire.isPresent() ? Optional.of(wire.get().pool()) : Optional.empty();
  }

  Optional<LocalBufferPool> reserve(List<ExchangeEdge> edges) {
    return wire.isPresent()
        ? Optional.of(new NetworkBufferDemand(edges).reserve(wire.get().pool()))
        : Optional.empty();
  }

  /** Whether no task runs anywhere else, so that records need not be written. */
  boolean isAlone() {
    return wire.isEmpty();
  }

  @Override
  public String dataAddress() {
    return wire.isPresent() ? wire.get().address() : IN_PROCESS;
  }

  @Override
  public void deploy(Deployment descriptor, ClassLoader userClasses, TaskListener listener) {
    DeploymentKey key = new DeploymentKey(descriptor.graph().id(), descriptor.number());
    RunningDeployment deployment;
    try {
      if (closed) {
        throw new MillraceException(ErrorKind.EXTERNAL, "The host is closing");
      }
      deployment =
          new RunningDeployment(descriptor, userClasses, listener, this, () -> allEnded(key));
      if (live.putIfAbsent(key, deployment) != null) {
        deployment.close();
        throw new MillraceException(
            ErrorKind.BUG,
            "Deployment " + key.number() + " of job " + key.job() + " is here already");
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
    for (Task task : deployment.tasks()) {
      tasks.put(task.execution(), task);
    }
    if (wire.isPresent()) {
      wire.get().deploymentStarted(key.job(), key.number());
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
      if (wire.isPresent()) {
        wire.get().deploymentEnded(key.job(), key.number());
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
  public Optional<String> whereabouts(ExecutionId execution) {
    return task(execution).flatMap(Task::userFrame);
  }

  @Override
  public List<TaskCounters> counters(JobId job) {
    List<TaskCounters> all = new ArrayList<>();
    synchronized (ended) {
      ended.forEach(
          (key, summary) -> {
            if (key.job().equals(job)) {
              all.addAll(summary.counters());
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
  public boolean hasResultsOf(JobId job) {
    return partitions.hasResultsOf(job);
  }

  @Override
  public void keep(long term, List<ExecutionId> executions) {
    partitions.keep(term, executions);
  }

  @Override
  public List<ClusterPartition> kept() {
    return partitions.kept();
  }

  @Override
  public void drop(List<ClusterPartition> unwanted) {
    partitions.drop(unwanted);
  }

  @Override
  public void release(JobId job) {
    partitions.release(job);
    for (RunningDeployment deployment : live.values()) {
      if (deployment.graph().id().equals(job)) {
        LOG.warn("Job {} is released while tasks of it run; they are cancelled", job);
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
    // The wire goes first: a thread in a native select at the end of the process costs time.
    if (wire.isPresent()) {
      wire.get().close();
    }
    cores.close();
    partitions.close();
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
          LOG.warn("{} deployments do not end; the host closes without them", live.size());
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

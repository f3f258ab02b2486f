package io.millrace.cluster;

import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.metric.MetricName;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.millrace.dataplane.DataPlane;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.task.NamedTaskMetrics;
import io.millrace.task.ObservedTask;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskRates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All metrics of a TaskManager, with the scopes and labels of Flink. */
final class TaskManagerMetrics implements MetricSource {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManagerMetrics.class);
  private static final List<String> TASK = List.of("taskmanager", "job", "task");

  /** The time over which rates are computed at least. */
  private static final long RATE_MILLIS = 5_000;

  /** How long a reading waits for the gauges of programs. */
  private static final long GAUGES_MILLIS = 1_000;

  private final Map<String, String> labels = new LinkedHashMap<>();
  private final Supplier<ProcessMetrics> process;
  private final DataPlane host;

  /** The reading of gauges that was begun last; guarded by this. */
  private CompletableFuture<Map<ExecutionId, List<MetricReading>>> reading =
      CompletableFuture.completedFuture(new LinkedHashMap<>());

  /** What the latest one that has ended has read; guarded by this. */
  private Map<ExecutionId, List<MetricReading>> readings = new LinkedHashMap<>();

  /** Earlier counters of the tasks that run; guarded by this. */
  private Map<ExecutionId, Earlier> earlier = new LinkedHashMap<>();

  /**
   * Counters from which rates are computed.
   *
   * @param before at least {@link #RATE_MILLIS} older than the latest ones
   */
  private record Earlier(Optional<TaskCounters> before, TaskCounters latest) {
    Earlier then(TaskCounters now) {
      return now.millis() - latest.millis() < RATE_MILLIS
          ? this
          : new Earlier(Optional.of(latest), now);
    }
  }

  TaskManagerMetrics(
      String host, WorkerId worker, Supplier<ProcessMetrics> process, DataPlane dataPlane) {
    labels.put("host", host);
    labels.put("tm_id", worker.value());
    this.process = process;
    this.host = dataPlane;
  }

  @Override
  public CompletableFuture<List<MetricSample>> read() {
    List<MetricSample> samples = new ArrayList<>();
    process
        .get()
        .namedOfTaskManager()
        .forEach(
            (name, value) ->
                samples.add(MetricSamples.of(List.of("taskmanager"), name, labels, value)));
    List<ObservedTask> tasks = host.observe();
    Map<ExecutionId, Earlier> before = remember(tasks);
    Map<ExecutionId, List<MetricReading>> ofPrograms = readings();
    for (ObservedTask task : tasks) {
      ExecutionId execution = task.spec().execution();
      add(samples, task, before.get(execution), ofPrograms.getOrDefault(execution, List.of()));
    }
    return CompletableFuture.completedFuture(samples);
  }

  /**
   * The metrics of programs. Their gauges are called in a thread of its own: while one does not
   * return, the latest values stay.
   */
  private synchronized Map<ExecutionId, List<MetricReading>> readings() {
    if (reading.isDone()) {
      reading = CompletableFuture.supplyAsync(host::readMetrics, TaskManagerMetrics::inOwnThread);
    }
    try {
      readings = reading.get(GAUGES_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      LOG.warn("The metrics of programs cannot be read: {}", Failure.sentence(e.getCause()));
    } catch (TimeoutException e) {
      LOG.debug("A gauge of a program has not returned after {} ms", GAUGES_MILLIS);
    }
    return readings;
  }

  private static void inOwnThread(Runnable work) {
    Thread thread = new Thread(work, "metrics-gauges");
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized Map<ExecutionId, Earlier> remember(List<ObservedTask> tasks) {
    Map<ExecutionId, Earlier> now = new LinkedHashMap<>();
    for (ObservedTask task : tasks) {
      ExecutionId execution = task.spec().execution();
      Earlier known = earlier.get(execution);
      now.put(
          execution,
          known == null
              ? new Earlier(Optional.empty(), task.counters())
              : known.then(task.counters()));
    }
    earlier = now;
    return now;
  }

  private void add(
      List<MetricSample> samples,
      ObservedTask task,
      Earlier before,
      List<MetricReading> ofProgram) {
    Map<String, String> ofTask = new LinkedHashMap<>(labels);
    ofTask.put("job_id", task.job().toString());
    ofTask.put("job_name", task.jobName());
    ofTask.put("task_id", task.spec().vertex().toString());
    ofTask.put("task_name", task.vertexName());
    ofTask.put("task_attempt_id", task.spec().execution().toString());
    ofTask.put("task_attempt_num", String.valueOf(task.spec().attempt()));
    ofTask.put("subtask_index", String.valueOf(task.spec().subtask()));
    TaskRates rates = new TaskRates(Optional.of(task.counters()), before.before());
    NamedTaskMetrics.of(Optional.of(task.counters()), rates)
        .forEach((name, value) -> samples.add(MetricSamples.of(TASK, name, ofTask, value)));
    for (MetricReading registered : ofProgram) {
      MetricName name = registered.name();
      List<String> scope = new ArrayList<>(TASK);
      Map<String, String> ofOperator = new LinkedHashMap<>(ofTask);
      if (!name.operator().isEmpty()) {
        scope.add("operator");
        ofOperator.put("operator_name", name.operator());
      }
      for (MetricName.Group group : name.groups()) {
        scope.add(group.name());
        if (!group.value().isEmpty()) {
          ofOperator.putIfAbsent(group.name(), group.value());
        }
      }
      samples.add(new MetricSample(scope, name.name(), ofOperator, registered.value()));
    }
  }
}

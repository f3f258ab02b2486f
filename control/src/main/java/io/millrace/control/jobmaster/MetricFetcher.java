package io.millrace.control.jobmaster;

import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.TaskManagerGateway.TaskMetricsReport;
import io.millrace.rpc.Env;
import io.millrace.task.TaskMetricReadings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics that functions and operators of a job have registered. They are fetched from the
 * TaskManagers when somebody asks and the last values are older than the interval; a job that
 * nobody looks at costs nothing. Confined to the mailbox of the JobMaster.
 */
final class MetricFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(MetricFetcher.class);

  private final JobId job;
  private final Duration interval;
  private final JobTaskManagerRegistry workers;
  private final TaskManagerCalls calls;
  private final Env env;

  /** The last answer of each worker. */
  private final Map<WorkerId, Map<ExecutionId, TaskMetricReadings>> byWorker =
      new LinkedHashMap<>();

  /** The fetch under way, or the last one. */
  private CompletableFuture<Void> fetch = CompletableFuture.completedFuture(null);

  private Optional<Long> fetchedAt = Optional.empty();
  private boolean warned;

  /**
   * @param interval between two fetches; 0 to fetch nothing
   */
  MetricFetcher(
      JobId job,
      Duration interval,
      JobTaskManagerRegistry workers,
      TaskManagerCalls calls,
      Env env) {
    this.job = job;
    this.interval = interval;
    this.workers = workers;
    this.calls = calls;
    this.env = env;
  }

  /** The metrics of tasks, after a fetch if one is due. */
  CompletableFuture<JobMetrics> read(List<ExecutionId> tasks) {
    if (interval.isZero()) {
      return CompletableFuture.completedFuture(new JobMetrics(List.of()));
    }
    if (fetch.isDone() && isDue()) {
      fetchedAt = Optional.of(env.nanos());
      fetch = fetch();
    }
    return fetch.thenApply(done -> new JobMetrics(known(tasks)));
  }

  private boolean isDue() {
    return fetchedAt.isEmpty() || env.nanos() - fetchedAt.get() >= interval.toNanos();
  }

  private CompletableFuture<Void> fetch() {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    List<WorkerId> present = new ArrayList<>();
    for (JobTaskManagerRegistry.Link link : workers.all()) {
      present.add(link.worker());
      answers.add(
          calls
              .readMetrics(link)
              .handle(
                  (report, failure) -> {
                    answered(link.worker(), report, failure);
                    return report;
                  }));
    }
    byWorker.keySet().retainAll(present);
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
  }

  private void answered(WorkerId worker, TaskMetricsReport report, Throwable failure) {
    if (failure != null) {
      LOG.debug(
          "Job {}: {} has not reported its metrics: {}",
          job,
          worker,
          Failure.sentence(Failure.unwrap(failure)));
      return;
    }
    Map<ExecutionId, TaskMetricReadings> tasks = new LinkedHashMap<>();
    report.tasks().forEach(task -> tasks.put(task.execution(), task));
    byWorker.put(worker, tasks);
    if (report.omitted() > 0 && !warned) {
      warned = true;
      LOG.warn(
          "Job {}: {} metrics of its tasks on {} are left out, because they do not fit into a"
              + " message. Register fewer metrics, or metrics with shorter names.",
          job,
          report.omitted(),
          worker);
    }
  }

  private List<TaskMetricReadings> known(List<ExecutionId> tasks) {
    return tasks.stream()
        .flatMap(task -> byWorker.values().stream().map(known -> known.get(task)))
        .filter(Objects::nonNull)
        .toList();
  }
}

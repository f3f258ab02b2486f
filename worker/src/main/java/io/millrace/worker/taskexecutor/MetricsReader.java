package io.millrace.worker.taskexecutor;

import io.millrace.core.id.JobId;
import io.millrace.core.metric.MetricReading;
import io.millrace.protocol.TaskManagerGateway.TaskMetricsReport;
import io.millrace.task.TaskMetricReadings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the metrics of a job's tasks outside of the mailbox, because gauges are code of the
 * program. While one of them does not return, the last values are the answer, so that a gauge takes
 * at most one thread. Lives in the mailbox of the TaskExecutor.
 */
final class MetricsReader {
  /** Well below the message limit. */
  static final int MAX_BYTES = 512 * 1024;

  private final TaskExecutorContext worker;
  private final JobId job;
  private TaskMetricsReport last = new TaskMetricsReport(List.of(), 0);
  private boolean reading;

  MetricsReader(TaskExecutorContext worker, JobId job) {
    this.worker = worker;
    this.job = job;
  }

  CompletableFuture<TaskMetricsReport> read() {
    if (reading) {
      return CompletableFuture.completedFuture(last);
    }
    reading = true;
    return worker
        .rpc()
        .env()
        .io()
        .call(worker.mailbox(), () -> withinBound(worker.host().metrics(job)))
        .whenComplete(
            (report, failure) -> {
              reading = false;
              if (failure == null) {
                last = report;
              }
            });
  }

  /** Leaves out metrics that do not fit into one message, the last ones of each task first. */
  static TaskMetricsReport withinBound(List<TaskMetricReadings> tasks) {
    int all = tasks.stream().mapToInt(TaskMetricReadings::size).sum();
    if (all <= MAX_BYTES) {
      return new TaskMetricsReport(tasks, 0);
    }
    int share = MAX_BYTES / tasks.size();
    int omitted = 0;
    List<TaskMetricReadings> bounded = new ArrayList<>();
    for (TaskMetricReadings task : tasks) {
      int bytes = new TaskMetricReadings(task.execution(), List.of()).size();
      List<MetricReading> readings = new ArrayList<>();
      for (MetricReading reading : task.readings()) {
        bytes += reading.size();
        if (bytes > share) {
          break;
        }
        readings.add(reading);
      }
      omitted += task.readings().size() - readings.size();
      if (!readings.isEmpty()) {
        bounded.add(new TaskMetricReadings(task.execution(), readings));
      }
    }
    return new TaskMetricsReport(bounded, omitted);
  }
}

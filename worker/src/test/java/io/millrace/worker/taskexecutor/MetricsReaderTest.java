package io.millrace.worker.taskexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.metric.MetricName;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import io.millrace.protocol.Messages;
import io.millrace.protocol.TaskManagerGateway.TaskMetricsReport;
import io.millrace.task.TaskMetricReadings;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MetricsReaderTest {
  private static TaskMetricReadings task(int number, int metrics) {
    return new TaskMetricReadings(
        new ExecutionId(new Id128(1, number)),
        IntStream.range(0, metrics)
            .mapToObj(
                i ->
                    new MetricReading(
                        new MetricName(
                            "操作",
                            List.of(new MetricName.Group("組", "値".repeat(200))),
                            "metric-" + i),
                        new MetricValue.Distribution(
                            i, i, i, i, i, i, i, i, i, i, i, Double.MAX_VALUE)))
            .toList());
  }

  @Test
  void allMetricsThatFitAreReported() {
    List<TaskMetricReadings> few = List.of(task(1, 10), task(2, 0));
    assertThat(MetricsReader.withinBound(few)).isEqualTo(new TaskMetricsReport(few, 0));
  }

  @Test
  void reportOfAnyTasksFitsIntoAMessage() {
    for (int tasks : new int[] {3, 40, 3000}) {
      List<TaskMetricReadings> all = IntStream.range(0, tasks).mapToObj(i -> task(i, 256)).toList();
      TaskMetricsReport report = MetricsReader.withinBound(all);
      int shown = report.tasks().stream().mapToInt(task -> task.readings().size()).sum();

      assertThat(shown + report.omitted()).as("%d tasks", tasks).isEqualTo(tasks * 256);
      assertThat(report.omitted()).isPositive();
      assertThat(Messages.codec().encode(report).length).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
    }
  }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.metric.MetricName;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskMetricReadings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MetricOperationsTest extends RestTestBase {
  private static final String VERTEX =
      "/jobs/" + SampleJobs.RUNNING + "/vertices/" + SampleJobs.SINK;

  private static List<String> names(JsonArray metrics) {
    return metrics.stream().map(entry -> ((JsonObject) entry).getString("id")).toList();
  }

  private static Map<String, String> values(JsonArray metrics) {
    return metrics.stream()
        .map(JsonObject.class::cast)
        .collect(Collectors.toMap(each -> each.getString("id"), each -> each.getString("value")));
  }

  @Test
  @Behaviour("I3: REST has registered workers and free and total slots as metrics")
  void jobManagerHasWorkersSlotsJobsAndItsJvm() {
    JsonArray all = cluster.get("/jobmanager/metrics").array();
    assertThat(names(all))
        .contains("Status.JVM.Memory.Heap.Used", "Status.JVM.CPU.Load", "taskSlotsTotal");
    assertThat(all.getJsonObject(0).fieldNames()).containsExactly("id");

    JsonArray some =
        cluster
            .get(
                "/jobmanager/metrics?get=numRegisteredTaskManagers,taskSlotsTotal,"
                    + "taskSlotsAvailable,numRunningJobs,nothing")
            .array();
    assertThat(values(some))
        .isEqualTo(
            Map.of(
                "numRegisteredTaskManagers",
                "1",
                "taskSlotsTotal",
                "2",
                "taskSlotsAvailable",
                "0",
                "numRunningJobs",
                "1"));
  }

  @Test
  void taskManagersAreAggregatedAndOneIsShownAlone() {
    String used = "Status.JVM.Memory.Heap.Used";
    JsonObject over = cluster.get("/taskmanagers/metrics?get=" + used).array().getJsonObject(0);
    assertThat(over.fieldNames()).containsExactly("id", "min", "max", "avg", "sum", "skew");
    assertThat(over.getDouble("max")).isEqualTo(1);

    JsonObject sum =
        cluster
            .get("/taskmanagers/metrics?get=" + used + "&agg=sum&taskmanagers=" + SampleJobs.WORKER)
            .array()
            .getJsonObject(0);
    assertThat(sum.fieldNames()).containsExactly("id", "sum");
    assertThat(cluster.get("/taskmanagers/metrics?get=" + used + "&taskmanagers=x").array())
        .isEmpty();

    JsonArray one =
        cluster
            .get(
                "/taskmanagers/"
                    + SampleJobs.WORKER
                    + "/metrics?get=Status.JVM.GarbageCollector.All.Count,"
                    + "Status.Shuffle.Netty.AvailableMemorySegments")
            .array();
    assertThat(values(one).values()).containsExactlyInAnyOrder("19", "4");
    assertThat(cluster.get("/taskmanagers/x/metrics").status()).isEqualTo(404);
  }

  @Test
  void jobsHaveTimesRestartsAndCheckpoints() {
    String job = "/jobs/" + SampleJobs.RUNNING + "/metrics";
    assertThat(names(cluster.get(job).array()))
        .contains("uptime", "lastCheckpointExternalPath", "failingTime");
    Map<String, String> values =
        values(cluster.get(job + "?get=numRestarts,downtime,lastCheckpointSize,uptime").array());
    assertThat(values)
        .containsEntry("numRestarts", "0")
        .containsEntry("downtime", "0")
        .containsEntry("lastCheckpointSize", "-1");
    assertThat(Long.parseLong(values.get("uptime"))).isPositive();
    assertThat(values(cluster.get("/jobs/" + SampleJobs.CANCELED + "/metrics?get=uptime").array()))
        .containsEntry("uptime", "-1");
  }

  @Test
  void jobsAreAggregated() {
    JsonArray running = cluster.get("/jobs/metrics?get=uptime,numRestarts&agg=min,sum").array();
    assertThat(names(running)).containsExactly("uptime", "numRestarts");
    assertThat(running.getJsonObject(1).getDouble("sum")).isZero();

    JsonArray both =
        cluster
            .get(
                "/jobs/metrics?get=uptime&agg=min&jobs="
                    + SampleJobs.RUNNING
                    + ","
                    + SampleJobs.CANCELED)
            .array();
    assertThat(both.getJsonObject(0).getDouble("min")).isEqualTo(-1);
    assertThat(cluster.get("/jobs/metrics?jobs=nonsense").status()).isEqualTo(400);
    assertThat(cluster.get("/jobs/metrics?agg=median").status()).isEqualTo(400);
  }

  @Test
  @Behaviour("I3: REST has the metrics that functions of a program register")
  void subtasksHaveTheMetricsOfTheirFunctions() {
    List<SubtaskDetails> subtasks =
        cluster.dispatcher.jobs.get(SampleJobs.RUNNING).vertices().get(1).subtasks();
    cluster.dispatcher.metrics.put(
        SampleJobs.SINK,
        new JobMetrics(
            List.of(
                registered(subtasks.get(0), 7, "red"), registered(subtasks.get(1), 9, "blue"))));

    assertThat(names(cluster.get(VERTEX + "/metrics").array()))
        .contains(
            "0.numRecordsIn", "0.KeyedProcess.numRecordsIn", "1.KeyedProcess.shop.a_b.orders");
    assertThat(
            values(
                cluster
                    .get(VERTEX + "/subtasks/1/metrics?get=KeyedProcess.shop.a_b.orders,Sink.color")
                    .array()))
        .isEqualTo(Map.of("KeyedProcess.shop.a_b.orders", "9", "Sink.color", "blue"));

    JsonArray over =
        cluster
            .get(
                VERTEX
                    + "/subtasks/metrics?get=KeyedProcess.shop.a_b.orders,Sink.color,Sink.size_p99"
                    + "&agg=sum")
            .array();
    assertThat(names(over)).containsExactly("KeyedProcess.shop.a_b.orders", "Sink.size_p99");
    assertThat(over.getJsonObject(0).getDouble("sum")).isEqualTo(16);
    assertThat(over.getJsonObject(1).getDouble("sum")).isEqualTo(22);
  }

  private static TaskMetricReadings registered(SubtaskDetails task, long orders, String color) {
    return new TaskMetricReadings(
        task.execution(),
        List.of(
            new MetricReading(
                new MetricName(
                    "KeyedProcess", List.of(new MetricName.Group("shop", "a b")), "orders"),
                new MetricValue.Count(orders)),
            new MetricReading(
                new MetricName("Sink", List.of(), "color"), new MetricValue.Text(color)),
            new MetricReading(
                new MetricName("Sink", List.of(), "size"),
                new MetricValue.Distribution(3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12))));
  }
}

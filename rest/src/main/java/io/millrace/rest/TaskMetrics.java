package io.millrace.rest;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.metric.MetricName;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.NamedTaskMetrics;
import io.millrace.task.TaskMetricReadings;
import io.vertx.core.json.JsonArray;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** The metrics of the tasks of a vertex: those of the engine, and those that functions register. */
final class TaskMetrics {
  private final Chain chain;
  private final Map<ExecutionId, TaskMetricReadings> registered = new LinkedHashMap<>();

  /**
   * The operators at the ends of the chain, whose records are those of the task.
   *
   * @param last the one operator that sends to other tasks; empty if there are several
   */
  private record Chain(String first, Optional<String> last) {
    static Chain of(JobGraph graph, JobVertex vertex) {
      List<ChainedOperator> operators = vertex.operators();
      List<Integer> sending =
          graph.edges().stream()
              .filter(edge -> edge.source().equals(vertex.id()))
              .map(edge -> edge.sourceOperator())
              .distinct()
              .toList();
      return new Chain(
          operators.get(0).name(),
          sending.size() == 1
              ? Optional.of(operators.get(sending.get(0)).name())
              : Optional.empty());
    }
  }

  private TaskMetrics(Chain chain, JobMetrics metrics) {
    this.chain = chain;
    metrics.tasks().forEach(task -> registered.put(task.execution(), task));
  }

  static TaskMetrics of(VertexOperations.VertexOfJob found, JobMetrics metrics) {
    return new TaskMetrics(Chain.of(found.job().graph(), found.definition()), metrics);
  }

  MetricTable of(SubtaskDetails subtask) {
    MetricTable table = MetricTable.of(NamedTaskMetrics.of(subtask.counters(), subtask.rates()));
    String first = operator(chain.first());
    for (String name :
        List.of("numRecordsIn", "numRecordsInPerSecond", NamedTaskMetrics.INPUT_WATERMARK)) {
      table.alias(first + name, name);
    }
    chain
        .last()
        .map(TaskMetrics::operator)
        .ifPresent(
            last -> {
              for (String name :
                  List.of(
                      "numRecordsOut",
                      "numRecordsOutPerSecond",
                      NamedTaskMetrics.OUTPUT_WATERMARK)) {
                table.alias(last + name, name);
              }
            });
    TaskMetricReadings own = registered.get(subtask.execution());
    if (own != null) {
      own.readings().forEach(table::put);
    }
    return table;
  }

  /** The beginning of the names of an operator's metrics. */
  private static String operator(String name) {
    return new MetricName("", List.of(), name).dotted() + ".";
  }

  /** The metrics of all subtasks. The index of the subtask precedes the name of the metric. */
  JsonArray ofAll(List<SubtaskDetails> subtasks, MetricSelection selection) {
    JsonArray json = new JsonArray();
    for (int i = 0; i < subtasks.size(); i++) {
      of(subtasks.get(i)).addTo(json, i + ".", selection);
    }
    return json;
  }

  JsonArray aggregated(
      List<SubtaskDetails> subtasks, MetricSelection selection, List<String> aggregations) {
    return MetricTable.aggregated(
        subtasks.stream().map(this::of).toList(), selection, aggregations);
  }

  /** The input watermarks of all subtasks. */
  static JsonArray watermarks(List<SubtaskDetails> subtasks) {
    JsonArray json = new JsonArray();
    MetricSelection watermark =
        MetricSelection.valuesOf(
            IntStream.range(0, subtasks.size())
                .mapToObj(i -> i + "." + NamedTaskMetrics.INPUT_WATERMARK)
                .toList());
    for (int i = 0; i < subtasks.size(); i++) {
      SubtaskDetails subtask = subtasks.get(i);
      MetricTable.of(NamedTaskMetrics.of(subtask.counters(), subtask.rates()))
          .addTo(json, i + ".", watermark);
    }
    return json;
  }
}

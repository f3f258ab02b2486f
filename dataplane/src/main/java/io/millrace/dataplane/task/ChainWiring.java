package io.millrace.dataplane.task;

import io.millrace.dataplane.exchange.RecordWriter;
import io.millrace.dataplane.metrics.EventTimeMetrics;
import io.millrace.dataplane.operator.DiscardOperator;
import io.millrace.dataplane.operator.FanOutOperator;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.operator.SideOutputs;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.operator.WatermarkTargets;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The consumers of each operator in a chain. The chain opens its operators from the last to the
 * first, so that the consumers of an operator exist when it is opened.
 */
final class ChainWiring {
  private final JobVertex vertex;
  private final EventTimeMetrics eventTimeMetrics;
  private final StreamOperator[] operators;
  private final List<RecordWriter> writers;

  /** Operators that emit watermarks themselves: those that they receive go no further. */
  private final boolean[] startsWatermarks;

  /**
   * @param operators the operators that are open so far
   */
  ChainWiring(
      JobVertex vertex,
      StreamOperator[] operators,
      List<RecordWriter> writers,
      EventTimeMetrics eventTimeMetrics) {
    this.vertex = vertex;
    this.eventTimeMetrics = eventTimeMetrics;
    this.operators = operators;
    this.writers = writers;
    this.startsWatermarks = new boolean[operators.length];
  }

  void startWatermarks(int operator) {
    startsWatermarks[operator] = true;
  }

  /** The consumers of an operator by output tag; the main output has the tag "". */
  private Map<String, List<StreamOperator>> consumersOf(int operator) {
    Map<String, List<StreamOperator>> consumers = new LinkedHashMap<>();
    for (int i = operator + 1; i < operators.length; i++) {
      ChainedOperator consumer = vertex.operators().get(i);
      if (consumer.input() == operator) {
        consumers.computeIfAbsent(consumer.inputTag(), tag -> new ArrayList<>()).add(operators[i]);
      }
    }
    for (RecordWriter writer : writers) {
      if (writer.edge().sourceOperator() == operator) {
        consumers.computeIfAbsent(writer.edge().outputTag(), tag -> new ArrayList<>()).add(writer);
      }
    }
    return consumers;
  }

  OperatorOutputs outputsOf(Task task, int operator) {
    Map<String, List<StreamOperator>> byTag = consumersOf(operator);
    List<StreamOperator> main = byTag.remove("");
    String[] tags = byTag.keySet().toArray(new String[0]);
    StreamOperator[] consumers =
        byTag.values().stream().map(ChainWiring::join).toArray(StreamOperator[]::new);
    return new OperatorOutputs(
        join(main == null ? List.of() : main),
        new SideOutputs(task, tags, consumers),
        watermarkTargets(downstreamOf(operator)));
  }

  /** The operators and writers that follow the watermarks of the task's input. */
  WatermarkTargets targetsOfInput() {
    List<StreamOperator> downstream = new ArrayList<>();
    if (operators[0].handlesWatermarks()) {
      downstream.add(operators[0]);
    } else if (!startsWatermarks[0]) {
      downstream.add(operators[0]);
      downstream.addAll(downstreamOf(0));
    }
    return watermarkTargets(downstream);
  }

  /**
   * Watermarks that reach a writer are the task's output watermarks; in a task without writers,
   * those that reach the last operator.
   */
  private WatermarkTargets watermarkTargets(List<StreamOperator> downstream) {
    boolean leaves =
        writers.isEmpty()
            ? downstream.contains(operators[operators.length - 1])
            : downstream.stream().anyMatch(RecordWriter.class::isInstance);
    return new WatermarkTargets(
        downstream, leaves ? Optional.of(eventTimeMetrics) : Optional.empty());
  }

  private List<StreamOperator> downstreamOf(int operator) {
    boolean[] reached = new boolean[operators.length];
    reached[operator] = true;
    List<StreamOperator> found = new ArrayList<>();
    for (int i = operator + 1; i < operators.length; i++) {
      int input = vertex.operators().get(i).input();
      if (input >= operator && reached[input]) {
        // An operator that starts watermarks does not pass on those that it receives.
        reached[i] = !startsWatermarks[i];
        found.add(operators[i]);
      }
    }
    for (RecordWriter writer : writers) {
      int from = writer.edge().sourceOperator();
      if (reached[from]) {
        found.add(writer);
      }
    }
    return found;
  }

  private static StreamOperator join(List<StreamOperator> consumers) {
    return switch (consumers.size()) {
      case 0 -> new DiscardOperator();
      case 1 -> consumers.get(0);
      default -> new FanOutOperator(consumers.toArray(new StreamOperator[0]));
    };
  }
}

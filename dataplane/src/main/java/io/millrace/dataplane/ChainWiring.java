package io.millrace.dataplane;

import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who reads from whom in a chain that is being opened, from its last operator to its first. */
final class ChainWiring {
  private final JobVertex vertex;
  private final EventTimeMetrics eventTimeMetrics;
  private final StreamOperator[] operators;
  private final List<RecordWriter> edges;
  private final boolean[] cut;

  /**
   * @param operators what is opened so far
   */
  ChainWiring(
      JobVertex vertex,
      StreamOperator[] operators,
      List<RecordWriter> edges,
      EventTimeMetrics eventTimeMetrics) {
    this.vertex = vertex;
    this.eventTimeMetrics = eventTimeMetrics;
    this.operators = operators;
    this.edges = edges;
    this.cut = new boolean[operators.length];
  }

  /** Notes that an operator has its own word on event time. */
  void cut(int operator, boolean isSo) {
    cut[operator] = isSo;
  }

  /** The readers of an operator's outputs by tag, those of the main output under "". */
  private Map<String, List<StreamOperator>> readersOf(int operator) {
    Map<String, List<StreamOperator>> readers = new LinkedHashMap<>();
    for (int i = operator + 1; i < operators.length; i++) {
      ChainedOperator reader = vertex.operators().get(i);
      if (reader.input() == operator) {
        readers.computeIfAbsent(reader.inputTag(), tag -> new ArrayList<>()).add(operators[i]);
      }
    }
    for (RecordWriter edge : edges) {
      if (edge.edge.edge().sourceOperator() == operator) {
        readers.computeIfAbsent(edge.edge.edge().outputTag(), tag -> new ArrayList<>()).add(edge);
      }
    }
    return readers;
  }

  StreamOperator mainOf(int operator) {
    return join(readersOf(operator).getOrDefault("", List.of()));
  }

  OperatorOutputs outputsOf(Task task, int operator) {
    Map<String, List<StreamOperator>> sideOutputs = readersOf(operator);
    sideOutputs.remove("");
    String[] tags = sideOutputs.keySet().toArray(new String[0]);
    StreamOperator[] readers =
        sideOutputs.values().stream().map(ChainWiring::join).toArray(StreamOperator[]::new);
    return new OperatorOutputs(mainOf(operator), new SideOutputs(task, tags, readers));
  }

  /** All for which event time is what comes in. */
  WatermarkTargets incoming() {
    List<StreamOperator> behind = new ArrayList<>();
    if (!cut[0]) {
      behind.add(operators[0]);
      behind.addAll(behind(0));
    }
    return targets(behind);
  }

  /** All for which event time is what an operator says. */
  WatermarkTargets watermarkTargetsOf(int operator) {
    return targets(behind(operator));
  }

  /** What reaches an edge leaves the task; without edges, what reaches the end of the chain. */
  private WatermarkTargets targets(List<StreamOperator> behind) {
    boolean leaves =
        edges.isEmpty()
            ? behind.contains(operators[operators.length - 1])
            : behind.stream().anyMatch(RecordWriter.class::isInstance);
    return new WatermarkTargets(behind, leaves ? Optional.of(eventTimeMetrics) : Optional.empty());
  }

  private List<StreamOperator> behind(int operator) {
    boolean[] reached = new boolean[operators.length];
    reached[operator] = true;
    List<StreamOperator> found = new ArrayList<>();
    for (int i = operator + 1; i < operators.length; i++) {
      int input = vertex.operators().get(i).input();
      if (input >= operator && reached[input]) {
        // One that has its own word passes on only what it says itself.
        reached[i] = !cut[i];
        found.add(operators[i]);
      }
    }
    for (RecordWriter edge : edges) {
      int from = edge.edge.edge().sourceOperator();
      if (reached[from]) {
        found.add(edge);
      }
    }
    return found;
  }

  private static StreamOperator join(List<StreamOperator> readers) {
    return switch (readers.size()) {
      case 0 -> new DiscardOperator();
      case 1 -> readers.get(0);
      default -> new FanOutOperator(readers.toArray(new StreamOperator[0]));
    };
  }
}

package io.millrace.dataplane;

import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who reads from whom in a chain that is being opened, from its last operator to its first. */
final class Wiring {
  private final JobVertex vertex;
  private final EventTimeGauge gauge;
  private final Stage[] stages;
  private final List<EdgeOutput> edges;
  private final boolean[] cut;

  /**
   * @param stages what is opened so far
   */
  Wiring(JobVertex vertex, Stage[] stages, List<EdgeOutput> edges, EventTimeGauge gauge) {
    this.vertex = vertex;
    this.gauge = gauge;
    this.stages = stages;
    this.edges = edges;
    this.cut = new boolean[stages.length];
  }

  /** Notes that an operator has its own word on event time. */
  void cut(int operator, boolean isSo) {
    cut[operator] = isSo;
  }

  /** The readers of an operator's outputs by tag, those of the main output under "". */
  private Map<String, List<Stage>> readersOf(int operator) {
    Map<String, List<Stage>> readers = new LinkedHashMap<>();
    for (int i = operator + 1; i < stages.length; i++) {
      ChainedOperator reader = vertex.operators().get(i);
      if (reader.input() == operator) {
        readers.computeIfAbsent(reader.inputTag(), tag -> new ArrayList<>()).add(stages[i]);
      }
    }
    for (EdgeOutput edge : edges) {
      if (edge.plan.edge().sourceOperator() == operator) {
        readers.computeIfAbsent(edge.plan.edge().outputTag(), tag -> new ArrayList<>()).add(edge);
      }
    }
    return readers;
  }

  Stage mainOf(int operator) {
    return join(readersOf(operator).getOrDefault("", List.of()));
  }

  Outputs outputsOf(Task task, int operator) {
    Map<String, List<Stage>> sides = readersOf(operator);
    sides.remove("");
    String[] tags = sides.keySet().toArray(new String[0]);
    Stage[] readers = sides.values().stream().map(Wiring::join).toArray(Stage[]::new);
    return new Outputs(mainOf(operator), new SideOutputs(task, tags, readers));
  }

  /** All for which event time is what comes in. */
  Flow incoming() {
    List<Stage> behind = new ArrayList<>();
    if (!cut[0]) {
      behind.add(stages[0]);
      behind.addAll(behind(0));
    }
    return flow(behind);
  }

  /** All for which event time is what an operator says. */
  Flow flowOf(int operator) {
    return flow(behind(operator));
  }

  /** What reaches an edge leaves the task; without edges, what reaches the end of the chain. */
  private Flow flow(List<Stage> behind) {
    boolean leaves =
        edges.isEmpty()
            ? behind.contains(stages[stages.length - 1])
            : behind.stream().anyMatch(EdgeOutput.class::isInstance);
    return new Flow(behind, leaves ? Optional.of(gauge) : Optional.empty());
  }

  private List<Stage> behind(int operator) {
    boolean[] reached = new boolean[stages.length];
    reached[operator] = true;
    List<Stage> found = new ArrayList<>();
    for (int i = operator + 1; i < stages.length; i++) {
      int input = vertex.operators().get(i).input();
      if (input >= operator && reached[input]) {
        // One that has its own word passes on only what it says itself.
        reached[i] = !cut[i];
        found.add(stages[i]);
      }
    }
    for (EdgeOutput edge : edges) {
      int from = edge.plan.edge().sourceOperator();
      if (reached[from]) {
        found.add(edge);
      }
    }
    return found;
  }

  private static Stage join(List<Stage> readers) {
    return switch (readers.size()) {
      case 0 -> new Stages.Nothing();
      case 1 -> readers.get(0);
      default -> new Stages.Fan(readers.toArray(new Stage[0]));
    };
  }
}

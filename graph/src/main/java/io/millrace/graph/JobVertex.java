package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.VertexId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A chain of operators that runs as one task in each of {@code parallelism} subtasks.
 *
 * @param maxParallelism the number of key groups its keyed state is divided into
 * @param operators the head first; each other operator names its input in the chain
 * @param dataSets the data sets that its operators cache, one partition per subtask
 */
public record JobVertex(
    VertexId id,
    String name,
    int parallelism,
    int maxParallelism,
    String slotSharingGroup,
    List<ChainedOperator> operators,
    List<DataSetId> dataSets) {

  public JobVertex {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(slotSharingGroup);
    operators = OrderedCopies.list(operators);
    dataSets = OrderedCopies.list(dataSets);
    if (parallelism < 1 || maxParallelism < parallelism) {
      throw new IllegalArgumentException(
          "Vertex '"
              + name
              + "' has parallelism "
              + parallelism
              + " and max parallelism "
              + maxParallelism
              + "; parallelism must be >= 1 and max parallelism >= parallelism.");
    }
    if (operators.isEmpty()) {
      throw new IllegalArgumentException("Vertex '" + name + "' has no operator");
    }
    for (int i = 0; i < operators.size(); i++) {
      int input = operators.get(i).input();
      if (i == 0 ? input != -1 : input < 0 || input >= i) {
        throw new IllegalArgumentException(
            "Operator " + i + " of vertex '" + name + "' reads from operator " + input);
      }
    }
  }

  JobVertex withoutFunctions() {
    return new JobVertex(
        id,
        name,
        parallelism,
        maxParallelism,
        slotSharingGroup,
        operators.stream()
            .map(
                operator ->
                    new ChainedOperator(
                        operator.id(),
                        operator.name(),
                        operator.input(),
                        operator.inputTag(),
                        Bytes.EMPTY,
                        operator.description()))
            .toList(),
        dataSets);
  }

  /** A vertex that caches nothing. */
  public JobVertex(
      VertexId id,
      String name,
      int parallelism,
      int maxParallelism,
      String slotSharingGroup,
      List<ChainedOperator> operators) {
    this(id, name, parallelism, maxParallelism, slotSharingGroup, operators, new ArrayList<>());
  }
}

package io.millrace.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the metadata of a savepoint or checkpoint says about its state.
 *
 * @param triggeredAt in milliseconds since the epoch
 */
public record SavepointContents(
    boolean savepoint,
    long number,
    JobId job,
    long triggeredAt,
    long bytes,
    String directory,
    List<OperatorState> operators) {
  public SavepointContents {
    operators = OrderedCopies.list(operators);
  }

  /**
   * The state of an operator.
   *
   * @param finished whether all its subtasks had finished
   * @param keyed whether it has keyed state or timers
   * @param lists the number of elements of its operator states, by name
   */
  public record OperatorState(
      String name,
      String id,
      int parallelism,
      int maxParallelism,
      long bytes,
      boolean finished,
      boolean keyed,
      Map<String, Integer> lists) {
    public OperatorState {
      lists = OrderedCopies.map(lists);
    }
  }

  /**
   * Reads the metadata. Blocks.
   *
   * @param path the directory, or the metadata file in it
   */
  public static SavepointContents read(FileSystems files, String path) {
    StoredMetadata found = new FileCheckpointStorage(files).readMetadata(path);
    CheckpointMetadata metadata = found.metadata();
    List<OperatorState> operators = new ArrayList<>();
    for (VertexState vertex : metadata.vertices()) {
      for (OperatorInfo operator : vertex.operators()) {
        operators.add(state(vertex, operator));
      }
    }
    return new SavepointContents(
        metadata.type().isSavepoint(),
        metadata.checkpoint(),
        metadata.job(),
        metadata.timestamp(),
        metadata.size(),
        found.directory(),
        operators);
  }

  private static OperatorState state(VertexState vertex, OperatorInfo operator) {
    List<OperatorSnapshot> states =
        vertex.subtasks().stream()
            .map(SubtaskState::operators)
            .flatMap(List::stream)
            .filter(state -> state.operator().equals(operator.id()))
            .toList();
    Map<String, Integer> lists = new LinkedHashMap<>();
    states.stream()
        .flatMap(state -> state.lists().stream())
        .forEach(list -> lists.merge(list.name(), list.elements(), Integer::sum));
    return new OperatorState(
        operator.name(),
        operator.id().toString(),
        vertex.parallelism(),
        vertex.maxParallelism(),
        states.stream().mapToLong(OperatorSnapshot::size).sum(),
        vertex.isFinished(),
        states.stream().anyMatch(state -> !state.keyed().isEmpty()),
        lists);
  }
}

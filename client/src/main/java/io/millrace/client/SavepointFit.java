package io.millrace.client;

import io.millrace.core.MemorySize;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.OperatorId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.reason.CheckpointReason.StateDoesNotFit;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.StateAssignment.Misfit;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.StoredStateReader.StateLocation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a job can start with a savepoint.
 *
 * @param problems why it cannot; empty if it can
 * @param notes what happens to the state of each operator
 */
public record SavepointFit(List<String> problems, List<String> notes) {
  public SavepointFit {
    problems = OrderedCopies.list(problems);
    notes = OrderedCopies.list(notes);
  }

  public boolean fits() {
    return problems.isEmpty();
  }

  /**
   * Checks path, metadata, operators, max parallelism, the presence of all files and the classes of
   * state. Reads metadata, headers and footers, not the entries. Blocks; needs no cluster.
   *
   * @param dropUnclaimed whether state of operators that the job does not have may be dropped
   * @param program the classes of the program
   */
  public static SavepointFit of(
      FileSystems files, String path, JobGraph job, boolean dropUnclaimed, ClassLoader program) {
    StoredMetadata found;
    try {
      found = new FileCheckpointStorage(files).readMetadata(path);
    } catch (MillraceException e) {
      return new SavepointFit(List.of(e.getMessage()), List.of());
    }
    StateLocation from = SavepointContents.location(files, found);
    List<String> problems = new ArrayList<>();
    List<Misfit> misfits =
        new StateAssignment(found.metadata(), from.directory(), from.sharedDirectory())
            .check(job, dropUnclaimed);
    if (!misfits.isEmpty()) {
      problems.add(ReasonText.of(new StateDoesNotFit(path, misfits)));
    }
    Map<OperatorId, String> operators = new LinkedHashMap<>();
    for (JobVertex vertex : job.vertices()) {
      for (ChainedOperator operator : vertex.operators()) {
        operators.put(operator.id(), operator.name());
      }
    }
    List<String> notes = new ArrayList<>();
    notes.addAll(
        restored(
            from,
            found.metadata(),
            operators,
            program,
            job.configuration().find(StateBackendOptions.TYPE),
            problems));
    operators.forEach(
        (id, name) -> {
          if (found.metadata().vertexOf(id).isEmpty()) {
            notes.add("Operator '" + name + "' (" + id + ") is new and starts without state.");
          }
        });
    return new SavepointFit(problems.stream().distinct().toList(), notes);
  }

  private static List<String> restored(
      StateLocation from,
      CheckpointMetadata metadata,
      Map<OperatorId, String> operators,
      ClassLoader program,
      Optional<String> backend,
      List<String> problems) {
    List<String> notes = new ArrayList<>();
    StoredStateReader reader = StoredStateReader.onClassPath();
    for (VertexState vertex : metadata.vertices()) {
      for (OperatorInfo operator : vertex.operators()) {
        List<OperatorSnapshot> snapshots = SavepointContents.snapshots(vertex, operator);
        long bytes = snapshots.stream().mapToLong(OperatorSnapshot::size).sum();
        if (bytes == 0) {
          continue;
        }
        boolean claimed = operators.containsKey(operator.id());
        notes.add(
            "Operator '"
                + operator.name()
                + "' ("
                + operator.id()
                + ") "
                + (claimed ? "starts with " : "is not in the program, which drops ")
                + new MemorySize(bytes)
                + " of state.");
        if (claimed) {
          snapshots.forEach(snapshot -> check(reader, from, snapshot, operator, program, problems));
          snapshots.forEach(snapshot -> checkBackend(snapshot, operator, backend, problems));
        }
      }
    }
    return notes;
  }

  /**
   * @param backend of the job; empty if the cluster decides
   */
  private static void checkBackend(
      OperatorSnapshot snapshot,
      OperatorInfo operator,
      Optional<String> backend,
      List<String> problems) {
    for (OperatorSnapshot.Keyed piece : snapshot.keyed()) {
      if (!piece.format().equals(OperatorSnapshot.Keyed.CANONICAL)
          && backend.isPresent()
          && !backend.get().equals(piece.format())) {
        problems.add(
            "The state of operator '"
                + operator.name()
                + "' ("
                + operator.id()
                + ") is in the format of the state backend '"
                + piece.format()
                + "', which '"
                + backend.get()
                + "' ("
                + StateBackendOptions.TYPE.key()
                + ") does not read.");
      }
    }
  }

  private static void check(
      StoredStateReader reader,
      StateLocation from,
      OperatorSnapshot snapshot,
      OperatorInfo operator,
      ClassLoader program,
      List<String> problems) {
    try {
      List<String> differences = reader.differences(from, snapshot, program);
      if (!differences.isEmpty()) {
        problems.add(
            "The state of operator '"
                + operator.name()
                + "' ("
                + operator.id()
                + ") was written by other versions of classes of the program: "
                + String.join("; ", differences)
                + ".");
      }
    } catch (MillraceException e) {
      problems.add(e.getMessage() + (e.getMessage().endsWith(".") ? "" : "."));
    }
  }
}

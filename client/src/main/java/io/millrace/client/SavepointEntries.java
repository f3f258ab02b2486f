package io.millrace.client;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.graph.Graphs;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.StoredStateReader.ValueClasses;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Prints entries of a state of a savepoint. */
public final class SavepointEntries {
  private final FileSystems files;
  private final SavepointContents contents;
  private final Optional<ClassLoader> program;

  /**
   * @param program the classes of the program; without them values are shown by their fields
   */
  public SavepointEntries(
      FileSystems files, SavepointContents contents, Optional<ClassLoader> program) {
    this.files = files;
    this.contents = contents;
    this.program = program;
  }

  /**
   * Passes entries as JSON, each on a line. Blocks.
   *
   * @param operator its id, or its name if only one has this name
   * @param key only entries of this key, as JSON or as the text of a string
   * @return the number of entries
   */
  public int print(
      String operator, String state, Optional<String> key, int limit, Consumer<String> out) {
    SavepointContents.OperatorState named = contents.operator(operator);
    if (named.states().stream().noneMatch(known -> known.name().equals(state))) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator '"
              + named.name()
              + "' has no state '"
              + state
              + "'. It has "
              + (named.states().isEmpty()
                  ? "none"
                  : String.join(
                      ", ", named.states().stream().map(one -> "'" + one.name() + "'").toList()))
              + ".");
    }
    StoredMetadata found = new FileCheckpointStorage(files).readMetadata(contents.directory());
    int[] printed = {0};
    for (VertexState vertex : found.metadata().vertices()) {
      for (OperatorInfo info : vertex.operators()) {
        if (info.id().toString().equals(named.id())) {
          for (OperatorSnapshot snapshot : SavepointContents.snapshots(vertex, info)) {
            print(found, snapshot, state, key, limit, out, printed);
          }
        }
      }
    }
    return printed[0];
  }

  private void print(
      StoredMetadata found,
      OperatorSnapshot snapshot,
      String state,
      Optional<String> key,
      int limit,
      Consumer<String> out,
      int[] printed) {
    if (printed[0] >= limit) {
      return;
    }
    StoredStateReader.onClassPath()
        .entries(
            SavepointContents.location(files, found),
            snapshot,
            state,
            program
                .map(loader -> new ValueClasses(Optional.of(loader), Bytes.EMPTY))
                .orElse(ValueClasses.UNKNOWN),
            entry -> {
              if (key.isEmpty() || isKey(entry, key.get())) {
                out.accept(Graphs.json(entry));
                printed[0]++;
              }
              return printed[0] < limit;
            });
  }

  private static boolean isKey(Map<String, Object> entry, String wanted) {
    Object key = entry.get("key");
    if (key == null) {
      return false;
    }
    String json = Graphs.json(Map.of("key", key));
    return String.valueOf(key).equals(wanted) || json.equals("{\"key\":" + wanted + "}");
  }
}

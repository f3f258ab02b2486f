package io.millrace.client;

import io.millrace.core.OrderedCopies;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.StoredStateReader.StateLocation;
import io.millrace.task.checkpoint.StoredStateReader.StoredClass;
import io.millrace.task.checkpoint.StoredStateReader.StoredOperatorState;
import io.millrace.task.checkpoint.StoredStateReader.StoredStateInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a savepoint or checkpoint contains.
 *
 * @param triggeredAt in milliseconds since the epoch
 * @param errors what is wrong with its files
 */
public record SavepointContents(
    boolean savepoint,
    long number,
    JobId job,
    long triggeredAt,
    long bytes,
    String directory,
    List<OperatorState> operators,
    List<String> errors) {
  public SavepointContents {
    operators = OrderedCopies.list(operators);
    errors = OrderedCopies.list(errors);
  }

  /**
   * The state of an operator.
   *
   * @param finished whether all its subtasks had finished
   * @param classes the classes of the program in its states, with their fields
   */
  public record OperatorState(
      String name,
      String id,
      int parallelism,
      int maxParallelism,
      long bytes,
      boolean finished,
      List<State> states,
      List<StateClass> classes) {
    public OperatorState {
      states = OrderedCopies.list(states);
      classes = OrderedCopies.list(classes);
    }
  }

  /**
   * A state of an operator.
   *
   * @param kind as {@code docs/state-format.md} names it
   * @param elements of an operator state; -1 for a keyed state
   * @param keyClass the class of a key; empty for an operator state, or without entries
   * @param valueClass the class of a value; empty without entries
   */
  public record State(
      String name,
      String kind,
      long elements,
      boolean windowed,
      boolean timeToLive,
      String keyClass,
      String valueClass) {
    public boolean isKeyed() {
      return elements < 0;
    }
  }

  /**
   * A class of the program.
   *
   * @param form {@code RECORD}, {@code OBJECT} or {@code ENUM}
   * @param fields of an enum its constants, else {@code name: type}
   */
  public record StateClass(String name, String form, boolean key, List<String> fields) {
    public StateClass {
      fields = OrderedCopies.list(fields);
    }
  }

  /**
   * Reads the metadata, and the schemas of all states. Blocks.
   *
   * @param path the directory, or the metadata file in it
   */
  public static SavepointContents read(FileSystems files, String path) {
    StoredMetadata found = new FileCheckpointStorage(files).readMetadata(path);
    CheckpointMetadata metadata = found.metadata();
    List<OperatorState> operators = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    for (VertexState vertex : metadata.vertices()) {
      for (OperatorInfo operator : vertex.operators()) {
        operators.add(state(location(files, found), vertex, operator, errors));
      }
    }
    return new SavepointContents(
        metadata.type().isSavepoint(),
        metadata.checkpoint(),
        metadata.job(),
        metadata.timestamp(),
        metadata.size(),
        found.directory(),
        operators,
        errors.stream().distinct().toList());
  }

  /** Where the files of a savepoint or checkpoint are. */
  static StateLocation location(FileSystems files, StoredMetadata found) {
    return new StateLocation(
        files, found.metadata().checkpoint(), found.directory(), sharedDirectory(found));
  }

  /** A savepoint contains all its files; checkpoints of a job have a common directory. */
  private static String sharedDirectory(StoredMetadata found) {
    return found.metadata().type().isSavepoint()
        ? found.directory()
        : FilePath.parse(found.directory()).parent().child("shared").toString();
  }

  static List<OperatorSnapshot> snapshots(VertexState vertex, OperatorInfo operator) {
    return vertex.subtasks().stream()
        .map(SubtaskState::operators)
        .flatMap(List::stream)
        .filter(state -> state.operator().equals(operator.id()))
        .toList();
  }

  private static OperatorState state(
      StateLocation from, VertexState vertex, OperatorInfo operator, List<String> errors) {
    List<OperatorSnapshot> snapshots = snapshots(vertex, operator);
    Map<String, Long> elements = new LinkedHashMap<>();
    snapshots.stream()
        .flatMap(state -> state.lists().stream())
        .forEach(list -> elements.merge(list.name(), (long) list.elements(), Long::sum));
    Map<List<Object>, State> states = new LinkedHashMap<>();
    Map<String, StateClass> classes = new LinkedHashMap<>();
    StoredStateReader reader = StoredStateReader.onClassPath();
    for (OperatorSnapshot snapshot : snapshots) {
      StoredOperatorState read;
      try {
        read = reader.describe(from, snapshot);
      } catch (MillraceException e) {
        errors.add(e.getMessage());
        continue;
      }
      for (StoredStateInfo info : read.states()) {
        states.merge(
            List.of(info.keyed(), info.name(), info.kind()),
            state(info, elements),
            (one, other) -> one.valueClass().isEmpty() ? other : one);
      }
      for (StoredClass type : read.classes()) {
        classes.merge(
            type.name(),
            new StateClass(type.name(), type.form(), type.key(), type.fields()),
            (one, other) -> one.key() ? one : other);
      }
    }
    return new OperatorState(
        operator.name(),
        operator.id().toString(),
        vertex.parallelism(),
        vertex.maxParallelism(),
        snapshots.stream().mapToLong(OperatorSnapshot::size).sum(),
        vertex.isFinished(),
        List.copyOf(states.values()),
        List.copyOf(classes.values()));
  }

  private static State state(StoredStateInfo info, Map<String, Long> elements) {
    return new State(
        info.name(),
        info.kind(),
        info.keyed() ? -1 : elements.getOrDefault(info.name(), 0L),
        info.windowed(),
        info.timeToLive(),
        info.keyClass(),
        info.valueClass());
  }

  /** The operator with this id, or with this name if there is only one. */
  public OperatorState operator(String named) {
    List<OperatorState> found =
        operators.stream()
            .filter(operator -> operator.id().equals(named) || operator.name().equals(named))
            .toList();
    if (found.size() != 1) {
      throw new MillraceException(
          ErrorKind.USER,
          (found.isEmpty() ? "No operator" : "More than one operator")
              + " of '"
              + directory
              + "' has the name or id '"
              + named
              + "'. It has "
              + String.join(
                  ", ",
                  operators.stream()
                      .map(operator -> "'" + operator.name() + "' (" + operator.id() + ")")
                      .toList())
              + ".");
    }
    return found.get(0);
  }

  /** All of it as JSON. */
  public String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", savepoint ? "savepoint" : "checkpoint");
    json.put("id", number);
    json.put("job", job.toString());
    json.put("triggeredAt", triggeredAt);
    json.put("bytes", bytes);
    json.put("directory", directory);
    json.put("operators", operators.stream().map(SavepointContents::json).toList());
    json.put("errors", errors);
    return Graphs.json(json);
  }

  private static Map<String, Object> json(OperatorState operator) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", operator.id());
    json.put("name", operator.name());
    json.put("parallelism", operator.parallelism());
    json.put("maxParallelism", operator.maxParallelism());
    json.put("bytes", operator.bytes());
    json.put("finished", operator.finished());
    json.put("states", operator.states().stream().map(SavepointContents::json).toList());
    json.put("classes", operator.classes().stream().map(SavepointContents::json).toList());
    return json;
  }

  private static Map<String, Object> json(State state) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", state.name());
    json.put("kind", state.kind());
    json.put("keyed", state.isKeyed());
    if (state.isKeyed()) {
      json.put("windowed", state.windowed());
      json.put("timeToLive", state.timeToLive());
      json.put("keyClass", state.keyClass());
    } else {
      json.put("elements", state.elements());
    }
    json.put("valueClass", state.valueClass());
    return json;
  }

  private static Map<String, Object> json(StateClass type) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", type.name());
    json.put("form", type.form());
    json.put("key", type.key());
    json.put("fields", type.fields());
    return json;
  }
}

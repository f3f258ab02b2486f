package io.millrace.sim;

import io.millrace.core.Bytes;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimDataflow.Flaw;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The state of a simulated task: the positions of the splits of a source, or how far any other task
 * has counted each split. A source stores its splits as list state, every other task its shards as
 * list state and, behind a hash partitioning, its counts as keyed state.
 */
public final class SimTaskState {
  private final JobGraph graph;
  private final JobVertex vertex;
  private final TaskSpec spec;
  private final SimCheckpointStorage.View storage;
  private final Flaw flaw;
  private final boolean keyed;
  private final SimSharedFiles sharedFiles;
  private final NavigableMap<String, Long> splits = new TreeMap<>();
  private final List<Shard> shards = new ArrayList<>();
  private final List<Keyed> keyedState = new ArrayList<>();

  /**
   * The records that a sink has written between two barriers.
   *
   * @param from the position of each split at the earlier barrier
   * @param to the position at the barrier of {@code checkpoint}
   */
  public record Committable(
      long checkpoint, NavigableMap<String, Long> from, NavigableMap<String, Long> to) {}

  /** The state of one of the subtasks with which a vertex first started. */
  public static final class Shard {
    private final int number;
    private NavigableMap<String, Long> counted;
    private final List<Committable> pending = new ArrayList<>();

    Shard(int number, NavigableMap<String, Long> counted) {
      this.number = number;
      this.counted = counted;
    }

    public int number() {
      return number;
    }

    /** How far it has counted each split. */
    public NavigableMap<String, Long> counted() {
      return counted;
    }

    /** What is written and not committed yet, in order. */
    public List<Committable> pending() {
      return List.copyOf(pending);
    }
  }

  /** Restored keyed state: key groups and how far their records were counted. */
  public record Keyed(KeyGroupRange groups, NavigableMap<String, Long> counted) {}

  SimTaskState(
      JobGraph graph,
      TaskSpec spec,
      SimCheckpointStorage.View storage,
      Flaw flaw,
      RandomGenerator random) {
    this.graph = graph;
    this.vertex = graph.vertex(spec.vertex());
    this.spec = spec;
    this.storage = storage;
    this.flaw = flaw;
    this.sharedFiles = new SimSharedFiles(random, flaw == Flaw.UNCONFIRMED_FILES_SHARED);
    this.keyed =
        graph.inputsOf(vertex.id()).stream()
            .anyMatch(edge -> edge.partitioning() == Partitioning.HASH);
  }

  boolean isKeyed() {
    return keyed;
  }

  NavigableMap<String, Long> splits() {
    return splits;
  }

  List<Shard> shards() {
    return shards;
  }

  List<Keyed> keyedState() {
    return keyedState;
  }

  SimSharedFiles sharedFiles() {
    return sharedFiles;
  }

  private boolean isSource() {
    return graph.inputsOf(vertex.id()).isEmpty();
  }

  void startAnew() {
    if (isSource()) {
      for (int i = spec.subtask(); i < SimDataflow.splits(vertex); i += vertex.parallelism()) {
        splits.put(SimDataflow.split(vertex, i), 0L);
      }
    } else {
      shards.add(new Shard(spec.subtask(), new TreeMap<>()));
    }
  }

  /** Reads the state of a checkpoint; a task without state in it starts anew. */
  void restore(TaskRestore state) {
    Optional<TaskRestore.OperatorRestore> operator = state.operator(vertex.operators().get(0).id());
    if (operator.isEmpty()) {
      startAnew();
      return;
    }
    for (TaskRestore.RestoredList list : operator.get().lists()) {
      for (TaskRestore.Slice slice : list.slices()) {
        String[] elements = content(state, slice.handle()).split("\n");
        boolean whole = flaw == Flaw.LISTS_NOT_SPLIT;
        for (int i = whole ? 0 : slice.from(); i < (whole ? elements.length : slice.to()); i++) {
          restoreElement(elements[i]);
        }
      }
    }
    KeyGroupRange groups = operator.get().groups();
    for (OperatorSnapshot.Keyed piece : operator.get().keyed()) {
      sharedFiles.restore(state, piece, storage);
      KeyGroupRange own =
          flaw == Flaw.WRONG_KEY_GROUPS
              ? piece.groups()
              : new KeyGroupRange(
                  Math.max(groups.first(), piece.groups().first()),
                  Math.min(groups.end(), piece.groups().end()));
      keyedState.add(
          new Keyed(
              flaw == Flaw.WRONG_KEY_GROUPS
                  ? new KeyGroupRange(own.first() + 1, own.end() + 1)
                  : own,
              positions(content(state, piece.handle()))));
    }
    if (!isSource() && shards.isEmpty() && !keyedState.isEmpty()) {
      // There are more subtasks than before.
      shards.add(new Shard(spec.subtask(), new TreeMap<>(keyedState.get(0).counted())));
    }
  }

  private void restoreElement(String element) {
    if (isSource()) {
      splits.putAll(positions(element));
      return;
    }
    String[] parts = element.split("\\|", -1);
    Shard shard = new Shard(Integer.parseInt(parts[0]), positions(parts[1]));
    for (int i = 2; i < parts.length; i++) {
      String[] committable = parts[i].split("/", -1);
      shard.pending.add(
          new Committable(
              Long.parseLong(committable[0]),
              positions(committable[1]),
              positions(committable[2])));
    }
    shards.add(shard);
  }

  private String content(TaskRestore state, StateHandle handle) {
    if (handle instanceof StateHandle.Inline inline) {
      return new String(inline.bytes().toArray(), StandardCharsets.UTF_8);
    }
    StateHandle.FileSegment segment = (StateHandle.FileSegment) handle;
    return storage.readFile(state.directory(), segment.file());
  }

  /** How far all shards have counted each split. */
  NavigableMap<String, Long> counted() {
    NavigableMap<String, Long> counted = new TreeMap<>();
    shards.forEach(shard -> counted.putAll(shard.counted));
    return counted;
  }

  /**
   * Counts up to a barrier.
   *
   * @param written whether the records since the last barrier are committed later
   */
  void count(long checkpoint, NavigableMap<String, Long> positions, boolean written) {
    for (Shard shard : shards) {
      if (written && !shard.counted.equals(positions)) {
        shard.pending.add(new Committable(checkpoint, shard.counted, positions));
      }
      shard.counted = positions;
    }
  }

  /** Whether everything up to these positions is counted and committed. */
  boolean isCommitted(NavigableMap<String, Long> positions) {
    return shards.stream()
        .allMatch(shard -> shard.pending.isEmpty() && shard.counted.equals(positions));
  }

  /** Commits what was written up to a checkpoint. */
  void commit(long upTo, BiConsumer<Shard, Committable> committed) {
    for (Shard shard : shards) {
      for (Committable committable : new ArrayList<>(shard.pending)) {
        if (committable.checkpoint() <= upTo) {
          shard.pending.remove(committable);
          committed.accept(shard, committable);
        }
      }
    }
  }

  /** The elements of its list state at a barrier. */
  List<String> elements(NavigableMap<String, Long> positions) {
    List<String> elements = new ArrayList<>();
    if (isSource()) {
      positions.forEach((split, at) -> elements.add(split + "=" + at));
    } else {
      shards.forEach(shard -> elements.add(text(shard)));
    }
    return elements;
  }

  /** Stores a snapshot. */
  OperatorSnapshot write(CheckpointRequest request, List<String> elements, String positions) {
    List<OperatorSnapshot.ListState> lists =
        elements.isEmpty()
            ? List.of()
            : List.of(
                new OperatorSnapshot.ListState(
                    isSource() ? "splits" : "shards",
                    Redistribution.SPLIT,
                    elements.size(),
                    handle(request, "list", String.join("\n", elements))));
    List<OperatorSnapshot.Keyed> groups =
        keyed
            ? List.of(
                new OperatorSnapshot.Keyed(
                    KeyGroupRange.of(vertex.maxParallelism(), vertex.parallelism(), spec.subtask()),
                    OperatorSnapshot.Keyed.CANONICAL,
                    handle(request, "keyed", positions),
                    isIncremental(request)
                        ? sharedFiles.write(request, positions, storage)
                        : List.of()))
            : List.of();
    return new OperatorSnapshot(vertex.operators().get(0).id(), groups, lists);
  }

  private static boolean isIncremental(CheckpointRequest request) {
    return !request.type().isSavepoint() && request.inlineThreshold() == 0;
  }

  private StateHandle handle(CheckpointRequest request, String what, String content) {
    if (content.length() <= request.inlineThreshold()) {
      return new StateHandle.Inline(Bytes.utf8(content));
    }
    String file = what + "-" + vertex.name() + "-" + spec.subtask() + "-" + spec.execution();
    if (flaw != Flaw.ACKNOWLEDGED_UNSTORED || spec.subtask() > 0) {
      storage.writeFile(request.directory(), file, content);
    }
    return new StateHandle.FileSegment(
        StateHandle.Directory.EXCLUSIVE, file, 0, content.length(), 0);
  }

  private static String text(Shard shard) {
    StringBuilder text = new StringBuilder();
    text.append(shard.number).append('|').append(text(shard.counted));
    for (Committable committable : shard.pending) {
      text.append('|').append(committable.checkpoint());
      text.append('/').append(text(committable.from()));
      text.append('/').append(text(committable.to()));
    }
    return text.toString();
  }

  static String text(NavigableMap<String, Long> positions) {
    return positions.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(","));
  }

  private static NavigableMap<String, Long> positions(String text) {
    NavigableMap<String, Long> positions = new TreeMap<>();
    if (!text.isEmpty()) {
      for (String entry : text.split(",")) {
        int equals = entry.lastIndexOf('=');
        positions.put(entry.substring(0, equals), Long.parseLong(entry.substring(equals + 1)));
      }
    }
    return positions;
  }
}

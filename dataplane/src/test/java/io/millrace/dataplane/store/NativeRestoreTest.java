package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.TimeWindow;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.LocalStateCopies;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.snapshot.StateFileSource;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.store.TestStates.Entry;
import io.millrace.dataplane.store.TestStates.Kind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * State of all layouts, stored as files of its backend by some subtasks and restored by others: one
 * that continues the files of its predecessor, one that takes a part of them, and one that copies
 * from several. Each of these has classes in another order, so that values are encoded anew.
 */
class NativeRestoreTest {
  private static final int GROUPS = 20;
  private static final OperatorId OPERATOR = new OperatorId(new Id128(3, 4));
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final StateInfo WINDOWS = new StateInfo("windows", StateKind.LIST, true);
  private static final StateInfo PANES = new StateInfo("panes", StateKind.AGGREGATING, true);
  private static final StateInfo SESSIONS = new StateInfo("sessions", StateKind.REDUCING, true);
  private static final StateTtl TTL = StateTtl.afterWrite(Duration.ofDays(1));

  @TempDir Path directory;

  private long now = 5_000;
  private final CodecPool codecs = new CodecPool(TestStates::codec);

  record Apple(String sort, int weight) {}

  record Pear(double size, List<String> words) {}

  static final class Basket {
    int count;
    Object first;

    Basket() {}

    Basket(int count, Object first) {
      this.count = count;
      this.first = first;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Basket that && that.count == count && that.first.equals(first);
    }

    @Override
    public int hashCode() {
      return count;
    }

    @Override
    public String toString() {
      return count + " of " + first;
    }
  }

  private static Object fruit(Random random) {
    int number = random.nextInt(50);
    return switch (random.nextInt(5)) {
      case 0 -> new Apple("a", number);
      case 1 -> new Pear(number / 4.0, List.of("p"));
      case 2 -> new Basket(number, new Apple("b", 1));
      case 3 -> "text " + number;
      default -> number;
    };
  }

  private static Object key(Random random) {
    int number = random.nextInt(40);
    return random.nextBoolean() ? (Object) new Apple("key", number) : (Object) (long) number;
  }

  /** The state of a subtask with a table of each layout. */
  private final class Subtask {
    final KeyGroupRange groups;
    final StoredState state;
    private StoredKeyedStateBackend backend;
    private ValueState<Object> value;
    private ValueState<Object> timedValue;
    private ListState<Object> list;
    private ListState<Object> timedList;
    private MapState<Object, Object> map;
    private MapState<Object, Object> timedMap;
    private StoredWindows windows;
    private StoredWindows panes;
    private StoredSessions sessions;

    Subtask(TestStates states, Kind kind, KeyGroupRange groups) {
      this.groups = groups;
      this.state = states.store(kind, groups);
    }

    void open() {
      backend = new StoredKeyedStateBackend(state, "fn.");
      value = backend.value(new ValueStateDescriptor<>("value"));
      timedValue = backend.value(new ValueStateDescriptor<>("timed value").withTtl(TTL));
      list = backend.list(new ListStateDescriptor<>("list"));
      timedList = backend.list(new ListStateDescriptor<>("timed list").withTtl(TTL));
      map = backend.map(new MapStateDescriptor<>("map"));
      timedMap = backend.map(new MapStateDescriptor<>("timed map").withTtl(TTL));
      backend.opened();
      windows = state.windows(WINDOWS, false);
      panes = state.windows(PANES, true);
      sessions = state.sessions(SESSIONS);
      windows.findWindows();
      panes.findWindows();
    }

    void change(Random random, int times) {
      for (int i = 0; i < times; i++) {
        Object key = key(random);
        if (!groups.contains(KeyGroups.groupOf(key, GROUPS))) {
          continue;
        }
        now += random.nextInt(3);
        byte[] bytes = state.keyOf(key);
        long start = random.nextInt(5) * 10L;
        backend.enter(key);
        switch (random.nextInt(12)) {
          case 0 -> value.update(fruit(random));
          case 1 -> timedValue.update(fruit(random));
          case 2 -> list.add(fruit(random));
          case 3 -> timedList.add(fruit(random));
          case 4 -> map.put(fruit(random) instanceof Apple a ? a : "m", fruit(random));
          case 5 -> timedMap.put(random.nextInt(3), fruit(random));
          case 6 -> backend.addEventTimer(random.nextInt(1_000));
          case 7 -> backend.addProcessingTimer(random.nextInt(1_000));
          case 8 -> windows.append(bytes, new TimeWindow(start, start + 10), fruit(random));
          case 9 -> panes.put(bytes, new TimeWindow(start, start + 5), fruit(random));
          case 10 -> {
            List<StoredSession> all = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
              all.add(new StoredSession(n * 10L, n * 10L + 5, n % 2 == 0, fruit(random)));
            }
            sessions.put(bytes, all);
          }
          default -> {
            value.clear();
            list.clear();
            map.clear();
          }
        }
        backend.leave();
      }
    }

    /** Everything that is stored, by state; sessions with whether they have fired. */
    void content(TestStates states, Map<String, Map<String, String>> to) {
      for (Entry entry : states.read(state.freeze(), groups)) {
        to.computeIfAbsent(entry.info().name(), absent -> new TreeMap<>())
            .merge(
                String.valueOf(entry.key()),
                entry.start() + ".." + entry.end() + " " + entry.value(),
                (one, other) -> one + "; " + other);
      }
      for (long start = 0; start < 50; start += 10) {
        try (StoredWindowReader reader =
            new StoredWindowReader(
                List.of(new StoredWindowReader.Part(panes, new TimeWindow(start, start + 5))))) {
          String window = start + " ";
          while (reader.next(
              (key, contents) ->
                  to.computeIfAbsent("panes", absent -> new TreeMap<>())
                      .put(window + state.decodeKey(key), contents.toString()))) {
            // all keys
          }
        }
      }
      for (int number = 0; number < 40; number++) {
        for (Object key : List.of(new Apple("key", number), (long) number)) {
          if (groups.contains(KeyGroups.groupOf(key, GROUPS))) {
            List<StoredSession> all = sessions.get(state.keyOf(key));
            if (!all.isEmpty()) {
              to.computeIfAbsent("fired", absent -> new TreeMap<>())
                  .put(key.toString(), all.stream().map(StoredSession::fired).toList().toString());
            }
          }
        }
      }
    }
  }

  private Map<String, Map<String, String>> content(TestStates states, List<Subtask> subtasks) {
    Map<String, Map<String, String>> content = new TreeMap<>();
    subtasks.forEach(subtask -> subtask.content(states, content));
    return content;
  }

  private CheckpointRequest request(long number) {
    return new CheckpointRequest(
        number,
        0,
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        directory.toString(),
        directory.toString(),
        64);
  }

  private OperatorSnapshot snapshot(Subtask subtask, long number) throws IOException {
    HostCheckpoints store =
        new HostCheckpoints(
            FileSystems.withoutPlugins(), Runnable::run, new LocalStateCopies(() -> directory));
    ExecutionId task = new ExecutionId(new Id128(5, 6));
    store.taskStarted(JOB, task);
    HostCheckpoints.HostCheckpoint to = store.of(JOB, request(number));
    OperatorSnapshotBuilder builder = new OperatorSnapshotBuilder(OPERATOR, number, true);
    subtask.state.snapshot(
        builder,
        KeyGroupWatermarks.of(subtask.groups, group -> group < GROUPS / 2 ? 100 : 200 + group));
    OperatorSnapshot written =
        builder.write(subtask.groups, GROUPS, codecs, to, () -> {}).orElseThrow();
    List<String> reported = new ArrayList<>();
    to.written(task, () -> reported.add("stored"), e -> reported.add(e.toString()));
    assertThat(reported).containsExactly("stored");
    builder.writeEnded();
    builder.release();
    return written;
  }

  private List<Subtask> restore(
      TestStates states,
      Kind kind,
      List<OperatorSnapshot> snapshots,
      int parallelism,
      long number) {
    List<Subtask> subtasks = new ArrayList<>();
    for (int i = 0; i < parallelism; i++) {
      KeyGroupRange groups = KeyGroupRange.of(GROUPS, parallelism, i);
      List<OperatorSnapshot.Keyed> pieces =
          snapshots.stream()
              .flatMap(snapshot -> snapshot.keyed().stream())
              .filter(piece -> piece.groups().intersects(groups))
              .toList();
      TaskRestore.OperatorRestore operator =
          new TaskRestore.OperatorRestore(OPERATOR, groups, pieces, List.of());
      TaskRestore task =
          new TaskRestore(
              number,
              directory.toString(),
              directory.toString(),
              false,
              List.of(operator),
              List.of());
      RestoredState from =
          new RestoredState(
              StateFileSource.storage(FileSystems.withoutPlugins()),
              task,
              operator,
              GROUPS,
              codecs);
      Subtask subtask = new Subtask(states, kind, groups);
      subtask.state.restore(from);
      KeyGroupWatermarks reached =
          from.forEachKeyed(
              new KeyedStateVisitor() {
                @Override
                public void entry(StateInfo info, Object key, long start, long end, Object value) {
                  throw new AssertionError("The backend has the entries already");
                }
              });
      for (int group = groups.first(); group < groups.end(); group++) {
        assertThat(reached.of(group)).isEqualTo(group < GROUPS / 2 ? 100 : 200 + group);
      }
      assertThat(from.keyedStates())
          .contains("fn.value", "fn.timed map", "windows", "sessions")
          .doesNotContain("panes");
      subtask.open();
      subtasks.add(subtask);
    }
    return subtasks;
  }

  private void run(long seed, Kind kind, int generations) throws IOException {
    Random random = new Random(seed);
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      List<Subtask> subtasks = new ArrayList<>();
      int parallelism = 1 + random.nextInt(4);
      for (int i = 0; i < parallelism; i++) {
        subtasks.add(new Subtask(states, kind, KeyGroupRange.of(GROUPS, parallelism, i)));
        subtasks.get(i).open();
      }
      for (long number = 1; number <= generations; number++) {
        for (Subtask subtask : subtasks) {
          subtask.change(random, 250);
        }
        Map<String, Map<String, String>> expected = content(states, subtasks);
        assertThat(expected).containsKeys("fn.timed list", "panes", "fired", "event-timers");
        List<OperatorSnapshot> snapshots = new ArrayList<>();
        for (Subtask subtask : subtasks) {
          snapshots.add(snapshot(subtask, number));
          // What happens later is not in it.
          subtask.change(random, 50);
        }
        now += random.nextInt(2);
        parallelism = 1 + random.nextInt(4);
        subtasks = restore(states, kind, snapshots, parallelism, number);
        assertThat(content(states, subtasks))
            .as("seed %s, checkpoint %s, parallelism %s", seed, number, parallelism)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  @Behaviour("H4: incremental checkpoints are restored with the same and with another parallelism")
  void stateOfEveryLayoutIsRestoredWithAnyParallelism() throws IOException {
    for (long seed = 1; seed <= 4; seed++) {
      run(seed, Kind.SORTED_MAP, 4);
    }
  }

  @Test
  void filesOfRocksDbAreRestoredWithAnyParallelism() throws IOException {
    run(31, Kind.ROCKSDB, 3);
  }

  @Test
  void localFilesOfASnapshotAreDeleted() throws IOException {
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      Subtask subtask = new Subtask(states, Kind.SORTED_MAP, new KeyGroupRange(0, GROUPS));
      subtask.open();
      subtask.change(new Random(1), 100);
      long before = stores();
      snapshot(subtask, 1);
      assertThat(stores()).isEqualTo(before);
    }
  }

  private long stores() throws IOException {
    try (var files = Files.list(directory)) {
      return files.filter(path -> path.getFileName().toString().startsWith("store-")).count();
    }
  }
}

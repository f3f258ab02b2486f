package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.store.TestStates.Entry;
import io.millrace.dataplane.store.TestStates.Kind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs random accesses of all kinds of states and of timers against each backend and against plain
 * maps. Now and then everything is frozen, read later, and restored into other backends with other
 * ranges of key groups, with another time to live or without one. A failure names its seed.
 */
class KeyedStateModelTest {
  private static final int GROUPS = 12;
  private static final long LIFE = 100;

  @TempDir Path directory;

  private long now;

  // --- what is stored

  enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "green";
      }
    }
  }

  record Place(String town, int number) {}

  record Nested(Place place, List<Colour> colours) {}

  private static Object key(Random random) {
    int number = random.nextInt(6);
    return switch (random.nextInt(8)) {
      case 0 -> (long) number;
      case 1 -> number;
      case 2 -> "key " + number;
      case 3 -> "schl\u00fcssel \ud83d\ude00" + "x".repeat(number);
      case 4 -> new Place("", number);
      case 5 -> new Nested(new Place("\u0000", number), List.of(Colour.GREEN, Colour.RED));
      case 6 -> List.of(number % 2 == 0 ? Colour.RED : Colour.GREEN, number);
      // These begin with what others are.
      default -> "k".repeat(number);
    };
  }

  private static Object mapKey(Random random) {
    int number = random.nextInt(4);
    return switch (random.nextInt(4)) {
      case 0 -> null;
      case 1 -> new Place("p", number);
      case 2 -> Colour.values()[number % 2];
      default -> (byte) number;
    };
  }

  private static Object value(Random random) {
    int number = random.nextInt(1000);
    return switch (random.nextInt(6)) {
      case 0 -> number;
      case 1 -> "text " + number;
      case 2 -> new Place("town", number);
      case 3 -> new ArrayList<>(List.of(number, "x", new Place("in a list", number)));
      case 4 -> Colour.values()[number % 2];
      default -> number / 8.0;
    };
  }

  private static final class Concatenation implements AggregateFunction<Object, String, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public String create() {
      return "";
    }

    @Override
    public String add(String text, Object element) {
      return text + element;
    }

    @Override
    public Integer result(String text) {
      return text.hashCode();
    }
  }

  // --- the model

  /** A state of a key: when it was last written or, if that counts, read. */
  private static final class Cell {
    Object value;
    long updated;
  }

  private record TimerOf(long time, Object key) {}

  /** A state with its time to live, in the model and in all backends. */
  private final class StateModel {
    final String name;
    StateTtl ttl;
    Map<Object, Cell> cells = new HashMap<>();

    StateModel(StateKind kind, StateTtl ttl) {
      this.name = "state-" + kind;
      this.ttl = ttl;
    }

    /** The value of a key, null if it has none or if that has expired. */
    Object get(Object key) {
      Cell cell = cells.get(key);
      if (cell != null && ttl.expires() && now - cell.updated >= LIFE) {
        cells.remove(key);
        return null;
      }
      return cell == null ? null : cell.value;
    }

    Object read(Object key) {
      Object value = get(key);
      if (value != null && ttl.updateType() == StateTtl.UpdateType.ON_READ_AND_WRITE) {
        cells.get(key).updated = now;
      }
      return value;
    }

    void write(Object key, Object value) {
      if (value == null) {
        cells.remove(key);
      } else {
        Cell cell = cells.computeIfAbsent(key, absent -> new Cell());
        cell.value = value;
        cell.updated = now;
      }
    }

    /** What is in a snapshot that is taken now: the value, and its time if it has one. */
    Map<Object, List<Object>> content() {
      Map<Object, List<Object>> content = new HashMap<>();
      for (Object key : new ArrayList<>(cells.keySet())) {
        if (get(key) != null) {
          Cell cell = cells.get(key);
          content.put(key, List.of(copy(cell.value), ttl.expires() ? cell.updated : 0));
        }
      }
      return content;
    }

    private static Object copy(Object value) {
      return value instanceof List<?> list
          ? new ArrayList<>(list)
          : value instanceof Map<?, ?> map ? new LinkedHashMap<>(map) : value;
    }
  }

  private static StateTtl ttl(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> StateTtl.NONE;
      case 1 -> StateTtl.afterWrite(Duration.ofMillis(LIFE));
      default -> StateTtl.afterReadOrWrite(Duration.ofMillis(LIFE));
    };
  }

  /** A backend with the handles of its states. */
  private static final class Shard {
    final KeyedStateBackend backend;
    final KeyGroupRange groups;
    ValueState<Object> value;
    ListState<Object> list;
    MapState<Object, Object> map;
    ReducingState<String> reducing;
    AggregatingState<Object, Integer> aggregating;

    Shard(KeyedStateBackend backend, KeyGroupRange groups) {
      this.backend = backend;
      this.groups = groups;
    }
  }

  private final class Run {
    final Random random;
    final TestStates states;
    final Kind first;
    final StateModel value;
    final StateModel list;
    final StateModel map;
    final StateModel reducing;
    final StateModel aggregating;
    final Map<Boolean, TreeMap<Long, Set<Object>>> timers = new HashMap<>();
    List<Shard> shards;

    Run(long seed, Kind first, TestStates states) {
      this.random = new Random(seed);
      this.states = states;
      this.first = first;
      value = new StateModel(StateKind.VALUE, ttl(random));
      list = new StateModel(StateKind.LIST, ttl(random));
      map = new StateModel(StateKind.MAP, ttl(random));
      reducing = new StateModel(StateKind.REDUCING, ttl(random));
      aggregating = new StateModel(StateKind.AGGREGATING, ttl(random));
      timers.put(true, new TreeMap<>());
      timers.put(false, new TreeMap<>());
      shards = create();
      open();
    }

    List<StateModel> models() {
      return List.of(value, list, map, reducing, aggregating);
    }

    /** Backends that share the key groups. */
    List<Shard> create() {
      int parallelism = 1 + random.nextInt(4);
      List<Shard> created = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        KeyGroupRange groups = KeyGroupRange.of(GROUPS, parallelism, subtask);
        Kind kind = random.nextBoolean() ? first : Kind.HEAP;
        created.add(new Shard(states.create(kind, groups, "fn."), groups));
      }
      return created;
    }

    void open() {
      for (Shard shard : shards) {
        KeyedStateBackend backend = shard.backend;
        shard.value = backend.value(new ValueStateDescriptor<>(value.name).withTtl(value.ttl));
        shard.list = backend.list(new ListStateDescriptor<>(list.name).withTtl(list.ttl));
        shard.map = backend.map(new MapStateDescriptor<>(map.name).withTtl(map.ttl));
        shard.reducing =
            backend.reducing(
                new ReducingStateDescriptor<String>(reducing.name, String::concat)
                    .withTtl(reducing.ttl));
        shard.aggregating =
            backend.aggregating(
                new AggregatingStateDescriptor<>(aggregating.name, new Concatenation())
                    .withTtl(aggregating.ttl));
        assertThat(backend.opened()).isTrue();
      }
    }

    Shard shardOf(Object key) {
      int group = KeyGroups.groupOf(key, GROUPS);
      return shards.stream().filter(each -> each.groups.contains(group)).findFirst().orElseThrow();
    }

    void access() throws Exception {
      now += random.nextInt(20) == 0 ? random.nextInt(80) : random.nextInt(4);
      Object key = key(random);
      Shard shard = shardOf(key);
      shard.backend.enter(key);
      assertThat(shard.backend.key()).isEqualTo(key);
      for (int i = random.nextInt(3); i >= 0; i--) {
        switch (random.nextInt(6)) {
          case 0 -> value(key, shard.value);
          case 1 -> list(key, shard.list);
          case 2 -> map(key, shard.map);
          case 3 -> reducing(key, shard.reducing);
          case 4 -> aggregating(key, shard.aggregating);
          default -> timer(key, shard.backend);
        }
      }
      shard.backend.leave();
      assertThat(shard.backend.key()).isNull();
    }

    private void value(Object key, ValueState<Object> state) {
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          Object next = KeyedStateModelTest.value(random);
          state.update(next);
          value.write(key, next);
        }
        case 2 -> {
          state.update(null);
          value.write(key, null);
        }
        case 3 -> {
          state.clear();
          value.write(key, null);
        }
        default -> assertThat(state.value()).isEqualTo(value.read(key));
      }
    }

    @SuppressWarnings("unchecked")
    private List<Object> elements(Object key) {
      Object elements = list.get(key);
      return elements == null ? new ArrayList<>() : new ArrayList<>((List<Object>) elements);
    }

    private void list(Object key, ListState<Object> state) {
      switch (random.nextInt(7)) {
        case 0, 1 -> {
          List<Object> after = elements(key);
          Object element = KeyedStateModelTest.value(random);
          state.add(element);
          after.add(element);
          list.write(key, after);
        }
        case 2 -> {
          List<Object> after = elements(key);
          List<Object> more = new ArrayList<>();
          for (int i = 1 + random.nextInt(4); i > 0; i--) {
            more.add(KeyedStateModelTest.value(random));
          }
          state.addAll(more);
          after.addAll(more);
          list.write(key, after);
        }
        case 3 -> {
          List<Object> next = random.nextInt(3) == 0 ? List.of() : List.of("only", 7L);
          state.update(next);
          list.write(key, next.isEmpty() ? null : next);
        }
        case 4 -> {
          state.clear();
          list.write(key, null);
        }
        default -> {
          Object expected = list.read(key);
          assertThat(state.values()).isEqualTo(expected == null ? List.of() : expected);
        }
      }
    }

    @SuppressWarnings("unchecked")
    private Map<Object, Object> entries(Object key) {
      Object entries = map.get(key);
      return entries == null
          ? new LinkedHashMap<>()
          : new LinkedHashMap<>((Map<Object, Object>) entries);
    }

    private void map(Object key, MapState<Object, Object> state) {
      Object part = mapKey(random);
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> {
          Map<Object, Object> after = entries(key);
          Object next = KeyedStateModelTest.value(random);
          state.put(part, next);
          after.put(part, next);
          map.write(key, after);
        }
        case 3 -> {
          Map<Object, Object> after = entries(key);
          state.remove(part);
          after.remove(part);
          map.write(key, after.isEmpty() ? null : after);
        }
        case 4 -> {
          if (random.nextInt(3) == 0) {
            state.clear();
            map.write(key, null);
          }
        }
        case 5 -> {
          map.read(key);
          assertThat(state.get(part)).isEqualTo(entries(key).get(part));
        }
        case 6 -> {
          map.read(key);
          assertThat(state.contains(part)).isEqualTo(entries(key).containsKey(part));
        }
        case 7 -> assertThat(state.isEmpty()).isEqualTo(map.read(key) == null);
        default -> {
          map.read(key);
          assertThat(new LinkedHashMap<>(state.entries())).isEqualTo(entries(key));
        }
      }
    }

    private void reducing(Object key, ReducingState<String> state) throws Exception {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          String before = (String) reducing.get(key);
          String more = "r" + random.nextInt(10);
          state.add(more);
          reducing.write(key, before == null ? more : before + more);
        }
        case 2 -> assertThat(state.value()).isEqualTo(reducing.read(key));
        default -> {
          if (random.nextInt(3) == 0) {
            state.clear();
            reducing.write(key, null);
          }
        }
      }
    }

    private void aggregating(Object key, AggregatingState<Object, Integer> state) throws Exception {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          String before = (String) aggregating.get(key);
          int more = random.nextInt(100);
          state.add(more);
          aggregating.write(key, (before == null ? "" : before) + more);
        }
        case 2 -> {
          Object text = aggregating.read(key);
          assertThat(state.value()).isEqualTo(text == null ? null : text.hashCode());
        }
        default -> {
          if (random.nextInt(3) == 0) {
            state.clear();
            aggregating.write(key, null);
          }
        }
      }
    }

    // --- timers

    private long time() {
      return switch (random.nextInt(20)) {
        case 0 -> Long.MAX_VALUE;
        case 1 -> Long.MIN_VALUE;
        case 2 -> -random.nextInt(50);
        default -> random.nextInt(400);
      };
    }

    private void timer(Object key, KeyedStateBackend backend) {
      boolean event = random.nextBoolean();
      long time = time();
      TreeMap<Long, Set<Object>> all = timers.get(event);
      if (random.nextInt(3) > 0) {
        if (event) {
          backend.addEventTimer(time);
        } else {
          backend.addProcessingTimer(time);
        }
        all.computeIfAbsent(time, absent -> new HashSet<>()).add(key);
      } else {
        if (!all.isEmpty() && random.nextBoolean()) {
          time = random.nextBoolean() ? all.firstKey() : all.lastKey();
        }
        if (event) {
          backend.removeEventTimer(time);
        } else {
          backend.removeProcessingTimer(time);
        }
        removeTimer(event, time, key);
      }
    }

    private boolean removeTimer(boolean event, long time, Object key) {
      TreeMap<Long, Set<Object>> all = timers.get(event);
      Set<Object> keys = all.getOrDefault(time, new HashSet<>());
      boolean removed = keys.remove(key);
      if (keys.isEmpty()) {
        all.remove(time);
      }
      return removed;
    }

    /** The first time of the timers of a backend, with a flag for whether it has one. */
    private List<TimerOf> timersOf(Shard shard, boolean event) {
      List<TimerOf> own = new ArrayList<>();
      timers
          .get(event)
          .forEach(
              (time, keys) ->
                  keys.stream()
                      .filter(key -> shardOf(key) == shard)
                      .forEach(key -> own.add(new TimerOf(time, key))));
      return own;
    }

    /** Fires some timers that are due. */
    void fire(int most) {
      for (Shard shard : shards) {
        boolean event = random.nextBoolean();
        long until = random.nextInt(5) == 0 ? Long.MAX_VALUE : random.nextInt(400);
        for (int i = 0; i < most; i++) {
          List<TimerOf> own = timersOf(shard, event);
          boolean due = !own.isEmpty() && own.get(0).time() <= until;
          if (event) {
            assertThat(shard.backend.isEventTimerDue(until)).isEqualTo(due);
          } else {
            assertThat(shard.backend.hasProcessingTimers()).isEqualTo(!own.isEmpty());
            assertThat(shard.backend.firstProcessingTimer())
                .isEqualTo(own.isEmpty() ? Long.MAX_VALUE : own.get(0).time());
          }
          if (!due) {
            break;
          }
          long time =
              event ? shard.backend.enterEventTimer() : shard.backend.enterProcessingTimer();
          Object key = shard.backend.key();
          assertThat(time).isEqualTo(own.get(0).time());
          assertThat(removeTimer(event, time, key)).as("%s has a timer at %s", key, time).isTrue();
          // A timer has the state of its key.
          assertThat(shard.value.value()).isEqualTo(value.read(key));
          shard.backend.leave();
        }
      }
    }

    // --- snapshots

    Map<String, Map<Object, List<Object>>> content() {
      Map<String, Map<Object, List<Object>>> content = new TreeMap<>();
      for (StateModel model : models()) {
        content.put("fn." + model.name, model.content());
      }
      return content;
    }

    Map<Boolean, Set<TimerOf>> timerContent() {
      Map<Boolean, Set<TimerOf>> content = new HashMap<>();
      timers.forEach(
          (event, all) -> {
            Set<TimerOf> set = new HashSet<>();
            all.forEach((time, keys) -> keys.forEach(key -> set.add(new TimerOf(time, key))));
            content.put(event, set);
          });
      return content;
    }

    Frozen freeze() {
      List<List<StatePart>> parts = new ArrayList<>();
      shards.forEach(shard -> parts.add(shard.backend.freeze()));
      return new Frozen(states, shards, parts, content(), timerContent());
    }

    /** Continues with the content of a snapshot in other backends. */
    void restore(Frozen frozen) {
      List<Entry> entries = frozen.read();
      shards = create();
      for (Entry entry : entries) {
        Shard shard = shardOf(entry.key());
        assertThat(shard.backend.owns(entry.info()))
            .isEqualTo(entry.info().name().startsWith("fn."));
        shard.backend.restore(entry.info(), entry.key(), entry.start(), entry.value());
      }
      for (StateModel model : models()) {
        boolean expired = model.ttl.expires();
        if (random.nextInt(3) == 0) {
          model.ttl = ttl(random);
          if (!expired && model.ttl.expires()) {
            // The life of what had no time starts now.
            model.cells.values().forEach(cell -> cell.updated = now);
          }
        }
      }
      open();
    }
  }

  /** A snapshot, and what has to be in it. */
  private record Frozen(
      TestStates states,
      List<Shard> shards,
      List<List<StatePart>> parts,
      Map<String, Map<Object, List<Object>>> content,
      Map<Boolean, Set<TimerOf>> timers) {
    List<Entry> read() {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < shards.size(); i++) {
        entries.addAll(states.read(parts.get(i), shards.get(i).groups));
      }
      return entries;
    }

    void check() {
      Map<String, Map<Object, List<Object>>> found = new TreeMap<>();
      content.keySet().forEach(name -> found.put(name, new HashMap<>()));
      Map<Boolean, Set<TimerOf>> foundTimers = new HashMap<>();
      foundTimers.put(true, new HashSet<>());
      foundTimers.put(false, new HashSet<>());
      for (Entry entry : read()) {
        if (entry.info().kind() == StateKind.EVENT_TIMERS
            || entry.info().kind() == StateKind.PROCESSING_TIMERS) {
          boolean event = entry.info().equals(StateInfo.EVENT_TIMERS);
          TimerOf timer = new TimerOf((long) entry.value(), entry.key());
          assertThat(foundTimers.get(event).add(timer)).isTrue();
        } else {
          Object value =
              entry.value() instanceof Collection<?> elements
                  ? new ArrayList<>(elements)
                  : entry.value();
          assertThat(found.get(entry.info().name()).put(entry.key(), List.of(value, entry.start())))
              .isNull();
        }
      }
      assertThat(found).isEqualTo(content);
      assertThat(foundTimers).isEqualTo(timers);
    }

    void release() {
      parts.forEach(of -> of.forEach(StatePart::release));
    }
  }

  private void run(long seed, Kind kind, int accesses) throws Exception {
    now = seed % 3 == 0 ? -500 : 1_000_000;
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      Run run = new Run(seed, kind, states);
      List<Frozen> frozen = new ArrayList<>();
      for (int i = 0; i < accesses; i++) {
        run.access();
        if (run.random.nextInt(40) == 0) {
          run.fire(run.random.nextInt(6));
        }
        if (run.random.nextInt(200) == 0) {
          frozen.add(run.freeze());
        }
        if (!frozen.isEmpty() && run.random.nextInt(250) == 0) {
          Frozen some = frozen.remove(run.random.nextInt(frozen.size()));
          some.check();
          some.release();
        }
        if (run.random.nextInt(300) == 0) {
          Frozen last = run.freeze();
          last.check();
          run.restore(last);
          last.release();
        }
      }
      for (Frozen some : frozen) {
        some.check();
        some.release();
      }
      assertThat(states.stores()).allMatch(store -> store.open() == 0);
    } catch (Throwable thrown) {
      throw new AssertionError("seed " + seed + " of " + kind, thrown);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"HEAP", "SORTED_MAP"})
  @Behaviour("H4: a savepoint does not depend on the state backend")
  void allBackendsDoWhatPlainMapsDo(Kind kind) throws Exception {
    for (long seed = 1; seed <= 12; seed++) {
      run(seed, kind, 1_500);
    }
  }

  @Test
  @Behaviour("H4: a savepoint does not depend on the state backend")
  void rocksDbDoesWhatPlainMapsDo() throws Exception {
    for (long seed = 101; seed <= 102; seed++) {
      run(seed, Kind.ROCKSDB, 1_200);
    }
  }

  // --- what is not random

  private KeyedStateBackend backend(TestStates states, Kind kind) {
    return states.create(kind, new KeyGroupRange(0, GROUPS), "");
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"HEAP", "SORTED_MAP"})
  void wrongUsesAreRefusedWithTheSameWords(Kind kind) {
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      KeyedStateBackend backend = backend(states, kind);
      ValueState<String> value = backend.value(new ValueStateDescriptor<>("a"));
      StateTtl ttl = StateTtl.afterWrite(Duration.ofMillis(5));
      assertThatThrownBy(() -> backend.map(new MapStateDescriptor<>("a")))
          .isInstanceOf(MillraceException.class)
          .hasMessage(
              "State 'a' is asked for by a MapStateDescriptor and is that of a ValueStateDescriptor"
                  + " in this function or in the checkpoint that it starts with. Give each state of"
                  + " a function a name of its own.");
      assertThatThrownBy(() -> backend.value(new ValueStateDescriptor<>("a").withTtl(ttl)))
          .isInstanceOf(MillraceException.class)
          .hasMessageStartingWith("State 'a' is asked for with two times to live.");
      ListState<String> list = backend.list(new ListStateDescriptor<>("list"));
      MapState<String, String> map = backend.map(new MapStateDescriptor<>("map"));
      backend.opened();
      assertThatThrownBy(() -> backend.list(new ListStateDescriptor<>("late")))
          .isInstanceOf(MillraceException.class)
          .hasMessage(
              "State 'late' is asked for after open. A function asks for all its states in open.");
      for (ThrowingCallable without :
          List.<ThrowingCallable>of(
              value::value,
              () -> value.update("x"),
              value::clear,
              list::values,
              () -> list.add("x"),
              map::entries,
              () -> map.put("k", "v"),
              () -> backend.addEventTimer(1),
              () -> backend.removeProcessingTimer(1))) {
        assertThatThrownBy(without)
            .isInstanceOf(MillraceException.class)
            .hasMessageStartingWith("There is no current key");
      }
      backend.enter("k");
      assertThatThrownBy(() -> list.add(null)).hasMessage("An element of a list state is not null");
      assertThatThrownBy(() -> list.update(Arrays.asList("x", null)))
          .hasMessage("An element of a list state is not null");
      assertThatThrownBy(() -> list.addAll(Arrays.asList("x", null)))
          .hasMessage("An element of a list state is not null");
      assertThat(list.values()).as("all elements or none").isEmpty();
      assertThatThrownBy(() -> map.put("k", null)).hasMessage("A value of a map state is not null");
      assertThat(map.isEmpty()).isTrue();
      assertThatThrownBy(() -> map.entries().put("a", "b"))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> list.values().add("a"))
          .isInstanceOf(UnsupportedOperationException.class);
      backend.leave();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"HEAP", "SORTED_MAP"})
  void aTimeToLiveNeitherBeginsNorEndsByAnAccessThatWritesNothing(Kind kind) {
    now = 0;
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      KeyedStateBackend backend = backend(states, kind);
      StateTtl ttl = StateTtl.afterWrite(Duration.ofMillis(LIFE));
      ListState<String> list = backend.list(new ListStateDescriptor<String>("list").withTtl(ttl));
      backend.enter("k");
      list.add("x");
      now = LIFE - 1;
      list.addAll(List.of());
      assertThat(list.values()).containsExactly("x");
      now = LIFE;
      assertThat(list.values()).isEmpty();
      backend.leave();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"HEAP", "SORTED_MAP"})
  void whatReadsAreGivenDoesNotChangeWithTheState(Kind kind) {
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      KeyedStateBackend backend = backend(states, kind);
      ListState<String> list = backend.list(new ListStateDescriptor<>("list"));
      backend.enter("k");
      list.add("a");
      List<String> before = list.values();
      list.add("b");
      // A list can be added to itself.
      list.addAll(list.values());
      assertThat(before).containsExactly("a");
      assertThat(list.values()).containsExactly("a", "b", "a", "b");
      list.update(list.values().subList(1, 3));
      assertThat(list.values()).containsExactly("b", "a");
      backend.leave();
    }
  }

  /** Expired states of keys that never come again. */
  @Test
  @Behaviour("H1: a keyed state with a time to live expires")
  void statesOfKeysThatAreNotUsedAnyMoreAreRemovedFromAStore() {
    now = 0;
    try (TestStates states = new TestStates(GROUPS, () -> now, directory)) {
      KeyedStateBackend backend = backend(states, Kind.SORTED_MAP);
      StateTtl ttl = StateTtl.afterWrite(Duration.ofMillis(LIFE));
      ValueState<String> value =
          backend.value(new ValueStateDescriptor<String>("value").withTtl(ttl));
      MapState<Integer, String> map =
          backend.map(new MapStateDescriptor<Integer, String>("map").withTtl(ttl));
      ValueState<String> lasting = backend.value(new ValueStateDescriptor<>("lasting"));
      for (int key = 0; key < 300; key++) {
        backend.enter(key);
        value.update("v");
        map.put(1, "a");
        map.put(2, "b");
        lasting.update("l");
        backend.leave();
      }
      SortedMapStore store = states.stores().get(0);
      assertThat(store.size("state.value")).isEqualTo(300);
      assertThat(store.size("state.map")).as("each with the time of its map").isEqualTo(900);
      now += LIFE;
      for (int i = 0; i < 1_000; i++) {
        backend.enter("active");
        value.update("v");
        map.put(1, "a");
        backend.leave();
      }
      assertThat(store.size("state.value")).isEqualTo(1);
      assertThat(store.size("state.map")).isEqualTo(2);
      assertThat(store.size("state.lasting")).isEqualTo(300);
      assertThat(store.open()).isZero();
    }
  }

  /** A map key whose bytes begin as those of another key's state. */
  @Test
  void clearingAMapLeavesThoseOfOtherKeysAlone() {
    try (TestStates states = new TestStates(1, () -> now, directory)) {
      KeyedStateBackend backend = states.create(Kind.SORTED_MAP, new KeyGroupRange(0, 1), "");
      MapState<Object, Object> map = backend.map(new MapStateDescriptor<>("map"));
      List<Object> keys =
          List.of("", "a", "aa", "\u00e4", List.of(), List.of("a"), List.of("a", "a"), 0, 0L, true);
      for (Object key : keys) {
        backend.enter(key);
        for (Object part : keys) {
          map.put(part, key + "/" + part);
        }
        backend.leave();
      }
      for (int i = 0; i < keys.size(); i++) {
        backend.enter(keys.get(i));
        assertThat(map.entries()).hasSize(keys.size());
        map.clear();
        assertThat(map.isEmpty()).isTrue();
        backend.leave();
        for (int j = i + 1; j < keys.size(); j++) {
          backend.enter(keys.get(j));
          assertThat(map.entries()).hasSize(keys.size());
          backend.leave();
        }
      }
      assertThat(states.stores().get(0).size()).isZero();
    }
  }
}

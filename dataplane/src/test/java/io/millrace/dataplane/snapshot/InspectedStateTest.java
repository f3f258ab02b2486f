package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.state.TablePart;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.StoredStateReader.StateLocation;
import io.millrace.task.checkpoint.StoredStateReader.StoredStateInfo;
import io.millrace.task.checkpoint.StoredStateReader.ValueClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands show of every kind of state in a savepoint. */
class InspectedStateTest {
  private static final int GROUPS = 4;
  private static final KeyGroupRange ALL = new KeyGroupRange(0, GROUPS);
  private static final StoredStateReader READER = StoredStateReader.onClassPath();

  @TempDir Path directory;

  private final CodecPool codecs =
      new CodecPool(
          () ->
              new RecordBatchCodec(
                  InspectedStateTest.class.getClassLoader(), Runnable::run, Map.of(), true));

  private OperatorSnapshot write(OperatorSnapshotBuilder builder, int inlineThreshold)
      throws IOException {
    HostCheckpoints store =
        new HostCheckpoints(
            FileSystems.withoutPlugins(), Runnable::run, new LocalStateCopies(() -> directory));
    JobId job = new JobId(new Id128(1, 2));
    ExecutionId task = new ExecutionId(new Id128(5, 6));
    store.taskStarted(job, task);
    HostCheckpoints.HostCheckpoint to =
        store.of(
            job,
            new CheckpointRequest(
                7,
                0,
                CheckpointRequest.Type.SAVEPOINT,
                CheckpointRequest.Barriers.ALIGNED,
                directory.toString(),
                directory.toString(),
                inlineThreshold));
    OperatorSnapshot written = builder.write(ALL, GROUPS, codecs, to, () -> {}).orElseThrow();
    to.written(task, () -> {}, e -> {});
    return written;
  }

  private static OperatorSnapshotBuilder builder() {
    return new OperatorSnapshotBuilder(new OperatorId(new Id128(3, 4)), 7);
  }

  private StateLocation location() {
    return new StateLocation(
        FileSystems.withoutPlugins(), 7, directory.toString(), directory.toString());
  }

  private List<String> entries(OperatorSnapshot snapshot, String state, int most) {
    List<String> lines = new ArrayList<>();
    boolean more =
        READER.entries(
            location(),
            snapshot,
            state,
            new ValueClasses(Optional.of(InspectedStateTest.class.getClassLoader()), Bytes.EMPTY),
            entry -> {
              lines.add(entry.toString());
              return lines.size() < most;
            });
    assertThat(more).isEqualTo(lines.size() < most);
    Collections.sort(lines);
    return lines;
  }

  enum Size {
    S,
    L
  }

  record Item(String name, Size size) {}

  @Test
  @Behaviour("A2: savepoint inspect shows entries of state without the classes of the program")
  void everyKindOfStateIsShown() throws IOException {
    HeapKeyedStateBackend state =
        new HeapKeyedStateBackend(new ValueCopier(codecs), () -> 1_234, "");
    var value = state.value(new ValueStateDescriptor<Item>("value"));
    var timed =
        state.value(
            new ValueStateDescriptor<Integer>("timed")
                .withTtl(StateTtl.afterWrite(Duration.ofMinutes(1))));
    var list = state.list(new ListStateDescriptor<LocalDate>("list"));
    var map = state.map(new MapStateDescriptor<String, Integer>("map"));
    var byItem = state.map(new MapStateDescriptor<Item, Integer>("by item"));
    for (String key : List.of("a", "b", "c")) {
      state.enter(key);
      value.update(new Item(key + key, Size.L));
      timed.update(key.length());
      list.addAll(List.of(LocalDate.of(2026, 1, 2), LocalDate.of(2027, 1, 2)));
      map.put("one", 1);
      map.put("two", 2);
      byItem.put(new Item("i", Size.S), 3);
      state.addEventTimer(99);
      state.addProcessingTimer(98);
      state.leave();
    }
    OperatorSnapshotBuilder builder = builder();
    builder.keyed(state.freeze(), KeyGroupWatermarks.same(5));
    OperatorStateBackend operatorState = new OperatorStateBackend();
    operatorState.list("numbers", Redistribution.UNION).update(List.of(1L, 2L, 3L));
    operatorState.list("nothing", Redistribution.SPLIT);
    builder.operatorState(operatorState);
    OperatorSnapshot snapshot = write(builder, 0);

    assertThat(entries(snapshot, "value", 9))
        .contains("{key=a, value={name=aa, size=L}}")
        .hasSize(3);
    assertThat(entries(snapshot, "timed", 9)).contains("{key=b, lastUpdate=1234, value=1}");
    assertThat(entries(snapshot, "list", 9)).contains("{key=c, value=[2026-01-02, 2027-01-02]}");
    assertThat(entries(snapshot, "map", 9)).contains("{key=a, value={one=1, two=2}}");
    assertThat(entries(snapshot, "by item", 9))
        .contains("{key=a, value=[{key={name=i, size=S}, value=3}]}");
    assertThat(entries(snapshot, "event-timers", 9)).contains("{key=a, value=99}").hasSize(3);
    assertThat(entries(snapshot, "processing-timers", 9)).contains("{key=b, value=98}");
    assertThat(entries(snapshot, "numbers", 9))
        .containsExactly("{value=1}", "{value=2}", "{value=3}");
    assertThat(entries(snapshot, "numbers", 2)).hasSize(2);
    assertThat(entries(snapshot, "value", 1)).hasSize(1);
    assertThat(entries(snapshot, "value", 2)).hasSize(2);
    assertThat(entries(snapshot, "nothing", 9)).isEmpty();

    Map<String, StoredStateInfo> infos = new TreeMap<>();
    READER.describe(location(), snapshot).states().forEach(info -> infos.put(info.name(), info));
    assertThat(infos.get("timed"))
        .isEqualTo(
            new StoredStateInfo(
                "timed", "VALUE", true, false, true, "java.lang.String", "java.lang.Integer"));
    assertThat(infos.get("map"))
        .isEqualTo(
            new StoredStateInfo(
                "map", "MAP", true, false, false, "java.lang.String", "java.util.LinkedHashMap"));
    assertThat(infos.get("numbers"))
        .isEqualTo(
            new StoredStateInfo("numbers", "UNION", false, false, false, "", "java.lang.Long"));
    assertThat(infos.get("nothing"))
        .isEqualTo(new StoredStateInfo("nothing", "SPLIT", false, false, false, "", ""));
    assertThat(READER.describe(location(), snapshot).classes())
        .anySatisfy(
            type -> {
              assertThat(type.name()).isEqualTo(Size.class.getName());
              assertThat(type.form()).isEqualTo("ENUM");
              assertThat(type.fields()).containsExactly("S", "L");
            });
  }

  @Test
  void windowsAreShownWithTheirBounds() throws IOException {
    StateInfo info = new StateInfo("windows", StateKind.REDUCING, true);
    KeyTable table = new KeyTable();
    table.value(table.slot("k"), "content");
    var frozen = table.freeze();
    StatePart windows =
        new TablePart() {
          @Override
          public StateInfo info() {
            return info;
          }

          @Override
          public io.millrace.dataplane.state.FrozenKeys keys() {
            return frozen.keys();
          }

          @Override
          public void entries(int slot, EntryConsumer out) {
            out.accept(-10, 0, "first");
            out.accept(0, 10, "second");
          }

          @Override
          public void release() {
            frozen.release();
          }
        };
    OperatorSnapshotBuilder builder = builder();
    builder.keyed(List.of(windows), KeyGroupWatermarks.same(5));
    OperatorSnapshot snapshot = write(builder, 1 << 20);

    assertThat(entries(snapshot, "windows", 9))
        .containsExactly(
            "{key=k, window={start=-10, end=0}, value=first}",
            "{key=k, window={start=0, end=10}, value=second}");
    assertThat(READER.describe(location(), snapshot).states())
        .containsExactly(
            new StoredStateInfo(
                "windows", "REDUCING", true, true, false, "java.lang.String", "java.lang.String"));
  }

  /** Lists that do not fit into one batch, and more entries than one batch has. */
  @Test
  void manyEntriesAndLongListsAreShown() throws IOException {
    HeapKeyedStateBackend state = new HeapKeyedStateBackend(new ValueCopier(codecs), () -> 0, "");
    var list = state.list(new ListStateDescriptor<Integer>("list"));
    var value = state.value(new ValueStateDescriptor<Integer>("value"));
    List<Integer> elements = new ArrayList<>(Collections.nCopies(PieceFormat.MAX_ELEMENTS + 1, 7));
    for (int key = 0; key < 4 * PieceFormat.MAX_ENTRIES; key++) {
      state.enter(key);
      value.update(key);
      if (key % 100 == 0) {
        list.update(elements);
      }
      state.leave();
    }
    OperatorSnapshotBuilder builder = builder();
    builder.keyed(state.freeze(), KeyGroupWatermarks.same(5));
    OperatorSnapshot snapshot = write(builder, 0);
    assertThat(entries(snapshot, "value", 10_000)).hasSize(4 * PieceFormat.MAX_ENTRIES);
    assertThat(entries(snapshot, "list", 10_000)).hasSize(11);
  }

  // --- files of a backend

  @Test
  void filesOfABackendAreDescribedAndTheirEntriesAreNotShown() throws IOException {
    Path files = Files.createDirectory(directory.resolve("files"));
    Files.writeString(files.resolve("CURRENT"), "own");
    Files.writeString(files.resolve("000001.sst"), "shared content");
    OperatorSnapshotBuilder builder =
        new OperatorSnapshotBuilder(new OperatorId(new Id128(3, 4)), 7, true);
    NativeState nativeState =
        new NativeState(
            "store",
            List.of(
                new NativeState.NativeTable(
                    new StateInfo("value", StateKind.VALUE, false), "VALUE", false),
                new NativeState.NativeTable(
                    new StateInfo("inner", StateKind.VALUE, false), "VALUE", true)),
            java.util.Set.of("java.lang.String"),
            java.util.Set.of(Item.class.getName()),
            List.of());
    builder.keyed(
        new NativeSnapshot(
            nativeState, files, name -> name.endsWith(".sst"), new SharedFiles(), () -> {}),
        KeyGroupWatermarks.same(5));
    OperatorSnapshot snapshot = write(builder, 0);

    assertThat(READER.describe(location(), snapshot).states())
        .containsExactly(new StoredStateInfo("value", "VALUE", true, false, false, "", ""));
    assertThat(READER.describe(location(), snapshot).classes())
        .anySatisfy(type -> assertThat(type.name()).isEqualTo(Item.class.getName()));
    assertThat(READER.differences(location(), snapshot, InspectedStateTest.class.getClassLoader()))
        .isEmpty();
    assertThatThrownBy(() -> entries(snapshot, "value", 9))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("has the format 'store' of a state backend")
        .hasMessageContaining("Take a canonical savepoint");

    StateHandle.FileSegment file = snapshot.keyed().get(0).files().get(0);
    Path stored = directory.resolve(file.file());
    byte[] content = Files.readAllBytes(stored);
    Files.write(stored, Arrays.copyOf(content, content.length - 1));
    assertThatThrownBy(() -> READER.describe(location(), snapshot))
        .isInstanceOf(MillraceException.class)
        .hasMessage("State file " + stored + " of a checkpoint ends early");
    Files.delete(stored);
    assertThatThrownBy(() -> READER.describe(location(), snapshot))
        .hasMessage("State file " + stored + " of a checkpoint is missing");
  }

  // --- values as trees

  private final PlainValues plain = new PlainValues(List.of());

  static class Base {
    int number = 1;
    transient int notWritten = 2;
  }

  static final class Shadowing extends Base {
    @SuppressWarnings("HidingField")
    int number = 3;

    Object self;
  }

  record Holder(Optional<Item> item, int[] numbers, Object[] objects, Object other) {}

  @Test
  void valuesBecomeTreesOfPlainOnes() {
    Map<Object, Object> cases = new LinkedHashMap<>();
    cases.put("text", "text");
    cases.put(true, "true");
    cases.put(1.5, "1.5");
    cases.put(Double.NaN, "NaN");
    cases.put(Float.NEGATIVE_INFINITY, "-Infinity");
    cases.put((short) 3, "3");
    cases.put('c', "c");
    cases.put(new java.math.BigDecimal("1.20"), "1.20");
    cases.put(Size.S, "S");
    cases.put(Optional.empty(), "null");
    cases.put(Optional.of(Optional.of(5)), "5");
    cases.put(Arrays.asList(1, null, List.of()), "[1, null, []]");
    cases.put(Map.of(1, "one"), "[{key=1, value=one}]");
    cases.put(Map.of("one", 1), "{one=1}");
    cases.put(Duration.ofSeconds(90), "PT1M30S");
    cases.put(new int[] {1, 2}, "[1, 2]");
    cases.put(new byte[][] {{1}, {}}, "[[1], []]");
    cases.put(
        new Holder(Optional.of(new Item("n", Size.L)), new int[] {4}, new Object[] {null}, 'x'),
        "{item={name=n, size=L}, numbers=[4], objects=[null], other=x}");
    cases.forEach(
        (value, expected) ->
            assertThat(String.valueOf(plain.of(value))).as("%s", value).isEqualTo(expected));
    assertThat(plain.of(null)).isNull();
    assertThat(plain.of(Double.NaN)).as("no number in JSON").isInstanceOf(String.class);
    assertThat(plain.of(1.5f)).isInstanceOf(Float.class);
  }

  @Test
  void fieldsOfOneNameAreToldApart() {
    assertThat(plain.of(new Shadowing()))
        .hasToString("{number=3, self=null, " + Base.class.getName() + ".number=1}");
  }

  @Test
  void aValueThatContainsItselfIsRefused() {
    Shadowing cycle = new Shadowing();
    cycle.self = new Object[] {List.of(cycle)};
    assertThatThrownBy(() -> plain.of(cycle))
        .isInstanceOf(MillraceException.class)
        .hasMessage("A value is nested more than 64 levels deep");
    Object deep = "leaf";
    for (int i = 0; i < 64; i++) {
      deep = List.of(deep);
    }
    assertThat(plain.of(deep)).isNotNull();
    Object deeper = List.of(deep);
    assertThatThrownBy(() -> plain.of(deeper)).hasMessageContaining("levels deep");
  }
}

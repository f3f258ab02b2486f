package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.StoredStateReader.StateLocation;
import io.millrace.task.checkpoint.StoredStateReader.StoredClass;
import io.millrace.task.checkpoint.StoredStateReader.StoredOperatorState;
import io.millrace.task.checkpoint.StoredStateReader.StoredStateInfo;
import io.millrace.task.checkpoint.StoredStateReader.ValueClasses;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State files give back what was written, or an error that names the file. */
class StateFilesTest {
  private static final int GROUPS = 16;
  private static final StateInfo VALUES = new StateInfo("values", StateKind.VALUE, false);
  private static final JobId JOB = new JobId(new Id128(1, 2));

  @TempDir Path directory;

  private final CodecPool codecs = codecs(StateFilesTest.class.getClassLoader());

  private static CodecPool codecs(ClassLoader classes) {
    return new CodecPool(() -> new RecordBatchCodec(classes, Runnable::run, Map.of(), true));
  }

  record Place(String town, int number) {}

  private OperatorSnapshot write(
      Map<?, ?> entries, List<?> elements, int inlineThreshold, CodecPool with) throws IOException {
    KeyTable table = new KeyTable();
    entries.forEach((key, value) -> table.value(table.slot(key), value));
    OperatorSnapshotBuilder builder =
        new OperatorSnapshotBuilder(new OperatorId(new Id128(3, 4)), 7);
    builder.keyed(List.of(table.freeze().asState(VALUES)), KeyGroupWatermarks.same(1234));
    OperatorStateBackend lists = new OperatorStateBackend();
    lists.list("elements", Redistribution.SPLIT).update(elements);
    builder.operatorState(lists);
    return write(builder, inlineThreshold, with);
  }

  private OperatorSnapshot write(
      OperatorSnapshotBuilder builder, int inlineThreshold, CodecPool with) throws IOException {
    HostCheckpoints store =
        new HostCheckpoints(
            FileSystems.withoutPlugins(), Runnable::run, new LocalStateCopies(() -> directory));
    ExecutionId task = new ExecutionId(new Id128(5, 6));
    store.taskStarted(JOB, task);
    HostCheckpoints.HostCheckpoint to =
        store.of(
            JOB,
            new CheckpointRequest(
                7,
                0,
                CheckpointRequest.Type.SAVEPOINT,
                CheckpointRequest.Barriers.ALIGNED,
                directory.toString(),
                directory.toString(),
                inlineThreshold));
    OperatorSnapshot written =
        builder.write(new KeyGroupRange(0, GROUPS), GROUPS, with, to, () -> {}).orElseThrow();
    List<String> reported = new ArrayList<>();
    to.written(task, () -> reported.add("stored"), e -> reported.add(e.toString()));
    assertThat(reported).containsExactly("stored");
    assertThat(store.open()).isZero();
    return written;
  }

  private RestoredState restore(OperatorSnapshot snapshot, KeyGroupRange groups, CodecPool with) {
    TaskRestore.OperatorRestore operator =
        new TaskRestore.OperatorRestore(
            snapshot.operator(),
            groups,
            snapshot.keyed(),
            snapshot.lists().stream()
                .map(
                    list ->
                        new TaskRestore.RestoredList(
                            list.name(),
                            list.redistribution(),
                            List.of(new TaskRestore.Slice(list.handle(), 0, list.elements()))))
                .toList());
    TaskRestore task =
        new TaskRestore(
            7, directory.toString(), directory.toString(), false, List.of(operator), List.of());
    return new RestoredState(
        StateFileSource.storage(FileSystems.withoutPlugins()), task, operator, GROUPS, with);
  }

  private static Map<Object, Object> read(RestoredState state) {
    Map<Object, Object> all = new LinkedHashMap<>();
    state.forEachKeyed(
        new KeyedStateVisitor() {
          @Override
          public void group(long watermark) {
            assertThat(watermark).isEqualTo(1234);
          }

          @Override
          public void entry(StateInfo info, Object key, long start, long end, Object value) {
            assertThat(info).isEqualTo(VALUES);
            assertThat(all.put(key, value)).isNull();
          }
        });
    return all;
  }

  private static Map<Object, Object> entries(int count) {
    Map<Object, Object> entries = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      entries.put(i % 2 == 0 ? "key " + i : (Object) new Place("town", i), new Place("at", i));
    }
    return entries;
  }

  @Test
  void everyKeyGroupGoesToTheSubtaskThatReadsIt() throws IOException {
    for (int count : new int[] {0, 1, 7, 3000}) {
      for (int inlineThreshold : new int[] {0, 1 << 20}) {
        Map<Object, Object> entries = entries(count);
        OperatorSnapshot snapshot = write(entries, List.of(), inlineThreshold, codecs);
        for (int parallelism = 1; parallelism <= 5; parallelism++) {
          Map<Object, Object> all = new LinkedHashMap<>();
          for (int subtask = 0; subtask < parallelism; subtask++) {
            int owner = subtask;
            int of = parallelism;
            Map<Object, Object> own =
                read(restore(snapshot, KeyGroupRange.of(GROUPS, of, owner), codecs));
            assertThat(own.keySet())
                .allMatch(
                    key ->
                        KeyGroups.subtaskOf(KeyGroups.groupOf(key, GROUPS), GROUPS, of) == owner);
            all.putAll(own);
          }
          assertThat(all).isEqualTo(entries);
        }
      }
    }
  }

  @Test
  @Behaviour("H4: a snapshot never has more state inline than fits into a message")
  void piecesBeyondTheInlineLimitGoToFilesHoweverSmallTheyAre() throws IOException {
    OperatorSnapshotBuilder builder =
        new OperatorSnapshotBuilder(new OperatorId(new Id128(3, 4)), 7);
    OperatorStateBackend lists = new OperatorStateBackend();
    for (int i = 0; i < 10; i++) {
      lists.list("list " + i, Redistribution.SPLIT).update(List.of("x".repeat(100_000) + i));
    }
    builder.operatorState(lists);
    builder.limitInline(256 << 10);
    OperatorSnapshot snapshot = write(builder, 1 << 20, codecs);

    assertThat(
            snapshot.lists().stream().filter(list -> list.handle() instanceof StateHandle.Inline))
        .hasSize(2);
    OperatorStateBackend state = new OperatorStateBackend();
    state.restore(restore(snapshot, new KeyGroupRange(0, GROUPS), codecs));
    for (int i = 0; i < 10; i++) {
      assertThat(state.list("list " + i, Redistribution.SPLIT).elements())
          .isEqualTo(List.of("x".repeat(100_000) + i));
    }
  }

  @Test
  void listsComeBackInOrder() throws IOException {
    List<Place> elements = IntStream.range(0, 1000).mapToObj(i -> new Place("list", i)).toList();
    OperatorSnapshot snapshot = write(Map.of(), elements, 10, codecs);
    OperatorStateBackend state = new OperatorStateBackend();
    state.restore(restore(snapshot, new KeyGroupRange(0, GROUPS), codecs));
    assertThat(state.list("elements", Redistribution.SPLIT).elements()).isEqualTo(elements);
    assertThatThrownBy(() -> state.list("elements", Redistribution.UNION))
        .hasMessageContaining("'elements'")
        .hasMessageContaining("SPLIT");
  }

  private Path onlyFile() throws IOException {
    try (var files = Files.list(directory)) {
      List<Path> found = files.filter(path -> path.toString().contains("state-")).toList();
      assertThat(found).as("all pieces share a file").hasSize(1);
      return found.get(0);
    }
  }

  @Test
  @Behaviour("H3: a damaged, truncated or missing state file is an error that names the file")
  void everyChangedByteIsNoticedWithTheNameOfTheFile() throws IOException {
    OperatorSnapshot snapshot = write(entries(600), List.of(new Place("list", 1)), 0, codecs);
    Path file = onlyFile();
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(1);
    for (int i = 0; i < 400; i++) {
      byte[] changed = whole.clone();
      int at = i < 40 ? i : i < 80 ? whole.length - 1 - (i - 40) : random.nextInt(whole.length);
      changed[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, changed);
      assertRefused(snapshot, file);
    }
    for (int i = 0; i < 60; i++) {
      Files.write(file, Arrays.copyOf(whole, random.nextInt(whole.length)));
      assertRefused(snapshot, file);
    }
    Files.delete(file);
    assertThatThrownBy(() -> read(restore(snapshot, new KeyGroupRange(0, GROUPS), codecs)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("missing");
  }

  private void assertRefused(OperatorSnapshot snapshot, Path file) {
    assertThatThrownBy(
            () -> {
              RestoredState state = restore(snapshot, new KeyGroupRange(0, GROUPS), codecs);
              read(state);
              new OperatorStateBackend().restore(state);
            })
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void eachKeyGroupHasTheEventTimeThatItHadReached() throws IOException {
    KeyGroupRange all = new KeyGroupRange(0, GROUPS);
    KeyTable table = new KeyTable();
    entries(100).forEach((key, value) -> table.value(table.slot(key), value));
    OperatorSnapshotBuilder builder =
        new OperatorSnapshotBuilder(new OperatorId(new Id128(3, 4)), 7);
    builder.keyed(
        List.of(table.freeze().asState(VALUES)),
        KeyGroupWatermarks.of(all, group -> group < 5 ? 100 : group * 1000L));
    OperatorSnapshot snapshot = write(builder, 0, codecs);
    for (KeyGroupRange groups : List.of(all, new KeyGroupRange(3, 9), new KeyGroupRange(0, 4))) {
      List<Long> visited = new ArrayList<>();
      KeyGroupWatermarks reached =
          restore(snapshot, groups, codecs)
              .forEachKeyed(
                  new KeyedStateVisitor() {
                    private long former;

                    @Override
                    public void group(long watermark) {
                      former = watermark;
                    }

                    @Override
                    public void entry(
                        StateInfo info, Object key, long start, long end, Object value) {
                      int group = KeyGroups.groupOf(key, GROUPS);
                      assertThat(former).isEqualTo(group < 5 ? 100 : group * 1000L);
                      visited.add(former);
                    }
                  });
      assertThat(visited).isNotEmpty();
      for (int group = groups.first(); group < groups.end(); group++) {
        assertThat(reached.of(group)).isEqualTo(group < 5 ? 100 : group * 1000L);
      }
      assertThat(reached.lowest()).isEqualTo(100);
      assertThat(reached.isSame()).isEqualTo(groups.end() == 4);
      assertThat(reached.atLeast(6500).of(groups.first())).isEqualTo(6500);
    }
  }

  @Test
  void aHandleHasTheChecksumOfItsBytes() throws IOException {
    OperatorSnapshot snapshot = write(entries(100), List.of("a"), 0, codecs);
    byte[] whole = Files.readAllBytes(onlyFile());
    for (StateHandle handle :
        List.of(snapshot.keyed().get(0).handle(), snapshot.lists().get(0).handle())) {
      StateHandle.FileSegment segment = (StateHandle.FileSegment) handle;
      assertThat(PieceWriter.checksum(whole, (int) segment.offset(), (int) segment.size()))
          .isEqualTo(segment.checksum());
    }
  }

  // --- classes that change

  private int versions;

  /** Compiles a version of the classes of a program. */
  private ProgramClassLoader version(String source) throws Exception {
    Path home = Files.createDirectory(directory.resolve("version-" + ++versions));
    Path file = home.resolve("Shop.java");
    Files.writeString(
        file, "package com.example.shop; import java.util.*; public class Shop {" + source + "}");
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", home.toString(), file.toString()))
        .isZero();
    return new ProgramClassLoader(
        "job", List.of(home.toUri().toURL()), StateFilesTest.class.getClassLoader(), List.of());
  }

  private static Object make(ClassLoader classes, String name, Object... arguments)
      throws Exception {
    Constructor<?> constructor =
        classes.loadClass("com.example.shop.Shop$" + name).getDeclaredConstructors()[0];
    constructor.setAccessible(true);
    return constructor.newInstance(arguments);
  }

  private static final String KIND = "public enum Kind { APPLE, PEAR }";

  private OperatorSnapshot written(ClassLoader before) throws Exception {
    Object kind = before.loadClass("com.example.shop.Shop$Kind").getEnumConstants()[1];
    return write(
        Map.of("key", make(before, "Item", 5, "x", kind, 1.5f)), List.of(), 0, codecs(before));
  }

  private static final String ITEM =
      KIND + "public record Item(int count, String name, Kind kind, float price) {}";

  private String readAs(String source) throws Exception {
    OperatorSnapshot snapshot;
    try (ProgramClassLoader before = version(ITEM)) {
      snapshot = written(before);
    }
    try (ProgramClassLoader now = version(source)) {
      return read(restore(snapshot, new KeyGroupRange(0, GROUPS), codecs(now))).toString();
    }
  }

  @Test
  @Behaviour("H3: fields of state can be added, removed and widened; other changes are refused")
  void fieldsCanBeAddedRemovedAndWidened() throws Exception {
    assertThat(readAs(ITEM)).isEqualTo("{key=Item[count=5, name=x, kind=PEAR, price=1.5]}");
    assertThat(
            readAs(
                "public enum Kind { FIG, APPLE, PLUM, PEAR }"
                    + "public record Item(long count, String name, Kind kind, double price, List<String> tags) {}"))
        .isEqualTo("{key=Item[count=5, name=x, kind=PEAR, price=1.5, tags=null]}");
    assertThat(readAs(KIND + "public record Item(int count, Kind kind) {}"))
        .isEqualTo("{key=Item[count=5, kind=PEAR]}");
  }

  @Test
  @Behaviour("H3: fields of state can be added, removed and widened; other changes are refused")
  void otherChangesAreRefusedWithTheDifference() throws Exception {
    assertThatThrownBy(
            () ->
                readAs(
                    KIND
                        + "public record Item(int amount, String name, Kind kind, float price) {}"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Shop$Item")
        .hasMessageContaining("count")
        .hasMessageContaining("amount");
    assertThatThrownBy(
            () ->
                readAs(
                    KIND
                        + "public record Item(short count, String name, Kind kind, float price) {}"))
        .hasMessageContaining("field count was of type int and is of type short");
    assertThatThrownBy(
            () ->
                readAs(
                    "public enum Kind { APPLE }"
                        + "public record Item(int count, String name, Kind kind, float price) {}"))
        .hasMessageContaining("constant PEAR is gone");
    assertThatThrownBy(
            () ->
                readAs(
                    KIND
                        + "public static class Item { int count; String name; Kind kind; float price; }"))
        .hasMessageContaining("it was a record and is a class");
  }

  @Test
  void theClassOfAKeyCannotChange() throws Exception {
    OperatorSnapshot snapshot;
    try (ProgramClassLoader before = version("public record Key(int one) {}")) {
      snapshot = write(Map.of(make(before, "Key", 1), "value"), List.of(), 0, codecs(before));
    }
    try (ProgramClassLoader now = version("public record Key(int one, String two) {}")) {
      assertThatThrownBy(() -> read(restore(snapshot, new KeyGroupRange(0, GROUPS), codecs(now))))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("field two of a key is new");
    }
  }

  // --- reading without a job

  private static final StoredStateReader READER = StoredStateReader.onClassPath();

  private StateLocation location() {
    return new StateLocation(
        FileSystems.withoutPlugins(), 7, directory.toString(), directory.toString());
  }

  private List<Map<String, Object>> entries(
      OperatorSnapshot snapshot, String state, ValueClasses program, int limit) {
    List<Map<String, Object>> all = new ArrayList<>();
    READER.entries(
        location(),
        snapshot,
        state,
        program,
        entry -> {
          all.add(entry);
          return all.size() < limit;
        });
    return all;
  }

  @Test
  @Behaviour("A2: savepoint inspect shows entries of state without the classes of the program")
  void entriesAreReadWithoutTheClassesOfTheProgram() throws Exception {
    OperatorSnapshot snapshot;
    try (ProgramClassLoader before =
        version(
            "public record Part(String name) {}"
                + "public static class Base { int base = 9; }"
                + "public static class Order extends Base { long total = 3; List<Part> parts ="
                + " List.of(new Part(\"p\")); Map<String, Double> prices = Map.of(\"x\", 1.5); }"
                + "public record Key(String customer, int number) {}")) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < 600; i++) {
        entries.put(make(before, "Key", "c", i), make(before, "Order"));
      }
      snapshot = write(entries, List.of(make(before, "Part", "l")), 0, codecs(before));
    }
    assertThat(entries(snapshot, "values", ValueClasses.UNKNOWN, 1000)).hasSize(600);
    List<Map<String, Object>> first = entries(snapshot, "values", ValueClasses.UNKNOWN, 2);
    assertThat(first).hasSize(2);
    assertThat(first.get(0).toString())
        .matches(
            "\\{key=\\{customer=c, number=\\d+}, value=\\{total=3, parts=\\[\\{name=p}],"
                + " prices=\\{x=1.5}, base=9}}");
    assertThat(entries(snapshot, "elements", ValueClasses.UNKNOWN, 9))
        .hasToString("[{value={name=l}}]");
    assertThat(entries(snapshot, "other", ValueClasses.UNKNOWN, 9)).isEmpty();

    StoredOperatorState state = READER.describe(location(), snapshot);
    assertThat(state.states())
        .containsExactly(
            new StoredStateInfo(
                "values",
                "VALUE",
                true,
                false,
                false,
                "com.example.shop.Shop$Key",
                "com.example.shop.Shop$Order"),
            new StoredStateInfo(
                "elements", "SPLIT", false, false, false, "", "com.example.shop.Shop$Part"));
    assertThat(state.classes())
        .contains(
            new StoredClass(
                "com.example.shop.Shop$Key",
                "RECORD",
                true,
                List.of("customer: java.lang.String", "number: int")));
  }

  @Test
  void constantsOfEnumsNeedTheClassesOfTheProgram() throws Exception {
    OperatorSnapshot snapshot;
    try (ProgramClassLoader before = version(ITEM)) {
      snapshot = written(before);
    }
    assertThatThrownBy(() -> entries(snapshot, "values", ValueClasses.UNKNOWN, 9))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("--jar");
    try (ProgramClassLoader now = version(ITEM)) {
      assertThat(entries(snapshot, "values", new ValueClasses(Optional.of(now), Bytes.EMPTY), 9))
          .hasToString("[{key=key, value={count=5, name=x, kind=PEAR, price=1.5}}]");
      assertThat(READER.differences(location(), snapshot, now)).isEmpty();
    }
    try (ProgramClassLoader now =
        version(KIND + "public record Item(int amount, String name) {}")) {
      assertThat(READER.differences(location(), snapshot, now))
          .singleElement()
          .asString()
          .contains("Shop$Item: field count of type int is gone and field amount");
    }
  }
}

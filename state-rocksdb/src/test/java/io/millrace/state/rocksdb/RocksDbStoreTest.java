package io.millrace.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.KeyValueStore.Cursor;
import io.millrace.task.store.KeyValueStore.Table;
import io.millrace.task.store.StateBackend;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbStoreTest {
  @TempDir Path directory;

  private final ManagedMemory memory = ManagedMemory.share(64 << 20, 2);
  private final StateBackend backend = StateBackends.withoutPlugins().find("rocksdb").orElseThrow();
  private int closed;

  private KeyValueStore open(String name) throws IOException {
    return backend.open(
        new StateBackend.StoreSettings(
            Files.createDirectories(directory.resolve(name)),
            memory,
            "'Map' (1/1, attempt 0)",
            Configuration.EMPTY,
            () -> closed++));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> read(Cursor cursor) {
    List<String> lines = new ArrayList<>();
    try (cursor) {
      for (; cursor.isValid(); cursor.next()) {
        lines.add(
            new String(cursor.key(), StandardCharsets.UTF_8)
                + "="
                + new String(cursor.value(), StandardCharsets.UTF_8));
      }
    }
    return lines;
  }

  private static List<String> all(Table table) {
    return read(table.scan(bytes(""), bytes("~")));
  }

  @Test
  void tablesAreSortedAndSeparate() throws IOException {
    try (KeyValueStore store = open("one")) {
      Table table = store.table("table");
      Table other = store.table("other");
      table.put(bytes("b"), bytes("2"));
      table.put(bytes("a"), bytes("1"));
      other.put(bytes("a"), bytes("other"));
      table.append(bytes("c"), bytes("x"));
      table.append(bytes("c"), bytes("yz"));
      assertThat(all(table)).containsExactly("a=1", "b=2", "c=xyz");
      assertThat(read(table.scan(bytes("b"), bytes("c")))).containsExactly("b=2");
      table.delete(bytes("a"));
      assertThat(table.get(bytes("a"))).isEmpty();
      assertThat(other.get(bytes("a"))).hasValue(bytes("other"));
      table.deleteRange(bytes("b"), bytes("c"));
      assertThat(all(table)).containsExactly("c=xyz");
      assertThat(store.tables()).containsExactly("table", "other");
      assertThat(store.table("table")).isSameAs(table);
    }
  }

  @Test
  void hundredsOfTablesAreSeparate() throws IOException {
    try (KeyValueStore store = open("one")) {
      for (int i = 0; i < 300; i++) {
        store.table("table-" + i).put(bytes("a"), bytes("" + i));
      }
      store.checkpoint(directory.resolve("copy"));
    }
    try (KeyValueStore copy = open("copy")) {
      for (int i = 0; i < 300; i++) {
        assertThat(all(copy.table("table-" + i))).containsExactly("a=" + i);
      }
      copy.table("new").put(bytes("a"), bytes("new"));
      copy.table("table-7").deleteRange(bytes(""), bytes("~"));
      assertThat(all(copy.table("table-7"))).isEmpty();
      assertThat(all(copy.table("table-8"))).containsExactly("a=8");
      assertThat(all(copy.table("table-299"))).containsExactly("a=299");
      assertThat(copy.tables()).hasSize(301);
    }
  }

  @Test
  void aSnapshotStaysAsItWasAndKeepsTheStoreOpen() throws IOException {
    KeyValueStore store = open("one");
    Table table = store.table("table");
    table.put(bytes("a"), bytes("1"));
    KeyValueStore.Snapshot snapshot = store.snapshot();
    table.put(bytes("a"), bytes("2"));
    table.put(bytes("b"), bytes("2"));
    store.close();
    assertThat(closed).isZero();
    assertThat(read(snapshot.scan(table, bytes(""), bytes("~")))).containsExactly("a=1");
    snapshot.close();
    snapshot.close();
    assertThat(closed).isOne();
    assertThat(memory.free()).isEqualTo(memory.bytes());
  }

  @Test
  void aStoreContinuesWithTheFilesOfACheckpoint() throws IOException {
    try (KeyValueStore store = open("one")) {
      Table table = store.table("table");
      table.put(bytes("a"), bytes("1"));
      store.checkpoint(directory.resolve("copy"));
      table.put(bytes("a"), bytes("2"));
    }
    try (KeyValueStore copy = open("copy")) {
      assertThat(copy.tables()).containsExactly("table");
      assertThat(all(copy.table("table"))).containsExactly("a=1");
      copy.table("table").put(bytes("b"), bytes("2"));
    }
  }

  @Test
  @Behaviour("F6: a slot's managed memory is shared by its tasks and isolated from other slots")
  void theStoresOfASlotShareItsMemory() throws IOException {
    KeyValueStore one = open("one");
    assertThat(memory.free()).isZero();
    KeyValueStore two = open("two");
    one.close();
    assertThat(memory.free()).isZero();
    two.close();
    assertThat(memory.free()).isEqualTo(memory.bytes());
  }

  @Test
  @Behaviour("F6: a task without enough managed memory fails and says what to set")
  void tooLittleMemoryIsAnErrorThatSaysHowMuchToSet() {
    assertThatThrownBy(
            () ->
                backend.open(
                    new StateBackend.StoreSettings(
                        directory,
                        ManagedMemory.share(1 << 20, 4),
                        "'Map' (1/1, attempt 0)",
                        Configuration.EMPTY,
                        () -> {})))
        .hasMessageContaining("'Map' (1/1, attempt 0) needs 16 mb of managed memory")
        .hasMessageContaining("taskmanager.memory.managed.size to 64mb");
  }

  @Test
  void anUnknownBackendIsAnErrorThatNamesTheKnownOnes() {
    assertThatThrownBy(() -> StateBackends.withoutPlugins().find("rokcsdb"))
        .hasMessageContaining("No state backend 'rokcsdb' (state.backend.type)")
        .hasMessageContaining("hashmap, rocksdb");
  }
}

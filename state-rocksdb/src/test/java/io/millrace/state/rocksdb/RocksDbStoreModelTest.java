package io.millrace.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.KeyValueStore.Cursor;
import io.millrace.task.store.KeyValueStore.Snapshot;
import io.millrace.task.store.KeyValueStore.Table;
import io.millrace.task.store.StateBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares a store with a sorted map under random operations. */
class RocksDbStoreModelTest {
  private static final int OPERATIONS = 4_000;
  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path directory;

  private final ManagedMemory memory = ManagedMemory.share(64 << 20, 1);
  private final Random random = new Random(7);

  /** By the hex digits of the key, whose order is that of unsigned bytes. */
  private NavigableMap<String, String> model = new TreeMap<>();

  private KeyValueStore open(String name) throws IOException {
    return new RocksDbStateBackend()
        .open(
            new StateBackend.StoreSettings(
                Files.createDirectories(directory.resolve(name)),
                memory,
                "'Map' (1/1, attempt 0)",
                Configuration.EMPTY,
                () -> {}));
  }

  private byte[] key() {
    byte[] key = new byte[1 + random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      // Few keys, with bytes that are negative as numbers among them.
      key[i] = (byte) (random.nextInt(6) * 0x33);
    }
    return key;
  }

  private byte[] value() {
    byte[] value = new byte[random.nextInt(random.nextInt(20) == 0 ? 5_000 : 20)];
    random.nextBytes(value);
    return value;
  }

  private void change(Table table) {
    byte[] key = key();
    String name = HEX.formatHex(key);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        byte[] value = value();
        table.put(key, value);
        model.put(name, HEX.formatHex(value));
      }
      case 3, 4, 5 -> {
        byte[] more = value();
        table.append(key, more);
        model.merge(name, HEX.formatHex(more), String::concat);
      }
      case 6 -> {
        table.delete(key);
        model.remove(name);
      }
      default -> {
        if (random.nextInt(10) == 0) {
          byte[] end = key();
          if (Arrays.compareUnsigned(key, end) < 0) {
            table.deleteRange(key, end);
            model.subMap(name, HEX.formatHex(end)).clear();
          }
        }
      }
    }
  }

  private static Map<String, String> read(Cursor cursor) {
    Map<String, String> found = new TreeMap<>();
    try (cursor) {
      String last = "";
      for (; cursor.isValid(); cursor.next()) {
        String key = HEX.formatHex(cursor.key());
        assertThat(key).as("keys are sorted").isGreaterThan(last);
        last = key;
        found.put(key, HEX.formatHex(cursor.value()));
      }
    }
    return found;
  }

  private static byte[] least() {
    return new byte[0];
  }

  private static byte[] most() {
    return new byte[] {-1, -1, -1, -1};
  }

  private void assertEqual(Table table) {
    assertThat(read(table.scan(least(), most()))).isEqualTo(model);
    byte[] key = key();
    assertThat(table.get(key).map(HEX::formatHex))
        .isEqualTo(Optional.ofNullable(model.get(HEX.formatHex(key))));
    byte[] end = key();
    if (Arrays.compareUnsigned(key, end) <= 0) {
      assertThat(read(table.scan(key, end)))
          .isEqualTo(model.subMap(HEX.formatHex(key), HEX.formatHex(end)));
    }
  }

  @Test
  void behavesLikeASortedMap() throws IOException {
    try (KeyValueStore store = open("one")) {
      Table table = store.table("table");
      for (int i = 0; i < OPERATIONS; i++) {
        change(table);
        if (i % 50 == 0) {
          assertEqual(table);
        }
      }
      assertEqual(table);
    }
    assertThat(memory.free()).isEqualTo(memory.bytes());
  }

  @Test
  void eachCheckpointContinuesAsTheMapOfItsMoment() throws IOException {
    NavigableMap<String, String> atCheckpoint = new TreeMap<>();
    String name = "store-0";
    for (int round = 1; round <= 4; round++) {
      String next = "store-" + round;
      try (KeyValueStore store = open(name)) {
        Table table = store.table("table");
        assertEqual(table);
        for (int i = 0; i < OPERATIONS / 10; i++) {
          change(table);
        }
        store.checkpoint(directory.resolve(next));
        atCheckpoint = new TreeMap<>(model);
        // What follows the checkpoint is not in it.
        for (int i = 0; i < 50; i++) {
          change(table);
        }
      }
      model = atCheckpoint;
      name = next;
    }
    assertThat(model).isNotEmpty();
  }

  @Test
  void aSnapshotIsReadWhileTheTableChanges() throws IOException {
    try (KeyValueStore store = open("one")) {
      Table table = store.table("table");
      for (int i = 0; i < 500; i++) {
        change(table);
      }
      Map<String, String> before = new TreeMap<>(model);
      try (Snapshot snapshot = store.snapshot()) {
        for (int i = 0; i < 500; i++) {
          change(table);
        }
        assertThat(read(snapshot.scan(table, least(), most()))).isEqualTo(before);
      }
      assertEqual(table);
    }
  }

  @Test
  void checkpointsShareTheirDataFilesAndNothingElse() throws IOException {
    try (KeyValueStore store = open("one")) {
      store.table("table").put(key(), value());
      store.checkpoint(directory.resolve("copy"));
      try (var files = Files.list(directory.resolve("copy"))) {
        assertThat(files.map(file -> file.getFileName().toString()))
            .anyMatch(store::isShared)
            .allMatch(name -> store.isShared(name) == name.matches(".*[.](sst|blob)"));
      }
    }
  }

  @Test
  void aDirectoryThatHoldsNoDatabaseIsAnError() throws IOException {
    Path broken = Files.createDirectories(directory.resolve("broken"));
    Files.writeString(broken.resolve("CURRENT"), "MANIFEST-000007\n");
    assertThatThrownBy(() -> open("broken")).isInstanceOf(IOException.class);
    assertThat(memory.free()).as("the memory is returned").isEqualTo(memory.bytes());
  }
}

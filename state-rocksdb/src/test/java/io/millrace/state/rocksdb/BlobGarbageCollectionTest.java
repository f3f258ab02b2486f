package io.millrace.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.KeyValueStore.Table;
import io.millrace.task.store.StateBackend;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlobGarbageCollectionTest {
  private static final int VALUE_BYTES = 4_000;
  private static final long MEGABYTE = 1 << 20;

  @TempDir Path directory;

  private final ManagedMemory memory = ManagedMemory.share(16 << 20, 1);
  private final SplittableRandom random = new SplittableRandom(7);

  private KeyValueStore open() throws IOException {
    return StateBackends.withoutPlugins()
        .find("rocksdb")
        .orElseThrow()
        .open(
            new StateBackend.StoreSettings(
                Files.createDirectories(directory.resolve("store")),
                memory,
                "'Map' (1/1, attempt 0)",
                Configuration.EMPTY,
                () -> {}));
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Bytes that cannot be compressed. */
  private byte[] value(int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return value;
  }

  private long bytesOfBlobFiles() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(directory.resolve("store"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".blob")) {
          bytes += Files.size(file);
        }
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "     0,          0,          0, false",
    "    10,  640000000,  100000000, false",
    "    10,  640000000,  250000000, false",
    "    10,  640000000,  260000000, true",
    "    64,       1000,          0, false",
    "    65,       1000,          0, true",
    "  1000, 5000000000,          0, false",
    "  1000, 4000000000,          0, true",
  })
  void isWorthItForMuchGarbageAndForManySmallFiles(
      long files, long size, long garbage, boolean isWorthIt) {
    assertThat(BlobGarbageCollection.isWorthIt(files, size, garbage)).isEqualTo(isWorthIt);
  }

  @Test
  @Behaviour("H3: replaced values in RocksDB do not fill the disk")
  void replacedValuesDoNotFillTheDisk() throws IOException {
    int keys = 2_000;
    byte[][] expected = new byte[keys][];
    try (KeyValueStore store = open()) {
      Table table = store.table("table");
      for (int i = 0; i < 60 * keys; i++) {
        int key = i < keys ? i : random.nextInt(keys);
        expected[key] = value(VALUE_BYTES);
        table.put(key(key), expected[key]);
      }
      // 480 MB were written, 8 MB are left.
      assertThat(bytesOfBlobFiles()).isLessThan(120 * MEGABYTE);
      for (int key = 0; key < keys; key++) {
        assertThat(table.get(key(key))).hasValue(expected[key]);
      }
    }
  }

  @Test
  @Behaviour("H3: an incremental checkpoint stores what changed")
  void aCheckpointHasOnlyTheValuesThatChanged() throws IOException {
    try (KeyValueStore store = open()) {
      Table table = store.table("table");
      for (int key = 0; key < 5_000; key++) {
        table.put(key(key), value(VALUE_BYTES));
      }
      Set<String> before = filesOf(store, "one");
      for (int i = 0; i < 100; i++) {
        table.put(key(random.nextInt(5_000)), value(VALUE_BYTES));
      }
      Set<String> after = filesOf(store, "two");
      after.removeAll(before);
      long changed = 0;
      for (String file : after) {
        changed += Files.size(directory.resolve("two").resolve(file));
      }
      assertThat(after).isNotEmpty();
      // 20 MB of state, of which 0.4 MB changed.
      assertThat(changed).isBetween(100L * VALUE_BYTES, 2 * MEGABYTE);
    }
  }

  @Test
  @Behaviour("H3: an incremental checkpoint stores what changed")
  void checkpointsOfFewValuesDoNotLeaveAFileEach() throws IOException {
    int checkpoints = 400;
    try (KeyValueStore store = open()) {
      Table table = store.table("table");
      for (int i = 0; i < checkpoints; i++) {
        // No key is written twice, so that no file is ever all garbage.
        for (int j = 0; j < 5; j++) {
          table.put(key(Integer.reverse(5 * i + j)), value(VALUE_BYTES));
        }
        store.checkpoint(directory.resolve("checkpoint-" + i));
      }
      Set<String> last = filesOf(store, "last");
      assertThat(last).hasSizeLessThan(checkpoints / 2);
      for (int i = 0; i < 5 * checkpoints; i++) {
        assertThat(table.get(key(Integer.reverse(i)))).isPresent();
      }
    }
  }

  /** The shared files of a new checkpoint. */
  private Set<String> filesOf(KeyValueStore store, String checkpoint) throws IOException {
    store.checkpoint(directory.resolve(checkpoint));
    Set<String> names = new HashSet<>();
    try (Stream<Path> files = Files.list(directory.resolve(checkpoint))) {
      files.map(file -> file.getFileName().toString()).filter(store::isShared).forEach(names::add);
    }
    return names;
  }
}

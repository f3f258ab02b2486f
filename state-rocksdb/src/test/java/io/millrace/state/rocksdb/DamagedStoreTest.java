package io.millrace.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.KeyValueStore.Cursor;
import io.millrace.task.store.KeyValueStore.Table;
import io.millrace.task.store.StateBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases whose files are damaged, and stores that several threads close. */
class DamagedStoreTest {
  private static final int KEYS = 2_000;

  @TempDir private Path directory;
  private final ManagedMemory memory = ManagedMemory.share(64 << 20, 1);
  private final AtomicInteger closed = new AtomicInteger();

  private KeyValueStore open(Path path) throws IOException {
    return new RocksDbStateBackend()
        .open(
            new StateBackend.StoreSettings(
                Files.createDirectories(path),
                memory,
                "'Map' (1/1, attempt 0)",
                Configuration.EMPTY,
                closed::incrementAndGet));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Path copy;

  /** The files of a checkpoint with one table. */
  @BeforeEach
  void takeCheckpoint() throws IOException {
    copy = directory.resolve("copy");
    try (KeyValueStore store = open(directory.resolve("one"))) {
      Table table = store.table("table");
      for (int i = 0; i < KEYS; i++) {
        table.put(bytes("key-%06d".formatted(i)), bytes("value " + i * 31));
      }
      store.checkpoint(copy);
    }
    closed.set(0);
  }

  private Path file(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(copy)) {
      return files
          .filter(file -> file.getFileName().toString().contains(suffix))
          .findFirst()
          .orElseThrow();
    }
  }

  private int readAll() throws IOException {
    try (KeyValueStore store = open(copy);
        Cursor cursor = store.table("table").scan(bytes(""), bytes("~"))) {
      int found = 0;
      for (; cursor.isValid(); cursor.next()) {
        found++;
      }
      return found;
    }
  }

  @Test
  void undamagedCopyHasAllKeys() throws IOException {
    assertThat(readAll()).isEqualTo(KEYS);
    assertThat(closed).hasValue(1);
  }

  private void assertMemoryIsReturned() {
    assertThat(memory.free()).as("free managed memory").isEqualTo(memory.bytes());
  }

  @Test
  @Behaviour("H3: damaged files of RocksDB are an error, and never other state")
  void fileThatIsMissingOrTooShortIsAnError() throws IOException {
    Path data = file(".sst");
    byte[] whole = Files.readAllBytes(data);
    for (int length : List.of(0, 1, whole.length / 2, whole.length - 1)) {
      Files.write(data, Arrays.copyOf(whole, length));
      assertThatThrownBy(this::readAll)
          .as("%s of %s bytes", length, whole.length)
          .isInstanceOf(IOException.class);
      assertMemoryIsReturned();
    }
    Files.delete(data);
    assertThatThrownBy(this::readAll).isInstanceOf(IOException.class);
    assertMemoryIsReturned();
    assertThat(closed).as("a store that was not opened does not report its end").hasValue(0);
  }

  @Test
  void damagedManifestIsAnError() throws IOException {
    Path manifest = file("MANIFEST");
    byte[] whole = Files.readAllBytes(manifest);
    byte[] damaged = whole.clone();
    damaged[damaged.length / 2] ^= 0x55;
    Files.write(manifest, damaged);
    assertThatThrownBy(this::readAll).isInstanceOf(IOException.class);
    Files.delete(file("CURRENT"));
    Files.delete(manifest);
    assertMemoryIsReturned();
  }

  /** Checksums of blocks are verified when blocks are read, also while the store opens. */
  @Test
  @Behaviour("H3: damaged files of RocksDB are an error, and never other state")
  void everyChangedByteIsNoticedOrHasNoEffect() throws IOException {
    Path data = file(".sst");
    byte[] whole = Files.readAllBytes(data);
    int noticed = 0;
    for (int i = 0; i < 40; i++) {
      byte[] damaged = whole.clone();
      damaged[(int) ((long) whole.length * i / 40)] ^= 0x10;
      Files.write(data, damaged);
      try {
        assertThat(readAll()).as("changed byte %s of 40", i).isEqualTo(KEYS);
      } catch (IOException | MillraceException e) {
        noticed++;
      }
      assertMemoryIsReturned();
    }
    assertThat(noticed).isGreaterThan(20);
  }

  private static byte[] large(int key) {
    byte[] value = new byte[2 * BlobGarbageCollection.SMALLEST_BLOB];
    new Random(key).nextBytes(value);
    return value;
  }

  /** Large values are in files of their own. */
  @Test
  @Behaviour("H3: damaged files of RocksDB are an error, and never other state")
  void damagedLargeValueIsAnErrorAndNeverAnotherValue() throws IOException {
    copy = directory.resolve("large-copy");
    int keys = 50;
    try (KeyValueStore store = open(directory.resolve("large"))) {
      for (int key = 0; key < keys; key++) {
        store.table("table").put(bytes("key-" + key), large(key));
      }
      store.checkpoint(copy);
    }
    Path values = file(".blob");
    byte[] whole = Files.readAllBytes(values);
    int noticed = 0;
    for (int i = 0; i < 20; i++) {
      byte[] damaged = i == 0 ? Arrays.copyOf(whole, whole.length / 2) : whole.clone();
      damaged[(int) ((long) damaged.length * i / 20)] ^= 0x10;
      Files.write(values, damaged);
      try (KeyValueStore store = open(copy)) {
        for (int key = 0; key < keys; key++) {
          assertThat(store.table("table").get(bytes("key-" + key))).hasValue(large(key));
        }
      } catch (IOException | MillraceException e) {
        noticed++;
      }
      assertMemoryIsReturned();
    }
    assertThat(noticed).isGreaterThan(15);
    Files.delete(values);
    assertThatThrownBy(
            () -> {
              try (KeyValueStore store = open(copy)) {
                store.table("table").get(bytes("key-0"));
              }
            })
        .isInstanceOfAny(IOException.class, MillraceException.class);
    assertMemoryIsReturned();
  }

  @Test
  void errorOfTheDatabaseIsExternal() throws IOException {
    Path data = file(".sst");
    byte[] damaged = Files.readAllBytes(data);
    // Data blocks come first, and the names of tables are in the first one.
    Arrays.fill(damaged, 10, 40, (byte) 7);
    Files.write(data, damaged);
    assertThatThrownBy(this::readAll)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("RocksDB: ");
    assertMemoryIsReturned();
  }

  @Test
  void checkpointIntoAnExistingDirectoryIsAnError() throws IOException {
    try (KeyValueStore store = open(directory.resolve("two"))) {
      store.table("table").put(bytes("a"), bytes("1"));
      assertThatThrownBy(() -> store.checkpoint(copy))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL));
      assertThat(store.table("table").get(bytes("a"))).hasValue(bytes("1"));
    }
    assertThat(readAll()).as("the copy is as it was").isEqualTo(KEYS);
  }

  @Test
  void secondStoreInADirectoryIsAnError() throws IOException {
    try (KeyValueStore store = open(copy)) {
      assertThatThrownBy(() -> open(copy)).isInstanceOf(IOException.class);
      assertThat(store.table("table").get(bytes("key-000000"))).isPresent();
    }
    assertMemoryIsReturned();
  }

  @Test
  void storeIsClosedOnceByTheLastOfItsUsers() throws Exception {
    KeyValueStore store = open(copy);
    Table table = store.table("table");
    int readers = 8;
    CountDownLatch begin = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread[] threads = new Thread[readers];
    for (int i = 0; i < readers; i++) {
      KeyValueStore.Snapshot snapshot = store.snapshot();
      threads[i] =
          new Thread(
              () -> {
                try (snapshot) {
                  assertThat(begin.await(1, TimeUnit.MINUTES)).isTrue();
                  try (Cursor cursor = snapshot.scan(table, bytes(""), bytes("~"))) {
                    int found = 0;
                    for (; cursor.isValid(); cursor.next()) {
                      found++;
                    }
                    assertThat(found).isEqualTo(KEYS);
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      threads[i].start();
    }
    store.close();
    store.close();
    assertThat(closed).as("snapshots are still read").hasValue(0);
    begin.countDown();
    for (Thread thread : threads) {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(failure.get()).isNull();
    assertThat(closed).hasValue(1);
    assertMemoryIsReturned();
  }

  @Test
  void tableMayHaveAnyName() throws IOException {
    List<String> names = List.of("", " ", "a/b", "größe", "\0", "x".repeat(10_000), "TABLE");
    try (KeyValueStore store = open(directory.resolve("names"))) {
      for (String name : names) {
        store.table(name).put(bytes("k"), bytes(name));
      }
      store.checkpoint(directory.resolve("named"));
    }
    try (KeyValueStore store = open(directory.resolve("named"))) {
      assertThat(store.tables()).containsExactlyInAnyOrderElementsOf(names);
      for (String name : names) {
        assertThat(store.table(name).get(bytes("k"))).hasValue(bytes(name));
        assertThat(store.table(name).get(bytes("absent"))).isEmpty();
      }
    }
  }

  @Test
  void numberOfTablesIsLimited() throws IOException {
    try (KeyValueStore store = open(directory.resolve("many"))) {
      for (int i = 1; i < 0x80 << 8; i++) {
        store.table("t" + i);
      }
      assertThat(store.tables()).hasSize((0x80 << 8) - 1);
      assertThatThrownBy(() -> store.table("one more"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("32768 states");
      store.table("t127").put(bytes("k"), bytes("127"));
      store.table("t128").put(bytes("k"), bytes("128"));
      store.table("t32767").put(bytes("k"), bytes("32767"));
      for (String number : List.of("127", "128", "32767")) {
        assertThat(store.table("t" + number).get(bytes("k"))).hasValue(bytes(number));
      }
      assertThat(store.table("t129").get(bytes("k"))).isEmpty();
    }
  }

  /** Write buffers and blocks together stay within the memory of the slot. */
  @Test
  void memoryOfASlotIsDivided() {
    new RocksDbStateBackend().name();
    for (long bytes : List.of(SlotCache.LEAST_BYTES, 100L << 20, (1L << 32) + 7)) {
      try (SlotCache cache = new SlotCache(bytes)) {
        long most = cache.writeBufferBytes() + cache.writeBufferBytes() / 2;
        assertThat(cache.writeBufferBytes()).isEqualTo(bytes / 3);
        assertThat(most).as("with what RocksDB may exceed").isLessThanOrEqualTo(bytes / 2);
      }
    }
  }
}

package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.testing.Fenced;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a store that processes on several machines open. */
class FencedHaStoreTest {
  private static final Bytes OLD = Bytes.utf8("old value");
  private static final Bytes NEW = Bytes.utf8("new value");

  @TempDir Path temporary;

  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  void nextOwnerFindsValuesVersionsAndTermsAndFencesOffThePreviousOne() {
    HaStore first = open("first");
    first.write("a", OLD, first.write("a", NEW, HaStore.ABSENT, 6), 7);

    HaStore second = open("second");

    assertThat(second.read("a")).contains(new HaStore.Versioned(OLD, 2));
    assertThatThrownBy(() -> second.write("a", NEW, 2, 6)).hasMessageContaining("term 7");
    // Even with the right version and a later term: the process no longer owns the store.
    assertThatThrownBy(() -> first.write("a", NEW, 2, 9))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("taken over");
    assertThatThrownBy(() -> first.delete("a", 2, 9)).isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> first.write("b", NEW, HaStore.ABSENT, 9))
        .isInstanceOf(StaleWriteException.class);
    assertThat(second.read("a")).contains(new HaStore.Versioned(OLD, 2));
    assertThat(second.list("")).containsExactly("a");
  }

  @Test
  @Behaviour("G2: a process that dies during a write leaves the old value")
  void processThatDiesDuringAWriteLeavesTheOldValue() throws IOException {
    open("first").write("a", OLD, HaStore.ABSENT, 1);
    byte[] content = new HaStoreEntry("a", NEW, 2, 1).encode().array();
    String machine = "first";
    for (int written = 0; written <= content.length; written += 7) {
      Path draft = temporary.resolve("holder").resolve(machine).resolve("9");
      Files.write(draft, Arrays.copyOf(content, written));
      machine = "next-" + written;
      HaStore store = open(machine);
      assertThat(store.read("a").orElseThrow().value()).isEqualTo(OLD);
      assertThat(store.list("")).containsExactly("a");
      assertThat(draft).doesNotExist();
    }
    open("last").write("a", NEW, 1, 1);
  }

  @Test
  @Behaviour("G2: a damaged file is an error that names the file")
  void damagedFileIsAnErrorThatNamesItAndIsNotChanged() throws IOException {
    HaStore store = open("me");
    store.write("a", OLD, HaStore.ABSENT, 1);
    Path file = temporary.resolve("store/a.value");
    byte[] content = Files.readAllBytes(file);
    content[content.length / 2] ^= 1;
    Files.write(file, content);

    assertThat(store.list("")).containsExactly("a");
    for (Runnable use :
        List.<Runnable>of(
            () -> store.read("a"),
            () -> store.write("a", NEW, 1, 9),
            () -> store.delete("a", 1, 9))) {
      assertThatThrownBy(use::run)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContaining(file + " is damaged");
    }
    assertThat(file).hasBinaryContent(content);
  }

  /** No acknowledged write is lost or applied twice while other processes take the store over. */
  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  void eachVersionIsWrittenByOneThreadOfOneProcess() throws Exception {
    int processes = 8;
    int threadsOfEach = 4;
    HaStore[] stores = new HaStore[processes];
    stores[0] = open("process-0");
    stores[0].write("count", number(0), HaStore.ABSENT, 1);
    ExecutorService threads = Executors.newFixedThreadPool(threadsOfEach * processes);
    try {
      List<CompletableFuture<Integer>> counting = new ArrayList<>();
      for (int process = 0; process < processes; process++) {
        String name = "process-" + process;
        if (process > 0) {
          // While threads of earlier processes write.
          awaitCount(stores[process - 1], 5 * process);
          stores[process] = open(name);
        }
        HaStore store = stores[process];
        boolean last = process == processes - 1;
        for (int i = 0; i < threadsOfEach; i++) {
          counting.add(CompletableFuture.supplyAsync(() -> countUp(store, last), threads));
        }
      }
      int total = 0;
      for (CompletableFuture<Integer> count : counting) {
        total += count.get(60, TimeUnit.SECONDS);
      }
      HaStore.Versioned end = stores[processes - 1].read("count").orElseThrow();
      assertThat(ByteBuffer.wrap(end.value().toArray()).getInt()).isEqualTo(total);
      assertThat(end.version()).isEqualTo(total + 1);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Increments the counter until the process has lost the store; threads of the last process stop
   * after 20 increments.
   */
  private static int countUp(HaStore store, boolean last) {
    int counted = 0;
    while (!last || counted < 20) {
      HaStore.Versioned found = store.read("count").orElseThrow();
      int before = ByteBuffer.wrap(found.value().toArray()).getInt();
      try {
        store.write("count", number(before + 1), found.version(), 1);
        counted++;
      } catch (StaleWriteException e) {
        if (e.getMessage().contains("taken over")) {
          return counted;
        }
      }
    }
    return counted;
  }

  private static void awaitCount(HaStore store, int minimum) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int count = 0;
    while (count < minimum) {
      assertThat(System.nanoTime()).as("counted to %s", count).isLessThan(deadline);
      Optional<HaStore.Versioned> found = store.read("count");
      count = ByteBuffer.wrap(found.orElseThrow().value().toArray()).getInt();
    }
  }

  private static Bytes number(int number) {
    return Bytes.wrap(ByteBuffer.allocate(4).putInt(number).array());
  }

  private HaStore open(String machine) {
    return new FencedHaStore(Fenced.take(temporary, machine), "store");
  }
}

package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract of a fenced directory on a file system with atomic rename. */
public interface FencedDirectoryContract {
  FileSystem system();

  /** An empty directory that no other test uses. */
  FilePath root();

  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  default void newHolderSeesTheContentAndFencesOffTheOldHolder() throws Exception {
    FencedDirectory first = take("first");
    FilePath file = first.child("file");
    write(first, file, "before");
    assertThat(first.isHeld()).isTrue();

    FencedDirectory second = take("second");

    assertThat(content(file)).isEqualTo("before");
    assertThat(first.isHeld()).isFalse();
    assertThatThrownBy(() -> write(first, file, "late")).isInstanceOf(FencedOffException.class);
    assertThatThrownBy(() -> write(first, first.child("new"), "late"))
        .isInstanceOf(FencedOffException.class);
    assertThatThrownBy(() -> first.remove(file)).isInstanceOf(FencedOffException.class);
    assertThatThrownBy(() -> first.remove(first.child("missing")))
        .isInstanceOf(FencedOffException.class);
    assertThatThrownBy(first::removeAll).isInstanceOf(FencedOffException.class);
    assertThat(content(file)).isEqualTo("before");
    assertThat(second.remove(file)).isTrue();
    assertThat(second.remove(file)).isFalse();
  }

  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  default void writeInProgressDuringATakeoverIsNotVisible() throws Exception {
    FencedDirectory first = take("first");
    FilePath file = first.child("file");
    write(first, file, "before");
    InputStream slow =
        new FilterInputStream(new ByteArrayInputStream(new byte[10])) {
          @Override
          public int read(byte[] target, int from, int length) throws IOException {
            int read = super.read(target, from, length);
            if (read < 0) {
              take("second");
            }
            return read;
          }
        };

    assertThatThrownBy(() -> first.write(file, slow)).isInstanceOf(FencedOffException.class);

    assertThat(content(file)).isEqualTo("before");
  }

  @Test
  default void takeoverClearsIncompleteFilesOnly() throws Exception {
    FencedDirectory first = take("first");
    write(first, first.child("file"), "kept");
    FilePath own = first.child("holder").child("first");
    try (OutputStream out = system().create(own.child("draft"))) {
      out.write(1);
    }
    // The files that a killed process leaves.
    system().createDirectories(first.child("coming-other").child("other"));
    system().createDirectories(first.child("fenced-other-1").child("older"));

    FencedDirectory second = take("second");

    assertThat(names(directory())).containsExactly("file", "holder");
    assertThat(names(second.child("holder"))).containsExactly("second");
    assertThat(names(second.child("holder").child("second"))).isEmpty();
  }

  @Test
  default void removeAllLeavesNothing() throws Exception {
    FencedDirectory taken = take("first");
    FilePath deep = taken.child("a").child("b");
    taken.createDirectory(deep);
    write(taken, deep.child("file"), "x");
    write(taken, taken.child("file"), "x");

    taken.removeAll();

    assertThat(system().status(directory())).isEmpty();
    write(take("second"), taken.child("file"), "again");
  }

  /**
   * Each holder increments the counter until it is fenced off. No increment may get lost or occur
   * twice.
   */
  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  default void concurrentTakeoversLeaveOneHolderAndLoseNoChange() throws Exception {
    int processes = 4;
    ExecutorService threads = Executors.newFixedThreadPool(processes);
    try {
      write(take("none"), directory().child("count"), "0");
      List<CompletableFuture<Integer>> counted = new ArrayList<>();
      for (int process = 0; process < processes; process++) {
        String name = "process-" + process;
        counted.add(CompletableFuture.supplyAsync(() -> countUp(name), threads));
      }
      int total = 0;
      for (CompletableFuture<Integer> count : counted) {
        total += count.get(60, TimeUnit.SECONDS);
      }
      assertThat(content(directory().child("count"))).isEqualTo(String.valueOf(total));
      assertThat(names(directory().child("holder"))).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  private int countUp(String name) {
    int counted = 0;
    try {
      FencedDirectory taken = take(name);
      FilePath file = taken.child("count");
      for (; counted < 20; counted++) {
        int before = Integer.parseInt(content(file));
        write(taken, file, String.valueOf(before + 1));
      }
    } catch (FencedOffException othersGoOn) {
      // All its increments are visible.
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return counted;
  }

  private FilePath directory() {
    return root().child("fenced");
  }

  private FencedDirectory take(String holder) throws IOException {
    return FencedDirectory.take(system(), directory(), holder);
  }

  private static void write(FencedDirectory directory, FilePath file, String text)
      throws IOException {
    directory.write(file, new ByteArrayInputStream(Bytes.utf8(text).toArray()));
  }

  private String content(FilePath file) throws IOException {
    Bytes content = FencedDirectory.read(system(), file).orElseThrow();
    return new String(content.toArray(), java.nio.charset.StandardCharsets.UTF_8);
  }

  private List<String> names(FilePath directory) throws IOException {
    return system().list(directory).stream().map(entry -> entry.path().name()).toList();
  }
}

package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A take-over by another process, or an error of the storage, before each single operation of a
 * change. All of them are tried, one after the other.
 */
class FencedDirectoryInterleavingsTest {
  private static final FilePath ROOT = FilePath.parse("/recovery/cluster");

  /** What the first holder does while another process takes the directory over. */
  private enum Work {
    WRITE_A_NEW_FILE {
      @Override
      void run(FencedDirectory directory) throws IOException {
        write(directory, "new", "content");
      }
    },
    REPLACE_A_FILE {
      @Override
      void run(FencedDirectory directory) throws IOException {
        write(directory, "one", "changed");
      }
    },
    REMOVE_A_FILE {
      @Override
      void run(FencedDirectory directory) throws IOException {
        directory.remove(directory.child("one"));
      }
    },
    REMOVE_WHAT_IS_NOT_THERE {
      @Override
      void run(FencedDirectory directory) throws IOException {
        directory.remove(directory.child("none"));
      }
    },
    REMOVE_A_DIRECTORY {
      @Override
      void run(FencedDirectory directory) throws IOException {
        directory.remove(directory.child("jobs"));
      }
    },
    REMOVE_EVERYTHING {
      @Override
      void run(FencedDirectory directory) throws IOException {
        directory.removeAll();
      }
    };

    abstract void run(FencedDirectory directory) throws IOException;
  }

  private static void write(FencedDirectory directory, String name, String text)
      throws IOException {
    directory.write(
        directory.child(name), new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Two files and a directory with a file, held by the first process. */
  private static FencedDirectory start(MemoryFiles files) throws IOException {
    FencedDirectory first = FencedDirectory.take(files, ROOT, "first");
    write(first, "one", "1");
    write(first, "two", "2");
    first.createDirectory(first.child("jobs"));
    write(first, "jobs/three", "3");
    return first;
  }

  /** The files that readers see: not those of holders. */
  private static Map<String, String> visible(MemoryFiles files) {
    Map<String, String> visible = new TreeMap<>(files.contents());
    visible.keySet().removeIf(path -> path.matches(".*/(holder|coming-[^/]*|fenced-[^/]*)/.*"));
    return visible;
  }

  private static int operationsOf(Work work) throws IOException {
    MemoryFiles files = new MemoryFiles();
    FencedDirectory first = start(files);
    List<String> operations = new ArrayList<>();
    files.before(operations::add);
    work.run(first);
    return operations.size();
  }

  private static Map<String, String> after(Work work) throws IOException {
    MemoryFiles files = new MemoryFiles();
    FencedDirectory first = start(files);
    work.run(first);
    return visible(files);
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  void nothingChangesAfterATakeoverWheneverItHappens(Work work) throws IOException {
    int operations = operationsOf(work);
    assertThat(operations).isPositive();
    for (int at = 0; at < operations; at++) {
      MemoryFiles files = new MemoryFiles();
      FencedDirectory first = start(files);
      Takeover takeover = new Takeover(files, at, "second");
      files.before(takeover);
      boolean done = false;
      try {
        work.run(first);
        done = true;
      } catch (FencedOffException e) {
        assertThat(e).hasMessageContaining(ROOT.path());
      }
      files.before(operation -> {});

      assertThat(takeover.seen).as("%s, operation %d", work, at).isNotNull();
      assertThat(visible(files)).as("%s, operation %d", work, at).isEqualTo(takeover.seen);
      if (done) {
        assertThat(takeover.seen)
            .as("%s, operation %d: an acknowledged change is kept", work, at)
            .isEqualTo(after(work));
      }
      assertThat(first.isHeld()).isFalse();
      assertThat(takeover.directory.isHeld()).isTrue();
      write(takeover.directory, "later", "ok");
      assertThatThrownBy(() -> write(first, "late", "no")).isInstanceOf(FencedOffException.class);
    }
  }

  /** Takes the directory over before one of the operations. */
  private static final class Takeover implements MemoryFiles.Before {
    private final MemoryFiles files;
    private final String holder;
    private int left;
    private FencedDirectory directory;
    private Map<String, String> seen;

    Takeover(MemoryFiles files, int at, String holder) {
      this.files = files;
      this.left = at;
      this.holder = holder;
    }

    @Override
    public void call(String operation) throws IOException {
      if (left-- == 0) {
        directory = FencedDirectory.take(files, ROOT, holder);
        seen = visible(files);
      }
    }
  }

  @Test
  void oneOfTwoTakeoversHoldsTheDirectoryWhereverTheyMeet() throws IOException {
    MemoryFiles counted = new MemoryFiles();
    start(counted);
    List<String> operations = new ArrayList<>();
    counted.before(operations::add);
    FencedDirectory.take(counted, ROOT, "second");

    for (int at = 0; at < operations.size(); at++) {
      MemoryFiles files = new MemoryFiles();
      start(files);
      Map<String, String> before = visible(files);
      Takeover takeover = new Takeover(files, at, "third");
      files.before(takeover);
      FencedDirectory second = FencedDirectory.take(files, ROOT, "second");
      files.before(operation -> {});

      assertThat(visible(files)).as(operations.get(at)).isEqualTo(before);
      assertThat(List.of(second.isHeld(), takeover.directory.isHeld()))
          .as("%s: one of them holds it", operations.get(at))
          .containsExactlyInAnyOrder(true, false);
      write(second.isHeld() ? second : takeover.directory, "later", "ok");
      FencedDirectory.take(files, ROOT, "fourth");
      assertThat(files.list(ROOT))
          .extracting(entry -> entry.path().name())
          .as("%s: the next one clears what was left", operations.get(at))
          .containsExactlyInAnyOrder("holder", "jobs", "later", "one", "two");
    }
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  void errorOfTheStorageIsNotTakenForATakeover(Work work) throws IOException {
    int operations = operationsOf(work);
    for (int at = 0; at < operations; at++) {
      MemoryFiles files = new MemoryFiles();
      FencedDirectory first = start(files);
      Map<String, String> before = visible(files);
      int[] left = {at};
      files.before(
          operation -> {
            if (left[0]-- == 0) {
              throw new IOException("The disk failed at " + operation);
            }
          });
      int number = at;
      assertThatThrownBy(() -> work.run(first))
          .as("%s, operation %d", work, number)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(FencedOffException.class)
          .hasMessageStartingWith("The disk failed");
      files.before(operation -> {});

      if (work == Work.WRITE_A_NEW_FILE || work == Work.REPLACE_A_FILE) {
        assertThat(visible(files)).as("a file appears when it is complete").isEqualTo(before);
        assertThat(files.list(ROOT.child("holder").child("first")))
            .as("no draft is left")
            .isEmpty();
      }
      if (work != Work.REMOVE_EVERYTHING) {
        work.run(first);
        assertThat(visible(files)).as("the change can be repeated").isEqualTo(after(work));
      }
    }
  }

  @Test
  void storageThatFailsTwiceTellsBothErrors() throws IOException {
    MemoryFiles files = new MemoryFiles();
    FencedDirectory first = start(files);
    files.before(
        operation -> {
          throw new IOException(operation);
        });

    assertThatThrownBy(() -> write(first, "one", "changed"))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(FencedOffException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).isNotEmpty());
  }

  @Test
  void directoryThatCannotBeTakenOverIsNamedWithTheReason() {
    MemoryFiles files = new MemoryFiles();
    files.before(
        operation -> {
          if (operation.startsWith("replace")) {
            throw new IOException("read-only");
          }
        });

    assertThatThrownBy(() -> FencedDirectory.take(files, ROOT, "first"))
        .isInstanceOf(IOException.class)
        .hasMessage(ROOT + " cannot be taken over")
        .hasRootCauseMessage("read-only");
  }

  @Test
  void storageWithoutAtomicRenameIsRefused(@TempDir Path parent) {
    FileSystem local = new LocalFileSystem();
    FilePath directory = FilePath.parse(parent.resolve("shared").toString());

    assertThatThrownBy(() -> FencedDirectory.take(local, directory, "first"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Use a directory in HDFS.");
  }
}

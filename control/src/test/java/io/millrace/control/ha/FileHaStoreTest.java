package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of crashes, damage and concurrent processes on one disk. */
class FileHaStoreTest {
  private static final Bytes OLD = Bytes.utf8("old value");
  private static final Bytes NEW = Bytes.utf8("new value");

  @TempDir Path temporary;

  @Test
  void findsValuesVersionsAndTermsAfterARestart() {
    try (FileHaStore store = open()) {
      store.write("a", OLD, store.write("a", NEW, HaStore.ABSENT, 6), 7);
    }

    try (FileHaStore store = open()) {
      assertThat(store.read("a")).contains(new HaStore.Versioned(OLD, 2));
      assertThatThrownBy(() -> store.write("a", NEW, 2, 6))
          .isInstanceOf(StaleWriteException.class)
          .hasMessageContaining("term 7");
    }
  }

  @Test
  @Behaviour("G2: a process that dies during a write leaves the old value")
  void crashDuringAWriteLeavesTheOldValue() throws IOException {
    Path file;
    byte[] before;
    byte[] after;
    try (FileHaStore store = open()) {
      store.write("a", OLD, HaStore.ABSENT, 1);
      file = onlyValue();
      before = Files.readAllBytes(file);
      store.write("a", NEW, 1, 1);
      after = Files.readAllBytes(file);
    }
    // The new value is renamed when it is completely on the disk; until then it has a temporary
    // name.
    for (int written = 0; written <= after.length; written++) {
      Files.write(file, before);
      Path temporaryFile = file.resolveSibling(file.getFileName() + ".new");
      Files.write(temporaryFile, Arrays.copyOf(after, written));
      try (FileHaStore store = open()) {
        assertThat(store.read("a").orElseThrow().value()).isEqualTo(OLD);
        assertThat(store.list("")).containsExactly("a");
        assertThat(temporaryFile).doesNotExist();
      }
    }
  }

  @Test
  @Behaviour("G2: a damaged file is an error that names the file")
  void truncatedFileIsAnErrorThatNamesIt() throws IOException {
    Path file = written();
    byte[] content = Files.readAllBytes(file);
    for (int length = 0; length < content.length; length++) {
      Files.write(file, Arrays.copyOf(content, length));
      assertDamaged(file);
    }
  }

  @Test
  @Behaviour("G2: a damaged file is an error that names the file")
  void changedByteIsAnErrorThatNamesTheFile() throws IOException {
    Path file = written();
    byte[] content = Files.readAllBytes(file);
    for (int position = 0; position < content.length; position++) {
      byte[] changed = content.clone();
      changed[position] ^= 1;
      Files.write(file, changed);
      assertDamaged(file);
    }
  }

  private void assertDamaged(Path file) throws IOException {
    try (FileHaStore store = open()) {
      assertThat(store.list("")).containsExactly("a");
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContaining(file.toString())
          .hasMessageContaining("damaged");
      byte[] unchanged = Files.readAllBytes(file);
      assertThatThrownBy(() -> store.write("a", NEW, 1, 9)).hasMessageContaining("damaged");
      assertThatThrownBy(() -> store.delete("a", 1, 9)).hasMessageContaining("damaged");
      assertThat(Files.readAllBytes(file)).isEqualTo(unchanged);
    }
  }

  @Test
  void fileUnderTheNameOfAnotherKeyIsAnError() throws IOException {
    Path file = written();
    Path other = file.resolveSibling(KeyFileName.name("b"));
    Files.copy(file, other);
    Path foreign = file.resolveSibling("%2Fx.value");
    try (FileHaStore store = open()) {
      assertThatThrownBy(() -> store.read("b"))
          .hasMessageContaining(other.toString())
          .hasMessageContaining("value of 'a'");
      Files.copy(file, foreign);
      assertThatThrownBy(() -> store.list("")).hasMessageContaining(foreign.toString());
    }
  }

  @Test
  @Behaviour(
      "G2: one process at a time owns the stored jobs; the store refuses writes of an earlier term")
  void directoryHasOneOwnerAtATime() throws Exception {
    Process other = holdLock();
    try {
      assertThatThrownBy(this::open)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining("pid " + other.pid())
          .hasMessageContaining(directory().toString());
    } finally {
      other.destroyForcibly();
      other.waitFor();
    }
    // The lock ends with a killed process.
    try (FileHaStore store = open()) {
      assertThatThrownBy(this::open)
          .hasMessageContaining("this process, pid " + ProcessHandle.current().pid());
      assertThat(store.list("")).isEmpty();
    }
  }

  /** Starts a JVM that keeps the store open until it is killed. */
  private Process holdLock() throws IOException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FileHaStoreTest.class.getName(),
                directory().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(other.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("open");
    return other;
  }

  @SuppressWarnings("SystemOut")
  public static void main(String[] args) throws IOException {
    try (FileHaStore store = FileHaStore.open(Path.of(args[0]))) {
      System.out.println("open");
      while (System.in.read() >= 0) {
        // Until the process is killed or the test ends.
      }
      store.list("");
    }
  }

  @Test
  void onlyTheOwnerCanReadTheDirectory() throws IOException {
    try (FileHaStore store = open()) {
      store.write("a", OLD, HaStore.ABSENT, 1);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
        .isEqualTo("rwx------");
  }

  @Test
  void directoryThatCannotBeCreatedIsAnError() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "");
    assertThatThrownBy(() -> FileHaStore.open(file.resolve("store")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void keysAreDecodedFromFileNamesUnlessTheyAreTooLong() {
    for (String key : List.of("jobs/7f", "", "Ä/\u0000", "%41")) {
      assertThat(KeyFileName.key(KeyFileName.name(key))).contains(key);
      assertThat(KeyFileName.name(key)).matches("[a-z0-9%-]*\\.value");
    }
    assertThat(KeyFileName.key(KeyFileName.name("x".repeat(500)))).isEqualTo(Optional.empty());
    assertThat(KeyFileName.name("ß".repeat(500)).length()).isLessThan(200);
  }

  private Path directory() {
    return temporary.resolve("store");
  }

  private FileHaStore open() {
    return FileHaStore.open(directory());
  }

  private Path written() throws IOException {
    try (FileHaStore store = open()) {
      store.write("a", OLD, HaStore.ABSENT, 1);
      return onlyValue();
    }
  }

  private Path onlyValue() throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files.filter(file -> file.toString().endsWith(".value")).findFirst().orElseThrow();
    }
  }
}

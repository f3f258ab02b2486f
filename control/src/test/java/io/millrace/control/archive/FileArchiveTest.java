package io.millrace.control.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileArchiveTest {
  private static final JobId ONE = new JobId(new Id128(1, 1));
  private static final JobId TWO = new JobId(new Id128(2, 2));
  private static final Bytes CONTENT = Bytes.utf8("details and history");

  @TempDir Path temporary;
  private Path directory;
  private FileArchive archive;

  @BeforeEach
  void open() {
    directory = temporary.resolve("ended");
    archive = new FileArchive(directory);
  }

  @Test
  void keepsOneFilePerJobInADirectoryThatOnlyItsOwnerReads() throws IOException {
    assertThat(archive.list()).isEmpty();
    assertThat(archive.find(ONE, 100)).isEmpty();

    archive.put(TWO, Bytes.utf8("other"));
    archive.put(ONE, Bytes.utf8("before"));
    archive.put(ONE, CONTENT);

    assertThat(directory.resolve(ONE + ".job")).hasBinaryContent(CONTENT.toArray());
    assertThat(new FileArchive(directory).find(ONE, 100)).contains(CONTENT);
    assertThat(archive.list()).containsExactly(ONE, TWO);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    archive.remove(ONE);
    archive.remove(ONE);
    assertThat(archive.list()).containsExactly(TWO);
  }

  @Test
  @Behaviour("C3: a process that is killed during a write leaves a complete archive file or none")
  void partlyWrittenFileIsNotReadAndCanBeRemoved() throws IOException {
    archive.put(ONE, CONTENT);
    Files.writeString(directory.resolve(ONE + ".job.new"), "detai");
    Files.writeString(directory.resolve(TWO + ".job.new"), "oth");

    assertThat(archive.find(ONE, 100)).contains(CONTENT);
    assertThat(archive.find(TWO, 100)).isEmpty();
    assertThat(archive.list()).containsExactly(ONE, TWO);
    archive.put(ONE, Bytes.utf8("newer"));
    assertThat(archive.find(ONE, 100)).contains(Bytes.utf8("newer"));
    archive.remove(TWO);
    assertThat(directory.resolve(TWO + ".job.new")).doesNotExist();
  }

  @Test
  void ignoresForeignFiles() throws IOException {
    archive.put(ONE, CONTENT);
    Files.writeString(directory.resolve("notes.txt"), "mine");
    Files.writeString(directory.resolve("0123.job"), "no id");
    Files.createDirectory(directory.resolve("sub"));

    assertThat(archive.list()).containsExactly(ONE);
    assertThat(directory.resolve("notes.txt")).exists();
    assertThat(directory.resolve("0123.job")).exists();
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void rejectsFilesThatAreTooLargeOrNotPlainFiles() throws IOException {
    archive.put(ONE, CONTENT);
    assertThatThrownBy(() -> archive.find(ONE, CONTENT.length() - 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(ONE + ".job has " + CONTENT.length() + " bytes");

    Files.createSymbolicLink(directory.resolve(TWO + ".job"), directory.resolve(ONE + ".job"));
    assertThatThrownBy(() -> archive.find(TWO, 100))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a plain file");
    archive.remove(TWO);
    Files.createDirectory(directory.resolve(TWO + ".job"));
    assertThatThrownBy(() -> archive.find(TWO, 100)).hasMessageContaining("not a plain file");
  }
}

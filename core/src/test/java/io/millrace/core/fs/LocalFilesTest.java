package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
  private final FileSystem system = new LocalFiles();
  @TempDir Path directory;
  private FilePath root;

  @BeforeEach
  void findRoot() {
    root = FilePath.parse(directory.toString());
  }

  @Test
  void readsFromAnOffset() throws Exception {
    FilePath file = write("odd %name?", "grain and stone");
    try (InputStream in = system.open(file, 6)) {
      assertThat(in.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("and stone");
    }
  }

  @Test
  void missingFileCannotBeOpened() {
    assertThatThrownBy(() -> system.open(root.child("missing"), 0))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void createdFileWasNotThere() throws Exception {
    FilePath file = write("file", "first");
    assertThatThrownBy(() -> system.create(file)).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(directory.resolve("file")).hasContent("first");
  }

  @Test
  void replacedFileIsGoneAndItsContentIsTheOtherOnes() throws Exception {
    FilePath draft = write("draft", "new");
    FilePath file = write("file", "old");
    system.replace(draft, file);
    assertThat(directory.resolve("file")).hasContent("new");
    assertThat(system.status(draft)).isEmpty();
    assertThatThrownBy(() -> system.replace(draft, file)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void deletesWhatIsThere() throws Exception {
    FilePath file = write("file", "x");
    assertThat(system.delete(file)).isTrue();
    assertThat(system.delete(file)).isFalse();
  }

  @Test
  void listsFilesAndDirectoriesByName() throws Exception {
    write("b", "xy");
    write("a", "");
    system.createDirectories(root.child("c").child("deep"));
    Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));
    assertThat(system.list(root))
        .containsExactly(
            new FileStatus(root.child("a"), false, 0),
            new FileStatus(root.child("b"), false, 2),
            new FileStatus(root.child("c"), true, 0));
  }

  private FilePath write(String name, String text) throws IOException {
    FilePath file = root.child(name);
    try (OutputStream out = system.create(file)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }
}

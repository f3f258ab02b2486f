package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.junit.jupiter.api.Test;

/** The contract of file systems. The test of a file system implements it. */
public interface FileSystemContract {
  FileSystem system();

  /** An empty directory that no other test uses. */
  FilePath root();

  @Test
  default void readsFromAnOffset() throws Exception {
    FilePath file = write("odd %name?", "grain and stone");
    try (InputStream in = system().open(file, 6)) {
      assertThat(in.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("and stone");
    }
  }

  @Test
  default void missingFileCannotBeOpened() {
    assertThatThrownBy(() -> system().open(root().child("missing"), 0))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(root().child("missing").toString());
  }

  @Test
  default void createFailsIfTheFileExists() throws Exception {
    FilePath file = write("file", "first");
    assertThatThrownBy(() -> system().create(file)).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(content(file)).isEqualTo("first");
  }

  @Test
  default void replaceMovesTheContentToTheNewName() throws Exception {
    FilePath draft = write("draft", "new");
    FilePath file = write("file", "old");
    system().replace(draft, file);
    assertThat(content(file)).isEqualTo("new");
    assertThat(system().status(draft)).isEmpty();
    assertThatThrownBy(() -> system().replace(draft, file)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  default void createDoesNotCreateTheParentDirectory() throws Exception {
    FilePath missing = root().child("missing");
    assertThatThrownBy(() -> system().create(missing.child("file")))
        .isInstanceOf(NoSuchFileException.class);
    FilePath draft = write("draft", "x");
    assertThatThrownBy(() -> system().replace(draft, missing.child("file")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(system().status(missing)).isEmpty();
    assertThat(content(draft)).isEqualTo("x");
  }

  @Test
  default void replaceRenamesADirectoryWithItsContent() throws Exception {
    FilePath directory = root().child("directory");
    system().createDirectories(directory);
    write("directory/file", "x");
    system().replace(directory, root().child("other"));
    assertThat(content(root().child("other").child("file"))).isEqualTo("x");
    assertThat(system().status(directory)).isEmpty();
    assertThatThrownBy(() -> system().replace(directory, root().child("third")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  default void nonEmptyDirectoryIsNotReplaced() throws Exception {
    FilePath full = root().child("full");
    system().createDirectories(full.child("inner"));
    system().createDirectories(root().child("other"));
    assertThatThrownBy(() -> system().replace(root().child("other"), full))
        .isInstanceOf(IOException.class);
    assertThat(system().status(full.child("inner"))).isPresent();
    assertThat(system().status(root().child("other"))).isPresent();
  }

  @Test
  default void deletesFile() throws Exception {
    FilePath file = write("file", "x");
    assertThat(system().delete(file)).isTrue();
    assertThat(system().delete(file)).isFalse();
  }

  @Test
  default void doesNotDeleteNonEmptyDirectory() throws Exception {
    FilePath directory = root().child("full");
    system().createDirectories(directory);
    FilePath file = write("full/file", "x");
    assertThatThrownBy(() -> system().delete(directory))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThat(content(file)).isEqualTo("x");
  }

  @Test
  default void deleteAllDeletesRecursively() throws Exception {
    FilePath directory = root().child("full");
    system().createDirectories(directory.child("deep"));
    write("full/file", "x");
    write("full/deep/file", "x");
    FilePath other = write("other", "x");
    assertThat(system().deleteAll(directory)).isTrue();
    assertThat(system().deleteAll(directory)).isFalse();
    assertThat(system().deleteAll(other)).isTrue();
    assertThat(system().list(root())).isEmpty();
  }

  @Test
  default void listsFilesAndDirectoriesByName() throws Exception {
    write("b", "xy");
    write("a", "");
    system().createDirectories(root().child("c").child("deep"));
    assertThat(system().list(root()))
        .containsExactly(
            new FileStatus(root().child("a"), false, 0),
            new FileStatus(root().child("b"), false, 2),
            new FileStatus(root().child("c"), true, 0));
  }

  @Test
  default void missingDirectoryCannotBeListed() {
    assertThatThrownBy(() -> system().list(root().child("missing")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  default void fileCannotBeListed() throws Exception {
    FilePath file = write("file", "x");
    assertThatThrownBy(() -> system().list(file)).isInstanceOf(NotDirectoryException.class);
  }

  @Test
  default void directoryMayHaveAFileOfItsOwnName() throws Exception {
    FilePath directory = root().child("twice");
    system().createDirectories(directory);
    system().create(directory.child("twice")).close();
    assertThat(system().list(directory))
        .containsExactly(new FileStatus(directory.child("twice"), false, 0));
  }

  @Test
  default void missingPathHasNoStatus() throws Exception {
    assertThat(system().status(root().child("missing").child("deeper"))).isEmpty();
  }

  private FilePath write(String name, String text) throws IOException {
    FilePath file = root().child(name);
    try (OutputStream out = system().create(file)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }

  private String content(FilePath file) throws IOException {
    try (InputStream in = system().open(file, 0)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

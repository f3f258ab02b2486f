package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFileSystemTest implements FileSystemContract {
  @TempDir Path directory;

  @Override
  public FileSystem system() {
    return new LocalFileSystem();
  }

  @Override
  public FilePath root() {
    return FilePath.parse(directory.toString());
  }

  @Test
  void danglingLinkIsNotListed() throws Exception {
    Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));
    assertThat(system().list(root())).isEmpty();
  }

  @Test
  void privateDirectoryIsForItsOwnerAndItsParentsAreNot() throws Exception {
    FilePath directory = root().child("above").child("private");
    system().createPrivateDirectory(directory);
    system().createPrivateDirectory(directory);
    assertThat(rights(directory)).isEqualTo("rwx------");
    assertThat(rights(root().child("above"))).startsWith("rwxr");
  }

  private static String rights(FilePath path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(path.path())));
  }
}

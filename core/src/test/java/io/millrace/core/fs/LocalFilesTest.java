package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest implements FileSystemContract {
  @TempDir Path directory;

  @Override
  public FileSystem system() {
    return new LocalFiles();
  }

  @Override
  public FilePath root() {
    return FilePath.parse(directory.toString());
  }

  @Test
  void linkToNowhereIsNotListed() throws Exception {
    Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));
    assertThat(system().list(root())).isEmpty();
  }
}

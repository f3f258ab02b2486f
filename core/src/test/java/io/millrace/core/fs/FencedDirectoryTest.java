package io.millrace.core.fs;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FencedDirectoryTest implements FencedDirectoryContract {
  @TempDir Path directory;
  private final FileSystem system = new OneLockFiles();

  @Override
  public FileSystem system() {
    return system;
  }

  @Override
  public FilePath root() {
    return FilePath.parse(directory.toString());
  }
}

package io.millrace.control.testing;

import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.OneLockFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Shared storage for tests, on the local disk. */
public final class Fenced {
  private static final FileSystem SYSTEM = new OneLockFiles();

  private Fenced() {}

  /** Takes a directory over from its current owner. */
  public static FencedDirectory take(Path directory, String holder) {
    try {
      return FencedDirectory.take(SYSTEM, FilePath.parse(directory.toString()), holder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

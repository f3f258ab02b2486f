package io.millrace.control.testing;

import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Storage that many machines see, on this one's disk. */
public final class Fenced {
  private Fenced() {}

  /** Takes a directory from whoever has it. */
  public static FencedDirectory take(Path directory, String holder) {
    FilePath place = FilePath.parse(directory.toString());
    try {
      return FencedDirectory.take(FileSystems.withoutPlugins().of(place), place, holder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

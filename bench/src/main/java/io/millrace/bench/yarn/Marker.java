package io.millrace.bench.yarn;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file to which a process of this machine writes a point in time. */
final class Marker {
  private Marker() {}

  /** Writes once; later calls have no effect. */
  static void write(String file) {
    Path marker = Path.of(file);
    if (Files.exists(marker)) {
      return;
    }
    try {
      Path temporary = Path.of(file + ".new");
      Files.writeString(temporary, String.valueOf(System.currentTimeMillis()));
      Files.move(temporary, marker, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

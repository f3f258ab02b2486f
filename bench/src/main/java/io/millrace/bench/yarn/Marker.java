package io.millrace.bench.yarn;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file in which a process of this machine tells when it got somewhere. */
final class Marker {
  private Marker() {}

  /** Once only: what comes later does not count. */
  static void write(String file) {
    Path marker = Path.of(file);
    if (Files.exists(marker)) {
      return;
    }
    try {
      Path draft = Path.of(file + ".new");
      Files.writeString(draft, String.valueOf(System.currentTimeMillis()));
      Files.move(draft, marker, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

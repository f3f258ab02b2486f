package io.millrace.api.sink;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes lines to a file that gets its final name when it is complete. */
final class TextFileWriter<T> implements SinkWriter<T> {
  private static final int BUFFER = 64 * 1024;

  /** What else belongs to the commit. */
  interface Commit {
    void run() throws IOException;
  }

  private final Path inProgress;
  private final Path part;
  private final Commit afterwards;
  private final OutputStream out;
  private boolean finished;

  TextFileWriter(Path inProgress, Path part, Commit afterwards) throws IOException {
    this.inProgress = inProgress;
    this.part = part;
    this.afterwards = afterwards;
    this.out = new BufferedOutputStream(Files.newOutputStream(inProgress), BUFFER);
  }

  @Override
  public void write(T record) throws IOException {
    out.write(String.valueOf(record).getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  @Override
  public void finish() throws IOException {
    out.close();
    Files.move(inProgress, part, StandardCopyOption.ATOMIC_MOVE);
    finished = true;
    afterwards.run();
  }

  @Override
  public void close() throws IOException {
    if (finished) {
      return;
    }
    try {
      out.close();
    } finally {
      Files.deleteIfExists(inProgress);
    }
  }
}

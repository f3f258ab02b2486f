package io.millrace.api.sink;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes lines to a file that gets its final name when it is complete. */
final class TextFileWriter<T> implements SinkWriter<T> {
  private static final int BUFFER = 64 * 1024;

  /** Further actions of the commit. */
  interface Commit {
    void run() throws IOException;
  }

  private final FileSystem files;
  private final FilePath inProgress;
  private final FilePath part;
  private final Commit afterwards;
  private final OutputStream out;
  private boolean finished;

  TextFileWriter(FileSystem files, FilePath inProgress, FilePath part, Commit afterwards)
      throws IOException {
    this.files = files;
    this.inProgress = inProgress;
    this.part = part;
    this.afterwards = afterwards;
    this.out = new BufferedOutputStream(files.create(inProgress), BUFFER);
  }

  @Override
  public void write(T record) throws IOException {
    out.write(String.valueOf(record).getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  @Override
  public void finish() throws IOException {
    out.close();
    files.replace(inProgress, part);
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
      files.delete(inProgress);
    }
  }
}

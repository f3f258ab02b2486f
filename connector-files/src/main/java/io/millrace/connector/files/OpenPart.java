package io.millrace.connector.files;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;

/** A part that is being written. */
final class OpenPart<T> {
  private static final int BUFFER = 64 * 1024;

  private final FilePath pending;
  private final FilePath part;
  private final CountingOutputStream file;
  private final OutputStream out;
  private final FileRecordWriter<T> writer;
  private final long opened;

  OpenPart(
      FileSystem files, FilePath pending, FilePath part, FileSinkSettings<T> settings, long opened)
      throws IOException {
    this.pending = pending;
    this.part = part;
    this.opened = opened;
    OutputStream created = create(files, pending);
    try {
      // Behind the buffer: what is buffered will be in the file, too.
      this.file = new CountingOutputStream(new BufferedOutputStream(created, BUFFER));
      this.out = settings.compression().compress(file);
      this.writer = settings.format().start(out);
    } catch (IOException | RuntimeException | Error e) {
      created.close();
      files.delete(pending);
      throw e;
    }
  }

  private static OutputStream create(FileSystem files, FilePath pending) throws IOException {
    try {
      return files.create(pending);
    } catch (NoSuchFileException e) {
      // An object store may lose a directory with its last file.
      files.createDirectories(pending.parent());
      return files.create(pending);
    }
  }

  void write(T record) throws Exception {
    writer.write(record);
  }

  long size() {
    return file.count() + writer.bufferedBytes();
  }

  long opened() {
    return opened;
  }

  /** Completes the file. */
  PartCommit.Publish finish() throws IOException {
    writer.finish();
    writer.close();
    out.close();
    return new PartCommit.Publish(pending.toString(), part.toString());
  }

  /** Deletes the file. */
  void discard(FileSystem files) throws IOException {
    try {
      writer.close();
    } finally {
      try {
        // Past the compression, whose end is of no use.
        file.close();
      } finally {
        files.delete(pending);
      }
    }
  }
}

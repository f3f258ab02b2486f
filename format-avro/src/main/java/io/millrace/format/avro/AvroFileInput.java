package io.millrace.format.avro;

import io.millrace.connector.files.FileRange;
import java.io.IOException;
import java.io.InputStream;
import org.apache.avro.file.SeekableInput;

/** A file as Avro reads it. File systems open files at an offset, so a seek opens it again. */
final class AvroFileInput implements SeekableInput {
  private final FileRange range;
  private final long length;
  private InputStream in;
  private long position;

  AvroFileInput(FileRange range) throws IOException {
    this.range = range;
    this.length = range.length();
  }

  @Override
  public void seek(long to) throws IOException {
    if (to != position) {
      close();
      position = to;
    }
  }

  @Override
  public long tell() {
    return position;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public int read(byte[] to, int offset, int count) throws IOException {
    if (in == null) {
      in = range.open(position);
    }
    int read = in.read(to, offset, count);
    if (read > 0) {
      position += read;
    }
    return read;
  }

  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
      in = null;
    }
  }
}

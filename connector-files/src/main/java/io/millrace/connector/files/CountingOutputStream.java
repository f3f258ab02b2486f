package io.millrace.connector.files;

import java.io.IOException;
import java.io.OutputStream;

/** Counts the bytes that reach a file. */
final class CountingOutputStream extends OutputStream {
  private final OutputStream out;
  private long count;

  CountingOutputStream(OutputStream out) {
    this.out = out;
  }

  long count() {
    return count;
  }

  @Override
  public void write(int b) throws IOException {
    out.write(b);
    count++;
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    out.write(from, offset, length);
    count += length;
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}

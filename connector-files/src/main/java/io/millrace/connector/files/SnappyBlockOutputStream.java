package io.millrace.connector.files;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.xerial.snappy.Snappy;

/** Writes Snappy in Hadoop's blocks, see {@link SnappyBlockInputStream}. A block has one chunk. */
final class SnappyBlockOutputStream extends OutputStream {
  private static final int BLOCK = 256 * 1024;

  private final DataOutputStream out;
  private final byte[] block = new byte[BLOCK];
  private final byte[] compressed = new byte[Snappy.maxCompressedLength(BLOCK)];
  private int size;
  private boolean closed;

  SnappyBlockOutputStream(OutputStream out) {
    this.out = new DataOutputStream(out);
  }

  @Override
  public void write(int b) throws IOException {
    if (size == BLOCK) {
      writeBlock();
    }
    block[size++] = (byte) b;
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    int at = offset;
    int left = length;
    while (left > 0) {
      if (size == BLOCK) {
        writeBlock();
      }
      int count = Math.min(left, BLOCK - size);
      System.arraycopy(from, at, block, size, count);
      size += count;
      at += count;
      left -= count;
    }
  }

  private void writeBlock() throws IOException {
    if (size == 0) {
      return;
    }
    int length = Snappy.compress(block, 0, size, compressed, 0);
    out.writeInt(size);
    out.writeInt(length);
    out.write(compressed, 0, length);
    size = 0;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (out) {
      writeBlock();
    }
  }
}

package io.millrace.connector.files;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.xerial.snappy.Snappy;

/**
 * Reads Snappy in Hadoop's blocks: the uncompressed length of a block, then chunks, each behind its
 * compressed length, until the block is complete. Lengths are big-endian.
 */
final class SnappyBlockInputStream extends InputStream {
  /** More than any writer uses; a length above is no length. */
  private static final int LARGEST = 64 << 20;

  private final InputStream in;
  private byte[] compressed = new byte[0];
  private byte[] content = new byte[0];
  private int position;
  private int limit;

  /** The bytes of the current block that were not decompressed yet. */
  private int left;

  SnappyBlockInputStream(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    return fill() ? content[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, to.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, limit - position);
    System.arraycopy(content, position, to, offset, count);
    position += count;
    return count;
  }

  private boolean fill() throws IOException {
    while (position == limit) {
      if (left == 0) {
        byte[] header = in.readNBytes(Integer.BYTES);
        if (header.length == 0) {
          return false;
        }
        left = length(header);
      } else {
        chunk();
      }
    }
    return true;
  }

  private void chunk() throws IOException {
    int length = length(in.readNBytes(Integer.BYTES));
    if (compressed.length < length) {
      compressed = new byte[length];
    }
    if (in.readNBytes(compressed, 0, length) < length) {
      throw new EOFException("The file ends inside a block of Snappy");
    }
    int size = Snappy.uncompressedLength(compressed, 0, length);
    if (size > left || size <= 0) {
      throw new StreamCorruptedException("A chunk of Snappy does not fit into its block");
    }
    if (content.length < size) {
      content = new byte[size];
    }
    position = 0;
    limit = Snappy.uncompress(compressed, 0, length, content, 0);
    left -= size;
  }

  private static int length(byte[] header) throws IOException {
    if (header.length < Integer.BYTES) {
      throw new EOFException("The file ends inside a block of Snappy");
    }
    int length = ByteBuffer.wrap(header).getInt();
    if (length < 0 || length > LARGEST) {
      throw new StreamCorruptedException("The file is not Snappy in Hadoop's blocks");
    }
    return length;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

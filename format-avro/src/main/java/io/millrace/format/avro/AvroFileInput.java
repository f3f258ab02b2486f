package io.millrace.format.avro;

import io.millrace.connector.files.FileRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.avro.file.SeekableInput;

/**
 * A file as Avro reads it. File systems open files at an offset, so a seek opens it again. The last
 * bytes are kept, so that the head of a block can be looked at before Avro trusts it.
 */
final class AvroFileInput implements SeekableInput {
  /** More than what Avro and this class read ahead together. */
  private static final int KEPT = 32 * 1024;

  /** Avro looks for markers byte by byte. */
  private static final int READ_AHEAD = 8 * 1024;

  /** Two numbers of at most ten bytes. */
  private static final int LONGEST_HEAD = 20;

  private static final int SYNC_MARKER = 16;

  private final FileRange range;
  private final long length;
  private InputStream in;
  private long position;

  /** Bytes of the file up to the place of {@link #in}, some of them perhaps behind the position. */
  private final byte[] window = new byte[2 * KEPT];

  private long windowStart;
  private int windowSize;

  AvroFileInput(FileRange range) throws IOException {
    this.range = range;
    this.length = range.length();
  }

  @Override
  public void seek(long to) throws IOException {
    if (to != position) {
      close();
      position = to;
      windowStart = to;
      windowSize = 0;
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
    int ahead = (int) (windowStart + windowSize - position);
    if (ahead == 0 && count < READ_AHEAD) {
      byte[] some = new byte[READ_AHEAD];
      ahead = readOn(some, 0, READ_AHEAD);
      if (ahead < 0) {
        return -1;
      }
    }
    int read;
    if (ahead > 0) {
      read = Math.min(ahead, count);
      System.arraycopy(window, windowSize - ahead, to, offset, read);
    } else {
      read = readOn(to, offset, count);
    }
    if (read > 0) {
      position += read;
    }
    return read;
  }

  private int readOn(byte[] to, int offset, int count) throws IOException {
    if (in == null) {
      in = range.open(windowStart + windowSize);
    }
    int read = in.read(to, offset, count);
    if (read > 0) {
      keep(to, offset, read);
    }
    return read;
  }

  private void keep(byte[] bytes, int offset, int count) {
    int added = Math.min(count, KEPT);
    if (windowSize + added > window.length || added < count) {
      int left = added < count ? 0 : Math.min(windowSize, KEPT);
      System.arraycopy(window, windowSize - left, window, 0, left);
      windowStart += windowSize - left + (count - added);
      windowSize = left;
    }
    System.arraycopy(bytes, offset + count - added, window, windowSize, added);
    windowSize += added;
  }

  /**
   * Checks the size that a block claims to have: Avro reads that many bytes at once.
   *
   * @param at the start of a block, at most as far behind the position as Avro reads ahead
   */
  void checkBlock(long at) throws IOException {
    byte[] some = new byte[LONGEST_HEAD];
    while (windowStart + windowSize < Math.min(length, at + LONGEST_HEAD)
        && readOn(some, 0, LONGEST_HEAD) >= 0) {
      // Until the head is in the window.
    }
    int next = (int) (at - windowStart);
    long size = 0;
    for (int number = 0; number < 2; number++) {
      size = 0;
      int shift = 0;
      byte each;
      do {
        if (next >= windowSize) {
          // The head is not complete: Avro notices that.
          return;
        }
        each = window[next++];
        size |= (each & 0x7fL) << shift;
        shift += 7;
      } while (each < 0 && shift < 64);
    }
    // Zigzag.
    size = size >>> 1 ^ -(size & 1);
    long left = length - (windowStart + next) - SYNC_MARKER;
    if (size < 0 || size > left) {
      throw new EOFException(
          "The block at byte "
              + at
              + " has "
              + size
              + " bytes by its own account, but the file has only "
              + Math.max(0, left)
              + " more: it is cut short or damaged.");
    }
  }

  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
      in = null;
    }
  }
}

package io.millrace.dataplane.records;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Reads the bytes of a {@link ByteArrayOutput}; throws at the end of the input. */
public final class ByteArrayInput {
  final byte[] bytes;
  final int end;
  int position;

  public ByteArrayInput(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.position = from;
    this.end = to;
  }

  public int remaining() {
    return end - position;
  }

  /** The array that {@link #take} gives offsets of. */
  public byte[] array() {
    return bytes;
  }

  /** Skips some bytes; returns their offset in the array. */
  public int take(int length) {
    if (length < 0 || length > end - position) {
      throw new MillraceException(
          ErrorKind.BUG,
          "A batch of records is truncated: " + length + " bytes needed, " + remaining() + " left");
    }
    int at = position;
    position += length;
    return at;
  }

  public int readByte() {
    return bytes[take(1)];
  }

  int readShort() {
    int at = take(2);
    return (bytes[at] & 0xff) | bytes[at + 1] << 8;
  }

  public int readInt() {
    int at = take(4);
    return (bytes[at] & 0xff)
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | bytes[at + 3] << 24;
  }

  public long readLong() {
    long low = readInt() & 0xffffffffL;
    return low | (long) readInt() << 32;
  }

  public int readVarInt() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = readByte();
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new MillraceException(ErrorKind.BUG, "A batch of records contains a malformed number");
  }

  public long readVarLong() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int next = readByte();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value >>> 1 ^ -(value & 1);
      }
    }
    throw new MillraceException(ErrorKind.BUG, "A batch of records contains a malformed number");
  }
}

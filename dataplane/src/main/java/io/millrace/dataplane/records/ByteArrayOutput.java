package io.millrace.dataplane.records;

import io.millrace.core.Bytes;
import java.util.Arrays;

/** A growing, reusable byte array. Little-endian. */
public final class ByteArrayOutput {
  /** The maximum size that is kept between uses, so that a large batch is not held for ever. */
  private static final int MAX_KEPT = 1 << 20;

  byte[] bytes = new byte[4096];
  int size;

  public int size() {
    return size;
  }

  /** The bytes up to {@link #size}; valid until the next write. */
  public byte[] array() {
    return bytes;
  }

  /** A copy of the bytes. */
  public byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  public Bytes toBytes() {
    return Bytes.copyOf(bytes, 0, size);
  }

  public void clear() {
    size = 0;
    if (bytes.length > MAX_KEPT) {
      bytes = new byte[4096];
    }
  }

  void truncate(int to) {
    size = to;
  }

  void reserve(int more) {
    int needed = Math.addExact(size, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, 1 << 30)));
    }
  }

  public void putByte(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  void putShort(int value) {
    reserve(2);
    bytes[size++] = (byte) value;
    bytes[size++] = (byte) (value >>> 8);
  }

  public void putInt(int value) {
    reserve(4);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  public void putLong(long value) {
    reserve(8);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  public void putVarInt(int value) {
    reserve(5);
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Reserves bytes that the caller writes into {@link #array}; returns their offset. */
  public int claim(int length) {
    reserve(length);
    int at = size;
    size += length;
    return at;
  }

  /** Writes a long in zigzag encoding: numbers near 0 take few bytes. */
  public void putVarLong(long value) {
    reserve(10);
    long rest = value << 1 ^ value >> 63;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  public void putBytes(byte[] from, int offset, int length) {
    reserve(length);
    System.arraycopy(from, offset, bytes, size, length);
    size += length;
  }
}

package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the bytes of one message. Grows up to the limit of the codec. */
final class WireWriter {
  /** The size of the longest varint. */
  private static final int MAX_VARINT = 10;

  private final Class<?> message;
  private final int maxBytes;
  private byte[] bytes;
  private int length;
  private int depth;

  WireWriter(Class<?> message, int maxBytes) {
    this.message = message;
    this.maxBytes = maxBytes;
    this.bytes = new byte[Math.min(256, maxBytes)];
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  void enter() {
    if (++depth > RecordCodec.MAX_DEPTH) {
      throw new MillraceException(
          ErrorKind.BUG,
          "A "
              + message.getName()
              + " has records nested deeper than "
              + RecordCodec.MAX_DEPTH
              + ". Send it in flat parts.");
    }
  }

  void leave() {
    depth--;
  }

  void writeByte(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  /** An unsigned varint: seven bits per byte, lowest first. */
  void writeVarint(long value) {
    long rest = value;
    if (bytes.length - length < MAX_VARINT) {
      reserve(Math.max(1, (Long.SIZE + 6 - Long.numberOfLeadingZeros(rest)) / 7));
    }
    // Local variables spare a load and a store of two fields per byte: random ids have ten bytes.
    byte[] to = bytes;
    int at = length;
    while ((rest & ~0x7fL) != 0) {
      to[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    to[at++] = (byte) rest;
    length = at;
  }

  /** A signed number in zigzag encoding, so that small negative numbers are short. */
  void writeLong(long value) {
    writeVarint(value << 1 ^ value >> 63);
  }

  void writeInt(int value) {
    writeVarint((value << 1 ^ value >> 31) & 0xffffffffL);
  }

  void writeFixed(long value, int size) {
    reserve(size);
    for (int i = 0; i < size; i++) {
      bytes[length++] = (byte) (value >>> 8 * i);
    }
  }

  void writeBytes(byte[] value) {
    writeVarint(value.length);
    reserve(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
  }

  /** Text as UTF-8. An unpaired surrogate becomes a question mark. */
  void writeString(String value) {
    writeBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  private void reserve(int more) {
    if (more > maxBytes - length) {
      throw new MillraceException(
          ErrorKind.BUG,
          "A "
              + message.getName()
              + " is larger than the maximum of "
              + maxBytes
              + " bytes per message. Send data of this size as a blob.");
    }
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.min(maxBytes, Math.max(length + more, 2 * bytes.length)));
    }
  }
}

package io.millrace.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes of one message being read. Nothing is allocated on the word of a length that the remaining
 * bytes could not fill.
 */
final class WireReader {
  private final byte[] bytes;
  private final int start;
  private final int end;
  private int next;
  private int depth;

  WireReader(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.next = start;
  }

  CodecException failure(String what) {
    return failure(what, null);
  }

  CodecException failure(String what, Throwable cause) {
    return new CodecException(what, next - start, cause);
  }

  void enter() {
    if (++depth > RecordCodec.MAX_DEPTH) {
      throw failure("records nest more than " + RecordCodec.MAX_DEPTH + " deep");
    }
  }

  void leave() {
    depth--;
  }

  int remaining() {
    return end - next;
  }

  byte readByte() {
    if (next == end) {
      throw failure("the message ends in the middle of a value");
    }
    return bytes[next++];
  }

  /** A byte that says one of {@code choices} things. */
  int readChoice(int choices, String what) {
    int choice = readByte() & 0xff;
    if (choice >= choices) {
      throw failure(choice + " is no " + what);
    }
    return choice;
  }

  /** Refuses numbers padded with zeroes: a value has one encoding, so digests can be compared. */
  long readVarint() {
    if (next < end && bytes[next] >= 0) {
      return bytes[next++];
    }
    long result = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      byte part = readByte();
      result |= (long) (part & 0x7f) << shift;
      if (part >= 0) {
        if (part == 0 && shift > 0) {
          throw failure("a number is padded");
        }
        return result;
      }
    }
    if (readByte() != 1) {
      throw failure("a number has more than 64 bits");
    }
    return result | 1L << 63;
  }

  long readLong() {
    long folded = readVarint();
    return folded >>> 1 ^ -(folded & 1);
  }

  int readInt() {
    long folded = readVarint();
    if (folded >>> 32 != 0) {
      throw failure("a number has more than 32 bits");
    }
    return (int) (folded >>> 1 ^ -(folded & 1));
  }

  short readShort() {
    int value = readInt();
    if (value != (short) value) {
      throw failure("a number has more than 16 bits");
    }
    return (short) value;
  }

  long readFixed(int size) {
    if (size > remaining()) {
      throw failure("the message ends in the middle of a value");
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value |= (bytes[next++] & 0xffL) << 8 * i;
    }
    return value;
  }

  /** A number of elements, each of which takes at least {@code bytesEach} of what remains. */
  int readCount(int bytesEach) {
    long count = readVarint();
    if (count < 0 || count > remaining() / bytesEach) {
      throw failure(
          Long.toUnsignedString(count) + " elements are promised in " + remaining() + " bytes");
    }
    return (int) count;
  }

  byte[] readBytes() {
    int count = readCount(1);
    next += count;
    return Arrays.copyOfRange(bytes, next - count, next);
  }

  String readString() {
    int count = readCount(1);
    if (isAscii(count)) {
      next += count;
      return new String(bytes, next - count, count, StandardCharsets.ISO_8859_1);
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, next, count))
              .toString();
      next += count;
      return text;
    } catch (CharacterCodingException e) {
      throw failure("a text is not UTF-8", e);
    }
  }

  /** Most text is; it needs no decoder then. */
  private boolean isAscii(int count) {
    for (int i = next; i < next + count; i++) {
      if (bytes[i] < 0) {
        return false;
      }
    }
    return true;
  }

  void expectEnd() {
    if (next != end) {
      throw failure(remaining() + " bytes follow the message");
    }
  }
}

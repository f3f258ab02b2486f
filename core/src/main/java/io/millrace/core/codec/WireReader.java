package io.millrace.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the bytes of one message. A length is checked against the remaining bytes before memory is
 * allocated for it.
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
      throw failure("records are nested deeper than " + RecordCodec.MAX_DEPTH);
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

  /** A byte with one of {@code choices} values. */
  int readChoice(int choices, String what) {
    int choice = readByte() & 0xff;
    if (choice >= choices) {
      throw failure(choice + " is not a valid " + what);
    }
    return choice;
  }

  /**
   * Rejects numbers padded with zeroes: a value has exactly one encoding, so that digests can be
   * compared.
   */
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

  /**
   * The number of elements, each of which takes at least {@code bytesEach} of the remaining bytes.
   */
  int readCount(int bytesEach) {
    long count = readVarint();
    if (count < 0 || count > remaining() / bytesEach) {
      throw failure(
          Long.toUnsignedString(count) + " elements do not fit into " + remaining() + " bytes");
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

  /** ASCII text needs no decoder. */
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

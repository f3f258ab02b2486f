package io.millrace.core.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encodes values in DER (distinguished encoding rules), as far as certificates need it. */
final class DerEncoder {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private static final int MAX_SHORT_LENGTH = 127;

  private DerEncoder() {}

  static byte[] sequence(byte[]... parts) {
    return value(0x30, parts);
  }

  static byte[] set(byte[]... parts) {
    return value(0x31, parts);
  }

  static byte[] tagged(int tag, byte[] content) {
    return value(0xa0 | tag, content);
  }

  /** An implicitly tagged value. */
  static byte[] implicit(int tag, byte[] content) {
    return value(0x80 | tag, content);
  }

  static byte[] booleanTrue() {
    return value(0x01, new byte[] {(byte) 0xff});
  }

  static byte[] octets(byte[] content) {
    return value(0x04, content);
  }

  static byte[] integer(BigInteger number) {
    return value(0x02, number.toByteArray());
  }

  static byte[] text(String text) {
    return value(0x0c, text.getBytes(StandardCharsets.UTF_8));
  }

  /** UTCTime before 2050, GeneralizedTime from 2050 on, as RFC 5280 requires. */
  static byte[] time(Instant time) {
    String text = TIME.format(time);
    return text.compareTo("2050") < 0
        ? value(0x17, text.substring(2).getBytes(StandardCharsets.US_ASCII))
        : value(0x18, text.getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] bits(byte[] whole) {
    return value(0x03, new byte[] {0}, whole);
  }

  /**
   * A bit string of flags, the first flag in the highest bit of one byte; trailing zero bits are
   * omitted.
   */
  static byte[] flags(int flags) {
    return value(
        0x03, new byte[] {(byte) Integer.numberOfTrailingZeros(flags)}, new byte[] {(byte) flags});
  }

  static byte[] objectId(int first, int second, int... others) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(first * 40 + second);
    for (int number : others) {
      int shift = 28;
      while (shift > 0 && number >>> shift == 0) {
        shift -= 7;
      }
      for (; shift > 0; shift -= 7) {
        content.write(0x80 | (number >>> shift & 0x7f));
      }
      content.write(number & 0x7f);
    }
    return value(0x06, content.toByteArray());
  }

  private static byte[] value(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length <= MAX_SHORT_LENGTH) {
      out.write(length);
    } else {
      byte[] digits = BigInteger.valueOf(length).toByteArray();
      int start = digits[0] == 0 ? 1 : 0;
      out.write(0x80 | digits.length - start);
      out.write(digits, start, digits.length - start);
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}

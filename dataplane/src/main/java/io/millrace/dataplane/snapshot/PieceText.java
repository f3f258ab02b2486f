package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import java.nio.charset.StandardCharsets;

/** Strings and counts in the footer of a piece. */
final class PieceText {
  private PieceText() {}

  static void write(String text, ByteArrayOutput out) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.putVarInt(bytes.length);
    out.putBytes(bytes, 0, bytes.length);
  }

  static String read(ByteArrayInput in) {
    int length = in.readVarInt();
    return new String(in.array(), in.take(length), length, StandardCharsets.UTF_8);
  }

  /** The number of elements that follow, each of which takes at least a byte. */
  static int count(ByteArrayInput in) {
    int count = in.readVarInt();
    if (count < 0 || count > in.remaining()) {
      throw new IllegalArgumentException(
          count + " elements are announced in " + in.remaining() + " bytes");
    }
    return count;
  }
}

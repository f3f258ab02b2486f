package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Numbers and bytes are read as they were written, and never beyond their end. */
class ByteArraysTest {
  private static long number(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextInt(5) - 2L;
      case 2 -> 1L << random.nextInt(64);
      case 3 -> (1L << random.nextInt(64)) - 1;
      default -> -(1L << random.nextInt(64));
    };
  }

  @Test
  void whatIsWrittenIsReadInOrder() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      ByteArrayOutput out = new ByteArrayOutput();
      List<Object> written = new ArrayList<>();
      List<Integer> kinds = new ArrayList<>();
      for (int i = random.nextInt(60); i > 0; i--) {
        int kind = random.nextInt(6);
        long number = number(random);
        kinds.add(kind);
        switch (kind) {
          case 0 -> {
            out.putByte((int) number);
            written.add((int) (byte) number);
          }
          case 1 -> {
            out.putInt((int) number);
            written.add((int) number);
          }
          case 2 -> {
            out.putLong(number);
            written.add(number);
          }
          case 3 -> {
            out.putVarInt((int) number);
            written.add((int) number);
          }
          case 4 -> {
            out.putVarLong(number);
            written.add(number);
          }
          default -> {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            out.putVarInt(bytes.length);
            out.putBytes(bytes, 0, bytes.length);
            written.add(bytes);
          }
        }
      }
      // Not at the beginning of an array, and not to its end.
      byte[] array = new byte[out.size() + 9];
      System.arraycopy(out.array(), 0, array, 4, out.size());
      ByteArrayInput in = new ByteArrayInput(array, 4, 4 + out.size());
      for (int i = 0; i < kinds.size(); i++) {
        Object read =
            switch (kinds.get(i)) {
              case 0 -> (Object) in.readByte();
              case 1 -> (Object) in.readInt();
              case 2 -> (Object) in.readLong();
              case 3 -> (Object) in.readVarInt();
              case 4 -> (Object) in.readVarLong();
              default -> {
                int length = in.readVarInt();
                int at = in.take(length);
                yield Arrays.copyOfRange(in.array(), at, at + length);
              }
            };
        assertThat(read).as("seed %s, element %s", seed, i).isEqualTo(written.get(i));
      }
      assertThat(in.remaining()).as("seed %s", seed).isZero();
      assertThatThrownBy(in::readByte).isInstanceOf(MillraceException.class);
    }
  }

  @Test
  void nothingIsReadBeyondTheEnd() {
    byte[] bytes = new byte[20];
    Arrays.fill(bytes, (byte) 0xff);
    for (int length = 0; length < 12; length++) {
      int end = 5 + length;
      ByteArrayInput shorter = new ByteArrayInput(bytes, 5, end);
      for (int wrong : new int[] {length + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        assertThatThrownBy(() -> shorter.take(wrong))
            .isInstanceOf(MillraceException.class)
            .hasMessageContaining("truncated: " + wrong + " bytes needed");
      }
      assertThat(shorter.remaining()).as("a refused read takes nothing").isEqualTo(length);
      // Each byte says that another one follows.
      assertThatThrownBy(() -> new ByteArrayInput(bytes, 5, end).readVarInt())
          .isInstanceOf(MillraceException.class);
      assertThatThrownBy(() -> new ByteArrayInput(bytes, 5, end).readVarLong())
          .isInstanceOf(MillraceException.class);
    }
    assertThatThrownBy(() -> new ByteArrayInput(bytes, 0, 20).readVarInt())
        .hasMessageContaining("malformed number");
    assertThatThrownBy(() -> new ByteArrayInput(bytes, 0, 20).readVarLong())
        .hasMessageContaining("malformed number");
  }
}

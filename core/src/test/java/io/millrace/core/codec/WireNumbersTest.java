package io.millrace.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.error.MillraceException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers and lengths on the wire: one encoding each, and nothing read beyond the end. */
class WireNumbersTest {
  @ParameterizedTest
  @CsvSource({
    "0, 00",
    "-1, 01",
    "1, 02",
    "63, 7e",
    "-64, 7f",
    "64, 8001",
    "2147483647, feffffff0f",
    "-2147483648, ffffffff0f",
  })
  void smallIntsAreShortInBothSigns(int number, String bytes) {
    assertThat(written(out -> out.writeInt(number))).isEqualTo(bytes);
    assertThat(reader(bytes).readInt()).isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775807, feffffffffffffffff01",
    "-9223372036854775808, ffffffffffffffffff01",
  })
  void extremeLongsTakeTenBytes(long number, String bytes) {
    assertThat(written(out -> out.writeLong(number))).isEqualTo(bytes);
    assertThat(reader(bytes).readLong()).isEqualTo(number);
  }

  @Test
  void anyNumberIsReadAsItWasWritten() {
    for (int seed = 0; seed < 2_000; seed++) {
      long number = new Random(seed).nextLong() >> new Random(seed + 1).nextInt(64);
      String bytes =
          written(
              out -> {
                out.writeLong(number);
                out.writeInt((int) number);
                out.writeFixed(number, 8);
                out.writeVarint(number);
              });
      WireReader in = reader(bytes);

      assertThat(in.readLong()).as("seed %d", seed).isEqualTo(number);
      assertThat(in.readInt()).as("seed %d", seed).isEqualTo((int) number);
      assertThat(in.readFixed(8)).as("seed %d", seed).isEqualTo(number);
      assertThat(in.readVarint()).as("seed %d", seed).isEqualTo(number);
      in.expectEnd();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"8000", "808000", "ff00", "808080808080808000"})
  void paddedNumbersAreRefused(String bytes) {
    refused("a number is padded", () -> reader(bytes).readVarint());
  }

  @ParameterizedTest
  @ValueSource(strings = {"80808080808080808000", "80808080808080808002", "ffffffffffffffffff81"})
  void numbersOfMoreThan64BitsAreRefused(String bytes) {
    refused("a number has more than 64 bits", () -> reader(bytes).readVarint());
  }

  @Test
  void numbersTooLargeForTheirTypeAreRefused() {
    refused("a number has more than 32 bits", () -> reader("8080808010").readInt());
    String above = written(out -> out.writeInt(Short.MAX_VALUE + 1));
    refused("a number has more than 16 bits", () -> reader(above).readShort());
    String below = written(out -> out.writeInt(Short.MIN_VALUE - 1));
    refused("a number has more than 16 bits", () -> reader(below).readShort());
    String lowest = written(out -> out.writeInt(Short.MIN_VALUE));
    assertThat(reader(lowest).readShort()).isEqualTo(Short.MIN_VALUE);
  }

  @Test
  void choiceIsBelowTheNumberOfChoices() {
    assertThat(reader("02").readChoice(3, "flag")).isEqualTo(2);
    refused("3 is not a valid flag", () -> reader("03").readChoice(3, "flag"));
    refused("255 is not a valid flag", () -> reader("ff").readChoice(3, "flag"));
  }

  @Test
  void lengthIsCheckedBeforeMemoryIsAllocated() {
    refused("elements do not fit into 1 bytes", () -> reader("ffffffff0700").readBytes());
    refused("2 elements do not fit into 1 bytes", () -> reader("0200").readBytes());
    refused("18446744073709551615 elements", () -> reader("ffffffffffffffffff01").readCount(1));
    assertThat(reader("0100").readBytes()).containsExactly(0);
    assertThat(reader("020000000000000000").readCount(4)).isEqualTo(2);
    refused("3 elements do not fit into 8 bytes", () -> reader("030000000000000000").readCount(4));
  }

  @Test
  void nothingIsReadBeyondTheEnd() {
    refused("ends in the middle of a value", () -> reader("").readByte());
    refused("ends in the middle of a value", () -> reader("80").readVarint());
    refused("ends in the middle of a value", () -> reader("00000000").readFixed(8));
    refused("1 bytes follow the message", () -> reader("00").expectEnd());
  }

  /** Other messages may follow in the same array. */
  @Test
  void readerStaysInItsRange() {
    byte[] bytes = {9, 2, 65, 66, 67};
    WireReader in = new WireReader(bytes, 1, 4);

    assertThat(in.readString()).isEqualTo("AB");
    in.expectEnd();
    WireReader cut = new WireReader(bytes, 1, 3);
    refused("2 elements do not fit into 1 bytes", cut::readString);
  }

  @Test
  void errorTellsTheOffsetInTheMessage() {
    WireReader in = new WireReader(new byte[] {0, 0, 1, 7, 7}, 2, 5);
    in.readByte();

    refused("2 bytes follow the message", in::expectEnd);
    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(in::expectEnd)
        .withMessageContaining("byte 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"01ff", "02c080", "03eda080", "04f4908080"})
  void malformedTextIsRefused(String bytes) {
    refused("a text is not UTF-8", () -> reader(bytes).readString());
  }

  @Test
  void textsOfAllPlanesAreKept() {
    for (String text : List.of("", "plain", "\u0000", "\u00e9", "\u4e2d", "\ud83d\ude00 end")) {
      assertThat(reader(written(out -> out.writeString(text))).readString()).isEqualTo(text);
    }
  }

  @Test
  void writerTakesExactlyItsLimit() {
    WireWriter full = new WireWriter(WireNumbersTest.class, 300);
    full.writeBytes(new byte[298]);
    assertThat(full.toBytes()).hasSize(300);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> full.writeByte(1))
        .withMessage(
            "A "
                + WireNumbersTest.class.getName()
                + " is larger than the maximum of 300 bytes per message. Send data of this size as"
                + " a blob.");
    WireWriter small = new WireWriter(WireNumbersTest.class, 2);
    small.writeVarint(300);
    assertThatExceptionOfType(MillraceException.class).isThrownBy(() -> small.writeVarint(0));
  }

  @Test
  void nestingIsBoundedOnBothSides() {
    WireReader in = reader("");
    WireWriter out = new WireWriter(WireNumbersTest.class, 10);
    for (int i = 0; i < RecordCodec.MAX_DEPTH; i++) {
      in.enter();
      out.enter();
    }
    refused("records are nested deeper than 64", in::enter);
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(out::enter)
        .withMessageContaining("nested deeper than 64");

    WireReader beside = reader("");
    for (int i = 0; i < 1_000; i++) {
      beside.enter();
      beside.leave();
    }
  }

  private static void refused(String message, Runnable read) {
    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(read::run)
        .withMessageContaining(message);
  }

  private static WireReader reader(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    return new WireReader(bytes, 0, bytes.length);
  }

  private static String written(Consumer<WireWriter> write) {
    WireWriter out = new WireWriter(WireNumbersTest.class, 1_000);
    write.accept(out);
    return HexFormat.of().formatHex(out.toBytes());
  }
}

package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encodings as ITU-T X.690 and RFC 5280 give them. */
class DerEncoderTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0400",
    "1, 0401",
    "127, 047f",
    "128, 048180",
    "255, 0481ff",
    "256, 04820100",
    "65535, 0482ffff",
    "65536, 0483010000",
  })
  void lengthTakesAsFewBytesAsItCan(int length, String head) {
    byte[] encoded = DerEncoder.octets(new byte[length]);

    assertThat(hex(encoded)).startsWith(head);
    assertThat(encoded).hasSize(head.length() / 2 + length);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 020100",
    "127, 02017f",
    "128, 02020080",
    "256, 02020100",
    "-1, 0201ff",
    "-128, 020180",
    "65537, 0203010001",
  })
  void integersAreInTwosComplementAndShortest(long number, String encoded) {
    assertThat(hex(DerEncoder.integer(BigInteger.valueOf(number)))).isEqualTo(encoded);
  }

  @Test
  void objectIdsHaveSevenBitsAByte() {
    // ecdsa-with-SHA256, rsaEncryption, commonName, basicConstraints.
    assertThat(hex(DerEncoder.objectId(1, 2, 840, 10045, 4, 3, 2)))
        .isEqualTo("06082a8648ce3d040302");
    assertThat(hex(DerEncoder.objectId(1, 2, 840, 113549, 1, 1, 1)))
        .isEqualTo("06092a864886f70d010101");
    assertThat(hex(DerEncoder.objectId(2, 5, 4, 3))).isEqualTo("0603550403");
    assertThat(hex(DerEncoder.objectId(2, 5, 29, 19))).isEqualTo("0603551d13");
    assertThat(hex(DerEncoder.objectId(1, 3, 0, 127, 128, 16383, 16384)))
        .isEqualTo("060a2b007f8100ff7f818000");
    assertThat(hex(DerEncoder.objectId(1, 3, Integer.MAX_VALUE))).isEqualTo("06062b87ffffff7f");
  }

  /** RFC 5280, 4.1.2.5: UTCTime through the year 2049, GeneralizedTime from 2050 on. */
  @ParameterizedTest
  @CsvSource({
    "2026-11-17T09:43:51Z, 23, 261117094351Z",
    "2049-12-31T23:59:59Z, 23, 491231235959Z",
    "2050-01-01T00:00:00Z, 24, 20500101000000Z",
    "2126-02-28T12:00:00.987Z, 24, 21260228120000Z",
  })
  void timesHaveTheFormOfTheirYear(Instant time, int tag, String text) {
    byte[] encoded = DerEncoder.time(time);

    assertThat(encoded[0]).isEqualTo((byte) tag);
    assertThat(new String(encoded, 2, encoded.length - 2, StandardCharsets.US_ASCII))
        .isEqualTo(text);
  }

  /** RFC 5280, 4.2.1.3: trailing zero bits of a list of flags are left out. */
  @ParameterizedTest
  @CsvSource({"128, 03020780", "6, 03020106", "160, 030205a0", "1, 03020001"})
  void flagsCountTheirUnusedBits(int flags, String encoded) {
    assertThat(hex(DerEncoder.flags(flags))).isEqualTo(encoded);
  }

  @Test
  void valuesHaveTheirTags() {
    byte[] one = {1};
    assertThat(hex(DerEncoder.booleanTrue())).isEqualTo("0101ff");
    assertThat(hex(DerEncoder.text("A"))).isEqualTo("0c0141");
    assertThat(hex(DerEncoder.text("\u00e9"))).isEqualTo("0c02c3a9");
    assertThat(hex(DerEncoder.bits(one))).isEqualTo("03020001");
    assertThat(hex(DerEncoder.set(DerEncoder.booleanTrue()))).isEqualTo("31030101ff");
    assertThat(hex(DerEncoder.sequence())).isEqualTo("3000");
    assertThat(hex(DerEncoder.sequence(DerEncoder.text("A"), DerEncoder.booleanTrue())))
        .isEqualTo("30060c01410101ff");
    assertThat(hex(DerEncoder.tagged(3, one))).isEqualTo("a30101");
    assertThat(hex(DerEncoder.implicit(1, one))).isEqualTo("810101");
  }

  @Test
  void nameIsReadByTheJdk() {
    byte[] name =
        DerEncoder.sequence(
            DerEncoder.set(
                DerEncoder.sequence(
                    DerEncoder.objectId(2, 5, 4, 3), DerEncoder.text("Millrace \u00e9"))));

    assertThat(new X500Principal(name).getName()).isEqualTo("CN=Millrace \u00e9");
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

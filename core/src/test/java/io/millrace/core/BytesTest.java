package io.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.id.BlobKey;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {
  private static final Bytes ABC = Bytes.utf8("abc");

  @Test
  void equalContentIsEqual() {
    assertThat(ABC)
        .isEqualTo(Bytes.wrap(new byte[] {97, 98, 99}))
        .hasSameHashCodeAs(Bytes.wrap(new byte[] {97, 98, 99}));
    assertThat(ABC).isNotEqualTo(Bytes.utf8("abd")).isNotEqualTo(Bytes.utf8("ab"));
    assertThat(ABC.equals((Object) "abc")).isFalse();
  }

  @Test
  void copyIsIndependentOfTheContent() {
    byte[] copy = ABC.toArray();
    copy[0] = 'x';

    assertThat(ABC).isEqualTo(Bytes.utf8("abc"));
    assertThat(ABC.unsafeArray()).isSameAs(ABC.unsafeArray());
  }

  @Test
  void sliceIsAPartFromAnIndexToBeforeAnother() {
    assertThat(ABC.slice(1, 3)).isEqualTo(Bytes.utf8("bc"));
    assertThat(ABC.slice(0, 3)).isEqualTo(ABC);
    assertThat(ABC.slice(2, 2)).isSameAs(Bytes.EMPTY);
    assertThatIllegalArgumentException().isThrownBy(() -> ABC.slice(2, 1));
    assertThatExceptionOfType(ArrayIndexOutOfBoundsException.class)
        .isThrownBy(() -> ABC.slice(4, 5));
  }

  @Test
  void nothingIsOneObject() {
    assertThat(Bytes.wrap(new byte[0])).isSameAs(Bytes.EMPTY);
    assertThat(Bytes.utf8("")).isSameAs(Bytes.EMPTY);
    assertThat(Bytes.EMPTY.isEmpty()).isTrue();
    assertThat(ABC.isEmpty()).isFalse();
    assertThat(ABC.length()).isEqualTo(3);
  }

  /** Messages are logged, and content may be a secret or large. */
  @Test
  void textHasTheLengthAndNotTheContent() {
    assertThat(Bytes.utf8("hunter2")).hasToString("Bytes[7]");
  }

  @Test
  void textIsUtf8() {
    assertThat(Bytes.utf8("\u00e9\ud83d\ude00").toArray())
        .isEqualTo("\u00e9\ud83d\ude00".getBytes(StandardCharsets.UTF_8));
  }

  /** The example of FIPS 180-2. */
  @Test
  void blobIsNamedByItsHash() {
    String hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    assertThat(HexFormat.of().formatHex(ABC.sha256())).isEqualTo(hash);
    assertThat(BlobKey.of(ABC)).hasToString(hash).isEqualTo(new BlobKey(hash));
    assertThat(BlobKey.of(Sha256.begin().digest(new byte[] {'a', 'b', 'c'})))
        .isEqualTo(BlobKey.of(ABC));
    assertThat(BlobKey.of(ABC)).isNotEqualTo(BlobKey.of(Bytes.EMPTY));
  }

  /** A key becomes the name of a file, so nothing but hex digits is one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015adf",
        "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "../../../../../../../../../../../../../../../../../etc/passwd000",
        "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      })
  void otherTextsAreNoKeysOfBlobs(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlobKey(text))
        .withMessage("A blob key must have 64 lower-case hex digits, but is '" + text + "'");
  }

  @Test
  void keysOfBlobsAreOrderedByTheirDigits() {
    BlobKey low = new BlobKey("0".repeat(64));
    BlobKey high = new BlobKey("f".repeat(64));

    assertThat(low).isLessThan(high).isEqualByComparingTo(new BlobKey("0".repeat(64)));
  }
}

package io.millrace.core.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof.Meeting;
import io.millrace.core.secret.SecretProof.Side;
import io.millrace.core.testing.Behaviour;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class SecretProofTest {
  private static final Bytes SECRET = Bytes.utf8("sixteen bytes or more");
  private final SecureRandom random = new SecureRandom();
  private final Bytes callerNonce = SecretProof.nonce(random);
  private final Bytes calledNonce = SecretProof.nonce(random);
  private final Meeting meeting =
      new Meeting("rpc", 1, "127.0.0.1:1", "127.0.0.1:2", callerNonce, calledNonce);

  @Test
  void proofsOfBothSidesAreValid() {
    for (Side side : Side.values()) {
      Bytes proof = SecretProof.of(SECRET, side, meeting);
      assertThat(proof.length()).isEqualTo(SecretProof.BYTES);
      assertThat(SecretProof.fits(SECRET, side, meeting, proof)).isTrue();
    }
  }

  @Test
  @Behaviour("I4: a process without the cluster's secret is refused")
  void proofFromAnotherSecretIsInvalid() {
    for (Side side : Side.values()) {
      Bytes proof = SecretProof.of(Bytes.utf8("sixteen bytes or morf"), side, meeting);
      assertThat(SecretProof.fits(SECRET, side, meeting, proof)).isFalse();
    }
  }

  @Test
  void reflectedProofIsInvalid() {
    Bytes called = SecretProof.of(SECRET, Side.CALLED, meeting);
    assertThat(SecretProof.fits(SECRET, Side.CALLER, meeting, called)).isFalse();

    // Also in a handshake with swapped sides and nonces.
    Meeting turned = new Meeting("rpc", 1, "127.0.0.1:2", "127.0.0.1:1", calledNonce, callerNonce);
    for (Side side : Side.values()) {
      assertThat(SecretProof.fits(SECRET, side, turned, called)).isFalse();
    }
  }

  @Test
  void proofOfAnEarlierHandshakeIsInvalid() {
    for (Side side : Side.values()) {
      Bytes earlier = SecretProof.of(SECRET, side, meeting);
      Meeting sameCaller =
          new Meeting(
              "rpc", 1, "127.0.0.1:1", "127.0.0.1:2", callerNonce, SecretProof.nonce(random));
      Meeting sameCalled =
          new Meeting(
              "rpc", 1, "127.0.0.1:1", "127.0.0.1:2", SecretProof.nonce(random), calledNonce);
      assertThat(SecretProof.fits(SECRET, side, sameCaller, earlier)).isFalse();
      assertThat(SecretProof.fits(SECRET, side, sameCalled, earlier)).isFalse();
    }
  }

  @Test
  void proofDependsOnAddressesProtocolAndVersion() {
    Bytes proof = SecretProof.of(SECRET, Side.CALLER, meeting);
    for (Meeting other :
        List.of(
            new Meeting("data", 1, "127.0.0.1:1", "127.0.0.1:2", callerNonce, calledNonce),
            new Meeting("rpc", 2, "127.0.0.1:1", "127.0.0.1:2", callerNonce, calledNonce),
            new Meeting("rpc", 1, "127.0.0.1:3", "127.0.0.1:2", callerNonce, calledNonce),
            new Meeting("rpc", 1, "127.0.0.1:1", "127.0.0.1:3", callerNonce, calledNonce),
            new Meeting("rpc", 1, "127.0.0.1:11", "27.0.0.1:2", callerNonce, calledNonce))) {
      assertThat(SecretProof.fits(SECRET, Side.CALLER, other, proof)).as("%s", other).isFalse();
    }
  }

  @Test
  void truncatedLengthenedOrChangedProofIsInvalid() {
    byte[] proof = SecretProof.of(SECRET, Side.CALLER, meeting).toArray();
    for (int length = 0; length < proof.length; length++) {
      assertThat(SecretProof.fits(SECRET, Side.CALLER, meeting, Bytes.copyOf(proof, 0, length)))
          .isFalse();
    }
    assertThat(SecretProof.fits(SECRET, Side.CALLER, meeting, Bytes.copyOf(proof, 0, 33)))
        .isFalse();
    for (int bit = 0; bit < proof.length * 8; bit++) {
      byte[] changed = proof.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(SecretProof.fits(SECRET, Side.CALLER, meeting, Bytes.wrap(changed))).isFalse();
    }
  }

  @Test
  void rejectsNoncesOfAnotherLengthAndTheEmptySecret() {
    for (int length : new int[] {0, 31, 33}) {
      Bytes nonce = Bytes.wrap(new byte[length]);
      assertThatThrownBy(() -> new Meeting("rpc", 1, "a", "b", nonce, calledNonce))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("32 bytes");
      assertThatThrownBy(() -> new Meeting("rpc", 1, "a", "b", callerNonce, nonce))
          .isInstanceOf(MillraceException.class);
    }
    assertThatThrownBy(() -> SecretProof.of(Bytes.EMPTY, Side.CALLER, meeting))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void rejectsAddressesThatMustNotBeLogged() {
    for (String address :
        List.of("", "a b:1", "a:1\nINFO all is well", "h\u00f6st:1", "a".repeat(256))) {
      assertThatThrownBy(() -> new Meeting("rpc", 1, address, "b:1", callerNonce, calledNonce))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("host:port");
      assertThatThrownBy(() -> new Meeting("rpc", 1, "a:1", address, callerNonce, calledNonce))
          .isInstanceOf(MillraceException.class);
    }
  }

  @Test
  void noncesDiffer() {
    assertThat(callerNonce).isNotEqualTo(calledNonce);
    assertThat(callerNonce.length()).isEqualTo(SecretProof.NONCE_BYTES);
  }

  /** The first two cases of RFC 4231. */
  @Test
  void computesTheHmacOfTheRfcTestVectors() {
    byte[] key = new byte[20];
    java.util.Arrays.fill(key, (byte) 0x0b);
    assertThat(HexFormat.of().formatHex(SecretProof.hmac(key, ascii("Hi There"))))
        .isEqualTo("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assertThat(
            HexFormat.of()
                .formatHex(SecretProof.hmac(ascii("Jefe"), ascii("what do ya want for nothing?"))))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void hmacEqualsThatOfTheJdkForKeysOfAnyLength() throws Exception {
    Random seeded = new Random(4231);
    for (int length = 1; length < 200; length++) {
      byte[] key = new byte[length];
      byte[] message = new byte[seeded.nextInt(300)];
      seeded.nextBytes(key);
      seeded.nextBytes(message);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      assertThat(SecretProof.hmac(key, message)).isEqualTo(mac.doFinal(message));
    }
  }
}

package io.millrace.core.secret;

import io.millrace.core.Bytes;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;

/**
 * Proof of knowledge of a shared secret that does not reveal it: HMAC-SHA256 over the transcript of
 * one handshake and the side that sends the proof.
 *
 * <p>The caller sends its nonce and both addresses. The called side answers with its nonce and its
 * proof. The caller verifies it and sends its own proof. Neither side reads anything else before it
 * has verified the proof of the other.
 */
public final class SecretProof {
  public static final int BYTES = 32;
  public static final int NONCE_BYTES = 32;

  /** The explanation of a wrong proof, for the user; part of a sentence. */
  public static final String DIFFERS =
      "the cluster secrets of the two processes differ: both must be given the same file, see "
          + SecurityOptions.CLUSTER_SECRET_FILE.key();

  private static final int MAX_ADDRESS_CHARS = 255;
  private static final int BLOCK_BYTES = 64;
  private static final byte INNER = 0x36;
  private static final byte OUTER = 0x5c;

  /**
   * The side that sends a proof. It is part of the proof, so that a proof cannot be reflected to
   * its sender.
   */
  public enum Side {
    CALLER("caller"),
    CALLED("called");

    private final String label;

    Side(String label) {
      this.label = label;
    }
  }

  /**
   * The transcript of the handshake of one connection.
   *
   * @param protocol the protocol, so that a proof for one port is not valid for another
   * @param caller the address at which the connecting side says it listens
   * @param called the address that the caller wants to reach and that the other side says it has
   */
  public record Meeting(
      String protocol,
      int version,
      String caller,
      String called,
      Bytes callerNonce,
      Bytes calledNonce) {
    public Meeting {
      Objects.requireNonNull(protocol);
      checkAddress(caller);
      checkAddress(called);
      checkNonce(callerNonce);
      checkNonce(calledNonce);
    }

    /** An address may come from an unauthenticated peer and is logged. */
    private static void checkAddress(String address) {
      boolean plain = !address.isEmpty() && address.length() <= MAX_ADDRESS_CHARS;
      for (int i = 0; plain && i < address.length(); i++) {
        plain = address.charAt(i) > ' ' && address.charAt(i) < 0x7f;
      }
      if (!plain) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "An address must be host:port with at most "
                + MAX_ADDRESS_CHARS
                + " ASCII characters.");
      }
    }

    private static void checkNonce(Bytes nonce) {
      if (nonce.length() != NONCE_BYTES) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "A nonce must have " + NONCE_BYTES + " bytes, but has " + nonce.length() + ".");
      }
    }
  }

  private SecretProof() {}

  /** A nonce; every connection needs a new one from each side. */
  public static Bytes nonce(SecureRandom random) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return Bytes.wrap(nonce);
  }

  /** The proof of the given side. */
  public static Bytes of(Bytes secret, Side side, Meeting meeting) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("The secret must not be empty");
    }
    return Bytes.wrap(hmac(secret.unsafeArray(), statement(side, meeting)));
  }

  /** Whether the proof of the given side is valid. */
  public static boolean fits(Bytes secret, Side side, Meeting meeting, Bytes shown) {
    // Constant time, so that a proof cannot be guessed byte by byte.
    return MessageDigest.isEqual(of(secret, side, meeting).unsafeArray(), shown.unsafeArray());
  }

  /** Every part with its length, so that the encoding is unambiguous. */
  private static byte[] statement(Side side, Meeting meeting) {
    byte[][] parts = {
      side.label.getBytes(StandardCharsets.UTF_8),
      meeting.protocol().getBytes(StandardCharsets.UTF_8),
      ByteBuffer.allocate(Integer.BYTES).putInt(meeting.version()).array(),
      meeting.caller().getBytes(StandardCharsets.UTF_8),
      meeting.called().getBytes(StandardCharsets.UTF_8),
      meeting.callerNonce().unsafeArray(),
      meeting.calledNonce().unsafeArray()
    };
    int size = 0;
    for (byte[] part : parts) {
      size += Integer.BYTES + part.length;
    }
    ByteBuffer statement = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      statement.putInt(part.length).put(part);
    }
    return statement.array();
  }

  /**
   * HMAC as in RFC 2104. The JDK's Mac initializes the cryptography framework, which takes about 70
   * ms at start-up.
   */
  static byte[] hmac(byte[] key, byte[] message) {
    MessageDigest digest = sha256();
    byte[] block = Arrays.copyOf(key.length > BLOCK_BYTES ? digest.digest(key) : key, BLOCK_BYTES);
    digest.update(masked(block, INNER));
    byte[] inner = digest.digest(message);
    digest.update(masked(block, OUTER));
    return digest.digest(inner);
  }

  private static byte[] masked(byte[] block, byte mask) {
    byte[] masked = new byte[block.length];
    for (int i = 0; i < block.length; i++) {
      masked[i] = (byte) (block[i] ^ mask);
    }
    return masked;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java runtime has SHA-256", e);
    }
  }
}

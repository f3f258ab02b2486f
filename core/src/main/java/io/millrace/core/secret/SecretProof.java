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
 * Evidence of knowing a secret that is worth nothing to whoever else sees it: HMAC-SHA256 over all
 * that makes one {@link Meeting} different from any other, and over the side that shows it.
 *
 * <p>The caller opens with its nonce and the two addresses. The called side answers with its own
 * nonce and its proof, and only where that fits does the caller show its proof. Neither reads
 * anything else before the other's proof fits.
 */
public final class SecretProof {
  public static final int BYTES = 32;
  public static final int NONCE_BYTES = 32;

  /** What to tell people when a proof does not fit; part of a sentence. */
  public static final String DIFFERS =
      "the cluster secrets of the two processes differ: both must be given the same file, see "
          + SecurityOptions.CLUSTER_SECRET_FILE.key();

  private static final int LONGEST_ADDRESS = 255;
  private static final int BLOCK_BYTES = 64;
  private static final byte INNER = 0x36;
  private static final byte OUTER = 0x5c;

  /** Who shows a proof. Each side's is another one, so that none can be sent back to its maker. */
  public enum Side {
    CALLER("caller"),
    CALLED("called");

    private final String label;

    Side(String label) {
      this.label = label;
    }
  }

  /**
   * One connection between two processes.
   *
   * @param protocol what is spoken, so that a proof for one port is none for another
   * @param caller the address at which the side that connected says it listens
   * @param called the address that the caller meant to reach and that the other side says it has
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

    /** An address may come from a stranger and end up in a log. */
    private static void checkAddress(String address) {
      boolean plain = !address.isEmpty() && address.length() <= LONGEST_ADDRESS;
      for (int i = 0; plain && i < address.length(); i++) {
        plain = address.charAt(i) > ' ' && address.charAt(i) < 0x7f;
      }
      if (!plain) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "An address is host:port in at most " + LONGEST_ADDRESS + " plain characters.");
      }
    }

    private static void checkNonce(Bytes nonce) {
      if (nonce.length() != NONCE_BYTES) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "A nonce has " + NONCE_BYTES + " bytes; one of " + nonce.length() + " came.");
      }
    }
  }

  private SecretProof() {}

  /** A number used once; every connection needs a fresh one from each side. */
  public static Bytes nonce(SecureRandom random) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return Bytes.wrap(nonce);
  }

  /** What the side shows the other in this meeting. */
  public static Bytes of(Bytes secret, Side side, Meeting meeting) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("Everybody knows the empty secret");
    }
    return Bytes.wrap(hmac(secret.unsafeArray(), statement(side, meeting)));
  }

  /** Whether what the side showed proves that it knows the secret. */
  public static boolean fits(Bytes secret, Side side, Meeting meeting, Bytes shown) {
    // In constant time, so that a proof cannot be found byte by byte.
    return MessageDigest.isEqual(of(secret, side, meeting).unsafeArray(), shown.unsafeArray());
  }

  /** Every part with its length, so that no two meetings read the same. */
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
   * RFC 2104 on top of the digest. The JDK's own Mac has to set up its cryptography framework
   * first, which takes a starting process some 70 ms; this takes a few.
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

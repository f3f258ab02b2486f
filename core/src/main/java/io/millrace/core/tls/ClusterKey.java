package io.millrace.core.tls;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Makes the key of a cluster: one that all its processes have and nobody else, with a certificate
 * that it signs itself. As key store and trust store alike it lets exactly those talk to each other
 * who were given it.
 */
public final class ClusterKey {
  /** What the key is called in its store. */
  private static final String ALIAS = "cluster";

  /** Clocks of machines differ. */
  private static final Duration SLACK = Duration.ofDays(1);

  /** Longer than any cluster lives: a key is never used for a second one. */
  private static final Duration LIFE = Duration.ofDays(3650);

  private ClusterKey() {}

  /**
   * A fresh one, as a file of type JKS under this password. The file belongs where only its owner
   * reads it, which the password does not make up for. The stronger type PKCS12 would: every start
   * of a process would spend most of a second on it.
   */
  public static byte[] create(String password, Instant now) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      KeyStore store = KeyStore.getInstance("JKS");
      store.load(null, null);
      Certificate certificate = certificate(pair, now);
      store.setKeyEntry(
          ALIAS, pair.getPrivate(), password.toCharArray(), new Certificate[] {certificate});
      store.setCertificateEntry(ALIAS + "-trusted", certificate);
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      store.store(file, password.toCharArray());
      return file.toByteArray();
    } catch (GeneralSecurityException | IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "This JVM cannot make a key for TLS: " + e.getMessage(), e);
    }
  }

  /** X.509, version 3, as RFC 5280 has it; the JVM writes none itself. */
  private static Certificate certificate(KeyPair pair, Instant now)
      throws GeneralSecurityException {
    byte[] algorithm = Der.sequence(Der.objectId(1, 2, 840, 10045, 4, 3, 2));
    byte[] name =
        Der.sequence(Der.set(Der.sequence(Der.objectId(2, 5, 4, 3), Der.text("Millrace cluster"))));
    byte[] content =
        Der.sequence(
            Der.tagged(0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(64, new SecureRandom()).setBit(0)),
            algorithm,
            name,
            Der.sequence(Der.time(now.minus(SLACK)), Der.time(now.plus(LIFE))),
            name,
            pair.getPublic().getEncoded());
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(pair.getPrivate());
    signature.update(content);
    byte[] whole = Der.sequence(content, algorithm, Der.bits(signature.sign()));
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(whole));
  }

  /** Values in the distinguished encoding rules, as far as a certificate needs them. */
  private static final class Der {
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final int LONGEST_SHORT_LENGTH = 127;

    private Der() {}

    static byte[] sequence(byte[]... parts) {
      return value(0x30, parts);
    }

    static byte[] set(byte[]... parts) {
      return value(0x31, parts);
    }

    static byte[] tagged(int tag, byte[] content) {
      return value(0xa0 | tag, content);
    }

    static byte[] integer(BigInteger number) {
      return value(0x02, number.toByteArray());
    }

    static byte[] text(String text) {
      return value(0x0c, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Of years from 2050 on; earlier ones are written with two digits. */
    static byte[] time(Instant time) {
      String text = TIME.format(time);
      return text.compareTo("2050") < 0
          ? value(0x17, text.substring(2).getBytes(StandardCharsets.US_ASCII))
          : value(0x18, text.getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] bits(byte[] whole) {
      return value(0x03, new byte[] {0}, whole);
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
      if (length <= LONGEST_SHORT_LENGTH) {
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
}

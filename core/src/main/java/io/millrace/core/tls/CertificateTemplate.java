package io.millrace.core.tls;

import io.millrace.core.OrderedCopies;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/**
 * The content of an X.509 version 3 certificate (RFC 5280). The JVM has no public API to create
 * one.
 *
 * @param issuer the owner of the signing key
 * @param subject the owner of the certified key
 * @param extensions the extensions, DER-encoded
 */
record CertificateTemplate(
    X500Principal issuer,
    X500Principal subject,
    PublicKey key,
    Instant from,
    Instant until,
    List<byte[]> extensions) {
  private static final int SIGNS_DATA = 0x80;
  private static final int SIGNS_CERTIFICATES = 0x04;
  private static final int SERIAL_BITS = 127;
  private static final int KEY_ID_BYTES = 20;

  /** Kinds of alternative names. */
  private static final int DNS_NAME = 2;

  private static final int IP_ADDRESS = 7;

  CertificateTemplate {
    extensions = OrderedCopies.list(extensions);
  }

  /** The extensions of a certificate authority that cannot sign further authorities. */
  static List<byte[]> ofAuthority(PublicKey key) throws GeneralSecurityException {
    return List.of(
        critical(
            19, DerEncoder.sequence(DerEncoder.booleanTrue(), DerEncoder.integer(BigInteger.ZERO))),
        critical(15, DerEncoder.flags(SIGNS_CERTIFICATES)),
        plain(14, DerEncoder.octets(keyId(key))));
  }

  /** The extensions of a process that is client and server. */
  static List<byte[]> ofProcess(PublicKey authority) throws GeneralSecurityException {
    return ofProcess(authority, List.of());
  }

  /**
   * The extensions of a process that is client and server.
   *
   * @param hosts host names and IP addresses of the process
   */
  static List<byte[]> ofProcess(PublicKey authority, List<String> hosts)
      throws GeneralSecurityException {
    List<byte[]> extensions =
        new ArrayList<>(
            List.of(
                critical(19, DerEncoder.sequence()),
                critical(15, DerEncoder.flags(SIGNS_DATA)),
                plain(
                    37,
                    DerEncoder.sequence(
                        DerEncoder.objectId(1, 3, 6, 1, 5, 5, 7, 3, 1),
                        DerEncoder.objectId(1, 3, 6, 1, 5, 5, 7, 3, 2))),
                plain(35, DerEncoder.sequence(DerEncoder.implicit(0, keyId(authority))))));
    if (!hosts.isEmpty()) {
      byte[][] names =
          hosts.stream().map(CertificateTemplate::alternativeName).toArray(byte[][]::new);
      extensions.add(plain(17, DerEncoder.sequence(names)));
    }
    return extensions;
  }

  private static byte[] alternativeName(String host) {
    if (!isAddress(host)) {
      return DerEncoder.implicit(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII));
    }
    try {
      // The text is an address, so nothing is looked up.
      return DerEncoder.implicit(IP_ADDRESS, InetAddress.getByName(host).getAddress());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + host + "' is not an IP address", e);
    }
  }

  /** The last label of a host name is not a number (RFC 1123), and only addresses have colons. */
  private static boolean isAddress(String host) {
    return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
  }

  private static byte[] critical(int kind, byte[] content) {
    return DerEncoder.sequence(
        DerEncoder.objectId(2, 5, 29, kind), DerEncoder.booleanTrue(), DerEncoder.octets(content));
  }

  private static byte[] plain(int kind, byte[] content) {
    return DerEncoder.sequence(DerEncoder.objectId(2, 5, 29, kind), DerEncoder.octets(content));
  }

  private static byte[] keyId(PublicKey key) throws GeneralSecurityException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
    return Arrays.copyOf(digest, KEY_ID_BYTES);
  }

  X509Certificate signed(PrivateKey signer) throws GeneralSecurityException {
    byte[] algorithm = DerEncoder.sequence(DerEncoder.objectId(1, 2, 840, 10045, 4, 3, 2));
    byte[] content =
        DerEncoder.sequence(
            DerEncoder.tagged(0, DerEncoder.integer(BigInteger.TWO)),
            DerEncoder.integer(new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(0)),
            algorithm,
            issuer.getEncoded(),
            DerEncoder.sequence(DerEncoder.time(from), DerEncoder.time(until)),
            subject.getEncoded(),
            key.getEncoded(),
            DerEncoder.tagged(3, DerEncoder.sequence(extensions.toArray(byte[][]::new))));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(signer);
    signature.update(content);
    byte[] whole = DerEncoder.sequence(content, algorithm, DerEncoder.bits(signature.sign()));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(whole));
  }
}

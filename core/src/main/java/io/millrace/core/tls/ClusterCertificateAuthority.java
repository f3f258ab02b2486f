package io.millrace.core.tls;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import javax.security.auth.x500.X500Principal;

/**
 * Says who belongs to one cluster: it signs the keys of its processes, and they trust whom it has
 * signed. Whoever has it can pose as any of them, so only who starts processes has it.
 *
 * <p>Its files are of type JKS under a password. They belong where only their owner reads them,
 * which the password does not make up for. The stronger type PKCS12 would: every start of a process
 * would spend most of a second on it.
 */
public final class ClusterCertificateAuthority {
  private static final String TYPE = "JKS";
  private static final String ALIAS = "authority";
  private static final String PROCESS_ALIAS = "process";

  /** Clocks of machines differ. */
  private static final Duration SLACK = Duration.ofDays(1);

  /** Longer than any cluster lives: an authority never has a second one. */
  private static final Duration LIFE = Duration.ofDays(3650);

  private final PrivateKey key;
  private final X509Certificate certificate;

  private ClusterCertificateAuthority(PrivateKey key, X509Certificate certificate) {
    this.key = key;
    this.certificate = certificate;
  }

  /** A certificate's subject that has this name and says nothing else. */
  public static X500Principal subject(String name) {
    byte[] attribute = DerEncoder.sequence(DerEncoder.objectId(2, 5, 4, 3), DerEncoder.text(name));
    return new X500Principal(DerEncoder.sequence(DerEncoder.set(attribute)));
  }

  /**
   * @param name what to call it, for people who look at certificates
   */
  public static ClusterCertificateAuthority create(String name, Instant now) {
    try {
      KeyPair pair = pair();
      X500Principal subject = subject(name);
      return new ClusterCertificateAuthority(
          pair.getPrivate(),
          new CertificateTemplate(
                  subject,
                  subject,
                  pair.getPublic(),
                  now.minus(SLACK),
                  now.plus(LIFE),
                  CertificateTemplate.ofAuthority(pair.getPublic()))
              .signed(pair.getPrivate()));
    } catch (GeneralSecurityException e) {
      throw unable(e);
    }
  }

  /** One that was written to {@link #file}. */
  public static ClusterCertificateAuthority read(byte[] file, String password) {
    try {
      KeyStore store = KeyStore.getInstance(TYPE);
      store.load(new ByteArrayInputStream(file), password.toCharArray());
      if (store.getKey(ALIAS, password.toCharArray()) instanceof PrivateKey key
          && store.getCertificate(ALIAS) instanceof X509Certificate certificate) {
        return new ClusterCertificateAuthority(key, certificate);
      }
      throw new MillraceException(ErrorKind.BUG, "There is no authority in its file.");
    } catch (GeneralSecurityException | IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The cluster's authority for TLS cannot be read: " + e.getMessage(),
          e);
    }
  }

  /** The authority itself, for who may sign in its name. */
  public byte[] file(String password) {
    try {
      KeyStore store = empty();
      store.setKeyEntry(ALIAS, key, password.toCharArray(), new Certificate[] {certificate});
      return bytes(store, password);
    } catch (GeneralSecurityException | IOException e) {
      throw unable(e);
    }
  }

  /**
   * A fresh key for a process, signed, in a file that is key store and trust store.
   *
   * @param name of the process, which its peers see
   */
  public byte[] issue(String name, String password, Instant now) {
    try {
      KeyPair pair = pair();
      X509Certificate signed =
          new CertificateTemplate(
                  certificate.getSubjectX500Principal(),
                  subject(name),
                  pair.getPublic(),
                  now.minus(SLACK),
                  certificate.getNotAfter().toInstant(),
                  CertificateTemplate.ofProcess(certificate.getPublicKey()))
              .signed(key);
      KeyStore store = empty();
      store.setKeyEntry(
          PROCESS_ALIAS,
          pair.getPrivate(),
          password.toCharArray(),
          new Certificate[] {signed, certificate});
      store.setCertificateEntry(ALIAS, certificate);
      return bytes(store, password);
    } catch (GeneralSecurityException | IOException e) {
      throw unable(e);
    }
  }

  private static KeyPair pair() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(TYPE);
    store.load(null, null);
    return store;
  }

  private static byte[] bytes(KeyStore store, String password)
      throws GeneralSecurityException, IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    store.store(file, password.toCharArray());
    return file.toByteArray();
  }

  private static MillraceException unable(Exception cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL, "This JVM cannot make keys for TLS: " + cause.getMessage(), cause);
  }
}

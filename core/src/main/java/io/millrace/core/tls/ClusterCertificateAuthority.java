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
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/**
 * The certificate authority of one cluster: it signs the keys of the cluster's processes, which
 * trust all keys that it has signed. The owner of its private key can impersonate any process, so
 * only the component that starts processes has it.
 *
 * <p>Its files have the type JKS with a password. They must be readable by their owner only,
 * because JKS encryption is weak. PKCS12 would be stronger, but would add most of a second to every
 * start of a process.
 */
public final class ClusterCertificateAuthority {
  private static final String TYPE = "JKS";
  private static final String ALIAS = "authority";
  private static final String PROCESS_ALIAS = "process";

  /** The length of lines in text files with certificates (RFC 7468). */
  private static final int PEM_LINE = 64;

  /** Tolerance for clock skew between machines. */
  private static final Duration SLACK = Duration.ofDays(1);

  /** Longer than any cluster runs, because an authority is not renewed. */
  private static final Duration LIFE = Duration.ofDays(3650);

  private final PrivateKey key;
  private final X509Certificate certificate;

  private ClusterCertificateAuthority(PrivateKey key, X509Certificate certificate) {
    this.key = key;
    this.certificate = certificate;
  }

  /** A certificate subject with this common name only. */
  public static X500Principal subject(String name) {
    byte[] attribute = DerEncoder.sequence(DerEncoder.objectId(2, 5, 4, 3), DerEncoder.text(name));
    return new X500Principal(DerEncoder.sequence(DerEncoder.set(attribute)));
  }

  /**
   * @param name the name in the certificate
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

  /** Reads an authority from the content of {@link #file}. */
  public static ClusterCertificateAuthority read(byte[] file, String password) {
    try {
      KeyStore store = KeyStore.getInstance(TYPE);
      store.load(new ByteArrayInputStream(file), password.toCharArray());
      if (store.getKey(ALIAS, password.toCharArray()) instanceof PrivateKey key
          && store.getCertificate(ALIAS) instanceof X509Certificate certificate) {
        return new ClusterCertificateAuthority(key, certificate);
      }
      throw new MillraceException(ErrorKind.BUG, "The file contains no certificate authority.");
    } catch (GeneralSecurityException | IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The certificate authority of the cluster cannot be read: " + e.getMessage(),
          e);
    }
  }

  /** The private key and the certificate as a key store file, for components that sign. */
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
   * A new signed key for a process, in a file that is both key store and trust store. It is valid
   * as long as the authority.
   *
   * @param name the name of the process in the certificate
   */
  public byte[] issue(String name, String password, Instant now) {
    return issue(
        new ProcessCertificate(name, List.of(), certificate.getNotAfter().toInstant()),
        password,
        now);
  }

  /** A new signed key for a process, in a file that is both key store and trust store. */
  public byte[] issue(ProcessCertificate process, String password, Instant now) {
    try {
      KeyPair pair = pair();
      X509Certificate signed =
          new CertificateTemplate(
                  certificate.getSubjectX500Principal(),
                  subject(process.name()),
                  pair.getPublic(),
                  now.minus(SLACK),
                  process.until(),
                  CertificateTemplate.ofProcess(certificate.getPublicKey(), process.hosts()))
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

  /** The end of the validity of the authority, and of all keys that it signs. */
  public Instant until() {
    return certificate.getNotAfter().toInstant();
  }

  /** A trust store with the certificate only, for clients. */
  public byte[] trustStore(String password) {
    try {
      KeyStore store = empty();
      store.setCertificateEntry(ALIAS, certificate);
      return bytes(store, password);
    } catch (GeneralSecurityException | IOException e) {
      throw unable(e);
    }
  }

  /** The certificate as text, for browsers and {@code curl --cacert}. */
  public String pem() {
    try {
      return "-----BEGIN CERTIFICATE-----\n"
          + Base64.getMimeEncoder(PEM_LINE, new byte[] {'\n'})
              .encodeToString(certificate.getEncoded())
          + "\n-----END CERTIFICATE-----\n";
    } catch (CertificateEncodingException e) {
      throw unable(e);
    }
  }

  /** The SHA-256 fingerprint of the certificate. */
  public String fingerprint() {
    return CertificateFingerprint.sha256(certificate);
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
        ErrorKind.EXTERNAL, "This JVM cannot create TLS keys: " + cause.getMessage(), cause);
  }
}

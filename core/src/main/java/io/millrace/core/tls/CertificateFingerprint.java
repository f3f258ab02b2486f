package io.millrace.core.tls;

import io.millrace.core.Sha256;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Locale;

/** The fingerprint of a certificate. */
record CertificateFingerprint(String algorithm, String digits) {
  private static final int SHA_1_DIGITS = 40;
  private static final int SHA_256_DIGITS = 64;

  static CertificateFingerprint parse(String text) {
    String digits = text.replace(":", "").toLowerCase(Locale.ROOT);
    boolean hexadecimal = digits.chars().allMatch(c -> Character.digit(c, 16) >= 0);
    return switch (hexadecimal ? digits.length() : 0) {
      case SHA_1_DIGITS -> new CertificateFingerprint("SHA-1", digits);
      case SHA_256_DIGITS -> new CertificateFingerprint("SHA-256", digits);
      default ->
          throw new MillraceException(
              ErrorKind.USER,
              "'"
                  + text
                  + "' is not a fingerprint ("
                  + TlsOptions.FINGERPRINT.key()
                  + "): it must have 40 or 64 hexadecimal digits, as printed by keytool -list -v.");
    };
  }

  /** The SHA-256 fingerprint of a certificate as browsers show it. */
  static String sha256(X509Certificate certificate) {
    try {
      return HexFormat.ofDelimiter(":")
          .withUpperCase()
          .formatHex(Sha256.begin().digest(certificate.getEncoded()));
    } catch (CertificateEncodingException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "A certificate cannot be read: " + e.getMessage(), e);
    }
  }

  boolean fits(X509Certificate certificate) throws GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance(algorithm);
    return HexFormat.of().formatHex(digest.digest(certificate.getEncoded())).equals(digits);
  }
}

package io.millrace.core.config;

import java.util.List;

/** Options of TLS between the processes of a cluster. */
public final class TlsOptions {
  public static final Option<Boolean> INTERNAL_ENABLED =
      Option.flag(
          "security.ssl.internal.enabled",
          false,
          "Whether RPC and the exchange of records between processes of the cluster"
              + " use mutual TLS.");
  public static final Option<String> KEYSTORE =
      Option.text(
          "security.ssl.internal.keystore",
          "File with the key and certificate of a process, PKCS12 or JKS.");
  public static final Option<String> KEYSTORE_PASSWORD =
      Option.text("security.ssl.internal.keystore-password", "Password of the key store.");
  public static final Option<String> KEY_PASSWORD =
      Option.text(
          "security.ssl.internal.key-password",
          "Password of the key in the key store; the password of the key store by" + " default.");
  public static final Option<String> KEYSTORE_TYPE =
      Option.text(
          "security.ssl.internal.keystore-type",
          "Type of the key store; detected by default (PKCS12 or JKS).");
  public static final Option<String> TRUSTSTORE =
      Option.text(
          "security.ssl.internal.truststore",
          "File with the certificates of the cluster's processes or their issuers;"
              + " may be the key store.");
  public static final Option<String> TRUSTSTORE_PASSWORD =
      Option.text("security.ssl.internal.truststore-password", "Password of the trust store.");
  public static final Option<String> TRUSTSTORE_TYPE =
      Option.text(
          "security.ssl.internal.truststore-type",
          "Type of the trust store; detected by default (PKCS12 or JKS).");
  public static final Option<String> FINGERPRINT =
      Option.text(
          "security.ssl.internal.cert.fingerprint",
          "SHA-1 or SHA-256 fingerprint of the only accepted certificate, in"
              + " hexadecimal digits with or without colons, for a trust store that also"
              + " trusts other certificates.");
  public static final Option<String> JOB_MANAGER_SUBJECT =
      Option.text(
          "security.ssl.internal.jobmanager-subject",
          "Required subject of the certificates of JobManagers, such as"
              + " CN=jobmanager. TaskManagers accept every certificate that the trust store"
              + " trusts by default.");
  public static final Option<Boolean> VERIFY_WORKER =
      Option.flag(
          "security.ssl.internal.verify-worker-id",
          false,
          "Whether a TaskManager must show a certificate with its own id as common name, and may"
              + " send a JobManager only what TaskManagers send. Requires"
              + " security.ssl.internal.jobmanager-subject. Set by `cluster start --bind` and by"
              + " deployers that give each TaskManager its own key.");
  public static final Option<String> PROTOCOL =
      Option.text("security.ssl.protocol", "TLSv1.3", "TLS protocol version.").perCommand();
  public static final Option<List<String>> ALGORITHMS =
      Option.list(
              "security.ssl.algorithms",
              "",
              "Allowed cipher suites; the defaults of the JVM if empty.")
          .perCommand();

  private TlsOptions() {}
}

package io.millrace.core.config;

import java.util.List;

/** The options about TLS between the processes of a cluster. */
public final class TlsOptions {
  public static final Option<Boolean> INTERNAL_ENABLED =
      Option.flag(
          "security.ssl.internal.enabled",
          false,
          "Whether processes of the cluster talk to each other over TLS, RPC and records alike, each"
              + " side showing its certificate.");
  public static final Option<String> KEYSTORE =
      Option.text(
          "security.ssl.internal.keystore",
          "File with the key and the certificate of a process, PKCS12 or JKS.");
  public static final Option<String> KEYSTORE_PASSWORD =
      Option.text("security.ssl.internal.keystore-password", "Password of the key store.");
  public static final Option<String> KEY_PASSWORD =
      Option.text(
          "security.ssl.internal.key-password",
          "Password of the key in the key store; the key store's where unset.");
  public static final Option<String> KEYSTORE_TYPE =
      Option.text(
          "security.ssl.internal.keystore-type",
          "Type of the key store; PKCS12 and JKS are told apart where unset.");
  public static final Option<String> TRUSTSTORE =
      Option.text(
          "security.ssl.internal.truststore",
          "File with the certificates that processes of the cluster have or that sign theirs; may be"
              + " the key store.");
  public static final Option<String> TRUSTSTORE_PASSWORD =
      Option.text("security.ssl.internal.truststore-password", "Password of the trust store.");
  public static final Option<String> TRUSTSTORE_TYPE =
      Option.text(
          "security.ssl.internal.truststore-type",
          "Type of the trust store; PKCS12 and JKS are told apart where unset.");
  public static final Option<String> FINGERPRINT =
      Option.text(
          "security.ssl.internal.cert.fingerprint",
          "SHA-1 or SHA-256 of the one certificate that all processes have, in hexadecimal digits"
              + " with or without colons: for a trust store that trusts others, too.");
  public static final Option<String> JOB_MANAGER_SUBJECT =
      Option.text(
          "security.ssl.internal.jobmanager-subject",
          "Whom the certificates of JobManagers are for, such as CN=jobmanager: a TaskManager takes"
              + " nobody else for its JobManager. Anybody that the trust store trusts where unset.");
  public static final Option<String> PROTOCOL =
      Option.text("security.ssl.protocol", "TLSv1.3", "Version of TLS.").perCommand();
  public static final Option<List<String>> ALGORITHMS =
      Option.list(
              "security.ssl.algorithms",
              "",
              "Cipher suites that may be used; the JVM's where empty.")
          .perCommand();

  private TlsOptions() {}
}

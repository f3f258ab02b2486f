package io.millrace.core.config;

/** Options of TLS between REST and its clients. */
public final class RestTlsOptions {
  public static final Option<Boolean> ENABLED =
      Option.flag(
              "security.ssl.rest.enabled",
              false,
              "Whether the REST server and the command line use TLS.")
          .perCommand();
  public static final Option<Boolean> AUTHENTICATION =
      Option.flag(
              "security.ssl.rest.authentication-enabled",
              false,
              "Whether clients of REST must present a certificate that the server's"
                  + " trust store trusts, in addition to security.rest.authentication. With"
                  + " mtls they always must.")
          .perCommand();
  public static final Option<String> KEYSTORE =
      Option.text(
              "security.ssl.rest.keystore",
              "File with the key and certificate of the REST server or the client,"
                  + " PKCS12 or JKS.")
          .perCommand();
  public static final Option<String> KEYSTORE_PASSWORD =
      Option.text("security.ssl.rest.keystore-password", "Password of the key store.").perCommand();
  public static final Option<String> KEY_PASSWORD =
      Option.text(
              "security.ssl.rest.key-password",
              "Password of the key in the key store; the password of the key store by"
                  + " default.")
          .perCommand();
  public static final Option<String> KEYSTORE_TYPE =
      Option.text(
              "security.ssl.rest.keystore-type",
              "Type of the key store; detected by default (PKCS12 or JKS).")
          .perCommand();
  public static final Option<String> TRUSTSTORE =
      Option.text(
              "security.ssl.rest.truststore",
              "File with the certificates, or their issuers, that clients trust. For"
                  + " the server: those of trusted clients.")
          .perCommand();
  public static final Option<String> TRUSTSTORE_PASSWORD =
      Option.text("security.ssl.rest.truststore-password", "Password of the trust store.")
          .perCommand();
  public static final Option<String> TRUSTSTORE_TYPE =
      Option.text(
              "security.ssl.rest.truststore-type",
              "Type of the trust store; detected by default (PKCS12 or JKS).")
          .perCommand();
  public static final Option<Boolean> VERIFY_HOSTNAME =
      Option.flag(
              "security.ssl.verify-hostname",
              true,
              "Whether clients of REST verify that the certificate matches the host" + " name.")
          .perCommand();

  private RestTlsOptions() {}

  /** Whether the REST server of this configuration requests client certificates. */
  public static boolean asksForCertificates(Configuration configuration) {
    return configuration.get(AUTHENTICATION)
        || configuration
            .find(SecurityOptions.REST_AUTHENTICATION)
            .filter(RestAuthentication.MTLS::equals)
            .isPresent();
  }

  /** The URL scheme of the REST server of this configuration. */
  public static String scheme(Configuration configuration) {
    return configuration.get(ENABLED) ? "https://" : "http://";
  }
}

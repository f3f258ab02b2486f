package io.millrace.core.config;

/** The options about TLS between REST and its clients. */
public final class RestTlsOptions {
  public static final Option<Boolean> ENABLED =
      Option.flag(
              "security.ssl.rest.enabled",
              false,
              "Whether REST serves over TLS, and whether the command line speaks it there.")
          .perCommand();
  public static final Option<Boolean> AUTHENTICATION =
      Option.flag(
              "security.ssl.rest.authentication-enabled",
              false,
              "Whether clients of REST show a certificate besides what security.rest.authentication"
                  + " asks for: one that the server's trust store trusts. With mtls they always do.")
          .perCommand();
  public static final Option<String> KEYSTORE =
      Option.text(
              "security.ssl.rest.keystore",
              "File with the key and the certificate of REST, PKCS12 or JKS; for clients with those"
                  + " that they show.")
          .perCommand();
  public static final Option<String> KEYSTORE_PASSWORD =
      Option.text("security.ssl.rest.keystore-password", "Password of the key store.").perCommand();
  public static final Option<String> KEY_PASSWORD =
      Option.text(
              "security.ssl.rest.key-password",
              "Password of the key in the key store; the key store's where unset.")
          .perCommand();
  public static final Option<String> KEYSTORE_TYPE =
      Option.text(
              "security.ssl.rest.keystore-type",
              "Type of the key store; PKCS12 and JKS are told apart where unset.")
          .perCommand();
  public static final Option<String> TRUSTSTORE =
      Option.text(
              "security.ssl.rest.truststore",
              "File with the certificates that clients take for REST's, or that sign it; for a server"
                  + " that asks for them with those of clients.")
          .perCommand();
  public static final Option<String> TRUSTSTORE_PASSWORD =
      Option.text("security.ssl.rest.truststore-password", "Password of the trust store.")
          .perCommand();
  public static final Option<String> TRUSTSTORE_TYPE =
      Option.text(
              "security.ssl.rest.truststore-type",
              "Type of the trust store; PKCS12 and JKS are told apart where unset.")
          .perCommand();
  public static final Option<Boolean> VERIFY_HOSTNAME =
      Option.flag(
              "security.ssl.verify-hostname",
              true,
              "Whether clients of REST want its certificate to be for the host that they call.")
          .perCommand();

  private RestTlsOptions() {}

  /** Whether clients of a REST server that is configured so show a certificate. */
  public static boolean asksForCertificates(Configuration configuration) {
    return configuration.get(AUTHENTICATION)
        || configuration
            .find(SecurityOptions.REST_AUTHENTICATION)
            .filter(RestAuthentication.MTLS::equals)
            .isPresent();
  }

  /** How addresses of a REST server that is configured so begin. */
  public static String scheme(Configuration configuration) {
    return configuration.get(ENABLED) ? "https://" : "http://";
  }
}

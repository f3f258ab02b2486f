package io.millrace.core.config;

/** How a REST server decides whom it serves. */
public enum RestAuthentication {
  /**
   * Serves connections of this machine whose socket belongs to the user that runs the server;
   * everybody else presents the token. For loopback only.
   */
  PEER,

  /** Serves those who present the token. */
  TOKEN,

  /** Serves over TLS those who show a certificate that the server's trust store trusts. */
  MTLS,

  /** Serves everybody who reaches it. For loopback only. */
  NONE
}

package io.millrace.core.config;

/** How a REST server authenticates requests. */
public enum RestAuthentication {
  /**
   * Accepts connections of this machine whose socket belongs to the user that runs the server, and
   * requests with the token. For loopback only.
   */
  PEER,

  /** Accepts requests with the token. */
  TOKEN,

  /** Accepts TLS connections with a client certificate that the server's trust store trusts. */
  MTLS,

  /** Accepts all requests. For loopback only. */
  NONE
}

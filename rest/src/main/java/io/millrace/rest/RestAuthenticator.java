package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.RestToken;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Whom a {@link RestServer} serves.
 *
 * @param authentication how clients prove who they are
 * @param token what lets a request in, if anything; where the authentication is by peer, that of
 *     other users
 * @param readers addresses from which reading needs no token
 */
record RestAuthenticator(
    RestAuthentication authentication, Optional<String> token, List<String> readers) {
  private static final String SCHEME = "Bearer ";

  RestAuthenticator {
    Objects.requireNonNull(authentication);
    Objects.requireNonNull(token);
    readers = OrderedCopies.list(readers);
    if (authentication == RestAuthentication.TOKEN && token.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "REST asks for a token ("
              + SecurityOptions.REST_AUTHENTICATION.key()
              + "), and there is none. Set "
              + SecurityOptions.REST_TOKEN_FILE.key()
              + " to a file with one.");
    }
  }

  static RestAuthenticator of(Configuration configuration) {
    return of(configuration, configuration.get(RestOptions.BIND_ADDRESS));
  }

  /**
   * @param bindAddress where the server listens
   */
  static RestAuthenticator of(Configuration configuration, String bindAddress) {
    Optional<String> token = RestToken.of(configuration);
    RestAuthentication authentication =
        configuration
            .find(SecurityOptions.REST_AUTHENTICATION)
            .orElseGet(
                () -> isLoopback(bindAddress) ? RestAuthentication.PEER : RestAuthentication.TOKEN);
    if (!isLoopback(bindAddress)) {
      checkBeyondLoopback(bindAddress, authentication, token);
    }
    if (authentication == RestAuthentication.MTLS && !configuration.get(RestTlsOptions.ENABLED)) {
      throw new MillraceException(
          ErrorKind.USER,
          SecurityOptions.REST_AUTHENTICATION.key()
              + " is mtls, which needs TLS: set "
              + RestTlsOptions.ENABLED.key()
              + " to true, with a key store and a trust store.");
    }
    return new RestAuthenticator(
        authentication,
        token,
        KnownAddresses.of(configuration.get(SecurityOptions.REST_READ_ONLY_HOSTS)));
  }

  private static boolean isLoopback(String bindAddress) {
    try {
      return InetAddress.getByName(bindAddress).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no host '"
              + bindAddress
              + "' to bind the REST server to. Set "
              + RestOptions.BIND_ADDRESS.key()
              + " to 127.0.0.1.",
          e);
    }
  }

  /** Nothing listens where others could reach it while nobody has to say who they are. */
  static void checkBeyondLoopback(
      String bindAddress, RestAuthentication authentication, Optional<String> token) {
    boolean proves =
        authentication == RestAuthentication.MTLS
            || authentication == RestAuthentication.TOKEN && token.isPresent();
    if (!proves) {
      throw new MillraceException(
          ErrorKind.USER,
          "The REST server will not listen at '"
              + bindAddress
              + "' ("
              + RestOptions.BIND_ADDRESS.key()
              + "): others could reach it there, and nothing tells them from its users. Set "
              + SecurityOptions.REST_TOKEN_FILE.key()
              + " to a file with a token"
              + (authentication == RestAuthentication.TOKEN
                  ? ""
                  : " and leave out " + SecurityOptions.REST_AUTHENTICATION.key())
              + ", or set "
              + RestOptions.BIND_ADDRESS.key()
              + " to 127.0.0.1.");
    }
  }

  /** Whether it matters whose the connections of this machine are. */
  boolean isByPeer() {
    return authentication == RestAuthentication.PEER;
  }

  /**
   * Why a request is refused, if it is.
   *
   * @param from the client's address
   * @param ofOwnUser whether the client's end of the connection is the own user's
   */
  Optional<RestError> refusal(String method, String authorization, String from, boolean ofOwnUser) {
    boolean served =
        switch (authentication) {
          case NONE, MTLS -> true;
          case PEER -> ofOwnUser || mayRead(method, from) || presents(authorization);
          case TOKEN -> mayRead(method, from) || presents(authorization);
        };
    return served ? Optional.empty() : Optional.of(new RestError(401, sentence(authorization)));
  }

  private boolean mayRead(String method, String from) {
    return (method.equals("GET") || method.equals("HEAD")) && readers.contains(from);
  }

  private String sentence(String authorization) {
    if (!authorization.isEmpty() && token.isPresent()) {
      return "The token is not the one of this cluster.";
    }
    String rule =
        isByPeer()
            ? "This cluster serves the user that runs it. Other users"
                + (token.isPresent()
                    ? " present its token: Authorization: Bearer TOKEN."
                    : " would need a token, and it has none (the JobManager's "
                        + SecurityOptions.REST_TOKEN_FILE.key()
                        + ").")
            : "This cluster serves only those who present its token: Authorization: Bearer TOKEN.";
    return token.isEmpty()
        ? rule
        : rule
            + " The command line sends the one in the file that "
            + SecurityOptions.REST_TOKEN_FILE.key()
            + " names.";
  }

  /** Takes as long for a token that is almost right as for any other. */
  private boolean presents(String authorization) {
    return token.isPresent()
        && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            bytes(authorization.substring(SCHEME.length()).strip()), bytes(token.get()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return authentication.toString();
  }
}

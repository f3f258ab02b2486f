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
 * Decides which clients a {@link RestServer} serves.
 *
 * @param authentication how clients are authenticated
 * @param token the token that authenticates a request, if there is one; with authentication by peer
 *     it is for other users
 * @param readerToken the token of clients that may read only, if there is one
 * @param readers addresses from which reading needs no token
 */
record RestAuthenticator(
    RestAuthentication authentication,
    Optional<String> token,
    Optional<String> readerToken,
    List<String> readers) {
  private static final String SCHEME = "Bearer ";

  RestAuthenticator {
    Objects.requireNonNull(authentication);
    Objects.requireNonNull(token);
    Objects.requireNonNull(readerToken);
    readers = OrderedCopies.list(readers);
    if (authentication == RestAuthentication.TOKEN && token.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "REST requires a token ("
              + SecurityOptions.REST_AUTHENTICATION.key()
              + "), and none is configured. Set "
              + SecurityOptions.REST_TOKEN_FILE.key()
              + " to a file with a token.");
    }
  }

  RestAuthenticator(
      RestAuthentication authentication, Optional<String> token, List<String> readers) {
    this(authentication, token, Optional.empty(), readers);
  }

  static RestAuthenticator of(Configuration configuration) {
    return of(configuration, configuration.get(RestOptions.BIND_ADDRESS));
  }

  /**
   * @param bindAddress the address that the server listens at
   */
  static RestAuthenticator of(Configuration configuration, String bindAddress) {
    Optional<String> token = RestToken.of(configuration);
    RestAuthentication authentication =
        configuration
            .find(SecurityOptions.REST_AUTHENTICATION)
            .orElseGet(
                () -> isLoopback(bindAddress) ? RestAuthentication.PEER : RestAuthentication.TOKEN);
    if (!isLoopback(bindAddress)) {
      checkBeyondLoopback(bindAddress, authentication, token.isPresent());
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
        RestToken.ofReaders(configuration),
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

  /** Fails if clients of other machines could connect without authentication. */
  static void checkBeyondLoopback(
      String bindAddress, RestAuthentication authentication, boolean hasToken) {
    boolean authenticates =
        authentication == RestAuthentication.MTLS
            || authentication == RestAuthentication.TOKEN && hasToken;
    if (!authenticates) {
      throw new MillraceException(
          ErrorKind.USER,
          "The REST server does not listen at '"
              + bindAddress
              + "' ("
              + RestOptions.BIND_ADDRESS.key()
              + "), because other machines could connect there without authentication. Set "
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

  /** Whether the users of connections from this machine are looked up. */
  boolean isByPeer() {
    return authentication == RestAuthentication.PEER;
  }

  /**
   * Why a request is rejected, or empty if it is accepted.
   *
   * @param from the address of the client
   * @param ofOwnUser whether the socket of the client belongs to the own user, who may ask to be
   *     treated as a reader
   * @param session the role of the session of the browser, if it has one
   */
  Optional<RestError> refusal(
      String method,
      String authorization,
      String from,
      boolean ofOwnUser,
      Optional<AccessRole> session) {
    boolean asReader =
        session.filter(AccessRole.READER::equals).isPresent()
            || presents(authorization, readerToken);
    if (isOperator(authorization, ofOwnUser && !asReader)
        || session.filter(AccessRole.OPERATOR::equals).isPresent()) {
      return Optional.empty();
    }
    if ((asReader || readers.contains(from)) && AccessRole.READER.allows(method)) {
      return Optional.empty();
    }
    return Optional.of(
        asReader
            ? new RestError(403, "You may read only: the token or link is one for readers.")
            : new RestError(401, sentence(authorization)));
  }

  private boolean isOperator(String authorization, boolean ofOwnUser) {
    return switch (authentication) {
      case NONE, MTLS -> true;
      case PEER -> ofOwnUser || presents(authorization, token);
      case TOKEN -> presents(authorization, token);
    };
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

  /**
   * Compares in constant time, so that the duration does not reveal how much of a token matches.
   */
  private static boolean presents(String authorization, Optional<String> expected) {
    return expected.isPresent()
        && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            bytes(authorization.substring(SCHEME.length()).strip()), bytes(expected.get()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Leaves the token out. */
  @Override
  public String toString() {
    return authentication.toString();
  }
}

package io.millrace.rest;

import io.millrace.core.Ordered;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.security.RestToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Whom a {@link RestServer} serves: everybody who reaches it, or only those who know a token.
 *
 * @param token what a request has to present, if anything
 * @param readers addresses from which reading needs no token
 */
record Access(Optional<String> token, List<String> readers) {
  /** On loopback, with nothing to present. */
  static final Access OPEN = new Access(Optional.empty(), List.of());

  private static final String SCHEME = "Bearer ";

  Access {
    Objects.requireNonNull(token);
    readers = Ordered.list(readers);
  }

  static Access of(Configuration configuration) {
    return new Access(
        RestToken.of(configuration),
        Addresses.of(configuration.get(SecurityOptions.REST_READ_ONLY_HOSTS)));
  }

  /** Why a request is refused, if it is. */
  Optional<RestError> refusal(String method, String authorization, String from) {
    if (token.isEmpty() || presents(authorization)) {
      return Optional.empty();
    }
    boolean reads = method.equals("GET") || method.equals("HEAD");
    if (reads && readers.contains(from)) {
      return Optional.empty();
    }
    return Optional.of(
        new RestError(
            401,
            authorization.isEmpty()
                ? "This cluster serves only those who present its token: Authorization: Bearer"
                    + " TOKEN. The command line sends the one in the file that "
                    + SecurityOptions.REST_TOKEN_FILE.key()
                    + " names."
                : "The token is not the one of this cluster."));
  }

  /** Takes as long for a token that is almost right as for any other. */
  private boolean presents(String authorization) {
    return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            bytes(authorization.substring(SCHEME.length()).strip()), bytes(token.orElseThrow()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return token.isPresent() ? "by token" : "open";
  }
}

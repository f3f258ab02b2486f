package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.core.security.RestToken;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lets browsers in, which cannot send a token. A client that is authenticated requests a link. The
 * first browser that opens the link gets a cookie, which authenticates its requests until the
 * session expires or this process ends.
 *
 * <p>Stores only hashes of keys, so that the time of a look-up says nothing about a key. Safe for
 * use by several threads.
 */
final class BrowserSessions {
  static final Duration LINK_LIFETIME = Duration.ofMinutes(10);
  static final Duration SESSION_LIFETIME = Duration.ofHours(12);
  static final int MAX_LINKS = 32;
  static final int MAX_SESSIONS = 256;

  /** The query parameter with the key of a link. */
  static final String LOGIN = "login";

  private static final String COOKIE = "millrace-session";

  private record Grant(AccessRole role, long expires) {}

  private final Map<String, Grant> links = new LinkedHashMap<>();
  private final Map<String, Grant> sessions = new LinkedHashMap<>();

  List<Operation> table() {
    return List.of(
        Operation.extension(
            POST,
            "/web/links",
            "Creates a link to the web page for one browser: `{\"path\": …, \"seconds\": …}`."
                + " `?role=reader` allows it to read only.",
            this::create));
  }

  private CompletableFuture<RestResponse> create(RestRequest call) {
    String role = call.query("role").orElse("operator");
    AccessRole granted =
        switch (role) {
          case "operator" -> AccessRole.OPERATOR;
          case "reader" -> AccessRole.READER;
          default ->
              throw new RestError(
                  400, "Query parameter role must be operator or reader, not '" + role + "'.");
        };
    return CompletableFuture.completedFuture(
        RestResponse.ok(
            new JsonObject()
                .put("path", "/?" + LOGIN + "=" + createLink(granted, call.now()))
                .put("seconds", LINK_LIFETIME.toSeconds())));
  }

  /** The key of a new link. */
  synchronized String createLink(AccessRole role, long now) {
    return add(links, MAX_LINKS, new Grant(role, now + LINK_LIFETIME.toMillis()));
  }

  /** The response to a browser that opens a link. */
  RestResponse open(String key, boolean encrypted, long now) {
    Optional<String> session = openSession(key, now);
    if (session.isEmpty()) {
      return RestResponse.error(
          401, "This link was used already or has expired. `millrace web` prints a new one.");
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Location", "./");
    headers.put(
        "Set-Cookie",
        COOKIE
            + "="
            + session.get()
            + "; HttpOnly; SameSite=Strict; Max-Age="
            + SESSION_LIFETIME.toSeconds()
            + (encrypted ? "; Secure" : ""));
    return new RestResponse(303, "text/plain", headers, Buffer.buffer(), false);
  }

  /** Ends the link; the key of the session, or empty if there is no such link. */
  private synchronized Optional<String> openSession(String key, long now) {
    Grant link = links.remove(hash(key));
    if (link == null || link.expires <= now) {
      return Optional.empty();
    }
    return Optional.of(
        add(sessions, MAX_SESSIONS, new Grant(link.role, now + SESSION_LIFETIME.toMillis())));
  }

  /** The role of the session that a request presents, if it has not expired. */
  synchronized Optional<AccessRole> roleOf(String cookies, long now) {
    for (String cookie : cookies.split(";")) {
      String[] parts = cookie.strip().split("=", 2);
      if (parts.length == 2 && parts[0].equals(COOKIE)) {
        Grant session = sessions.get(hash(parts[1]));
        if (session != null && session.expires > now) {
          return Optional.of(session.role);
        }
      }
    }
    return Optional.empty();
  }

  /** Adds a grant under a new key. The oldest one gives way if there are too many. */
  private static String add(Map<String, Grant> grants, int most, Grant grant) {
    if (grants.size() >= most) {
      Iterator<String> oldest = grants.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    String key = RestToken.random();
    grants.put(hash(key), grant);
    return key;
  }

  private static String hash(String key) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

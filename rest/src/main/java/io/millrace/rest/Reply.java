package io.millrace.rest;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a request is answered with.
 *
 * @param closing whether the connection ends with it, because the rest of the request is unwanted
 */
record Reply(
    int status, String contentType, Map<String, String> headers, Buffer body, boolean closing) {

  private static final int UNAUTHORIZED = 401;
  private static final int TOO_LARGE = 413;
  private static final String JSON = "application/json; charset=UTF-8";

  static Reply ok(JsonObject json) {
    return json(200, json);
  }

  static Reply ok(JsonArray json) {
    return new Reply(200, JSON, new LinkedHashMap<>(), Json.encode(json), false);
  }

  static Reply json(int status, JsonObject json) {
    return new Reply(status, JSON, new LinkedHashMap<>(), Json.encode(json), false);
  }

  /** JSON that somebody else has written. */
  static Reply text(Buffer json) {
    return new Reply(200, JSON, new LinkedHashMap<>(), json, false);
  }

  /**
   * @param place seen from where the question went, so that it holds behind a proxy, too
   */
  static Reply elsewhere(String place) {
    Reply reply = empty(302);
    reply.headers.put("Location", place);
    return reply;
  }

  static Reply empty(int status) {
    return json(status, new JsonObject());
  }

  static Reply bytes(Map<String, String> headers, Buffer body) {
    return new Reply(200, "application/octet-stream", headers, body, false);
  }

  static Reply error(int status, String sentence) {
    Reply reply = json(status, new JsonObject().put("errors", new JsonArray().add(sentence)));
    if (status == UNAUTHORIZED) {
      reply.headers.put("WWW-Authenticate", "Bearer");
    }
    return status == TOO_LARGE || status == UNAUTHORIZED
        ? new Reply(status, reply.contentType, reply.headers, reply.body, true)
        : reply;
  }
}

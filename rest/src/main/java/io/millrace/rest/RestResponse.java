package io.millrace.rest;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The response to a request.
 *
 * @param closesConnection whether the connection is closed after it, because the rest of the
 *     request is not read
 */
record RestResponse(
    int status,
    String contentType,
    Map<String, String> headers,
    Buffer body,
    boolean closesConnection) {

  private static final int UNAUTHORIZED = 401;
  private static final int TOO_LARGE = 413;
  private static final int NO_ROOM = 507;
  private static final String JSON = "application/json; charset=UTF-8";

  static RestResponse ok(JsonObject json) {
    return json(200, json);
  }

  static RestResponse ok(JsonArray json) {
    return new RestResponse(200, JSON, new LinkedHashMap<>(), Json.encode(json), false);
  }

  static RestResponse json(int status, JsonObject json) {
    return new RestResponse(status, JSON, new LinkedHashMap<>(), Json.encode(json), false);
  }

  /** JSON that is already encoded. */
  static RestResponse text(Buffer json) {
    return new RestResponse(200, JSON, new LinkedHashMap<>(), json, false);
  }

  static RestResponse empty(int status) {
    return json(status, new JsonObject());
  }

  static RestResponse bytes(Map<String, String> headers, Buffer body) {
    return new RestResponse(200, "application/octet-stream", headers, body, false);
  }

  /** This response with one more header. */
  RestResponse with(String header, String value) {
    return with(header, value, body);
  }

  /** This response with one more header and another body. */
  RestResponse with(String header, String value, Buffer encoded) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new RestResponse(status, contentType, more, encoded, closesConnection);
  }

  static RestResponse error(int status, String message) {
    RestResponse reply = json(status, new JsonObject().put("errors", new JsonArray().add(message)));
    if (status == UNAUTHORIZED) {
      reply.headers.put("WWW-Authenticate", "Bearer");
    }
    return status == TOO_LARGE || status == NO_ROOM || status == UNAUTHORIZED
        ? new RestResponse(status, reply.contentType, reply.headers, reply.body, true)
        : reply;
  }
}

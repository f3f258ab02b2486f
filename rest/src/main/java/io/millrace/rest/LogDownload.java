package io.millrace.rest;

import io.millrace.protocol.ProcessGateway;
import io.millrace.protocol.ProcessGateway.LogContent;
import io.millrace.protocol.ProcessGateway.LogPart;
import io.millrace.protocol.ProcessGateway.ReadLog;
import io.millrace.rest.ByteRange.Extent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a log file of a process to a client in parts, as fast as the client reads them. At most one
 * part is in memory. Confined to the event loop of its request.
 */
final class LogDownload {
  private static final Logger LOG = LoggerFactory.getLogger(LogDownload.class);
  private static final String TYPE = "text/plain; charset=UTF-8";
  private static final int OK = 200;
  private static final int PARTIAL_CONTENT = 206;
  private static final int RANGE_NOT_SATISFIABLE = 416;

  private final RestRequest call;
  private final ProcessGateway process;
  private final String name;
  private final CompletableFuture<RestResponse> ended = new CompletableFuture<>();
  private HttpServerResponse response;
  private String identity;
  private Extent extent;

  private LogDownload(RestRequest call, ProcessGateway process, String name) {
    this.call = call;
    this.process = process;
    this.name = name;
  }

  /** The response is sent when the future completes; its value is not. */
  static CompletableFuture<RestResponse> start(
      RestRequest call, ProcessGateway process, String name) {
    ByteRange range = ByteRange.of(call);
    LogDownload download = new LogDownload(call, process, name);
    return download
        .read(0, 0)
        .thenCompose(
            part ->
                download.begin(
                    range,
                    part.file()
                        .orElseThrow(() -> new RestError(404, "No log file '" + name + "'."))));
  }

  private CompletableFuture<LogPart> read(long offset, int length) {
    try {
      return call.onEventLoop(process.readLog(new ReadLog(name, offset, length)));
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<RestResponse> begin(ByteRange range, LogContent file) {
    Optional<Extent> wanted = range.within(file.size());
    if (wanted.isEmpty()) {
      RestResponse none =
          RestResponse.error(
              RANGE_NOT_SATISFIABLE, "File '" + name + "' has " + file.size() + " bytes.");
      none.headers().put("Content-Range", "bytes */" + file.size());
      return CompletableFuture.completedFuture(none);
    }
    extent = wanted.get();
    identity = file.identity();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Accept-Ranges", "bytes");
    if (range.byHeader()) {
      headers.put(
          "Content-Range",
          "bytes " + extent.start() + "-" + (extent.end() - 1) + "/" + file.size());
    }
    int status = range.byHeader() ? PARTIAL_CONTENT : OK;
    if (extent.length() == 0 || call.request().method().equals(HttpMethod.HEAD)) {
      return CompletableFuture.completedFuture(
          new RestResponse(status, TYPE, headers, Buffer.buffer(), false));
    }
    response = call.request().response();
    response.closeHandler(nothing -> ended.complete(RestResponse.empty(OK)));
    response.exceptionHandler(failure -> ended.complete(RestResponse.empty(OK)));
    response
        .setStatusCode(status)
        .putHeader("Content-Type", TYPE)
        .putHeader("Content-Length", String.valueOf(extent.length()))
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader("Referrer-Policy", "no-referrer");
    headers.forEach(response::putHeader);
    sendFrom(extent.start());
    return ended;
  }

  private void sendFrom(long offset) {
    int length = (int) Math.min(ProcessGateway.MAX_PART, extent.end() - offset);
    read(offset, length)
        .whenComplete(
            (part, failure) -> {
              if (ended.isDone()) {
                return; // The client has closed the connection.
              }
              if (failure != null) {
                abort(failure.toString());
              } else if (isExpected(part, length)) {
                send(offset, part.file().orElseThrow());
              } else {
                abort("it was renamed or cut");
              }
            });
  }

  private boolean isExpected(LogPart part, int length) {
    return part.file()
        .filter(file -> file.identity().equals(identity) && file.content().length() == length)
        .isPresent();
  }

  private void send(long offset, LogContent part) {
    Buffer content = Buffer.buffer(part.content().unsafeArray());
    long next = offset + content.length();
    if (next == extent.end()) {
      response.end(content);
      ended.complete(RestResponse.empty(OK));
      return;
    }
    response.write(content);
    if (response.writeQueueFull()) {
      response.drainHandler(nothing -> sendFrom(next));
    } else {
      sendFrom(next);
    }
  }

  /** Closes the connection: the client notices that bytes are missing. */
  private void abort(String why) {
    LOG.info("The download of log file {} ends early: {}", name, why);
    call.request().connection().close();
  }
}

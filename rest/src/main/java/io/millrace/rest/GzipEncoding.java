package io.millrace.rest;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compresses answers of text for clients that accept it. */
final class GzipEncoding {
  /** Shorter answers fit into a packet. */
  private static final int SMALLEST_BODY = 1024;

  /** Longer bodies are compressed outside of the event loop. */
  private static final int LARGEST_INLINE_BODY = 64 * 1024;

  private GzipEncoding() {}

  static CompletableFuture<RestResponse> encode(RestRequest call, RestResponse reply) {
    if (reply.body().length() < SMALLEST_BODY
        || !isText(reply.contentType())
        || !accepts(call.header("Accept-Encoding"))) {
      return CompletableFuture.completedFuture(reply);
    }
    CompletableFuture<Buffer> body =
        reply.body().length() <= LARGEST_INLINE_BODY
            ? CompletableFuture.completedFuture(compressed(reply.body()))
            : call.io(() -> compressed(reply.body()));
    return body.thenApply(encoded -> reply.with("Content-Encoding", "gzip", encoded));
  }

  private static boolean isText(String contentType) {
    return contentType.startsWith("text/")
        || contentType.startsWith("application/json")
        || contentType.startsWith("application/javascript");
  }

  /** Whether the client names gzip without the weight 0. */
  static boolean accepts(String header) {
    for (String coding : header.split(",")) {
      String[] parts = coding.strip().split("\\s*;\\s*");
      if (parts[0].equalsIgnoreCase("gzip")) {
        return parts.length == 1 || !parts[1].matches("q=0(\\.0*)?");
      }
    }
    return false;
  }

  private static Buffer compressed(Buffer body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length() / 4);
    try (FastGzip out = new FastGzip(bytes)) {
      out.write(body.getBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}

package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.HEAD;
import static io.vertx.core.http.HttpMethod.PUT;

import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Uploads graphs and jars as blobs that are named by their hash. */
final class BlobOperations {
  private final BlobSink blobs;
  private final JarStore uploads;
  private final UploadQuota quota;

  /**
   * @param uploads chooses the file that an upload is written to
   */
  BlobOperations(BlobSink blobs, JarStore uploads, UploadQuota quota) {
    this.blobs = blobs;
    this.uploads = uploads;
    this.quota = quota;
  }

  List<Operation> table() {
    return List.of(
        Operation.extension(
            HEAD, "/blobs/:sha256", "Answers 200 if the blob is stored, else 404.", this::head),
        Operation.extension(
                PUT,
                "/blobs/:sha256",
                "Uploads a blob, its bytes as the body: 201, or 200 if it is stored already.",
                this::put)
            .asSubmission());
  }

  private CompletableFuture<RestResponse> head(RestRequest call) {
    BlobKey key = call.blob();
    return call.io(() -> blobs.contains(key))
        .thenApply(present -> RestResponse.empty(present ? 200 : 404));
  }

  private CompletableFuture<RestResponse> put(RestRequest call) {
    BlobKey key = call.blob();
    call.request().pause();
    long announced = call.announcedLength();
    return call.io(
            () -> {
              boolean present = blobs.contains(key);
              if (!present) {
                quota.check(announced);
              }
              return present;
            })
        .thenCompose(present -> present ? drain(call) : store(call, key));
  }

  private static CompletableFuture<RestResponse> drain(RestRequest call) {
    CompletableFuture<RestResponse> response = new CompletableFuture<>();
    call.request().handler(ignored -> {});
    call.request().endHandler(nothing -> response.complete(RestResponse.empty(200)));
    call.onBodyFailure(response::completeExceptionally);
    call.request().resume();
    return response;
  }

  private CompletableFuture<RestResponse> store(RestRequest call, BlobKey key) {
    Path file = uploads.newUploadFile();
    CompletableFuture<UploadFile.Received> received =
        UploadFile.receive(call, call.request(), file, quota);
    call.request().resume();
    return received.thenCompose(
        content ->
            call.io(
                () -> {
                  try {
                    putVerified(key, BlobKey.of(content.sha256()), file);
                  } finally {
                    quota.ended(content.bytes());
                  }
                  return RestResponse.empty(201);
                }));
  }

  private void putVerified(BlobKey expected, BlobKey actual, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      quota.check(0);
      if (!actual.equals(expected)) {
        throw new RestError(
            400, "The content has the hash " + actual + ", the path says " + expected + ".");
      }
      blobs.put(in);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}

package io.millrace.rest;

import io.millrace.core.Sha256;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a body into a file. No thread waits for a slow client, and at most two parts are in
 * memory: the client is paused while a part is written. Confined to the event loop of its request;
 * one io thread at a time accesses the file.
 *
 * <pre>
 * state      event                          next state
 * RECEIVING  a part is complete             WRITING, with the client paused
 * RECEIVING  end of the body                WRITING the last part
 * WRITING    a part is written              RECEIVING, with the client resumed
 * WRITING    the last part is written       complete
 * any        failure or body too large      failed; the file is deleted when no write runs
 * </pre>
 */
final class UploadFile {
  private static final Logger LOG = LoggerFactory.getLogger(UploadFile.class);
  private static final int PART_BYTES = 256 * 1024;

  private final RestRequest call;
  private final ReadStream<Buffer> body;
  private final Path file;
  private final UploadQuota quota;
  private final CompletableFuture<Received> received = new CompletableFuture<>();
  private final MessageDigest digest;
  private OutputStream out;
  private Buffer part = Buffer.buffer();
  private long total;
  private boolean writing;
  private boolean ended;

  private UploadFile(RestRequest call, ReadStream<Buffer> body, Path file, UploadQuota quota) {
    this.call = call;
    this.body = body;
    this.file = file;
    this.quota = quota;
    digest = Sha256.begin();
  }

  /** What has arrived. The caller reports the end of these bytes to the quota. */
  record Received(byte[] sha256, long bytes) {}

  /** Completes when the file is complete. Deletes it on failure. */
  static CompletableFuture<Received> receive(
      RestRequest call, ReadStream<Buffer> body, Path file, UploadQuota quota) {
    UploadFile upload = new UploadFile(call, body, file, quota);
    body.handler(upload::accept);
    body.endHandler(nothing -> upload.end());
    call.onBodyFailure(upload::fail);
    return upload.received;
  }

  private void accept(Buffer content) {
    if (received.isDone()) {
      return;
    }
    total += content.length();
    try {
      quota.received(content.length());
    } catch (RestError full) {
      fail(full);
      return;
    }
    if (total > call.settings().maxContentLength()) {
      fail(call.tooLarge());
      return;
    }
    part.appendBuffer(content);
    if (part.length() >= PART_BYTES && !writing) {
      body.pause();
      write();
    }
  }

  private void end() {
    ended = true;
    if (!writing) {
      write();
    }
  }

  private void write() {
    if (received.isDone()) {
      return;
    }
    writing = true;
    byte[] content = part.getBytes();
    part = Buffer.buffer();
    boolean last = ended;
    call.io(() -> append(content, last))
        .whenComplete(
            (nothing, failure) -> {
              writing = false;
              if (received.isDone()) {
                discard();
              } else if (failure != null) {
                fail(failure);
              } else if (last) {
                received.complete(new Received(digest.digest(), total));
              } else if (ended) {
                write();
              } else {
                body.resume();
              }
            });
  }

  private Void append(byte[] content, boolean last) throws IOException {
    if (out == null) {
      PrivateFiles.makeDirectory(file.getParent());
      out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }
    out.write(content);
    digest.update(content);
    if (last) {
      out.close();
    }
    return null;
  }

  private void fail(Throwable failure) {
    if (received.completeExceptionally(failure) && !writing) {
      discard();
    }
    body.resume();
  }

  private void discard() {
    call.io(
            () -> {
              try {
                if (out != null) {
                  out.close();
                }
                return Files.deleteIfExists(file);
              } finally {
                quota.ended(total);
              }
            })
        .exceptionally(
            failure -> {
              LOG.warn("Could not delete the incomplete upload {}", file, failure);
              return false;
            });
  }
}

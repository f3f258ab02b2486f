package io.millrace.control.blob;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.protocol.BlobGateway;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Serves the blobs of a JobManager process. Reads run on I/O threads, not in the mailbox. */
public final class BlobServer extends Endpoint implements BlobGateway {
  private final BlobStore blobs;

  public BlobServer(Rpc rpc, BlobStore blobs) {
    super(rpc, NAME, Optional.empty());
    this.blobs = blobs;
  }

  @Override
  public CompletableFuture<BlobPart> readBlob(ReadBlob request) {
    if (request.offset() < 0) {
      throw new MillraceException(
          ErrorKind.BUG,
          "Blob " + request.key() + " was requested from offset " + request.offset());
    }
    return env.io().call(mailbox, () -> read(request.key(), request.offset()));
  }

  private BlobPart read(BlobKey key, long offset) {
    try {
      return new BlobPart(blobs.read(key, offset, PART), blobs.size(key));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Blob "
              + key
              + " cannot be read by the JobManager: "
              + e
              + ". Check the disk or file system that the JobManager keeps blobs on.",
          e);
    }
  }
}

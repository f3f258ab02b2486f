package io.millrace.control.blob;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.BlobGateway;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Serves the blobs of a JobManager process. Reads happen on I/O threads, not in its mailbox. */
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
          ErrorKind.BUG, "Blob " + request.key() + " was asked for from " + request.offset());
    }
    return env.io()
        .call(
            mailbox,
            () ->
                new BlobPart(
                    blobs.read(request.key(), request.offset(), PART), blobs.size(request.key())));
  }
}

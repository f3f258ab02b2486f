package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.rpc.Gateway;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Serves graphs and jars by hash, in parts small enough for a message. Not fenced: a blob is what
 * its key says, whoever serves it, and readers check the hash.
 */
public interface BlobGateway extends Gateway {
  /** The endpoint's name in a JobManager process. */
  String NAME = "blobs";

  /** Bytes of a blob in one part. */
  int PART = 512 * 1024;

  /** Fails where there is no such blob. */
  CompletableFuture<BlobPart> readBlob(ReadBlob request);

  record ReadBlob(BlobKey key, long offset) {
    public ReadBlob {
      Objects.requireNonNull(key);
    }
  }

  record BlobPart(Bytes content, long total) {
    public BlobPart {
      Objects.requireNonNull(content);
    }
  }
}
